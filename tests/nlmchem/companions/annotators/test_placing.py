"""Where rows are placed, and which are refused."""

from __future__ import annotations

import random
import time

import pytest
from bioc import BioCDocument, BioCPassage
from hypothesis import given
from hypothesis import strategies as st

from nlmchem.companions.annotators.article_text import ArticleText, OutermostPlaces, TextPlace, occurrences
from nlmchem.companions.annotators.placing import RowFate, agreed_counting, place
from nlmchem.companions.annotators.rows import Row

TITLE = "Zinc and α-tocopherol in 😀 rats"
BODY = "Zinc was low. Glucose-6-phosphate and glucose rose. NO fell, and no Glu245 was seen. Amines and mg of Mg."


def article(*texts: str, gap: int = 1) -> ArticleText:
    document = BioCDocument()
    offset = 0
    for text in texts:
        passage = BioCPassage()
        passage.offset, passage.text = offset, text
        document.add_passage(passage)
        offset += len(text) + gap
    return ArticleText(document)


def row(text: str, **facts: object) -> Row:
    return Row(place="row", text=text, **facts)  # type: ignore[arg-type]


def placed(*rows: Row, occurrences: str = "all", **layout: int) -> list[tuple[RowFate, str, list[tuple[int, str]]]]:
    """The fate, the attempt, and the passages and texts of the places of each row."""
    texts = article(TITLE, BODY, **layout)
    outcomes, _ = place(texts, rows, occurrences)
    return [(o.fate, o.attempt, [(spot.passage, texts.text_at(spot)) for spot in o.places]) for o in outcomes]


def test_a_text_alone_means_all_its_places_or_the_first() -> None:
    assert placed(row("Zinc")) == [(RowFate.PLACED, "document", [(0, "Zinc"), (1, "Zinc")])]
    assert placed(row("Zinc"), occurrences="first") == [(RowFate.PLACED, "document", [(0, "Zinc")])]


def test_another_spelling_is_placed_after_folding() -> None:
    assert placed(row("alpha-tocopherol")) == [(RowFate.FOLDED, "document", [(0, "α-tocopherol")])]
    assert placed(row("amine")) == [(RowFate.FOLDED, "document", [(1, "Amines")])]


def test_a_name_is_not_placed_inside_a_longer_one() -> None:
    assert placed(row("glucose")) == [(RowFate.PLACED, "document", [(1, "glucose")])]
    fates = placed(row("tocopherol"), row("α-tocopherol"))
    assert [fate for fate, *_ in fates] == [RowFate.NOT_IN_TEXT, RowFate.PLACED]


def test_a_number_may_follow_a_residue_but_no_letter() -> None:
    assert placed(row("Glu")) == [(RowFate.PLACED, "document", [(1, "Glu")])]
    assert occurrences("H", "H2O and CH4") == []


@pytest.mark.parametrize("text", ["no", "mg", "as"])
def test_a_short_text_in_small_letters_is_not_placed_where_it_can_be_another_word(text: str) -> None:
    fate, _, places = placed(row(text))[0]
    assert (fate in (RowFate.AMBIGUOUS, RowFate.NOT_IN_TEXT), places) == (True, [])


def test_the_sentence_of_a_short_text_shows_its_place() -> None:
    assert placed(row("NO", quote="NO fell")) == [(RowFate.PLACED, "quote", [(1, "NO")])]
    assert placed(row("no", quote="no fell")) == [(RowFate.FOLDED, "quote", [(1, "NO")])]


def test_what_the_article_does_not_have_is_refused() -> None:
    assert placed(row("unobtainium"), row("  ")) == [(RowFate.NOT_IN_TEXT, "", []), (RowFate.NO_TEXT, "", [])]


def test_a_second_row_of_a_place_is_said_to_be_one() -> None:
    fates = placed(row("glucose"), row("glucose"))
    assert [fate for fate, *_ in fates] == [RowFate.PLACED, RowFate.REPEATED]


WORDS = [(0, "α-tocopherol"), (0, "rats"), (1, "glucose"), (1, "NO")]


