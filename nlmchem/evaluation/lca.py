"""Sets of identifiers, augmented by the least common ancestors of gold and predicted identifiers.

Kosmopoulos, Partalas, Gaussier, Paliouras, Androutsopoulos (2015), Evaluation measures for
hierarchical classification, Data Mining and Knowledge Discovery 29:820, section 4.2.2. The BioCreative VII NLM-Chem
track scores identifiers in this form (a known id is an id that the hierarchy contains):

1. For each known id of one side, find the shortest paths to the ids of the other side through a common ancestor. A path
   is the set of ids from both ids up to the ancestor. An id of both sides is a path of one id. The artificial root is
   not part of a path and does not add to its length. All shortest paths are kept.
2. If an id has only one path, accept this path.
3. While an id of either side is in no accepted path: accept the path of the lowest cost per newly covered id. The cost
   is the number of ids of the path that are neither accepted nor in either set. Ties: the path that covers more ids,
   then the path with the first ids in sorted order.
4. The augmented set of a side contains the accepted ids that are ids of this side or their ancestors. Unknown ids are
   kept. If one side has no known id, nothing is augmented.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Sequence, Set

from corpora.model.hierarchy import ROOT, Ascent, Hierarchy
from nlmchem.evaluation.scores import Counts

Path = frozenset[str]


def compare(gold: Set[str], predicted: Set[str], hierarchy: Hierarchy) -> Counts:
    """The counts of the augmented sets of a document. Their precision, recall and F1 are LCA-P, LCA-R and LCA-F."""
    gold, predicted = augmented(gold, predicted, hierarchy)
    both = len(gold & predicted)
    return Counts(gold=len(gold), found=both, predicted=len(predicted), right=both)


def augmented(gold: Set[str], predicted: Set[str], hierarchy: Hierarchy) -> tuple[frozenset[str], frozenset[str]]:
    known_gold = frozenset(id for id in gold if id in hierarchy)
    known_predicted = frozenset(id for id in predicted if id in hierarchy)
    if not known_gold or not known_predicted:
        return frozenset(gold), frozenset(predicted)
    paths = shortest_paths(known_gold, known_predicted, hierarchy)
    for id, theirs in shortest_paths(known_predicted, known_gold, hierarchy).items():
        paths[id] = paths.get(id, frozenset()) | theirs
    accepted = _accepted(paths)

    def own(ids: Set[str]) -> frozenset[str]:
        return frozenset(above for id in ids for above in hierarchy.distances(id) if above in accepted)

    return own(known_gold) | (gold - known_gold), own(known_predicted) | (predicted - known_predicted)


def shortest_paths(ids: Set[str], other: Set[str], hierarchy: Hierarchy) -> dict[str, frozenset[Path]]:
    """For each id of `ids`, all shortest paths to ids of `other`. All ids must be in the hierarchy."""
    reach = _reach(other, hierarchy)
    return {id: frozenset({frozenset({id})}) if id in other else _paths(id, reach, hierarchy) for id in ids}


Reach = dict[str | None, tuple[int, list[str]]]
"""Ancestor -> the number of ids on the shortest ways to it, without itself, and the ids where these ways begin."""


def _reach(ids: Iterable[str], hierarchy: Hierarchy) -> Reach:
    reach: Reach = {}
    for id in ids:
        ways: list[tuple[str | None, int]] = [*hierarchy.distances(id).items(), (ROOT, hierarchy.depth(id))]
        for ancestor, steps in ways:
            best = reach.get(ancestor)
            if best is None or steps < best[0]:
                reach[ancestor] = (steps, [id])
            elif steps == best[0]:
                best[1].append(id)
    return reach


def _paths(id: str, reach: Reach, hierarchy: Hierarchy) -> frozenset[Path]:
    # The number of ids of a path: the way up to the ancestor, the way down, and the ancestor itself. Shortest ways
    # have only the ancestor in common. The root is not an id, so nothing is added for it.
    lengths: dict[str | None, int] = {
        ancestor: steps + reach[ancestor][0] + 1
        for ancestor, steps in hierarchy.distances(id).items()
        if ancestor in reach
    }
    lengths[ROOT] = hierarchy.depth(id) + reach[ROOT][0]
    shortest = min(lengths.values())
    shortest_ways: set[Path] = set()
    for ancestor, length in lengths.items():
        if length == shortest:
            downs = [frozenset(way) for end in reach[ancestor][1] for way in hierarchy.ascents(end, ancestor)]
            shortest_ways.update(down.union(up) for up in hierarchy.ascents(id, ancestor) for down in downs)
    return frozenset(shortest_ways)


def _accepted(paths: dict[str, frozenset[Path]]) -> set[str]:
    """The ids of the accepted paths; `paths` has every known id of either side."""
    accepted = {id for theirs in paths.values() if len(theirs) == 1 for path in theirs for id in path}
    uncovered = paths.keys() - accepted
    if uncovered:
        useful = {path for theirs in paths.values() for path in theirs if not uncovered.isdisjoint(path)}
        _cover(sorted(tuple(sorted(path)) for path in useful), accepted, uncovered)
    return accepted


def _cover(paths: Sequence[Ascent], accepted: set[str], uncovered: set[str]) -> None:
    """Accept paths until all ids are covered.

    The best path is the first of a heap. An accepted path changes the rank of paths that share an id with it, so only
    these are added to the heap again.
    """
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for number, path in enumerate(paths):
        for id in path:
            if id not in accepted:
                holders[id].append(number)

    def rank(number: int) -> tuple[float, int, int]:
        new = cost = 0
        for id in paths[number]:
            if id in uncovered:
                new += 1
            elif id not in accepted:
                # It is in neither set: an id of a set is uncovered until it is accepted.
                cost += 1
        # Equal quotients of small integers are equal floats, so ties are found.
        return (cost / new if new else float("inf"), -new, number)

    current = [rank(number) for number in range(len(paths))]
    heap = list(current)
    heapq.heapify(heap)
    while uncovered:
        best = heapq.heappop(heap)
        number = best[2]
        if best != current[number]:
            continue
        fresh = [id for id in paths[number] if id not in accepted]
        accepted.update(fresh)
        uncovered.difference_update(fresh)
        for other in {other for id in fresh for other in holders[id]}:
            now = rank(other)
            if now != current[other]:
                current[other] = now
                if now[1]:
                    heapq.heappush(heap, now)
