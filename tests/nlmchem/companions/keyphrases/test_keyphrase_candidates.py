"""Words and candidates of an article."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from nlmchem.companions.keyphrases.candidates import PLACES, Candidates, starts_of, tokens_of

Make = Callable[..., Candidates]


def stems(found: Candidates) -> set[str]:
    return {found.stem(number) for number in range(len(found))}


def number_of(found: Candidates, stem: str) -> int:
    return next(number for number in range(len(found)) if found.stem(number) == stem)


def test_words_keep_inner_hyphens_and_punctuation_stands_alone() -> None:
    assert tokens_of("Real-time CO2/N2 (1.5 mM), p53.") == [
        "Real-time", "CO2/N2", "(", "1", ".", "5", "mM", ")", ",", "p53", ".",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["a  b,c", "", " _x_ y__z\u3000\u2009µm\n", "\U0001d6fc-helix 𝛽 (p<0.05)", "\ud800 x\x1f y\x85z\u200bq"],
    ids=["blanks", "empty", "underscores", "beyond the basic plane", "control characters"],
)
def test_tokens_begin_where_a_search_finds_them(text: str) -> None:
    tokens = tokens_of(text)
    expected, end = [], 0
    for token in tokens:
        expected.append(text.index(token, end))
        end = expected[-1] + len(token)
    assert starts_of(text, tokens).tolist() == expected


def test_no_blank_has_a_higher_code_point_than_the_table_of_blanks() -> None:
    assert max(code for code in range(sys.maxunicode + 1) if chr(code).isspace()) == 0x3000


def test_a_phrase_neither_begins_nor_ends_with_a_stop_word_nor_crosses_punctuation(candidates: Make) -> None:
    found = stems(candidates([("TITLE", "Quality of the water, zinc")]))
    assert found == {"qualiti", "water", "zinc", "qualiti of the water"}


def test_a_phrase_of_the_body_must_occur_twice(candidates: Make) -> None:
    once = [("TITLE", "Plants"), ("METHODS", "zinc uptake")]
    assert "zinc uptak" not in stems(candidates(once))
    assert "zinc uptak" in stems(candidates([*once, ("RESULTS", "zinc uptake")]))
    assert "zinc uptak" not in stems(candidates([*once, ("REF", "zinc uptake")]))


def test_occurrences_are_counted_by_place(candidates: Make) -> None:
    found = candidates(
        [
            ("TITLE", "Zinc"),
            ("ABSTRACT", "Zinc and zinc"),
            ("RESULTS/title_1", "Zinc"),
            ("RESULTS", "Zinc"),
            ("REF", "zinc"),
        ]
    )
    counts = dict(zip(PLACES, found.counts[number_of(found, "zinc")].tolist(), strict=True))
    assert {place: count for place, count in counts.items() if count} == {
        "title": 1, "abstract": 2, "heading": 1, "results": 1, "reference": 1,
    }  # fmt: skip


def test_the_surface_is_the_most_frequent_one_with_the_fewest_capitals(candidates: Make) -> None:
    found = candidates([("TITLE", "Zinc Transporters"), ("ABSTRACT", "zinc transporter. Zinc transporter")])
    assert found.surface(number_of(found, "zinc transport")) == "zinc transporter"


@pytest.mark.parametrize("section", ["KEYWORD", "ACK_FUND", "COMP_INT", "REVIEW_INFO"])
def test_some_sections_are_not_read(section: str, candidates: Make) -> None:
    assert stems(candidates([("TITLE", "Zinc"), (section, "copper copper")])) == {"zinc"}


def test_a_line_of_keywords_in_the_text_is_not_read(candidates: Make) -> None:
    assert stems(candidates([("TITLE", "Zinc"), ("ABSTRACT", "Key words: copper, iron")])) == {"zinc"}


@pytest.mark.parametrize("sections", [[], [("TITLE", "")], [("ABSTRACT", "...")], [("", "of the and")]])
def test_an_article_without_words_has_no_candidates(sections: list[tuple[str, str]], candidates: Make) -> None:
    found = candidates(sections)
    assert len(found) == 0
    assert found.counts.shape == (0, len(PLACES))


def test_another_language_gives_candidates(candidates: Make) -> None:
    assert "zinkaufnahm" in stems(candidates([("TITLE", "Die Zinkaufnahme"), ("ABSTRACT", "Zinkaufnahme")]))
