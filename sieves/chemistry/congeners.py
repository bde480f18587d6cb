"""Congener numbers of halogenated biphenyls and diphenyl ethers: `PCB-153`, `BDE-47`, `PBB 153`.

The 209 patterns of substitution of two rings are numbered by the count and the order of their locants. Source:
Ballschmiter and Zell 1980, Fresenius Z Anal Chem 302:20; with the numbers of IUPAC for 107 to 109 and 199 to 201
(Mills et al. 2007, Chemosphere 68:1603).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement

Ring = tuple[int, ...]
"""The locants of the halogens on a ring, 2 to 6; locant 1 is the bond to the other ring."""

_COUNTS = ("mono", "di", "tri", "tetra", "penta", "hexa", "hepta", "octa", "nona", "deca")
_PARENTS = {
    "PCB": "chlorobiphenyl",
    "CB": "chlorobiphenyl",
    "PBB": "bromobiphenyl",
    "BB": "bromobiphenyl",
    "PBDE": "bromodiphenyl ether",
    "BDE": "bromodiphenyl ether",
}
_CONGENER = re.compile(rf"({'|'.join(_PARENTS)})[ -]?([1-9]\d{{0,2}})")


def names(text: str) -> Iterator[str]:
    """Systematic names of a congener, the usual one first; nothing for other texts.

    >>> next(names("PCB-153")), next(names("BDE 47"))
    ("2,2',4,4',5,5'-hexachlorobiphenyl", "2,2',4,4'-tetrabromodiphenyl ether")
    """
    match = _CONGENER.fullmatch(text)
    if match is None or int(match[2]) > len(_congeners()):
        return
    ring, other = _congeners()[int(match[2]) - 1]
    count = len(ring) + len(other)
    parent = _COUNTS[count - 1] + _PARENTS[match[1]] if count > 1 else _PARENTS[match[1]]
    if count == len(_COUNTS):
        yield parent
    yield from dict.fromkeys(f"{locants}-{parent}" for locants in _notations(ring, other))


@cache
def _congeners() -> tuple[tuple[Ring, Ring], ...]:
    """The rings of each congener, in the order of their numbers; the first ring has more halogens, or lower locants."""
    subsets = [subset for size in range(6) for subset in combinations(range(2, 7), size)]
    # A ring can be turned over, which exchanges 2 with 6 and 3 with 5.
    rings = sorted({min(subset, tuple(sorted(8 - locant for locant in subset))) for subset in subsets})
    pairs = [_ordered(*pair) for pair in combinations_with_replacement(rings, 2) if any(pair)]
    return tuple(sorted(pairs, key=lambda pair: (len(pair[0]) + len(pair[1]), _sequence(*pair))))


def _ordered(ring: Ring, other: Ring) -> tuple[Ring, Ring]:
    return min([(ring, other), (other, ring)], key=lambda pair: (-len(pair[0]), _sequence(*pair)))


def _sequence(ring: Ring, primed: Ring) -> list[tuple[int, bool]]:
    """The locants of both rings in ascending order, unprimed before primed."""
    return sorted([(locant, False) for locant in ring] + [(locant, True) for locant in primed])


def _notations(ring: Ring, other: Ring) -> Iterator[str]:
    """Locants in ascending order (`2,2',4,5'`), then ring by ring (`2,5,2',4'`); either ring can be primed."""
    for plain, primed in ((ring, other), (other, ring)):
        yield ",".join(f"{locant}'" if second else f"{locant}" for locant, second in _sequence(plain, primed))
    for plain, primed in ((ring, other), (other, ring)):
        yield ",".join([*map(str, plain), *(f"{locant}'" for locant in primed)])
