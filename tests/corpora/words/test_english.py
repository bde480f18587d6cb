"""The word lists in the package."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.words.english import (
    LINKING_WORDS,
    common_words,
    counts_of,
    folded,
    known_words,
    one_letter_words,
    plural,
    singular,
    stop_words,
    words,
)


def test_the_word_list_has_words_with_counts_and_is_under_a_megabyte() -> None:
    path = files("corpora.words").joinpath("words.tsv")
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
    assert stop_words() >= LINKING_WORDS


# -- Singular and plural of noun phrases.


BOTH_WAYS = """
    acid acids, assay assays, body bodies, box boxes, glass glasses, church churches, analysis analyses,
    hypothesis hypotheses, diagnosis diagnoses, metastasis metastases, crisis crises, thesis theses, axis axes,
    mitosis mitoses, mitochondrion mitochondria, nucleus nuclei, criterion criteria, gas gases, lens lenses,
    virus viruses, retrovirus retroviruses, fetus fetuses, sinus sinuses, bolus boluses, bias biases,
    base bases, case cases, phase phases, dose doses, disease diseases, kinase kinases, glucose glucoses,
    response responses, cause causes, use uses, species species, series series, subspecies subspecies,
    diabetes diabetes, therapy therapies, calorie calories, headache headaches, niche niches, pH pHs
"""
PAIRS = [tuple(pair.split()) for pair in BOTH_WAYS.split(",")]


@pytest.mark.parametrize(("one", "many"), PAIRS)
def test_singular_and_plural(one: str, many: str) -> None:
    assert plural(one) == many
    assert singular(many) == one
    assert singular(f"units of {many}") == f"unit of {many}"
    assert plural(f"free {one}") == f"free {many}"
    assert singular(f"free {many}") == f"free {one}"


@pytest.mark.parametrize("word", ["virus", "status", "glass", "basis", "species", "gas", "bias", "lens"])
def test_a_singular_stays(word: str) -> None:
    assert singular(word) == word


def test_a_plural_stays() -> None:
    assert plural("acids") == "acids"


def test_case_is_kept_where_the_rule_is_regular() -> None:
    assert [singular(word) for word in ("Studies", "Viruses", "ATPases", "RNAs")] == ["Study", "Virus", "ATPase", "RNA"]


def test_the_singular_of_a_singular_is_the_same() -> None:
    assert [word for word in sorted(known_words()) if singular(singular(word)) != singular(word)] == []


# -- `counts_of` finds the same words as `words`, which searches with a regular expression.


LETTERS = "aBsS19 _-.\n\u00a0\x1cµβéİßΣς²٣中Ⅷ\ud800"


@given(st.lists(st.text(st.sampled_from(LETTERS) | st.characters())))
def test_counts_are_those_of_the_folded_words(texts: list[str]) -> None:
    assert counts_of(texts) == Counter(folded(word) for text in texts for word in words(text))


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("Receptors bind a receptor", {"receptor": 2, "bind": 1}),
        ("5HT2A and 2,4-D", {"ht2a": 1, "and": 1}),
        ("β-Carotene, naïve T-cells", {"carotene": 1, "naïve": 1, "cell": 1}),
    ],
)
def test_a_word_begins_with_a_letter_and_has_two_characters(text: str, counts: dict[str, int]) -> None:
    assert counts_of([text]) == counts
