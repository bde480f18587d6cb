"""Splits mentions that name several concepts: `NaCl/Tris`, `vitamins A, C and E`, `oleic and linoleic acids`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import permutations

_STRONG = re.compile(
    r"\s*(?:/|\+(?=\s|[A-Za-z(\[])"
    r"|[\s-]buffered\s+(?!saline)|(?<=\d\+)-(?=[A-Z])"
    r"|,\s+(?:and\s+|or\s+)?|,?\s+(?:and|or|plus|with)\s+|\s&\s|&|;\s+|\s[-–·:]\s|:|·|-(?=$))\s*"
)
_HYPHEN = re.compile(r"(?<=[^\W\d]{2})[-–](?!HCl\b)(?=[^\W\d]{2})")
_LIST = re.compile(r",?\s+(?:and|or)\s+|,\s*|/|\s&\s")
_HEAD = re.compile(
    r"^(?P<head>vitamins?|vits?|omega|n|ω|coenzymes?|toxins?|ginsenosides?|prostaglandins?|bisphenols?|fatty acids?)"
    r"(?P<gap>[\s-])(?P<rest>.+)$",
    re.I,
)
_TAIL = re.compile(r"^(?P<rest>.+?)[\s-](?P<tail>\S+|(?:fatty|amino|nucleic|bile|phenolic) acids?)$")
_PREFIX = re.compile(
    r"poly|mono|di|tri|tetra|penta|hexa|hepta|octa|oligo|sulfo|nitro|amino|hydroxy|oxo|thio|iso|cyclo|methyl|anti",
    re.I,
)
"""Prefixes that belong to the name after the hyphen."""
_MULTIPLES = "mono|di|tri|tetra|penta|hexa|oligo|poly"
_MULTIPLE = re.compile(rf"(?:{_MULTIPLES})(?P<rest>[a-z]{{4,}})", re.I)
_MULTIPLE_ALONE = re.compile(rf"(?:{_MULTIPLES})-", re.I)
"""The first part of `mono- and disaccharides`."""
LABEL = re.compile(r"[A-Z]\d{0,2}(?:alpha|beta|gamma|[a-dα-γ])?")
"""What distinguishes the members of a family: `E2` and `F2alpha` of prostaglandins."""
MOST_PARTS = 8
MOST_COMBINED = 3
LONGEST_SYMBOL = 3
"""Characters of a part beside a single letter: `C/N`, `C and Si`."""


def splits(text: str) -> Iterator[tuple[str, ...]]:
    """Ways to split a text into several names, in its order, the likeliest first.

    >>> next(splits("vitamins A and C")), next(splits("linoleic and linolenic acid"))
    (('vitamin A', 'vitamin C'), ('linoleic acid', 'linolenic acid'))
    >>> next(splits("NaCl/Tris"))
    ('NaCl', 'Tris')
    """
    yield from filter(_are_names, _splits(text))


def _are_names(parts: Sequence[str]) -> bool:
    """Whether parts can be names: no prefixes, and no single letter beside a long part (`V/propidium iodide`)."""
    longest = max(map(len, parts))
    return not any(_PREFIX.fullmatch(part) or (len(part) == 1 and longest > LONGEST_SYMBOL) for part in parts)


def _splits(text: str) -> Iterator[tuple[str, ...]]:
    parts = [part for part in _LIST.split(text) if part]
    if 1 < len(parts) <= MOST_PARTS:
        yield from _shared(text, parts)
    for separator in (_STRONG, _HYPHEN):
        parts = [part for part in separator.split(text) if part.strip()]
        if 1 < len(parts) <= MOST_PARTS:
            yield tuple(parts)
    # With several hyphens, only one of them can separate two names.
    for place in _HYPHEN.finditer(text):
        if place.start() > 1 and len(text) - place.end() > 1:
            yield text[: place.start()], text[place.end() :]


def combinations(parts: Sequence[str]) -> Iterator[str]:
    """The names that MeSH uses for combinations of two or three drugs.

    >>> next(combinations(("ledipasvir", "sofosbuvir")))
    'ledipasvir, sofosbuvir drug combination'
    """
    if len(parts) <= MOST_COMBINED:
        for order in permutations(parts):
            yield f"{', '.join(order)} drug combination"
            yield f"{'-'.join(order)} regimen"
            yield f"{', '.join(order)} combination"


def _shared(text: str, parts: list[str]) -> Iterator[tuple[str, ...]]:
    """Splits of lists whose members share a word before or after them."""
    match = _HEAD.match(text)
    if match is not None:
        members = [part for part in _LIST.split(match["rest"]) if part]
        head = match["head"] if match["head"].lower() in ("n", "omega") else re.sub(r"s$", "", match["head"])
        tail = _TAIL.match(members[-1])
        shared = f" {tail['tail']}" if tail is not None and match["gap"] == "-" else ""
        names = []
        for member in members:
            short = member.removesuffix(shared).lstrip("-")
            names.append((short if short.lower().startswith(head.lower()) else f"{head}{match['gap']}{short}") + shared)
        yield tuple(names)
    multiple = _MULTIPLE.fullmatch(parts[-1])
    if multiple is not None and all(_MULTIPLE_ALONE.fullmatch(part) for part in parts[:-1]):
        yield (*(f"{part.rstrip('-')}{multiple['rest']}" for part in parts[:-1]), parts[-1])
    tail = _TAIL.match(parts[-1])
    if tail is not None and tail["tail"] == "acids" and all(len(part) > 1 for part in parts[:-1]):
        # The plural is that of the list.
        yield tuple(f"{part} acid" for part in (*parts[:-1], tail["rest"]))
    if tail is not None and all(len(part) > 1 for part in parts[:-1]):
        word = tail["tail"]
        glue = " " if parts[-1][len(tail["rest"])].isspace() else "-"
        yield tuple(f"{part.rstrip('-')}{glue}{word}" for part in (*parts[:-1], tail["rest"]))
    first = parts[0].split()
    if len(first) == 2 and first[0].endswith("s") and all(LABEL.fullmatch(label) for label in (first[1], *parts[1:])):
        yield tuple(f"{first[0][:-1]} {label}" for label in (first[1], *parts[1:]))
    if len(first) > 1:
        yield (parts[0], *(f"{first[0]} {part}" for part in parts[1:]))
