"""Writes whole names in another way: with a qualifying word of MeSH, other locants, or another order of words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import permutations

_QUALIFIERS = ("compounds", "compound", "agents", "peptide", "drug")
"""Words that MeSH adds to ambiguous names: `Sulfonylurea Compounds`, `Ecstasy (Drug)`."""
_DRUGS = re.compile(r"\b(?:drug|medication)(s?)$", re.I)
_LONGEST_QUALIFIED = 60
_SHORTEST_QUALIFIED = 3

# Positions of a benzene ring, and the nitrogen of a ring, have two notations.
_PLACES = (
    (re.compile(r"(?<![A-Za-z])(?:p-(?=[a-z(])|para-?(?=[a-z]{3}))"), "4-"),
    (re.compile(r"(?<![A-Za-z])(?:o-(?=[a-z(])|ortho-?(?=[a-z]{3}))"), "2-"),
    (re.compile(r"(?<![A-Za-z])(?:m-(?=[a-z(])|meta-?(?=[a-z]{3}))"), "3-"),
    (re.compile(r"(?<![A-Za-z0-9,'])4-(?=[a-z(])"), "p-"),
    (re.compile(r"(?<![A-Za-z0-9,'])2-(?=[a-z(])"), "o-"),
    (re.compile(r"(?<![A-Za-z0-9,'])3-(?=[a-z(])"), "m-"),
    (re.compile(r"(?<![A-Za-z,'])N-(?=[a-z])"), "1-"),
)
_VITAMIN = re.compile(r"^vits?(?:\. ?|[ -])(?=[A-Z])", re.IGNORECASE)
_ACTIVE = re.compile(r"^active (?=carbons?$|charcoal$)", re.IGNORECASE)
_GREEK = re.compile(r"([abg]|[Aa]lfa)-(?=[A-Za-z][a-z]{5})")
_GREEK_NAMES = {"a": "alpha", "b": "beta", "g": "gamma", "alfa": "alpha"}
"""A Latin letter for a Greek one, or its name in another language: `a-tocopherol`, `alfa-tocopherol`."""
_CONFIGURATION = re.compile(r"(?:[DL]{1,2}|[dl]{1,2}|D,L|rac|\((?:[RSEZ+±-]|\+/-)\))-(?=[a-z]{4})")
_LEADING_LOCANTS = re.compile(r"^\(?\d+'*(?:,\d+'*)*\)?-(?=[a-z]{4})", re.I)
_SHORTEST_NUMBERED = 8
_MOST_WORDS = 3


def qualified(text: str, begins: Callable[[str], bool] = bool) -> Iterator[str]:
    """The name with each qualifying word of MeSH. `begins`: whether any name of the lexicon begins with a text.

    >>> list(qualified("anti-inflammatory drugs"))[0], list(qualified("BV6"))[1]
    ('anti-inflammatory agents', 'BV6 compound')
    """
    if not _SHORTEST_QUALIFIED <= len(text) <= _LONGEST_QUALIFIED or not any(map(str.isalpha, text)):
        return
    if _DRUGS.search(text):
        yield _DRUGS.sub("agents", text)
    elif begins(text):
        yield from (f"{text} {word}" for word in _QUALIFIERS)


def renumbered(text: str) -> Iterator[str]:
    """The name with each position in the other notation, and without the locants at its start.

    Also with a Greek letter for a Latin one, `vit.` written out, and `activated carbon` for `active carbon`.

    >>> list(renumbered("bis(p-nitrophenyl) phosphate")), list(renumbered("2-thiobarbituric acid"))[-1]
    (['bis(4-nitrophenyl) phosphate'], 'thiobarbituric acid')
    """
    vitamin = _VITAMIN.sub("vitamin ", text)
    if vitamin != text:
        yield vitamin
    if len(text) < _SHORTEST_NUMBERED:
        return
    if _ACTIVE.match(text):
        yield _ACTIVE.sub("activated ", text)
    greek = with_greek_letter(text)
    if greek is not None:
        yield greek
    for form, place in _PLACES:
        other = form.sub(place, text)
        if other != text:
            yield other
    bare = _LEADING_LOCANTS.sub("", text)
    if bare != text:
        yield bare


def with_greek_letter(text: str) -> str | None:
    """The name with the Greek letter that its first letter or word means; None if it does not begin with such a letter.

    >>> with_greek_letter("a-Tocopherol"), with_greek_letter("D-glucose")
    ('alpha-Tocopherol', None)
    """
    greek = _GREEK.match(text)
    return None if greek is None else f"{_GREEK_NAMES[greek[1].lower()]}-{text[greek.end() :]}"


def without_configuration(text: str) -> str | None:
    """The name without the sign of its configuration; None if it has none.

    >>> without_configuration("DL-tyrosine"), without_configuration("(R)-ketamine"), without_configuration("DL-PCB")
    ('tyrosine', 'ketamine', None)
    """
    sign = _CONFIGURATION.match(text)
    return None if sign is None else text[sign.end() :]


def reordered(text: str) -> Iterator[str]:
    """Two or three words in every other order.

    >>> list(reordered("oxide nitric"))
    ['nitric oxide']
    """
    words = text.split(" ")
    if 1 < len(words) <= _MOST_WORDS:
        yield from (" ".join(order) for order in permutations(words) if list(order) != words)
