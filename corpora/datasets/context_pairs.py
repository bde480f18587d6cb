"""Word-in-context pairs in the format of BioWiC. Source: Rouhizadeh et al. 2024, Scientific Data 11:455.

`corpora.datasets.pairing` makes pairs from other corpora.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from corpora.datasets.corpus_files import read_text, streams
from corpora.datasets.registry import Files
from corpora.datasets.samples import ContextPair
from corpora.errors import InputError
from corpora.reporting import Report

__all__ = ["dumps", "read_biowic"]


def read_biowic(files: Files, report: Report) -> Iterator[ContextPair]:
    """Pairs from JSON. A pair with a term that is not at its span is left out and reported."""
    for entry, stream in streams(files["pairs"]):
        try:
            rows = json.loads(read_text(stream, entry))
        except json.JSONDecodeError as error:
            raise InputError(f"{entry}: the JSON is broken ({error.msg}); get the file again") from error
        for number, row in enumerate(rows, 1):
            where = f"{entry}, pair {number}"
            pair = _pair(row, where)
            if _holds(pair):
                yield pair
            else:
                report(f"{where} was left out: a term is not at its span")


def dumps(pairs: Iterable[ContextPair]) -> bytes:
    """Pairs as JSON of BioWiC, in UTF-8."""
    rows = [
        {
            "term1": pair.term1,
            "term2": pair.term2,
            "sentence1": pair.sentence1,
            "sentence2": pair.sentence2,
            "start1": pair.span1[0],
            "start2": pair.span2[0],
            "end1": pair.span1[1],
            "end2": pair.span2[1],
            "cat": pair.group,
            "label": int(pair.same),
        }
        for pair in pairs
    ]
    return (json.dumps(rows, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def _pair(row: Mapping[str, Any], where: str) -> ContextPair:
    try:
        return ContextPair(
            row["term1"],
            row["term2"],
            row["sentence1"],
            row["sentence2"],
            (int(row["start1"]), int(row["end1"])),
            (int(row["start2"]), int(row["end2"])),
            row["cat"],
            bool(int(row["label"])),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{where}: not a pair of BioWiC ({error}); get the file again") from error


def _holds(pair: ContextPair) -> bool:
    (start1, end1), (start2, end2) = pair.span1, pair.span2
    return pair.sentence1[start1:end1] == pair.term1 and pair.sentence2[start2:end2] == pair.term2
