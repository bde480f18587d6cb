"""Splits and folds by article. The same articles and seed always give the same result."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence

from corpora.errors import ConfigurationError, OptionError
from corpora.tools.leaks import Fingerprint, groups


def folds(prints: Sequence[Fingerprint], number: int, seed: int = 0) -> list[int]:
    """The fold (0 to `number` - 1) of each article. Copies of an article are in the same fold.

    The result depends on the articles and the seed, not on the order. Fold sizes differ by one article, or by more
    where copies require it. Raises `ConfigurationError` for fewer than 2 folds and for more folds than articles.
    """
    if number < 2:
        raise ConfigurationError(f"the number of folds is {number}; use 2 or more")
    assigned = _deal(prints, [1.0] * number, seed)
    if len(set(assigned)) < number:
        raise ConfigurationError(f"there are fewer articles than folds ({number}); use fewer folds")
    return assigned


def split(prints: Sequence[Fingerprint], shares: Mapping[str, float], seed: int = 0) -> list[str]:
    """The part of each article. Copies of an article are in the same part.

    `shares`: the size of each part by its name, as in `{"train": 0.8, "dev": 0.1, "test": 0.1}`. Raises
    `ConfigurationError` for shares that are not positive.
    """
    if not shares or min(shares.values()) <= 0:
        raise ConfigurationError("the shares of a split must be greater than 0, such as train=0.8,dev=0.2")
    names = list(shares)
    return [names[place] for place in _deal(prints, list(shares.values()), seed)]


def parse_shares(text: str, option: str) -> dict[str, float]:
    """The shares in a text such as `train=0.8,test=0.2`, by the name of the part. Raises `OptionError`."""
    try:
        shares = {part.strip(): float(share) for part, share in (item.split("=") for item in text.split(","))}
    except ValueError:
        raise OptionError(option, f"must be parts with shares, such as train=0.8,test=0.2, not {text!r}") from None
    return shares


def _deal(prints: Sequence[Fingerprint], shares: Sequence[float], seed: int) -> list[int]:
    """Assign groups of copies, in the order of their hash, each to the part that is furthest below its share."""
    members: dict[int, list[int]] = defaultdict(list)
    for place, group in enumerate(groups(prints)):
        members[group].append(place)
    ordered = sorted(members.values(), key=lambda places: min(_order(prints[place], seed) for place in places))
    total = sum(shares)
    wanted = [share / total * len(prints) for share in shares]
    assigned = [0] * len(prints)
    held = [0] * len(shares)
    for places in ordered:
        part = max(range(len(shares)), key=lambda part: (wanted[part] - held[part], -part))
        held[part] += len(places)
        for place in places:
            assigned[place] = part
    return assigned


def _order(fingerprint: Fingerprint, seed: int) -> str:
    ids = ",".join(f"{kind}:{value}" for kind, value in sorted(fingerprint.ids))
    return hashlib.sha256(
        f"{seed}\n{fingerprint.id}\n{ids}\n{fingerprint.text}".encode("utf-8", "surrogatepass")
    ).hexdigest()
