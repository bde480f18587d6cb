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
_MULTIPLE = "(?:mono|di|tri|tetra|penta|hexa|hepta|octa|oligo|poly)"
_PLACE = (
    r"(?:\d{1,2}'?(?:,\d{1,2}'?){0,7}|[omp]|ortho|meta|para|[αβγδ]|alpha|beta|gamma|delta|cis|trans|n|iso|sec|tert"
    r"|[DLRSEZ]|\([RSEZ+-]\))"
)
_AND = r"(?:, ?(?:and |or )?| and | or | & |/)"
_PLACES = rf"(?:{_PLACE}-{_AND})+"
ELLIPSIS = re.compile(
    rf"(?P<places>{_PLACES}|(?:[omp][,/])+(?=[omp]-))(?P<place>{_PLACE})-(?P<rest>[A-Za-z(]\S.*)"
    rf"|(?P<multiples>(?:(?i:{_MULTIPLE})-{_AND})+)(?P<multiple>{_MULTIPLE})-?(?P<several>[a-z]{{4,}}.*)"
)
"""Names whose first members have only what distinguishes them: `2,4- and 2,6-dinitrotoluene`, `m,p-xylene`,
`mono-, di- and trichloroacetic acids`."""
ELLIPSIS_BEFORE = re.compile(rf"(?<![\w,'-])(?:{_PLACES}(?:{_PLACE}-)?|(?:[omp][,/])+|(?:(?i:{_MULTIPLE})-{_AND})+)$")
"""The first members, before a name or the rest of one."""
LABEL = re.compile(r"(?:(?:I{1,3}|IV)[AB]?|[A-Z][a-h]?\d{0,2}(?:alpha|beta|gamma|[a-dα-γ])?)")
"""What distinguishes the members of a family: `E2` and `F2alpha` of prostaglandins, `Rb1` of ginsenosides."""
_ENDING = r"[A-Z\d][A-Za-z\d]{0,3}"
ENDINGS = re.compile(rf"(?P<head>[A-Z]{{2,5}}|[A-Za-z][a-z]{{4,}})-{_ENDING}(?:{_AND}-{_ENDING})+(?![\w-])")
"""Members of a family of which only the first has the name: `microcystin-LR, -RR and -YR`."""
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
    members = of_ellipsis(text)
    if members:
        yield members
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


def of_ellipsis(text: str) -> tuple[str, ...]:
    """The names that a list in short means; empty for other texts.

    >>> of_ellipsis("2,4- and 2,6-dinitrotoluene"), of_ellipsis("mono- and disaccharides")
    (('2,4-dinitrotoluene', '2,6-dinitrotoluene'), ('monosaccharides', 'disaccharides'))
    >>> of_ellipsis("microcystin-LR and -RR")
    ('microcystin-LR', 'microcystin-RR')
    """
    endings = ENDINGS.fullmatch(text)
    if endings is not None:
        return tuple(f"{endings['head']}-{ending}" for ending in re.findall(rf"(?<=-){_ENDING}(?!\w)", text))
    match = ELLIPSIS.fullmatch(text)
    if match is None:
        return ()
    form, firsts = (_PLACE, match["places"]) if match["places"] else (f"(?i:{_MULTIPLE})", match["multiples"])
    rest = f"-{match['rest']}" if match["places"] else match["several"]
    last = match["place"] or match["multiple"]
    if rest.endswith(" acids"):
        rest = rest[:-1]
    # `m,p-xylene` has no hyphen after its first place.
    marked = re.findall(rf"{form}(?=-)" if "-" in firsts else r"[omp]", firsts)
    return tuple(f"{place}{rest}" for place in (*marked, last))


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
