"""The table of docs/reference/formats.md: what each format does with input that goes wrong elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from format_probes import PROBES, read_formats, table
from probe import NONE, PROPERTIES, READ, Probe, outcome_of

from corpora.formats import registry

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "formats.md"
# An installation can lack the formats of a companion.
CELLS = [(format, name) for format in PROBES if format in read_formats() for name in PROPERTIES]


@pytest.mark.parametrize(("format", "name"), CELLS)
def test_each_cell_is_true(format: str, name: str, tmp_path: Path) -> None:
    probe = PROBES[format][name]
    if not isinstance(probe, Probe):
        assert probe == NONE
        entry = registry.named(format)
        assert name == "relations" or not entry.stores_mentions, "formats with mentions have all other cells"
        return
    if registry.named(format).package:
        pytest.importorskip(registry.named(format).package)
    outcome, articles, sentence, relations = outcome_of(format, probe, tmp_path)
    assert (outcome, articles, relations) == (probe.outcome, probe.articles, probe.relations), sentence
    assert probe.says in sentence
    assert (outcome == READ) == (not sentence)


def test_each_format_that_is_read_has_a_row_and_each_row_all_cells() -> None:
    assert set(read_formats()) <= PROBES.keys()
    assert all(cells.keys() == PROPERTIES.keys() for cells in PROBES.values())


def test_the_page_has_the_table() -> None:
    lines = PAGE.read_text("utf-8").splitlines()
    assert [line for line in table() if line not in lines] == []
