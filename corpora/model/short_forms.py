"""What a short form with several long forms means at each place of an article."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from corpora.model.document import Definition


@dataclass(frozen=True, slots=True)
class Scopes:
    """The short forms that an article defines with several meanings, each with its long forms and their places.

    The last definition before a place counts; before the first definition, the first. An occurrence that is annotated
    with its long form counts as a definition at its place.
    """

    _places: Mapping[str, tuple[tuple[int, ...], tuple[str, ...]]] = field(default_factory=dict)

    @classmethod
    def of(cls, definitions: Iterable[Definition]) -> Scopes:
        """The scopes of the definitions of one article, given in any order."""
        defined: dict[str, list[tuple[int, str]]] = {}
        for definition in definitions:
            defined.setdefault(definition.short_form, []).append((_place(definition), definition.long_form))
        first_long = {short: min(places)[1] for short, places in defined.items()}
        several = {
            short: sorted(places) for short, places in defined.items() if _has_several(short, places, first_long)
        }
        return cls(
            {
                short: (tuple(at for at, _ in places), tuple(long for _, long in places))
                for short, places in several.items()
            }
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def short_form(self, text: str) -> str | None:
        """The short form with several meanings that a text is, perhaps with a plural s; None for other texts."""
        return next((form for form in (text, text.removesuffix("s")) if form in self._places), None)

    def long_forms(self, text: str) -> tuple[str, ...]:
        """All long forms of a text, in the order of the article; empty if it is not one of these short forms."""
        short = self.short_form(text)
        return tuple(dict.fromkeys(self._places[short][1])) if short is not None else ()

    def long_form(self, text: str, offset: int) -> str | None:
        """The long form of a text at an offset (code points); None if the text is not one of these short forms."""
        short = self.short_form(text) if self._places else None
        if short is None:
            return None
        starts, longs = self._places[short]
        return longs[max(0, bisect_right(starts, offset) - 1)]


_WORD = re.compile(r"[^\W_]+")
_TREATED = re.compile(r"[-‐‑–][a-z]+ed(?![^\W_])")
"""`silicon-incubated`, `eugenol-treated sample`."""
SIMILAR = 0.85
"""The least similarity of two spellings of one long form."""


def same_meaning(first: str, other: str) -> bool:
    """Whether two long forms are variants of each other: but for case, punctuation and number, one ends the other.

    Two spellings of one name count as well, and what was treated with it.

    >>> same_meaning("free-fatty acids", "Free fatty acid"), same_meaning("[3H]dopamine", "dopamine")
    (True, True)
    >>> same_meaning("silicon-incubated", "Silicon"), same_meaning("fatty acid-binding protein", "fatty acid")
    (True, False)
    >>> same_meaning("malonyl-dihaldehyde", "malondialdehyde"), same_meaning("fatty acids", "fatty acid synthase")
    (True, False)
    """
    shorter, longer = sorted((_letters(first), _letters(other)), key=len)
    treated = [long[: sign.start()] for long in (first, other) if (sign := _TREATED.search(long)) is not None]
    if any(_letters(name) == shorter for name in treated):
        return True
    return longer.endswith(shorter) or SequenceMatcher(None, shorter, longer).ratio() >= SIMILAR


def _has_several(short: str, places: Iterable[tuple[int, str]], first_long: Mapping[str, str]) -> bool:
    """Whether long forms differ when the short forms in them are written out: `hydroxy PAHs`."""

    def written_out(word: re.Match[str]) -> str:
        form = next((form for form in (word[0], word[0].removesuffix("s")) if form in first_long), short)
        return word[0] if form == short else first_long[form]

    longs = dict.fromkeys(long for _, long in places)
    if len(longs) == 1:
        return False
    (first, *others) = dict.fromkeys(_WORD.sub(written_out, long) for long in longs)
    return not all(same_meaning(first, other) for other in others)


def _place(definition: Definition) -> int:
    return min(definition.short_span[0], definition.long_span[0])


def _letters(long_form: str) -> str:
    """The small letters of the words without the plural s; the long form itself if it has none."""
    words = re.findall(r"[^\W\d_]+", long_form.casefold())
    return "".join(word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words) or long_form
