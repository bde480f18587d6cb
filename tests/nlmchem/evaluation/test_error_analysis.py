"""Error analysis: each kind of error, on small documents."""

from __future__ import annotations

from collections import Counter
from typing import Any

from corpora.model.document import Definition
from corpora.model.hierarchy import Hierarchy
from nlmchem.evaluation.articles import Side
from nlmchem.evaluation.comparison import Comparison, ScoringOptions, TrackTask, compare
from nlmchem.report.errors import (
    GROUPINGS,
    MentionGroup,
    boundary_errors,
    group_mentions,
    identifier_errors,
    seen_in,
    sieve_results,
)

TREE = Hierarchy({"top": [], "left": ["top"], "right": ["top"], "a1": ["left"], "a2": ["left"], "alone": []})


def compared(task: TrackTask, gold: Side, run: Side) -> Comparison:
    return compare(task, gold, [run], ScoringOptions(samples=0), lambda sentence: None)


def test_every_mention_is_right_missed_or_has_wrong_boundaries(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3)), build.mention((5, 8)), build.mention((20, 23))]])
    run = build.side(a=[[build.mention((0, 3)), build.mention((4, 8)), build.mention((30, 33))]])
    [group] = group_mentions(compared(TrackTask.SPANS, gold, run).results[0], lambda mention, pair: "all")
    # 0-3 right; 5-8 has wrong boundaries (4-8); 20-23 missed; 30-33 false.
    assert group == MentionGroup("all", gold=3, missed=1, gold_boundary=1, predicted=3, false=1, predicted_boundary=1)


def test_a_mention_inside_a_right_one_is_missed(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 8)), build.mention((2, 4))]])
    run = build.side(a=[[build.mention((0, 8))]])
    [group] = group_mentions(compared(TrackTask.SPANS, gold, run).results[0], lambda mention, pair: "all")
    assert (group.missed, group.gold_boundary, group.false) == (1, 0, 0)


def test_kinds_of_boundary_errors(build: Any) -> None:
    gold = build.side(
        a=[
            [
                build.mention((2, 6)),
                build.mention((10, 14)),
                build.mention((20, 24)),
                build.mention((30, 31), (33, 35)),
            ],
            [build.mention((0, 3))],
        ]
    )
    run = build.side(
        a=[
            [build.mention((0, 6)), build.mention((11, 14)), build.mention((22, 26)), build.mention((30, 35))],
            [build.mention((0, 3), text="ABC")],
        ]
    )
    assert boundary_errors(compared(TrackTask.SPANS, gold, run).results[0]) == Counter(
        {
            ("cdef", "abcdef", "too long"): 1,
            ("klmn", "lmn", "too short"): 1,
            ("uvwx", "wxyz", "shifted"): 1,
            ("4 78", "45678", "different number of locations"): 1,
            ("abc", "ABC", "different text at the same place"): 1,
        }
    )


def test_groups_by_text_section_and_length(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 2)), build.mention((0, 2), text="AB")], [build.mention((0, 7))]])
    run = build.side(a=[[], [build.mention((0, 7))]])
    result = compared(TrackTask.SPANS, gold, run).results[0]
    by = {name: {group.label: group for group in group_mentions(result, way)} for name, way in GROUPINGS.items()}
    assert by["Text"]["ab"] == MentionGroup("ab", gold=2, missed=2)
    assert by["Length"]["1-2 characters"].missed == 2
    assert by["Length"]["6-10 characters"] == MentionGroup("6-10 characters", gold=1, predicted=1)
    assert by["Section"]["TITLE"].missed == 2
    assert by["Section"]["ABSTRACT"].missed == 0


def test_abbreviations_are_defined_or_look_like_one(build: Any) -> None:
    gold = build.side(
        a=[[build.mention((0, 2), text="dha"), build.mention((3, 5), text="GSH"), build.mention((6, 8), text="zinc")]]
    )
    [item] = gold.articles
    defined = type(item)(item.layout, item.sections, (Definition("dha", "x", (0, 2), (3, 5)),), item.annotations)
    result = compared(TrackTask.SPANS, Side("gold", (defined,)), build.side(a=[[]])).results[0]
    groups = {group.label.split()[0]: group.missed for group in group_mentions(result, GROUPINGS["Abbreviation"])}
    assert groups == {"defined": 1, "looks": 1, "not": 1}


def test_seen_in_training(build: Any) -> None:
    training = build.side(t=[[build.mention((0, 2), text="Zinc"), build.mention((3, 5), text="tin", type="OTHER")]])
    gold = build.side(a=[[build.mention((0, 2), text="zinc"), build.mention((3, 5), text="tin")]])
    result = compared(TrackTask.SPANS, gold, build.side(a=[[]])).results[0]
    groups = group_mentions(result, seen_in(training, "Chemical"))
    assert {group.label: group.missed for group in groups} == {"seen in training": 1, "not seen in training": 1}


def test_wrong_identifiers_have_their_sieve_and_distance(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3), id="a1"), build.mention((5, 8), id="right")]])
    run = build.side(
        a=[
            [
                build.mention((0, 3), id="a2", sieve="fuzzy"),
                build.mention((5, 8), id="right", sieve="exact"),
                build.mention((9, 11), id="alone", sieve="fuzzy"),
                build.mention((9, 12), id="-", sieve="exact"),
            ]
        ]
    )
    comparison = compared(TrackTask.IDENTIFIERS, gold, run)
    errors = identifier_errors(comparison, comparison.results[0], TREE)
    found = {(error.identifier, error.wrong): (error.sieves, error.nearest, error.distance) for error in errors}
    # a2 to a1: up to left and down, 2 steps; alone has nothing of gold in its tree; `-` has no place in it.
    # a1, missed: the nearest predicted id is a2.
    assert found == {
        ("a2", True): (("fuzzy",), "a1", 2),
        ("alone", True): (("fuzzy",), None, None),
        ("-", True): (("exact",), None, None),
        ("a1", False): ((), "a2", 2),
    }
    assert sieve_results(comparison, comparison.results[0], errors) == [
        ("fuzzy", 0, Counter({2: 1, None: 1})),
        ("exact", 1, Counter({None: 1})),
    ]


def test_without_a_hierarchy_there_are_no_distances(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3), id="a1")]])
    run = build.side(a=[[build.mention((0, 3), id="a2")]])
    comparison = compared(TrackTask.IDENTIFIERS, gold, run)
    assert [error.distance for error in identifier_errors(comparison, comparison.results[0], None)] == [None, None]
