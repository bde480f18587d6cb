"""Chemical formulae and symbols as short forms of their names: `hydrogen peroxide (H2O2)`, `lead (Pb)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from corpora.words.inflection import singular
from corpora.words.short_texts import cached
from nlmchem.abbreviations.ab3p.window import TokenWindow
from sieves.chemistry import ions
from sieves.chemistry.formulae import salts

MOST_WORDS = 3
"""The number of words of a name."""

_NOTATION = re.compile(r"(?=.{0,2}[A-Z])[A-Za-z0-9()\[\]+−-]{1,16}")
_HYPHEN = re.compile(r"(?<=[a-z])-(?=[a-z])")
_ION = frozenset("ion ions anion anions cation cations".split())  # noqa: SIM905
_SPELLINGS = (("sulph", "sulf"), ("aluminium", "aluminum"), ("caesium", "cesium"))


def name_begin(short: str, window: TokenWindow) -> int | None:
    """The first token of the chemical name at the end of a window that a short form is the notation of.

    None if the short form is no notation, or the window ends with other words.
    """
    names = _names(short)
    if not names:
        return None
    tokens = window.tokens
    end = len(tokens) - 1 if tokens[-1] in _ION and len(tokens) > 1 else len(tokens)
    for begin in range(max(0, end - MOST_WORDS), end):
        if _key(" ".join(tokens[begin:end])) in names:
            return begin
    return None


def is_name_of(long: str, short: str) -> bool:
    """Whether a long form is the chemical name of a formula or a symbol.

    >>> is_name_of("carbon dioxide", "CO2"), is_name_of("25% concentration", "CO2")
    (True, False)
    """
    return _key(" ".join(long.split())) in _names(short)


@cached(1024)
def _names(short: str) -> frozenset[str]:
    if not _NOTATION.fullmatch(short):
        return frozenset()
    notation = short.replace("−", "-")
    names = [*salts(notation), *_ion_names(notation)]
    return frozenset(map(_key, filter(None, names)))


def _ion_names(notation: str) -> Iterator[str]:
    """Names of an element or an ion. `Fe3+` is no short form of iron, which is also `Fe2+`."""
    first, *others = (*ions.names(notation), "")
    yield first.removesuffix(" ion")
    yield from (name for name in others if name and first.startswith(name))


def _key(name: str) -> str:
    # The hyphen may be the end of a line: `carbon tetra-\nchloride`.
    name = _HYPHEN.sub("", name.lower())
    for british, american in _SPELLINGS:
        name = name.replace(british, american)
    return singular(name)
