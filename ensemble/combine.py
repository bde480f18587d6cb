"""The result of a vote as BioC documents, with counts."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bioc import BioCDocument

from corpora.errors import ConfigurationError, OptionError
from corpora.model.document import (
    Evidence,
    IndexTerm,
    Mention,
    Span,
    add_index_term,
    add_mention,
    annotator,
    fresh_ids,
    remove_index_terms,
    remove_mentions,
    set_identifiers,
)
from corpora.model.passages import passage_text
from corpora.model.votes import Votes, write_votes
from ensemble import OVERLAPS, TASKS
from ensemble.identifiers import Identified, IdentifierVote, VotedTerm, passing_terms, tally_terms
from ensemble.runs import Ballot, Poll
from ensemble.spans import VotedSpan, passing, resolved, tally, threshold_value

SIEVE = "vote"
"""The infon `sieve` of identifiers that a vote assigned."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How to combine runs.

    `tasks`: the subjects of the vote, from `TASKS`; `identifiers` includes spans. `threshold`: the minimum share of the
    runs, 0..1, for spans and index terms. `overlaps`: one of `ensemble.spans.OVERLAPS`. `per_mention`: vote on
    identifiers by place instead of text. Raises `ConfigurationError` for invalid values.
    """

    tasks: tuple[str, ...]
    threshold: float
    overlaps: str = "merge"
    per_mention: bool = False

    def __post_init__(self) -> None:
        unknown = [task for task in self.tasks if task not in TASKS]
        if unknown:
            raise ConfigurationError(f"unknown task {unknown[0]!r}; use one of {', '.join(TASKS)}")
        if self.overlaps not in OVERLAPS:
            raise OptionError("overlaps", f"is {self.overlaps!r}; use one of {', '.join(OVERLAPS)}")
        object.__setattr__(self, "threshold", threshold_value(self.threshold))

    def as_dict(self) -> dict[str, Any]:
        """The rule as manifests list it."""
        return {
            "tasks": list(self.tasks),
            "threshold": self.threshold,
            "overlaps": self.overlaps,
            "identifiers_by": "mention" if self.per_mention else "text",
        }


@dataclass(slots=True)
class VoteCounts:
    """The counts of an ensemble. `candidates`: distinct spans of all runs. `merged`: spans that no run has."""

    documents: int = 0
    without_mentions: int = 0
    passages: int = 0
    characters: int = 0
    candidates: int = 0
    mentions: int = 0
    merged: int = 0
    without_identifier: int = 0
    index_terms: int = 0
    texts: set[bytes] = field(default_factory=set)
    identifiers: set[str] = field(default_factory=set)

    def add_text(self, text: str) -> None:
        """Count a distinct mention text."""
        # Eight bytes for each text: the texts of a million articles would need too much memory.
        self.texts.add(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())

    def as_dict(self) -> dict[str, int]:
        """The counts as the manifest lists them."""
        numbers = {
            name: getattr(self, name) for name in self.__dataclass_fields__ if name not in ("texts", "identifiers")
        }
        return {**numbers, "distinct_texts": len(self.texts), "distinct_identifiers": len(self.identifiers)}


class Combiner:
    """Combines the votes of each document by a rule, and counts the results."""

    def __init__(self, poll: Poll, rule: Rule) -> None:
        self.rule = rule
        self.counts = VoteCounts()
        self._names = poll.names
        self.signature = annotator("ensemble", poll.digest)

    def __call__(self, ballot: Ballot) -> BioCDocument:
        """The document of the ballot; the results of the vote replace its mentions and index terms."""
        document = ballot.document
        remove_mentions(document)
        remove_index_terms(document)
        self.counts.documents += 1
        self.counts.passages += len(document.passages)
        self.counts.characters += sum(len(passage_text(passage)) for passage in document.passages)
        if "spans" in self.rule.tasks or "identifiers" in self.rule.tasks:
            self._add_mentions(ballot)
        if "indexing" in self.rule.tasks:
            for term in passing_terms(tally_terms(ballot), self.rule.threshold):
                self._add_term(document, term)
        return document

    def _add_mentions(self, ballot: Ballot) -> None:
        candidates = tally(ballot)
        spans = resolved(passing(candidates, self.rule.threshold), self.rule.overlaps)
        identifiers = IdentifierVote(ballot, self.rule.per_mention) if "identifiers" in self.rule.tasks else None
        ids = fresh_ids(ballot.document, "C")
        for span in spans:
            passage = ballot.document.passages[span.passage]
            mention = add_mention(passage, span.spans, id=next(ids), annotator=self.signature)
            self._finish(mention, span, identifiers.of(span) if identifiers else None)
        self.counts.candidates += len(candidates)
        self.counts.mentions += len(spans)
        self.counts.without_mentions += not spans

    def _finish(self, mention: Mention, span: VotedSpan, identified: Identified | None) -> None:
        voters = self._voters(span.voters)
        parts = tuple((_outer(part), part.score) for part in span.parts)
        write_votes(mention.annotation, Votes(span.score, voters, parts, identified.score if identified else None))
        if identified is not None:
            set_identifiers(mention, identified.identifiers, Evidence(sieve=SIEVE))
            self.counts.identifiers.update(identified.identifiers)
            self.counts.without_identifier += not identified.identifiers
        self.counts.add_text(mention.text)
        self.counts.merged += not span.in_a_run

    def _add_term(self, document: BioCDocument, term: VotedTerm) -> None:
        add_index_term(document, IndexTerm(term.identifier, term.entry_term))
        write_votes(document.passages[0].annotations[-1], Votes(term.score, self._voters(term.voters)))
        self.counts.index_terms += 1
        self.counts.identifiers.add(term.identifier)

    def _voters(self, positions: Sequence[int]) -> tuple[str, ...]:
        return tuple(self._names[position] for position in positions)


def _outer(span: VotedSpan) -> Span:
    return span.start, span.end
