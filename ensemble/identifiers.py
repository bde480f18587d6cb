"""Identifiers and index terms by vote.

Each mention text of a document gets the identifier set that most of its mentions in all runs have. Source: as in
`ensemble.spans`. Each (run, place, identifier set) is one vote, with the weight of its run. A composite
is one value: {A, B} is neither A nor B. "No concept" (`-`) is a value, too. A mention without the infon `identifier`
has no vote.

Ties are decided in this order: a concept before "no concept", fewer identifiers, MeSH descriptors before supplementary
records, alphabetical order.

The score of an index term is the share of the runs that assign it to the document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from corpora.model.mesh_ids import is_descriptor, mesh_id
from ensemble.runs import Ballot, rounded_share
from ensemble.spans import VotedSpan
from ensemble.votes import Place, VotedMention


@dataclass(frozen=True, slots=True)
class Identified:
    """The winning identifiers, () for "no concept", and their share of the votes, with 4 decimals."""

    identifiers: tuple[str, ...]
    score: float


@dataclass(slots=True)
class IdentifierCounts:
    """The weights of identifier sets. `orders`: for each set, the weights of the orders in which it was written."""

    sets: Counter[frozenset[str]] = field(default_factory=Counter)
    orders: dict[frozenset[str], Counter[tuple[str, ...]]] = field(default_factory=dict)

    def add(self, identifiers: tuple[str, ...], weight: int) -> None:
        """Add a vote."""
        value = frozenset(identifiers)
        self.sets[value] += weight
        self.orders.setdefault(value, Counter())[identifiers] += weight

    def winner(self) -> Identified | None:
        """The identifiers with most votes, in their most frequent order; None if there are no votes."""
        if not self.sets:
            return None
        votes = max(self.sets.values())
        value = min((value for value, number in self.sets.items() if number == votes), key=_rank)
        order, _ = min(self.orders[value].items(), key=lambda item: (-item[1], item[0]))
        return Identified(order, rounded_share(votes, self.sets.total()))


def _rank(value: frozenset[str]) -> tuple[bool, int, list[tuple[bool, str]]]:
    parts = sorted((not is_descriptor(mesh_id(part) or part), part) for part in value)
    return not value, len(value), parts


class IdentifierVote:
    """The vote on the identifiers of one document: by mention text or, with `per_mention`, by place."""

    def __init__(self, ballot: Ballot, per_mention: bool = False) -> None:
        self._ballot = ballot
        self._per_mention = per_mention
        self._votes: dict[int, list[tuple[VotedMention, int]]] = {}
        for position, vote in enumerate(ballot.votes):
            for mention in vote.mentions if vote else ():
                if mention.identifiers is not None:
                    self._votes.setdefault(mention.passage, []).append((mention, ballot.weights[position]))
        self._counts: dict[str | Place, IdentifierCounts] = {}
        self._winners: dict[str | Place, Identified | None] = {}
        texts: dict[Place, str] = {}
        for mention, weight in (vote for votes in self._votes.values() for vote in votes):
            if mention.place not in texts:
                texts[mention.place] = ballot.text(*mention.place)
            key = mention.place if per_mention else texts[mention.place]
            self._counts.setdefault(key, IdentifierCounts()).add(mention.identifiers or (), weight)

    def of(self, span: VotedSpan) -> Identified | None:
        """The identifiers of a span; None if there are no votes.

        If no run has the span (it was merged) and its text has no votes, the mentions inside the span vote.
        """
        key = span.place if self._per_mention else self._ballot.text(*span.place)
        if key not in self._counts:
            return None if span.in_a_run else _counts(self._inside(span)).winner()
        if key not in self._winners:
            self._winners[key] = self._counts[key].winner()
        return self._winners[key]

    def _inside(self, span: VotedSpan) -> Iterable[tuple[VotedMention, int]]:
        for mention, weight in self._votes.get(span.passage, ()):
            if span.start <= mention.spans[0][0] and max(end for _, end in mention.spans) <= span.end:
                yield mention, weight


def _counts(votes: Iterable[tuple[VotedMention, int]]) -> IdentifierCounts:
    counts = IdentifierCounts()
    for mention, weight in votes:
        counts.add(mention.identifiers or (), weight)
    return counts


# -- index terms --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VotedTerm:
    """An index term with its votes; `voters` are positions of runs, ascending."""

    identifier: str
    entry_term: str | None
    voters: tuple[int, ...]
    score: float


def tally_terms(ballot: Ballot) -> list[VotedTerm]:
    """Every index term of the document, the highest score first, then by identifier.

    The entry term is the one that most runs use, by weight; ties: alphabetical order.
    """
    voters: dict[str, list[int]] = {}
    names: dict[str, Counter[str]] = {}
    for position, vote in enumerate(ballot.votes):
        for identifier, name in vote.terms if vote else ():
            runs = voters.setdefault(identifier, [])
            if position not in runs[-1:]:
                runs.append(position)
            if name:
                names.setdefault(identifier, Counter())[name] += ballot.weights[position]
    terms = (
        VotedTerm(identifier, _most_frequent(names.get(identifier)), tuple(runs), ballot.share(runs))
        for identifier, runs in voters.items()
    )
    return sorted(terms, key=lambda term: (-term.score, term.identifier))


def passing_terms(terms: Iterable[VotedTerm], threshold: float) -> list[VotedTerm]:
    """The terms with a score of at least the threshold; 0 keeps all."""
    return [term for term in terms if term.score >= threshold]


def _most_frequent(names: Counter[str] | None) -> str | None:
    return min(names, key=lambda name: (-names[name], name)) if names else None
