"""The targets on the gold corpora."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from nlmchem.abbreviations import detect
from nlmchem.evaluation.abbreviations import compare_pairs
from nlmchem.evaluation.scores import total


@pytest.mark.realdata
@pytest.mark.parametrize(("corpus", "target"), [("ab3p", 0.915), ("sh", 0.885)])
def test_exact_pairs_reach_the_target(corpus: str, target: float, shared_data: Path) -> None:
    gold, found = {}, {}
    with gzip.open(shared_data / "abbreviations" / f"{corpus}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            gold[row["id"]] = frozenset((short, long) for short, long in row["pairs"])
            found[row["id"]] = frozenset(
                (one.short_form, one.long_form) for text in row["passages"] for one in detect(text)
            )
    assert total(one.counts for one in compare_pairs(gold, found)).f1 >= target
