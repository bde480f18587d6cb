"""Brackets of mentions come in pairs: a span grows to the whole word, or is cut at the bracket."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan
from nlmchem.tagging.rules.boundaries import across_brackets, balance, balanced
from nlmchem.tagging.rules.post_processing import Rules, post_process
from nlmchem.tagging.tokenization.tokens import is_balanced


def spans_in(marked: str) -> PassageSpans:
    """A passage from text in which spans are between « and »."""
    text, spans, start = "", [], 0
    for letter in marked:
        if letter == "«":
            start = len(text)
        elif letter == "»":
            spans.append(ScoredSpan(start, len(text), 0.9))
        else:
            text += letter
    return PassageSpans(text, (), spans)


def balanced_texts(marked: str) -> list[str]:
    passage = spans_in(marked)
    balance(passage)
    return [passage.text_of(span) for span in passage.spans]


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        # A word that was cut: the span grows to the whole word.
        ("gels of Fe(«LIG)3» formed", ["Fe(LIG)3"]),
        ("clusters Ag(7)(«SBu)(12)» and", ["Ag(7)(SBu)(12)"]),
        ("poly(«Lys»,Arg) was", ["Lys"]),
        ("«poly(Lys»,Arg) was", ["poly(Lys,Arg)"]),
        ("«bis(2-chloro»ethyl)amine", ["bis(2-chloroethyl)"]),
        # A descriptor at the start belongs to the name.
        ("the isomer («2R)-malate» was", ["(2R)-malate"]),
        ("a («±)-catechin» dose", ["(±)-catechin"]),
        # A part of a remark: the longer part stays.
        ("a donor («D)-cyanopyridine» unit", ["cyanopyridine"]),
        ("a protein with («Lys)4-tag»", ["Lys"]),
        ("«ferrocene ((3)E1»g)", ["ferrocene"]),
        # Two names that were joined: both stay.
        ("«retinol (vitamin A» palmitate)", ["retinol", "vitamin A"]),
        # Pairs do not change.
        ("«N-(4-hydroxyphenyl)acetamide» and «[Fe(CN)6]4-»", ["N-(4-hydroxyphenyl)acetamide", "[Fe(CN)6]4-"]),
        # Nothing is left of brackets alone.
        ("a «)(» b", []),
    ],
)
def test_brackets_are_balanced(marked: str, expected: list[str]) -> None:
    assert balanced_texts(marked) == expected


def test_a_span_does_not_grow_into_its_neighbour() -> None:
    assert balanced_texts("«Fe»(«LIG)3» formed") == ["Fe", "LIG"]
    assert balanced_texts("«poly(Lys»,«Arg») was") == ["poly", "Arg"]


def test_very_long_spans_are_not_checked() -> None:
    text = "(" + "a" * 600
    assert balanced(text, (0, len(text)), (0, len(text))) == [(0, len(text))]


@given(st.text(alphabet="()[]{}aB1 ,-", max_size=40), st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_any_span_becomes_balanced_and_stays_between_its_neighbours(text: str, one: int, two: int, three: int) -> None:
    first, middle, last = sorted(min(at, len(text)) for at in (one, two, three))
    passage = PassageSpans(text, (), [ScoredSpan(first, middle, 0.5), ScoredSpan(middle, last, 0.5)])
    balance(passage)
    assert all(is_balanced(passage.text_of(span)) for span in passage.spans)
    assert all(before.end <= after.start for before, after in zip(passage.spans, passage.spans[1:], strict=False))


def test_the_rule_for_boundaries_balances_what_the_model_marks() -> None:
    passage = spans_in("gels of Fe(«LIG)3» formed")
    post_process([passage], Rules.parse("boundaries"))
    assert [passage.text_of(span) for span in passage.spans] == ["Fe(LIG)3"]


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        # The second span has the partner of the bracket.
        (
            "«2,2′-azobis»(«2-methylpropionamidine) dihydrochloride» was",
            ["2,2′-azobis(2-methylpropionamidine) dihydrochloride"],
        ),
        ("«PdCl2»(«PPh3)2» and «NaCl»", ["PdCl2(PPh3)2", "NaCl"]),
        ("«poly[N»-(«2-hydroxy» and", ["poly[N", "2-hydroxy"]),
        # The first span ends with a number of the groups in the brackets.
        ("«N,N'-methylenebis»(«acrylamide») gels", ["N,N'-methylenebis(acrylamide)"]),
        ("«tetrakis»(«hydroxymethyl»)phosphonium", ["tetrakis(hydroxymethyl)"]),
        # A short form, a remark, another name.
        ("«glucose» («Glc») and", ["glucose", "Glc"]),
        ("«NaCl»(«KCl») and", ["NaCl", "KCl"]),
        ("«bis» («acrylamide») gels", ["bis", "acrylamide"]),
    ],
)
def test_spans_of_one_name_that_a_model_divides_at_a_bracket_are_joined(marked: str, expected: list[str]) -> None:
    passage = spans_in(marked)
    assert [passage.text_of(span) for span in across_brackets(passage.text, passage.spans)] == expected


def test_a_joined_name_has_the_lower_score() -> None:
    spans = [ScoredSpan(0, 5, 0.9), ScoredSpan(6, 11, 0.7)]
    assert across_brackets("PdCl2(PPh3)2", spans) == [ScoredSpan(0, 11, 0.7)]
