"""Files as other programs change them are right or reported, in all formats: some seeds of `format_mutations`."""

from __future__ import annotations

import pytest
from format_mutations import FORMATS, MUTATIONS, choices, outcome
from format_probes import read_formats

from corpora.formats import registry

SEEDS = 150
pytestmark = pytest.mark.filterwarnings("ignore:Not mapping external offset")


def require(format: str) -> None:
    if format not in registry.FORMATS.names():
        pytest.skip(f"the format {format} is not installed")
    if package := registry.named(format).package:
        pytest.importorskip(package)


@pytest.mark.parametrize("mutation", [one.__name__ for one in MUTATIONS])
@pytest.mark.parametrize("format", FORMATS)
def test_each_mutation_of_each_format_is_right_or_reported(format: str, mutation: str) -> None:
    require(format)
    assert outcome(format, (mutation,), 0) is None


@pytest.mark.parametrize("seed", range(SEEDS))
def test_several_mutations_are_right_or_reported(seed: int) -> None:
    format, names = choices(seed)
    require(format)
    assert outcome(format, names, seed) is None


def test_all_formats_that_are_read_are_mutated() -> None:
    assert set(read_formats()) <= set(FORMATS)
