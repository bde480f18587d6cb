"""`counts_of` finds the same words as `words`, which searches with a regular expression."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.words.counts import counts_of, folded, words

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
