"""The concepts of a page and what its mentions say, each distinct thing once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from corpora.model.document import NO_CONCEPT
from corpora.model.mesh_ids import bare_id, is_mesh_id
from nlmchem.evaluation.articles import Annotation

__all__ = ["Concepts", "Details", "Namer", "mesh_address"]

Namer = Callable[[str, str], str | None]
"""(identifier, a name that was matched) -> the concept's preferred name, where it is known."""


def mesh_address(identifier: str) -> str | None:
    """Where NLM shows a MeSH record; None for what is no MeSH id."""
    return f"https://meshb.nlm.nih.gov/record/ui?ui={bare_id(identifier)}" if is_mesh_id(identifier) else None


@dataclass(slots=True)
class Details:
    """What mentions say on hover, each distinct thing once: the page's elements hold its number."""

    numbers: dict[tuple[object, ...], int] = field(default_factory=dict)

    def number(self, *entry: object) -> int:
        return self.numbers.setdefault(entry, len(self.numbers))


class Concepts:
    """The concepts of a page, in the order of their first mention; names, and which mentions say them."""

    def __init__(self, namer: Namer) -> None:
        self._namer = namer
        self.numbers: dict[str, int] = {}
        self.mentions: defaultdict[str, list[str]] = defaultdict(list)
        self._known: dict[str, str] = {}
        self._written: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def number(self, identifier: str) -> int:
        return self.numbers.setdefault(identifier, len(self.numbers))

    def note(self, identifier: str, mention: Annotation, element: str) -> None:
        """A mention says a concept: keep its element, and what it teaches of the concept's name."""
        self.number(identifier)
        self.mentions[identifier].append(element)
        matched = mention.evidence.matched_name
        self._written[identifier][matched or mention.text] += 1
        if identifier not in self._known and identifier != NO_CONCEPT:
            name = self._namer(identifier, matched or mention.text)
            if name:
                self._known[identifier] = name

    def call(self, identifier: str, name: str) -> None:
        """A name that is stated, by an index term."""
        self._known[identifier] = name

    def name(self, identifier: str) -> str:
        """The stated or preferred name, else the one most often matched or written, else the id."""
        if identifier == NO_CONCEPT:
            return "no concept"
        if identifier in self._known:
            return self._known[identifier]
        written = self._written[identifier]
        return min(written, key=lambda name: (-written[name], name)) if written else identifier
