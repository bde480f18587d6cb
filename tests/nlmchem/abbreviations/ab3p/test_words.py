"""The word lists in the package, and the targets on the gold corpora."""

from __future__ import annotations

import gzip
import json
from importlib.resources import files
from pathlib import Path

import pytest

from nlmchem.abbreviations import detect
from nlmchem.abbreviations.ab3p.words import common_words, known_words, one_letter_words, stop_words
from nlmchem.evaluation.abbreviations import compare_pairs
from nlmchem.evaluation.scores import total


def test_the_word_list_has_words_with_counts_and_is_under_a_megabyte() -> None:
    path = files("nlmchem.abbreviations.ab3p").joinpath("words.tsv")
    data = path.read_bytes()
    assert len(data) < 1_000_000
    for line in data.decode("ascii").splitlines():
        word, *counts = line.split("\t")
        assert word.isalpha()
        assert word.islower()
        assert 1 <= len(counts) <= 2
        assert all(map(str.isdecimal, counts))


def test_word_lists_contain_typical_words() -> None:
    assert {"acid", "phosphate", "cellular"} <= known_words()
    assert {"temperature", "nitrogen"} <= one_letter_words() <= known_words()
    assert {"of", "the", "between"} <= stop_words()
    assert not {"of", "the"} & one_letter_words()
    assert common_words() <= known_words()


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
