"""Spellings that are undone, and what two texts differ in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlmchem.companions.annotators.article_text import STEPS, difference, folded, numbers

TEXTS = st.text(st.sampled_from("aAαβµ²₂-–‑ \n\u00ad\u200b&;lt<sub>/é\u0301ﬁ123'’()😀"), max_size=30)


@pytest.mark.parametrize(
    ("given_text", "found", "steps"),
    [
        ("aspirin", "Aspirin", ("case",)),
        ("beta-carotene", "β-carotene", ("Greek letters",)),
        ("µM", "μM", ("Unicode forms",)),
        ("H2O2", "H₂O₂", ("Unicode forms",)),
        ("beta‑carotene", "beta-carotene", ("dashes",)),
        ("poly ( I : C )", "poly(I:C)", ("blanks",)),
        ("CO&#8322;", "CO₂", ("HTML",)),
        ("H<sub>2</sub>O", "H2O", ("HTML",)),
        ("serotonin", "sero-\ntonin", ("hyphenation",)),
        ("phthalates", "phthalate", ("plural",)),
        ("Phthalates", "phthalate", ("case", "plural")),
        ("zinc", "zinc", ()),
    ],
)
def test_what_two_spellings_differ_in(given_text: str, found: str, steps: tuple[str, ...]) -> None:
    assert set(difference(given_text, found)) == set(steps)


def test_a_plural_is_one_of_words_only() -> None:
    assert numbers("amine") == ("amine", "amines")
    assert numbers("glass") == ("glass", "glasss")
    assert numbers("no") == ("no",)
    assert numbers("18:0") == ("18:0",)


@given(TEXTS, st.sets(st.sampled_from(STEPS)))
def test_each_character_comes_from_a_place_of_the_text(text: str, steps: set[str]) -> None:
    result = folded(text, steps)
    assert len(result.text) == len(result.starts) == len(result.ends)
    assert list(result.starts) == sorted(result.starts)
    assert list(result.ends) == sorted(result.ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(result.starts, result.ends, strict=True))


@given(TEXTS)
def test_no_step_changes_nothing_and_folding_twice_is_folding_once(text: str) -> None:
    assert folded(text, ()).text == text
    once = folded(text).text
    # An entity can name a mark of another entity, and a dash a line end, so the first folding may uncover more.
    if "&" not in once and "<" not in once and "-" not in once:
        assert folded(once).text.split() == once.split()
