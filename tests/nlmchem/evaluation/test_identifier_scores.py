"""Identifiers, strict: cases worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlmchem.evaluation.articles import Side
from nlmchem.evaluation.comparison import ScoringOptions, TrackTask, compare
from nlmchem.evaluation.scores import Counts


def strict(
    gold: Side, run: Side, task: TrackTask = TrackTask.IDENTIFIERS, report: Any = lambda sentence: None
) -> Counts:
    counts = compare(task, gold, [run], ScoringOptions(samples=0), report).results[0].strict.score
    assert isinstance(counts, Counts)
    return counts


def test_composite_counts_by_part(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3), id="MESH:D1,MESH:D2")]])
    run = build.side(a=[[build.mention((5, 8), id="MESH:D2,MESH:D3")]])
    # Gold {D1, D2}, predicted {D2, D3}, in any passage: 1 of 2, 1 of 2.
    assert strict(gold, run) == Counts(gold=2, found=1, predicted=2, right=1)


def test_different_spellings_of_identifiers_are_reported(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3), id="D1")]], b=[[build.mention((0, 3), id="D2")]])
    run = build.side(a=[[build.mention((0, 3), id="MESH:D1")]], b=[[build.mention((0, 3), id="-")]])
    reports: list[str] = []
    assert strict(gold, run, report=reports.append) == Counts(gold=2, found=0, predicted=2, right=0)
    (report,) = reports
    assert "run has MESH:D1 and the gold standard has D1" in report


def test_different_identifiers_are_not_reported_as_spellings(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3), id="MESH:D1")]], b=[[build.mention((0, 3), id="-")]])
    run = build.side(a=[[build.mention((0, 3), id="MESH:D2")]], b=[[build.mention((0, 3), id="-")]])
    reports: list[str] = []
    strict(gold, run, report=reports.append)
    assert reports == []


def test_an_identifier_counts_once_in_a_document(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3), id="MESH:D1"), build.mention((5, 8), id="MESH:D1")]])
    run = build.side(a=[[build.mention((0, 3), id="MESH:D1,MESH:D1")]])
    assert strict(gold, run) == Counts(1, 1, 1, 1)


def test_an_id_counts_in_every_document(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3), id="MESH:D1")]], b=[[build.mention((0, 3), id="MESH:D1")]])
    run = build.side(a=[[build.mention((0, 3), id="MESH:D1")]], b=[[build.mention((0, 3), id="MESH:D2")]])
    # a: right; b: one missed, one false. 1 of 2, 1 of 2.
    assert strict(gold, run) == Counts(2, 1, 2, 1)


def test_no_concept_counts_as_an_identifier(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3), id="-"), build.mention((5, 8), id="MESH:D1")]])
    run = build.side(a=[[build.mention((0, 3), id="MESH:D1,-")]])
    # Gold {-, D1}, predicted {D1, -}.
    assert strict(gold, run) == Counts(2, 2, 2, 2)
    # Predicted {D1} alone misses one of the two.
    assert strict(gold, build.side(a=[[build.mention((0, 3), id="MESH:D1")]])) == Counts(2, 1, 1, 1)


def test_an_annotation_without_identifier_infon_does_not_count(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3), id="MESH:D1")]])
    run = build.side(a=[[build.mention((0, 3))]])
    assert strict(gold, run) == Counts(1, 0, 0, 0)


def test_parts_are_compared_unchanged(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3), id="MESH:D1,MESH:D2")]])
    run = build.side(a=[[build.mention((0, 3), id="MESH:D1, MESH:D2,")]])
    reports: list[str] = []
    # Split at commas: "MESH:D1", " MESH:D2", "": three parts, of which the first is right.
    assert strict(gold, run, report=reports.append) == Counts(gold=2, found=1, predicted=3, right=1)
    assert len(reports) == 2
    assert "the identifier ' MESH:D2' is empty or surrounded by blanks" in reports[1]


def test_length_zero_and_place_do_not_matter(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3), id="MESH:D1")]])
    run = build.side(a=[[build.mention((5, 5), id="MESH:D1"), build.mention((30, 99), id="MESH:D2")]])
    # Places are a matter of span scores: D1 is right, D2 false.
    assert strict(gold, run) == Counts(1, 1, 2, 1)


def test_indexing_counts_index_terms_only(build: Any) -> None:
    gold = build.side(a=[[build.term("MESH:D1"), build.term("MESH:D2"), build.mention((0, 3), id="MESH:D9")]])
    run = build.side(a=[[build.term("MESH:D1"), build.mention((0, 3), id="MESH:D2")]])
    # Gold {D1, D2}, predicted {D1}: precision 1, recall .5, F .6667.
    counts = strict(gold, run, TrackTask.INDEXING)
    assert counts == Counts(gold=2, found=1, predicted=1, right=1)
    assert round(counts.f1, 4) == 0.6667


def test_micro_average_over_documents(build: Any) -> None:
    gold = build.side(
        a=[[build.mention((0, 3), id="MESH:D1")]],
        b=[[build.mention((0, 3), id="MESH:D1,MESH:D2,MESH:D3")]],
    )
    run = build.side(a=[[build.mention((0, 3), id="MESH:D1")]], b=[[build.mention((0, 3), id="MESH:D4")]])
    # a 1 of 1 both ways; b 0 of 3, 0 of 1. Micro: recall 1/4, precision 1/2, F = .25 / .75 = .3333;
    # a mean over documents would be .5 each.
    counts = strict(gold, run)
    assert (counts.precision, counts.recall, round(counts.f1, 4)) == (0.5, 0.25, 0.3333)


# -- properties --------------------------------------------------------------------------------

ids = st.lists(st.sampled_from(["MESH:D1", "MESH:D2", "MESH:D3", "-", "MESH:D1,MESH:D2"]), max_size=4)
sides = st.fixed_dictionaries({"a": ids, "b": ids})


@pytest.fixture(scope="session")
def make(build: Any) -> Any:
    def side(given: dict[str, list[str]]) -> Side:
        documents = {name: [[build.mention((0, 3), id=id) for id in ids]] for name, ids in given.items()}
        return build.side("run", **documents, z=[[build.mention((0, 3), id="MESH:D0")]])

    return side


@settings(max_examples=50, deadline=None)
@given(one=sides)
def test_equal_sides_score_1(make: Any, one: Any) -> None:
    counts = strict(make(one), make(one))
    assert (counts.precision, counts.recall, counts.f1) == (1.0, 1.0, 1.0)


@settings(max_examples=50, deadline=None)
@given(one=sides, other=sides)
def test_swapping_sides_swaps_precision_and_recall(make: Any, one: Any, other: Any) -> None:
    there, back = strict(make(one), make(other)), strict(make(other), make(one))
    assert (there.precision, there.recall) == (back.recall, back.precision)


@settings(max_examples=50, deadline=None)
@given(one=sides, other=sides)
def test_a_wrong_identifier_never_raises_precision(make: Any, one: Any, other: Any) -> None:
    worse = {**other, "b": [*other["b"], "MESH:D999"]}
    assert strict(make(one), make(worse)).precision <= strict(make(one), make(other)).precision
