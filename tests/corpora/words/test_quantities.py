"""Numbers of things in messages."""

from __future__ import annotations

import pytest

from corpora.words.quantities import quantity


@pytest.mark.parametrize(("number", "words"), [(0, "0 articles"), (1, "1 article"), (2, "2 articles")])
def test_one_thing_is_singular(number: int, words: str) -> None:
    assert quantity(number, "article") == words


def test_other_words_for_several_things() -> None:
    assert [quantity(number, "article was", "articles were") for number in (1, 2)] == [
        "1 article was",
        "2 articles were",
    ]
