"""What the short forms of one article mean, and where: the scope of a definition is its article."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from corpora.model.document import Definition
from nlmchem.abbreviations.ab3p.folding import fold
from nlmchem.abbreviations.article.inflection import singular

__all__ = ["Glossary", "Sense"]


@dataclass(frozen=True, slots=True)
class Sense:
    """A definition, and the offset from which on it holds (code points)."""

    begin: int
    definition: Definition


@dataclass(frozen=True, slots=True)
class Glossary:
    """All definitions of an article, in the order of the text, and the senses of each short form.

    The best-scored definition of a short form holds in the whole article, what stands before it included (of equals
    the first). A later one with another long form holds from where it stands; an earlier, lower-scored one is
    in the table of `definitions` and holds nowhere.
    """

    definitions: tuple[Definition, ...] = ()
    senses: Mapping[str, tuple[Sense, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, definitions: Iterable[Definition]) -> Glossary:
        """The glossary of one article's definitions, in whatever order they come."""
        ordered = tuple(sorted(definitions, key=lambda one: (_place(one), one.short_span, one.long_span)))
        by_form: dict[str, list[Definition]] = {}
        for definition in ordered:
            by_form.setdefault(definition.short_form, []).append(definition)
        return cls(ordered, {form: tuple(_senses(found)) for form, found in by_form.items()})

    def __iter__(self) -> Iterator[str]:
        """The short forms, in the order of their first definition."""
        return iter(self.senses)

    def __contains__(self, short_form: object) -> bool:
        return short_form in self.senses

    def __len__(self) -> int:
        return len(self.senses)

    def meaning(self, short_form: str, offset: int | None = None) -> Definition | None:
        """What a short form means at an offset (None: in most of the article); None where it is not defined."""
        senses = self.senses.get(short_form)
        if not senses:
            return None
        if offset is None:
            return senses[0].definition
        return senses[max(0, bisect_right(senses, offset, key=lambda sense: sense.begin) - 1)].definition


def _place(definition: Definition) -> int:
    return min(definition.short_span[0], definition.long_span[0])


def _senses(found: list[Definition]) -> Iterator[Sense]:
    best = max(range(len(found)), key=lambda index: (found[index].score or 0.0, -index))
    yield Sense(0, found[best])
    holding = _key(found[best])
    for definition in found[best + 1 :]:
        if _key(definition) != holding:
            yield Sense(_place(definition), definition)
            holding = _key(definition)


def _key(definition: Definition) -> str:
    """Long forms that differ in case, hyphens or number mean the same."""
    return singular(" ".join(fold(definition.long_form).replace("-", " ").split()))