def stated(texts: ArticleText, unit: str, base: str, inclusive: bool) -> list[Row]:
    """Rows of the words, with offsets in a unit."""
    size = {"characters": len, "bytes": lambda t: len(t.encode()), "utf16": lambda t: len(t.encode("utf-16-le")) // 2}
    width = size[unit]
    rows = []
    for number, word in WORDS:
        before = texts.texts[number][: texts.texts[number].rindex(word)]
        start = width(before) + (0 if base == "passage" else sum(width(t) + 1 for t in texts.texts[:number]))
        rows.append(row(word, start=start, end=start + width(word) - inclusive))
    return rows


@pytest.mark.parametrize("inclusive", [False, True])
@pytest.mark.parametrize("base", ["document", "passage"])
@pytest.mark.parametrize("unit", ["characters", "bytes", "utf16"])
def test_the_unit_of_offsets_is_found_by_agreement(unit: str, base: str, inclusive: bool) -> None:
    texts = article(TITLE, BODY)
    rows = stated(texts, unit, base, inclusive)
    counting = agreed_counting(texts, rows)
    assert counting is not None
    outcomes, _ = place(texts, rows)
    for (number, word), outcome in zip(WORDS, outcomes, strict=True):
        assert (outcome.fate, outcome.attempt) == (RowFate.PLACED, "offsets")
        [spot] = outcome.places
        assert (spot.passage, texts.text_at(spot)) == (number, word)


def test_offsets_of_another_text_are_not_believed() -> None:
    rows = [row("Zinc", start=500, end=504), row("glucose", start=3, end=10), row("NO", start=77, end=79)]
    assert agreed_counting(article(TITLE, BODY), rows) is None
    assert [attempt for _, attempt, _ in placed(*rows)] == ["document"] * 3


@given(st.integers(0, 10_000), st.sampled_from(["all", "first"]))
def test_a_place_has_the_text_of_the_row_in_some_spelling(seed: int, how: str) -> None:
    chance = random.Random(seed)
    whole = f"{TITLE} {BODY}"
    start = chance.randrange(len(whole))
    text = whole[start : start + chance.randrange(1, 12)]
    texts = article(TITLE, BODY)
    [outcome], _ = place(texts, [row(text, start=chance.choice([None, start]))], how)
    for spot, steps in outcome.places.items():
        assert texts.text_at(spot) == text or steps


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("zinc " * 4000, [row("zinc")] * 200),
        ("zinc oxide " * 4000, [row(text) for text in ("zinc oxide", "zinc", "oxide")]),
        ("zinc " * 4000, [row("zinc", quote="zinc " * 1000)] * 200),
        ("zinc " * 4000, [row("ZINC", quote="Zinc " * 1000)] * 200),
        ("a" * 100_000, [row("a" * 20_000)]),
        ("zinc rose\n" * 4000, [row("is", start=at % 5, end=at % 5 + 2) for at in range(4000)]),
    ],
    ids=["places", "parts", "quotes", "folded quotes", "one letter", "passages"],
)
def test_many_rows_and_places_take_no_quadratic_time(text: str, rows: list[Row]) -> None:
    begun = time.process_time()
    place(article(*text.split("\n")), rows)
    # A comparison of each place with each other took minutes.
    assert time.process_time() - begun < 20


def test_equal_rows_have_equal_outcomes() -> None:
    first, again = placed(row("glucose"), row("glucose"))
    assert (first[0], again[0], first[1:]) == (RowFate.PLACED, RowFate.REPEATED, again[1:])


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6), st.integers(1, 6)), max_size=12))
def test_the_outermost_places_contain_what_any_place_contains(spans: list[tuple[int, int, int]]) -> None:
    outermost, added = OutermostPlaces(), set()
    for passage, start, width in spans:
        spot = TextPlace(passage, start, start + width)
        around = {o for o in added if o.passage == passage and o.start <= start and spot.end <= o.end} - {spot}
        assert outermost.contain(spot) == bool(around)
        outermost.add(spot)
        added.add(spot)
