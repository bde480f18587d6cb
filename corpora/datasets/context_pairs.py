"""The reader of BioWiC. `corpora.pairs` has the format, and makes pairs from other corpora."""

from __future__ import annotations

from collections.abc import Iterator

from corpora.datasets.corpus_files import read_text, streams
from corpora.datasets.registry import Files
from corpora.pairs.files import parse
from corpora.pairs.pair import ContextPair
from corpora.reporting import Report


def read_biowic(files: Files, report: Report) -> Iterator[ContextPair]:
    """Pairs from JSON. A pair with a term that is not at its span is left out and reported."""
    for entry, stream in streams(files["pairs"]):
        for number, pair in enumerate(parse(read_text(stream, entry), entry), 1):
            if pair.is_in_place:
                yield pair
            else:
                report(f"{entry}, pair {number} was left out: a term is not at its span")
