"""Index terms by vote: the score of a term is the share of the runs that assign it to the document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ensemble.runs import Ballot

__all__ = ["VotedTerm", "passing_terms", "tally_terms"]


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
