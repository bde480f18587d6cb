"""How much the annotators of the same passages agree.

`strict` and `identifiers` are those of `nlmchem ensemble agreement`, over the passages that both have. `approximate`:
a mention counts as found if it overlaps one of the other annotator. `kappa`: Cohen's kappa of the words of these
passages, where a word is inside a mention or not. F1 is not corrected for chance: there are so many possible spans that
agreement by chance on whole spans is near 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from bioc import BioCDocument, BioCPassage

from corpora.model.passages import passage_text
from ensemble.runs import Ballot
from ensemble.votes import Vote, VotedMention
from nlmchem.companions.curation.changes import Change, overlap
from nlmchem.companions.curation.tasks_done import Place
from nlmchem.evaluation.ensembles import agreement_of
from nlmchem.evaluation.scores import f1, ratio

_WORD = re.compile(r"\w+")
Annotated = Mapping[Place, Mapping[str, list[Change]]]
"""The changes of each annotator in each passage."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The agreement of two annotators, each from 0 to 1, kappa from -1. `passages`: those that both have."""

    annotators: tuple[str, str]
    passages: int
    strict: float
    approximate: float
    identifiers: float
    kappa: float


def pairs(annotated: Annotated, passages: Mapping[Place, BioCPassage]) -> list[Pair]:
    """The agreement of each two annotators that have passages in common."""
    names = sorted({name for by_name in annotated.values() for name in by_name})
    return [
        _pair(left, right, shared, passages)
        for left, right in combinations(names, 2)
        if (shared := {place: by_name for place, by_name in annotated.items() if left in by_name and right in by_name})
    ]


def as_json(pairs: list[Pair]) -> list[dict[str, Any]]:
    """The pairs with values of 4 decimals."""
    return [
        {key: round(value, 4) if isinstance(value, float) else value for key, value in asdict(pair).items()}
        for pair in pairs
    ]


def _pair(left: str, right: str, shared: Annotated, passages: Mapping[Place, BioCPassage]) -> Pair:
    ballots = [_ballot(passages[place], by_name[left], by_name[right]) for place, by_name in shared.items()]
    strict = agreement_of((left, right), ballots, "spans").f1[0, 1]
    identifiers = agreement_of((left, right), ballots, "identifiers").f1[0, 1]
    here = [[change.spans for change in by_name[left] if change.spans] for by_name in shared.values()]
    there = [[change.spans for change in by_name[right] if change.spans] for by_name in shared.values()]
    left_ones = [
        sum(any(overlap(a, b) for b in other) for a in spans) for spans, other in zip(here, there, strict=True)
    ]
    right_ones = [
        sum(any(overlap(a, b) for b in other) for a in spans) for spans, other in zip(there, here, strict=True)
    ]
    both = (sum(map(len, here)), sum(map(len, there)))
    approximate = f1(ratio(sum(left_ones), both[0]), ratio(sum(right_ones), both[1])) if any(both) else 1.0
    texts = [passages[place] for place in shared]
    return Pair((left, right), len(shared), float(strict), approximate, float(identifiers), _kappa(texts, here, there))


def _ballot(passage: BioCPassage, left: list[Change], right: list[Change]) -> Ballot:
    document = BioCDocument()
    document.add_passage(passage)
    return Ballot(document, (1, 1), (_vote(left), _vote(right)))


def _vote(changes: list[Change]) -> Vote:
    return Vote(tuple(VotedMention(0, change.spans, change.identifiers) for change in changes if change.spans))


def _kappa(passages: list[BioCPassage], here: list[list[Any]], there: list[list[Any]]) -> float:
    table = {(a, b): 0 for a in (True, False) for b in (True, False)}
    for passage, left, right in zip(passages, here, there, strict=True):
        for word in _WORD.finditer(passage_text(passage)):
            span = ((passage.offset + word.start(), passage.offset + word.end()),)
            inside = (any(overlap(span, mention) for mention in left), any(overlap(span, mention) for mention in right))
            table[inside] += 1
    words = sum(table.values())
    agreed = ratio(table[True, True] + table[False, False], words)
    shares = (
        ratio(table[True, True] + table[True, False], words),
        ratio(table[True, True] + table[False, True], words),
    )
    chance = shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
    return 1.0 if chance == 1 or not words else (agreed - chance) / (1 - chance)
