"""The concepts of an article page, and the details of its mentions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from corpora.model.document import NO_CONCEPT
from corpora.model.mesh_ids import bare_id, is_mesh_id
from nlmchem.evaluation.articles import Annotation

__all__ = ["Concepts", "Details", "Namer", "mesh_address"]

Namer = Callable[[str, str], str | None]
"""(identifier, matched name) -> preferred name of the concept; None if there is none."""


def mesh_address(identifier: str) -> str | None:
    """The web address of a MeSH record; None if the identifier is not from MeSH."""
    return f"https://meshb.nlm.nih.gov/record/ui?ui={bare_id(identifier)}" if is_mesh_id(identifier) else None


@dataclass(slots=True)
class Details:
    """The details that mentions show on hover. Equal details are stored once; the page refers to them by number."""

    numbers: dict[tuple[object, ...], int] = field(default_factory=dict)

    def number(self, *entry: object) -> int:
        """The number of these details; new details get the next number."""
        return self.numbers.setdefault(entry, len(self.numbers))


class Concepts:
    """The concepts of a page in the order of their first mention, with their names and mentions."""

    def __init__(self, namer: Namer) -> None:
        self._namer = namer
        self.numbers: dict[str, int] = {}
        self.mentions: defaultdict[str, list[str]] = defaultdict(list)
        """Identifier -> HTML ids of its mentions."""
        self._stated: dict[str, str] = {}
        self._matched: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def number(self, identifier: str) -> int:
        """The number of a concept; a new concept gets the next number."""
        return self.numbers.setdefault(identifier, len(self.numbers))

    def add_mention(self, identifier: str, mention: Annotation, element: str) -> None:
        """Store a mention of a concept; `element` is its HTML id."""
        self.number(identifier)
        self.mentions[identifier].append(element)
        matched = mention.evidence.matched_name or mention.text
        self._matched[identifier][matched] += 1
        if identifier not in self._stated and identifier != NO_CONCEPT:
            name = self._namer(identifier, matched)
            if name:
                self._stated[identifier] = name

    def set_name(self, identifier: str, name: str) -> None:
        """Store the name that an index term gives to a concept."""
        self._stated[identifier] = name

    def name(self, identifier: str) -> str:
        """The name of the index term, else the preferred name, else the most frequently matched text, else the id."""
        if identifier == NO_CONCEPT:
            return "no concept"
        if identifier in self._stated:
            return self._stated[identifier]
        matched = self._matched[identifier]
        return min(matched, key=lambda name: (-matched[name], name)) if matched else identifier
