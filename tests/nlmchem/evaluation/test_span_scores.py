"""Spans: every case is worked out by hand from the definition in the docstring of nlmchem.evaluation.matches."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlmchem.evaluation.articles import Side
from nlmchem.evaluation.comparison import Comparison, ScoringOptions, TrackTask, compare
from nlmchem.evaluation.scores import PRF, Counts


def score(gold: Side, run: Side, report: Any = lambda sentence: None, **options: Any) -> Comparison:
    return compare(TrackTask.SPANS, gold, [run], ScoringOptions(approximate=True, samples=0, **options), report)


def strict(comparison: Comparison) -> Counts:
    counts = comparison.results[0].strict.score
    assert isinstance(counts, Counts)
    return counts


def near(comparison: Comparison) -> Counts:
    measure = comparison.results[0].approximate
    assert measure is not None
    assert isinstance(measure.score, Counts)
    return measure.score


def figures(score: PRF) -> tuple[float, float, float]:
    return round(score.precision, 4), round(score.recall, 4), round(score.f1, 4)


# -- strict -------------------------------------------------------------------------------------


def test_one_right_one_false_one_missed(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3)), build.mention((5, 8))]])
    run = build.side(a=[[build.mention((0, 3)), build.mention((10, 12))]])
    # Right: 0-3. Precision 1 of 2, recall 1 of 2, F = 2 * .5 * .5 / 1.
    counts = strict(score(gold, run))
    assert counts == Counts(gold=2, found=1, predicted=2, right=1)
    assert (counts.false, counts.missed) == (1, 1)
    assert figures(counts) == (0.5, 0.5, 0.5)


def test_f1_is_the_harmonic_mean(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3)), build.mention((4, 5)), build.mention((6, 8)), build.mention((9, 10))]])
    run = build.side(a=[[build.mention((0, 3))]])
    # Precision 1 of 1, recall 1 of 4, F = 2 * 1 * .25 / 1.25 = .4.
    assert figures(strict(score(gold, run))) == (1.0, 0.25, 0.4)


def test_duplicates_count_once(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3))]])
    run = build.side(a=[[build.mention((0, 3)), build.mention((0, 3), id="MESH:D1")]])
    # The set of (document, type, locations, text) has one member; identifiers have no effect.
    assert strict(score(gold, run)) == Counts(1, 1, 1, 1)
    assert strict(score(run, gold)) == Counts(1, 1, 1, 1)


def test_text_is_part_of_the_key(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3))]])
    run = build.side(a=[[build.mention((0, 3), text="ABC")]])
    # Same place, other text: not equal, so nothing is right; yet it overlaps.
    comparison = score(gold, run)
    assert strict(comparison) == Counts(1, 0, 1, 0)
    assert near(comparison) == Counts(1, 1, 1, 1)


def test_same_place_with_two_texts_is_two(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3))]])
    run = build.side(a=[[build.mention((0, 3)), build.mention((0, 3), text="ABC")]])
    # Two members, one right: precision 1 of 2.
    assert strict(score(gold, run)) == Counts(1, 1, 2, 1)


def test_order_of_locations_does_not_matter(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3), (5, 8), text="abc fgh")]])
    run = build.side(a=[[build.mention((5, 8), (0, 3), text="abc fgh")]])
    assert strict(score(gold, run)) == Counts(1, 1, 1, 1)


def test_a_mention_of_two_locations_differs_from_the_span_over_both(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3), (5, 8))]])
    run = build.side(a=[[build.mention((0, 8))]])
    # Locations (0,3),(5,8) against (0,8): not equal. Approximately both are found.
    comparison = score(gold, run)
    assert strict(comparison) == Counts(1, 0, 1, 0)
    assert near(comparison) == Counts(1, 1, 1, 1)


def test_documents_are_added_up(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3))]], b=[[build.mention((0, 3)), build.mention((4, 6))]])
    run = build.side(a=[[build.mention((0, 3))]], b=[[build.mention((7, 9))]])
    # a: 1 of 1, 1 of 1; b: 0 of 2, 0 of 1. Micro: recall 1 of 3, precision 1 of 2, F = 2/6 / (5/6) = .4.
    comparison = score(gold, run)
    assert comparison.documents == ("a", "b")
    assert comparison.results[0].strict.documents == (Counts(1, 1, 1, 1), Counts(2, 0, 1, 0))
    assert figures(strict(comparison)) == (0.5, 0.3333, 0.4)


def test_other_types_do_not_count(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3)), build.mention((4, 6), type="OTHER")]])
    run = build.side(a=[[build.mention((0, 3), type="OTHER"), build.mention((4, 6))]])
    # Type Chemical: gold 0-3, predicted 4-6. Type OTHER: the other way round.
    assert strict(score(gold, run)) == Counts(1, 0, 1, 0)
    assert near(score(gold, run)) == Counts(1, 0, 1, 0)
    assert strict(score(gold, run, type="OTHER")) == Counts(1, 0, 1, 0)


# -- approximate --------------------------------------------------------------------------------


def test_one_prediction_finds_two_gold_mentions(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3)), build.mention((5, 8))]])
    run = build.side(a=[[build.mention((2, 6))]])
    # Recall 2 of 2, precision 1 of 1: the two counts of right things differ.
    counts = near(score(gold, run))
    assert counts == Counts(gold=2, found=2, predicted=1, right=1)
    assert figures(counts) == (1.0, 1.0, 1.0)


def test_touching_is_not_overlapping(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3))]])
    run = build.side(a=[[build.mention((3, 5))]])
    # Ends are exclusive: 0-3 and 3-5 share no character.
    assert near(score(gold, run)) == Counts(1, 0, 1, 0)


def test_any_location_may_overlap(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 2), (10, 12))]])
    run = build.side(a=[[build.mention((4, 6), (11, 15)), build.mention((4, 9))]])
    # 11-15 overlaps 10-12; 4-9 is in the gap between the locations of the gold mention.
    assert near(score(gold, run)) == Counts(gold=1, found=1, predicted=2, right=1)


def test_overlap_is_within_one_document(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3))]], b=[[]])
    run = build.side(a=[[]], b=[[build.mention((0, 3))]])
    # The same offsets, but in another document.
    assert near(score(gold, run)) == Counts(1, 0, 1, 0)


def test_approximate_with_both_kinds_of_error(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3)), build.mention((5, 8)), build.mention((20, 22))]])
    run = build.side(a=[[build.mention((1, 2)), build.mention((2, 3)), build.mention((5, 8)), build.mention((30, 33))]])
    # Gold: 0-3 and 5-8 are overlapped, 20-22 is not: recall 2/3. Predicted: all but 30-33: precision 3/4.
    # F = 2 * (3/4) * (2/3) / (17/12) = 12/17 = .7059.
    assert figures(near(score(gold, run))) == (0.75, 0.6667, 0.7059)


# -- excluded mentions ---------------------------------------------------------------------------


def test_zero_length_is_left_out_and_reported(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3)), build.mention((5, 5))]])
    run = build.side(a=[[build.mention((0, 3)), build.mention(text="no place")]])
    reports: list[str] = []
    comparison = score(gold, run, reports.append)
    assert strict(comparison) == near(comparison) == Counts(1, 1, 1, 1)
    assert len(reports) == 2
    assert "the gold standard, document 'a'" in reports[0]
    assert "5..5 has length zero" in reports[0]
    assert "run, document 'a'" in reports[1]
    assert "no location" in reports[1]


def test_outside_its_passage_is_left_out_and_reported(build: Any) -> None:
    end = len(build.text)
    gold = build.side(a=[[build.mention((0, 3))], []])
    run = build.side(a=[[build.mention((0, 3)), build.mention((end - 1, end + 1))], [build.mention((-2, 3))]])
    reports: list[str] = []
    assert strict(score(gold, run, reports.append)) == Counts(1, 1, 1, 1)
    assert [("extends beyond its passage" in sentence) for sentence in reports] == [True, True]


def test_up_to_the_passage_end_is_inside(build: Any) -> None:
    end = len(build.text)
    side = build.side(a=[[build.mention((end - 3, end))]])
    assert strict(score(side, side)) == Counts(1, 1, 1, 1)


# -- empty sides --------------------------------------------------------------------------------


def test_nothing_predicted(build: Any) -> None:
    gold, run = build.side(a=[[build.mention((0, 3))]]), build.side(a=[[]])
    reports: list[str] = []
    # Precision 0 of 0 is 0; F of 0 and 0 is 0.
    assert figures(strict(score(gold, run, reports.append))) == (0.0, 0.0, 0.0)
    assert reports == ["run has no annotation of type 'Chemical', so its scores are 0"]


def test_nothing_in_gold(build: Any) -> None:
    gold, run = build.side(a=[[]]), build.side(a=[[build.mention((0, 3))]])
    assert figures(strict(score(gold, run))) == (0.0, 0.0, 0.0)


def test_mentions_of_a_missing_document_are_missed(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3))]], b=[[build.mention((0, 3))]])
    # With --no-verify, b counts as a document without predictions.
    assert strict(score(gold, build.side(a=[[build.mention((0, 3))]]))) == Counts(2, 1, 1, 1)


# -- properties --------------------------------------------------------------------------------

spans = st.tuples(st.integers(0, 20), st.integers(1, 6)).map(lambda pair: (pair[0], pair[0] + pair[1]))
held = st.lists(st.lists(spans, min_size=1, max_size=2), max_size=6)
sides = st.dictionaries(st.sampled_from("abc"), st.lists(held, min_size=1, max_size=2), max_size=3)


@pytest.fixture(scope="session")
def make(build: Any) -> Any:
    def side(given: dict[str, list[list[list[tuple[int, int]]]]]) -> Side:
        # A mention that is always there: a type must exist on some side to be scored.
        documents = {
            name: [[build.mention(*mention) for mention in passage] for passage in passages]
            for name, passages in given.items()
        }
        return build.side("run", **documents, z=[[build.mention((30, 31))]])

    return side


@settings(max_examples=60, deadline=None)
@given(given_gold=sides)
def test_equal_sides_score_1(make: Any, given_gold: Any) -> None:
    gold = make(given_gold)
    comparison = score(gold, gold)
    assert figures(strict(comparison)) == figures(near(comparison)) == (1.0, 1.0, 1.0)


@settings(max_examples=60, deadline=None)
@given(one=sides, other=sides)
def test_swapping_sides_swaps_precision_and_recall(make: Any, one: Any, other: Any) -> None:
    there, back = score(make(one), make(other)), score(make(other), make(one))
    for pick in (strict, near):
        assert pick(there).precision == pick(back).recall
        assert pick(there).recall == pick(back).precision
        assert pick(there).f1 == pytest.approx(pick(back).f1)


@settings(max_examples=60, deadline=None)
@given(one=sides, other=sides)
def test_approximate_is_never_below_strict(make: Any, one: Any, other: Any) -> None:
    comparison = score(make(one), make(other))
    assert near(comparison).precision >= strict(comparison).precision
    assert near(comparison).recall >= strict(comparison).recall


@settings(max_examples=60, deadline=None)
@given(one=sides, other=sides)
def test_overlaps_equal_those_of_comparing_all_pairs(make: Any, one: Any, other: Any) -> None:
    # The definition: compare all pairs of annotations, location by location.
    for match in score(make(one), make(other)).results[0].spans:
        for mine, flags, others in (
            (match.gold, match.gold_near, match.predicted),
            (match.predicted, match.predicted_near, match.gold),
        ):
            for mention, flag in zip(mine, flags, strict=True):
                assert flag == any(
                    set(range(*span)) & set(range(*there))
                    for span in mention.locations
                    for item in others
                    for there in item.locations
                )
