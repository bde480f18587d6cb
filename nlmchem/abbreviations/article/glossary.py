"""The meanings of the short forms of one article, and where they occur. The scope of a definition is its article."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from corpora.model.document import Definition
from corpora.words.folding import fold
from corpora.words.inflection import singular

SURE = 0.95
"""The least score of a definition that a later one with a higher score does not replace."""


@dataclass(frozen=True, slots=True)
class Sense:
    """A definition, and the offset (code points) from which it applies."""

    begin: int
    definition: Definition


@dataclass(frozen=True, slots=True)
class Glossary:
    """All definitions of an article, in text order, and the senses of each short form.

    The definition with the highest score applies to the whole article, also to the text before it (of equal scores
    the first). A definition with another long form applies from its position on. An earlier one than the best is in
    `definitions` but never applies if its score is below `SURE`: it may be misread.
    """

    definitions: tuple[Definition, ...] = ()
    senses: Mapping[str, tuple[Sense, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, definitions: Iterable[Definition]) -> Glossary:
        """The glossary of the definitions of one article, given in any order."""
        ordered = tuple(sorted(definitions, key=lambda item: (_place(item), item.short_span, item.long_span)))
        by_form: dict[str, list[Definition]] = {}
        for definition in ordered:
            by_form.setdefault(definition.short_form, []).append(definition)
        return cls(ordered, {form: tuple(_senses(same_form)) for form, same_form in by_form.items()})

    def __iter__(self) -> Iterator[str]:
        """The short forms, in the order of their first definition."""
        return iter(self.senses)

    def __contains__(self, short_form: object) -> bool:
        return short_form in self.senses

    def __len__(self) -> int:
        return len(self.senses)

    def meaning(self, short_form: str, offset: int | None = None) -> Definition | None:
        """The definition that applies at an offset (None: the one for the whole article); None if there is none."""
        senses = self.senses.get(short_form)
        if not senses:
            return None
        if offset is None:
            return senses[0].definition
        return senses[max(0, bisect_right(senses, offset, key=lambda sense: sense.begin) - 1)].definition


def _place(definition: Definition) -> int:
    return min(definition.short_span[0], definition.long_span[0])


def _senses(definitions: list[Definition]) -> Iterator[Sense]:
    best = max(definitions, key=lambda definition: definition.score or 0.0)
    sure = [earlier for earlier in definitions[: definitions.index(best)] if (earlier.score or 0.0) >= SURE]
    (first, *later) = [*sure, *definitions[definitions.index(best) :]]
    yield Sense(0, first)
    current = _key(first)
    for definition in later:
        if _key(definition) != current:
            yield Sense(_place(definition), definition)
            current = _key(definition)


def _key(definition: Definition) -> str:
    """A key that is equal for long forms that differ only in case, hyphens or number."""
    return singular(" ".join(fold(definition.long_form).replace("-", " ").split()))
