"""Identifiers by vote: for each mention text of a document, the identifier set that most mentions of all runs have.

Source: as in `ensemble.spans`. Every tuple (run, place, identifier set) is one vote, by its run's weight.
A composite is one value: {A, B} is neither A nor B. "No concept" (`-`) is a value too; a run that did not
seek identifiers for a mention (no `identifier` at all) abstains.

Ties go, in this order, to a concept before none, to fewer identifiers, to MeSH descriptors before
supplementary records, to what comes first in the alphabet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from corpora.model.document import Span
from corpora.model.mesh_ids import is_descriptor, mesh_id
from ensemble.runs import Ballot
from ensemble.spans import VotedSpan
from ensemble.votes import Said

__all__ = ["Identified", "IdentifierVote", "Urn"]

Place = tuple[int, tuple[Span, ...]]


@dataclass(frozen=True, slots=True)
class Identified:
    """The identifiers that won, () for "no concept", and their share of the votes cast, 4 decimals."""

    identifiers: tuple[str, ...]
    score: float


@dataclass(slots=True)
class Urn:
    """Votes for identifier sets; `orders` remembers how each set is written."""

    sets: Counter[frozenset[str]] = field(default_factory=Counter)
    orders: dict[frozenset[str], Counter[tuple[str, ...]]] = field(default_factory=dict)

    def add(self, identifiers: tuple[str, ...], weight: int) -> None:
        value = frozenset(identifiers)
        self.sets[value] += weight
        self.orders.setdefault(value, Counter())[identifiers] += weight

    def winner(self) -> Identified | None:
        """None where nobody voted."""
        if not self.sets:
            return None
        votes = max(self.sets.values())
        value = min((value for value, number in self.sets.items() if number == votes), key=_rank)
        order, _ = min(self.orders[value].items(), key=lambda item: (-item[1], item[0]))
        total = self.sets.total()
        return Identified(order, (20_000 * votes + total) // (2 * total) / 10_000)


def _rank(value: frozenset[str]) -> tuple[bool, int, list[tuple[bool, str]]]:
    parts = sorted((not is_descriptor(mesh_id(part) or part), part) for part in value)
    return not value, len(value), parts


class IdentifierVote:
    """The vote over one document; by mention text, or with `per_mention` by place."""

    def __init__(self, ballot: Ballot, per_mention: bool = False) -> None:
        self._ballot = ballot
        self._per_mention = per_mention
        self._votes: dict[int, list[tuple[Said, int]]] = {}
        for position, vote in enumerate(ballot.votes):
            for said in vote.mentions if vote else ():
                if said.identifiers is not None:
                    self._votes.setdefault(said.passage, []).append((said, ballot.weights[position]))
        self._urns: dict[str | Place, Urn] = {}
        self._winners: dict[str | Place, Identified | None] = {}
        texts: dict[Place, str] = {}
        for said, weight in (vote for votes in self._votes.values() for vote in votes):
            place = (said.passage, said.spans)
            if place not in texts:
                texts[place] = ballot.text(*place)
            key = place if per_mention else texts[place]
            self._urns.setdefault(key, Urn()).add(said.identifiers or (), weight)

    def of(self, span: VotedSpan) -> Identified | None:
        """The identifiers of a span; of a merged one that no run had, those that the mentions inside it vote for.

        None where every run abstains.
        """
        key = (span.passage, span.spans) if self._per_mention else self._ballot.text(span.passage, span.spans)
        if key not in self._urns:
            return None if span.held else _urn(self._inside(span)).winner()
        if key not in self._winners:
            self._winners[key] = self._urns[key].winner()
        return self._winners[key]

    def _inside(self, span: VotedSpan) -> Iterable[tuple[Said, int]]:
        for said, weight in self._votes.get(span.passage, ()):
            if span.start <= said.spans[0][0] and max(end for _, end in said.spans) <= span.end:
                yield said, weight


def _urn(votes: Iterable[tuple[Said, int]]) -> Urn:
    urn = Urn()
    for said, weight in votes:
        urn.add(said.identifiers or (), weight)
    return urn
