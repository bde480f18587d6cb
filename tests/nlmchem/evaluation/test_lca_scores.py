"""Approximate identifiers: worked examples, and comparison with a direct implementation of the definition."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.model.hierarchy import Hierarchy
from nlmchem.evaluation.comparison import ScoringOptions, TrackTask, compare
from nlmchem.evaluation.lca import augmented, shortest_paths
from nlmchem.evaluation.lca import compare as lca
from nlmchem.evaluation.scores import Counts

# Two tops; below `salts`, several parents:
#
#   metals             salts
#   |-- light          |-- chlorides
#   |   |-- sodium     |   |-- nacl (also below sodium)
#   |   `-- lithium    |   `-- kcl
#   `-- heavy          |-- bromides
#       `-- lead       |   `-- nabr
#                      |-- mix1 (below chlorides and bromides)
#                      `-- mix2 (below chlorides and bromides)
TREE = Hierarchy(
    {
        "metals": [],
        "light": ["metals"],
        "heavy": ["metals"],
        "sodium": ["light"],
        "lithium": ["light"],
        "lead": ["heavy"],
        "salts": [],
        "chlorides": ["salts"],
        "bromides": ["salts"],
        "nacl": ["chlorides", "sodium"],
        "kcl": ["chlorides"],
        "nabr": ["bromides"],
        "mix1": ["chlorides", "bromides"],
        "mix2": ["chlorides", "bromides"],
    }
)


def sets(gold: str, predicted: str) -> tuple[str, str]:
    """Both sides augmented, ids in order, by names divided by blanks."""
    one, other = augmented(set(gold.split()), set(predicted.split()), TREE)
    return " ".join(sorted(one)), " ".join(sorted(other))


def figures(gold: str, predicted: str) -> tuple[float, float, float]:
    counts = lca(set(gold.split()), set(predicted.split()), TREE)
    return round(counts.precision, 4), round(counts.recall, 4), round(counts.f1, 4)


def test_the_same_id_needs_no_ancestor() -> None:
    # An id of both sides is its own path.
    assert sets("lead", "lead") == ("lead", "lead")
    assert figures("lead", "lead") == (1.0, 1.0, 1.0)


def test_siblings_meet_in_their_parent() -> None:
    # Path {sodium, light, lithium}. Gold {sodium, light}, predicted {lithium, light}: 1 of 2 both ways.
    assert sets("sodium", "lithium") == ("light sodium", "light lithium")
    assert figures("sodium", "lithium") == (0.5, 0.5, 0.5)


def test_a_parent_is_its_childs_ancestor() -> None:
    # Path {sodium, light}, with light the common ancestor of both. Gold {sodium, light}, predicted {light}.
    assert figures("sodium", "light") == (1.0, 0.5, 0.6667)


def test_a_path_to_a_grandparent_contains_the_parent() -> None:
    # Path {sodium, light, metals}: gold all three, predicted {metals}: precision 1, recall 1/3, F .5.
    assert figures("sodium", "metals") == (1.0, 0.3333, 0.5)


def test_cousins_meet_two_steps_up() -> None:
    # Path {sodium, light, metals, heavy, lead}. Gold {sodium, light, metals}, predicted {lead, heavy, metals}.
    assert sets("sodium", "lead") == ("light metals sodium", "heavy lead metals")
    assert figures("sodium", "lead") == (0.3333, 0.3333, 0.3333)


def test_the_root_is_not_part_of_a_path() -> None:
    # Only the artificial root is above both: path {lead, heavy, metals, salts, bromides, nabr}.
    # Nothing is in common.
    assert sets("lead", "nabr") == ("heavy lead metals", "bromides nabr salts")
    assert figures("lead", "nabr") == (0.0, 0.0, 0.0)


def test_ids_without_parents_are_below_the_root() -> None:
    assert sets("metals", "salts") == ("metals", "salts")


def test_the_root_does_not_add_to_the_length_of_a_path() -> None:
    # From kcl: over salts to salts {kcl, chlorides, salts} has 3 ids. heavy: over the root to salts
    # {heavy, metals, salts} has 3 as well, over metals to sodium {heavy, metals, light, sodium} 4.
    found = shortest_paths({"heavy"}, {"salts", "sodium"}, TREE)
    assert found == {"heavy": {frozenset({"heavy", "metals", "salts"})}}


def test_several_parents_the_nearest_ancestor_wins() -> None:
    # nacl meets lithium over sodium and light {nacl, sodium, light, lithium}, 4 ids; over the root it
    # would be {nacl, chlorides, salts, metals, light, lithium}, 6.
    assert sets("nacl", "lithium") == ("light nacl sodium", "light lithium")
    # 1 of 2 predicted, 1 of 3 gold: F = 2 * (1/2) * (1/3) / (5/6) = .4.
    assert figures("nacl", "lithium") == (0.5, 0.3333, 0.4)


def test_one_of_two_equal_paths_is_accepted() -> None:
    # mix1 and mix2 meet in bromides or in chlorides: cost 1 for 2 newly covered ids either way.
    # The tie is broken by sorted ids: bromides. One of two ids is common; with both ways it were 2 of 3.
    assert sets("mix1", "mix2") == ("bromides mix1", "bromides mix2")
    assert figures("mix1", "mix2") == (0.5, 0.5, 0.5)


def test_single_paths_are_accepted_first_and_lower_the_cost_of_others() -> None:
    # b reaches x over r alone: {b, r, q, x}, accepted first, and x is covered. y reaches x over p or q:
    # {y, p, x} costs 1, {y, q, x} nothing, for q is accepted. (By names alone p would come first.)
    tree = Hierarchy({"s": [], "p": ["s"], "r": [], "q": ["r"], "b": ["r"], "x": ["p", "q"], "y": ["p", "q"]})
    assert augmented({"x"}, {"y", "b"}, tree) == ({"x", "q", "r"}, {"y", "b", "q", "r"})
    # 2 of 4 predicted, 2 of 3 gold.
    assert lca({"x"}, {"y", "b"}, tree) == Counts(gold=3, found=2, predicted=4, right=2)


def test_cost_is_shared_by_the_ids_that_a_path_covers() -> None:
    # The unlucky ids x1, x2 reach y over p or q. p: {x1, p, y} covers two new ids at cost 1, as q does;
    # {x2, q, y}: once y is covered, a path over p costs x2 nothing, over q it costs 1. So p alone is accepted.
    tree = Hierarchy({"p": [], "q": [], "x1": ["p", "q"], "x2": ["p", "q"], "y": ["p", "q"]})
    assert augmented({"x1", "x2"}, {"y"}, tree) == ({"x1", "x2", "p"}, {"y", "p"})


def test_an_id_of_either_set_costs_nothing() -> None:
    # x reaches y over p or q; q is itself a gold id, and q's own only way to y is {q, y}: accepted first.
    # Then {x, q, y} costs 0, {x, p, y} 1.
    tree = Hierarchy({"p": [], "q": [], "x": ["p", "q"], "y": ["p", "q"]})
    assert augmented({"x", "q"}, {"y"}, tree) == ({"x", "q"}, {"y", "q"})


def test_accepted_ids_are_added_for_every_id_below_them() -> None:
    # sodium-lithium accepts light. nacl is on both sides, and light is above it, so both sides have light.
    # Gold {nacl, sodium, light}: sodium is above nacl, so predicted has it too:
    # {nacl, lithium, light, sodium}.
    assert sets("nacl sodium", "nacl lithium") == ("light nacl sodium", "light lithium nacl sodium")
    assert figures("nacl sodium", "nacl lithium") == (0.75, 1.0, 0.8571)


def test_unknown_ids_are_kept() -> None:
    # Gold {sodium, light, -}, predicted {lithium, light, -, new}: 2 of 3 gold, 2 of 4 predicted, F = 4/7.
    assert figures("sodium -", "lithium - new") == (0.5, 0.6667, 0.5714)


def test_nothing_is_augmented_if_one_side_has_no_known_id() -> None:
    assert sets("sodium", "new") == ("sodium", "new")
    assert sets("-", "sodium lithium") == ("-", "lithium sodium")
    assert figures("sodium -", "-") == (1.0, 0.5, 0.6667)


def test_an_empty_side_scores_0() -> None:
    assert figures("", "sodium") == (0.0, 0.0, 0.0)
    assert figures("sodium", "") == (0.0, 0.0, 0.0)


def test_mean_over_documents_that_have_ids(build: Any) -> None:
    def side(**ids: str) -> Any:
        return build.side(
            "run", **{name: [[build.mention((0, 3), id=each) for each in given.split()]] for name, given in ids.items()}
        )

    gold, run = side(a="sodium", b="sodium", c="", d="", e="lead"), side(a="light", b="sodium", c="", d="lead", e="")
    comparison = compare(
        TrackTask.IDENTIFIERS, gold, [run], ScoringOptions(approximate=True, hierarchy=TREE, samples=0)
    )
    measure = comparison.results[0].approximate
    assert measure is not None
    # a: P 1, R .5, F .6667; b: 1, 1, 1; c: no id on either side, left out; d and e: 0.
    assert measure.documents == (Counts(2, 1, 1, 1), Counts(1, 1, 1, 1), None, Counts(0, 0, 1, 0), Counts(1, 0, 0, 0))
    # Means of 4: P (1 + 1) / 4, R 1.5 / 4, F 1.6667 / 4 (the mean of F, not the F of means).
    score = measure.score
    assert (score.precision, score.recall, round(score.f1, 4)) == (0.5, 0.375, 0.4167)


# -- a direct implementation ---------------------------------------------------------------------


def chains(id: str, parents: dict[str, list[str]]) -> list[list[str]]:
    """Every way from an id up to the root, the root (None) left off."""
    if not parents[id]:
        return [[id]]
    return [[id, *rest] for parent in parents[id] for rest in chains(parent, parents)]


def plain_paths(x: str, others: set[str], parents: dict[str, list[str]]) -> set[frozenset[str]]:
    """All ways up from x and from any other id, joined at every id they share or at the root; the shortest of them."""
    if x in others:
        return {frozenset({x})}
    found = set()
    for y in others:
        for up, down in product(chains(x, parents), chains(y, parents)):
            found.add(frozenset(up) | frozenset(down))  # over the root, which is no id
            for ancestor in set(up) & set(down):
                found.add(frozenset(up[: up.index(ancestor) + 1]) | frozenset(down[: down.index(ancestor) + 1]))
    shortest = min(map(len, found))
    return {path for path in found if len(path) == shortest}


def plain_augmented(gold: set[str], predicted: set[str], parents: dict[str, list[str]]) -> tuple[set[str], set[str]]:
    known_gold, known_predicted = gold & parents.keys(), predicted & parents.keys()
    if not known_gold or not known_predicted:
        return gold, predicted
    ids = known_gold | known_predicted
    paths = {
        id: (plain_paths(id, known_predicted, parents) if id in known_gold else set())
        | (plain_paths(id, known_gold, parents) if id in known_predicted else set())
        for id in ids
    }
    every = sorted({path for theirs in paths.values() for path in theirs}, key=sorted)
    accepted: set[str] = set()
    for theirs in paths.values():
        if len(theirs) == 1:
            accepted |= next(iter(theirs))
    while ids - accepted:
        open_paths = [path for path in every if path & (ids - accepted)]
        accepted |= min(
            open_paths,
            key=lambda path: (
                len(path - accepted - ids) / len(path & (ids - accepted)),
                -len(path & (ids - accepted)),
                sorted(path),
            ),
        )

    def side(own: set[str], unknown: set[str]) -> set[str]:
        above = {id for each in own for chain in chains(each, parents) for id in chain}
        return (accepted & above) | unknown

    return side(known_gold, gold - known_gold), side(known_predicted, predicted - known_predicted)


def random_parents(generator: random.Random, size: int, most_parents: int) -> dict[str, list[str]]:
    """A hierarchy without loops: parents come before their children."""
    parents: dict[str, list[str]] = {}
    for number in range(size):
        count = min(number, generator.randint(0 if generator.random() < 0.2 else 1, most_parents))
        parents[f"n{number:02}"] = [f"n{parent:02}" for parent in sorted(generator.sample(range(number), count))]
    return parents


@pytest.mark.parametrize("seed", range(300))
def test_equals_a_direct_implementation_of_the_definition(seed: int) -> None:
    generator = random.Random(seed)
    parents = random_parents(generator, generator.randint(2, 14), generator.randint(1, 3))
    pool = [*parents, "-", "unknown"]
    for _ in range(5):
        gold = set(generator.sample(pool, generator.randint(0, min(6, len(pool)))))
        predicted = set(generator.sample(pool, generator.randint(0, min(6, len(pool)))))
        assert augmented(gold, predicted, Hierarchy(parents)) == plain_augmented(gold, predicted, parents)


# -- properties --------------------------------------------------------------------------------

ids = st.sets(st.sampled_from([*TREE, "-", "unknown"]), max_size=6)


@settings(max_examples=200, deadline=None)
@given(gold=ids)
def test_equal_sides_score_1(gold: set[str]) -> None:
    counts = lca(gold, gold, TREE)
    assert (counts.precision, counts.recall) == ((1.0, 1.0) if gold else (0.0, 0.0))
    assert augmented(gold, gold, TREE) == (gold, gold)


@settings(max_examples=200, deadline=None)
@given(gold=ids, predicted=ids)
def test_swapping_sides_swaps_precision_and_recall(gold: set[str], predicted: set[str]) -> None:
    there, back = lca(gold, predicted, TREE), lca(predicted, gold, TREE)
    assert (there.precision, there.recall) == (back.recall, back.precision)


@settings(max_examples=200, deadline=None)
@given(gold=ids, predicted=ids)
def test_augmenting_only_adds(gold: set[str], predicted: set[str]) -> None:
    more_gold, more_predicted = augmented(gold, predicted, TREE)
    assert gold <= more_gold
    assert predicted <= more_predicted
    assert gold & predicted <= more_gold & more_predicted


@settings(max_examples=200, deadline=None)
@given(gold=ids, predicted=ids)
def test_an_unknown_wrong_id_never_raises_precision(gold: set[str], predicted: set[str]) -> None:
    assert lca(gold, predicted | {"wrong"}, TREE).precision <= lca(gold, predicted, TREE).precision
