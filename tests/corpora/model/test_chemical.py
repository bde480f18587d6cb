"""Words that make a protein's name of the chemical before them."""

from __future__ import annotations

import doctest

import pytest

from corpora.model import chemical
from corpora.model.chemical import names_protein


def test_the_examples_of_the_docstrings_hold() -> None:
    assert doctest.testmod(chemical).failed == 0


@pytest.mark.parametrize("word", ["pumps", "antiporters", "symporters", "dehydrogenase", "acyl-transferases", "atpase"])
def test_proteins_are_recognised_in_both_numbers(word: str) -> None:
    assert names_protein(word)


@pytest.mark.parametrize("word", ["phase", "releases", "purchases", "databases", "acid", ""])
def test_other_words_are_no_proteins(word: str) -> None:
    assert not names_protein(word)
