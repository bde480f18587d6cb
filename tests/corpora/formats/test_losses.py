"""The second table of docs/reference/formats.md: no written format leaves out a part of a document in silence."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

import pytest
from format_losses import NONE, OUTSIDE, PARTS, SILENT, outcome, written_formats

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "formats.md"


def cells_of_page() -> dict[tuple[str, str], str]:
    """The cells of the table by part and format."""
    lines = PAGE.read_text("utf-8").splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("| part |"))
    table = takewhile(lambda line: line.startswith("|"), lines[first:])
    head, _, *rows = ([cell.strip(" `") for cell in line.strip("|").split("|")] for line in table)
    by_part = {row[0]: row[1:] for row in rows}
    return {(part, name): cell for part, cells in by_part.items() for name, cell in zip(head[1:], cells, strict=True)}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("format", written_formats())
def test_a_part_is_kept_or_reported(format: str, part: str, tmp_path: Path) -> None:
    found = outcome(format, part, tmp_path)
    assert found != SILENT
    assert (found == NONE) <= (part in OUTSIDE.get(format, ()))
    assert cells_of_page()[part, format] == found
