"""Markup that is left in plain text."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.words import folding
from corpora.words.folding import SOFT_HYPHEN, without_markup


def test_the_examples() -> None:
    assert doctest.testmod(folding).failed == 0


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Ca<sup>2+</sup>", "Ca2+"),
        ("<i>N</i>-acetyl", "N-acetyl"),
        ("CO$_2$ and Ca$^{2+}$", "CO2 and Ca2+"),
        ("&#946;-carotene, &#x3b1;", "β-carotene, α"),
        ("a < b, c > d, <p>, $5, x_1, &unknown;", "a < b, c > d, <p>, $5, x_1, &unknown;"),
    ],
)
def test_only_markup_is_hidden(text: str, plain: str) -> None:
    assert without_markup(text).replace(SOFT_HYPHEN, "") == plain


@given(st.text(alphabet="aH2+<>/subi$_^{}&#;946 ", max_size=40))
def test_offsets_do_not_change(text: str) -> None:
    assert len(without_markup(text)) == len(text)
