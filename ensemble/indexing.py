"""Index terms by vote: each (document, identifier) has as its score the share of the runs that give it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ensemble.runs import Ballot

__all__ = ["VotedTerm", "passing_terms", "tally_terms"]


@dataclass(frozen=True, slots=True)
class VotedTerm:
    """An index term with the votes behind it; `voters` are positions of runs, ascending."""

    identifier: str
    entry_term: str | None
    voters: tuple[int, ...]
    score: float


def tally_terms(ballot: Ballot) -> list[VotedTerm]:
    """Every index term that a run gives to the document, the best first, then by identifier.

    The entry term is the one that most runs give, by weight; of equals the first in the alphabet.
    """
    voters: dict[str, list[int]] = {}
    names: dict[str, Counter[str]] = {}
    for position, vote in enumerate(ballot.votes):
        for identifier, name in vote.terms if vote else ():
            behind = voters.setdefault(identifier, [])
            if position not in behind[-1:]:
                behind.append(position)
            if name:
                names.setdefault(identifier, Counter())[name] += ballot.weights[position]
    terms = (
        VotedTerm(identifier, _commonest(names.get(identifier)), tuple(behind), ballot.share(behind))
        for identifier, behind in voters.items()
    )
    return sorted(terms, key=lambda term: (-term.score, term.identifier))


def passing_terms(terms: Iterable[VotedTerm], threshold: float) -> list[VotedTerm]:
    """The terms whose score is at least the threshold (0: all)."""
    return [term for term in terms if term.score >= threshold]


def _commonest(names: Counter[str] | None) -> str | None:
    return min(names, key=lambda name: (-names[name], name)) if names else None
