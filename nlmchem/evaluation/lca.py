"""Sets of identifiers, augmented by the least common ancestors that tie them to each other.

Kosmopoulos, Partalas, Gaussier, Paliouras, Androutsopoulos (2015), Evaluation measures for
hierarchical classification, Data Mining and Knowledge Discovery 29:820, section 4.2.2, in the form in
which the BioCreative VII NLM-Chem track scores identifiers:

1. From each known id of one side, the shortest paths to the ids of the other side over a common
   ancestor. A path is the set of ids from both up to the ancestor; an id of both sides is a path of
   itself; the artificial root counts in no path, nor in its length; all shortest paths are kept.
2. Paths that are the only one of some id are accepted.
3. While an id of either side stands in no accepted path: accept the path of the least cost per newly
   covered id. Cost: ids of the path that are neither accepted nor in either set. Ties: the path that
   covers more ids, then the path whose sorted ids come first.
4. Each side becomes the accepted ids that are among its own ids' ancestors-or-selves. Ids that the
   hierarchy does not know stay as they are. Where one side has no known id, nothing is augmented.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Sequence, Set

from corpora.model.hierarchy import ROOT, Ascent, Hierarchy
from nlmchem.evaluation.scores import Counts

__all__ = ["augmented", "compare", "shortest_paths"]

Path = frozenset[str]


def compare(gold: Set[str], predicted: Set[str], hierarchy: Hierarchy) -> Counts:
    """The counts of one document's augmented sets; precision, recall and F1 are the document's LCA-P, -R, -F."""
    gold, predicted = augmented(gold, predicted, hierarchy)
    both = len(gold & predicted)
    return Counts(gold=len(gold), found=both, predicted=len(predicted), right=both)


def augmented(gold: Set[str], predicted: Set[str], hierarchy: Hierarchy) -> tuple[frozenset[str], frozenset[str]]:
    """Both sets of ids of a document, augmented."""
    known_gold = frozenset(id for id in gold if id in hierarchy)
    known_predicted = frozenset(id for id in predicted if id in hierarchy)
    if not known_gold or not known_predicted:
        return frozenset(gold), frozenset(predicted)
    paths = shortest_paths(known_gold, known_predicted, hierarchy)
    for id, theirs in shortest_paths(known_predicted, known_gold, hierarchy).items():
        paths[id] = paths.get(id, frozenset()) | theirs
    accepted = _accepted(paths)
    return (
        _own(known_gold, accepted, hierarchy) | (gold - known_gold),
        _own(known_predicted, accepted, hierarchy) | (predicted - known_predicted),
    )


def shortest_paths(own: Set[str], other: Set[str], hierarchy: Hierarchy) -> dict[str, frozenset[Path]]:
    """For each id of `own`, all shortest paths to ids of `other`; both hold ids that the hierarchy knows."""
    reach = _reach(other, hierarchy)
    return {id: frozenset({frozenset({id})}) if id in other else _paths(id, reach, hierarchy) for id in own}


Reach = dict[str | None, tuple[int, list[str]]]
"""An ancestor -> how many ids the shortest ways up to it have, itself left out; and the ids they begin at."""


def _reach(ids: Iterable[str], hierarchy: Hierarchy) -> Reach:
    reach: Reach = {}

    def note(ancestor: str | None, steps: int, id: str) -> None:
        best = reach.get(ancestor)
        if best is None or steps < best[0]:
            reach[ancestor] = (steps, [id])
        elif steps == best[0]:
            best[1].append(id)

    for id in ids:
        for ancestor, steps in hierarchy.distances(id).items():
            note(ancestor, steps, id)
        note(ROOT, hierarchy.depth(id), id)
    return reach


def _paths(id: str, reach: Reach, hierarchy: Hierarchy) -> frozenset[Path]:
    # Up to an ancestor and down again, plus the ancestor itself: that many ids has a path, for the two
    # ways share nothing but the ancestor where they are shortest. The root is no id: plus nothing.
    lengths: dict[str | None, int] = {
        ancestor: steps + reach[ancestor][0] + 1
        for ancestor, steps in hierarchy.distances(id).items()
        if ancestor in reach
    }
    lengths[ROOT] = hierarchy.depth(id) + reach[ROOT][0]
    shortest = min(lengths.values())
    found: set[Path] = set()
    for ancestor, length in lengths.items():
        if length == shortest:
            ups = hierarchy.ascents(id, ancestor)
            downs = [way for end in reach[ancestor][1] for way in hierarchy.ascents(end, ancestor)]
            found.update(_joined(ups, downs))
    return frozenset(found)


def _joined(ups: Sequence[Ascent], downs: Sequence[Ascent]) -> Iterable[Path]:
    sets = [frozenset(down) for down in downs]
    return (down.union(up) for up in ups for down in sets)


def _accepted(paths: dict[str, frozenset[Path]]) -> set[str]:
    """The ids of the accepted paths, by rule; `paths` has every known id of either side."""
    accepted = {id for theirs in paths.values() if len(theirs) == 1 for path in theirs for id in path}
    uncovered = paths.keys() - accepted
    if uncovered:
        useful = {path for theirs in paths.values() for path in theirs if not uncovered.isdisjoint(path)}
        _cover(sorted(tuple(sorted(path)) for path in useful), accepted, uncovered)
    return accepted


def _cover(paths: Sequence[Ascent], accepted: set[str], uncovered: set[str]) -> None:
    """Accept paths until nothing is uncovered. A heap keeps the best in front; accepting a path changes
    the standing of those only that share an id with it, so these alone are put in anew."""
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for number, path in enumerate(paths):
        for id in path:
            if id not in accepted:
                holders[id].append(number)

    def standing(number: int) -> tuple[float, int, int]:
        new = cost = 0
        for id in paths[number]:
            if id in uncovered:
                new += 1
            elif id not in accepted:
                # Of neither set either: an id of a set is uncovered until it is accepted.
                cost += 1
        # A quotient of two small integers is the same float however it was reached: equal means equal.
        return (cost / new if new else float("inf"), -new, number)

    current = [standing(number) for number in range(len(paths))]
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
            now = standing(other)
            if now != current[other]:
                current[other] = now
                if now[1]:
                    heapq.heappush(heap, now)


def _own(ids: Iterable[str], accepted: set[str], hierarchy: Hierarchy) -> frozenset[str]:
    return frozenset(above for id in ids for above in hierarchy.distances(id) if above in accepted)
