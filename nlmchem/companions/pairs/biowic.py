"""The reader of BioWiC. `files.py` has the format, and `selection.py` makes pairs from other corpora."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from corpora.datasets.cards import read_card
from corpora.datasets.registry import Files, read_text, streams
from corpora.reporting import Report
from nlmchem.companions.pairs.files import parse
from nlmchem.companions.pairs.pair import ContextPair

CARD = read_card(Path(__file__).with_name("biowic.json"))
RESOURCES = read_card(Path(__file__).with_name("biowic_resources.json"))


def read_biowic(files: Files, report: Report) -> Iterator[ContextPair]:
    """Pairs from JSON. A pair with a term that is not at its span is left out and reported."""
    for entry, stream in streams(files["pairs"]):
        for number, pair in enumerate(parse(read_text(stream, entry), entry), 1):
            if pair.is_in_place:
                yield pair
            else:
                report(f"{entry}, pair {number} was left out: a term is not at its span")
