"""The annotations of one run in one document, in a compact form: many runs are in memory at once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bioc import BioCDocument

from corpora.model.document import NO_CONCEPT, Mention, Span, index_terms, mentions
from corpora.model.passages import passage_text
from corpora.model.votes import stated_identifiers
from corpora.reporting import Report

Place = tuple[int, tuple[Span, ...]]
"""The position of a passage in the document, and sorted spans in document offsets."""


@dataclass(frozen=True, slots=True)
class VotedMention:
    """A mention of a run. `passage`: its position in the document. `spans`: sorted, in document offsets.

    `identifiers`: empty for "no concept"; None if the run did not assign identifiers.
    """

    passage: int
    spans: tuple[Span, ...]
    identifiers: tuple[str, ...] | None = None

    @property
    def place(self) -> Place:
        return self.passage, self.spans


@dataclass(frozen=True, slots=True)
class Vote:
    """The vote of a run on a document: distinct mentions and index terms (identifier, entry term), both sorted.

    `broken`: the number of mentions whose text differs from the text at their offsets. They are not in `mentions`.
    """

    mentions: tuple[VotedMention, ...] = ()
    terms: tuple[tuple[str, str | None], ...] = ()
    broken: int = 0

    def places(self) -> set[Place]:
        """The places of the mentions."""
        return {mention.place for mention in self.mentions}

    def indexed(self) -> set[str]:
        """The identifiers of the index terms."""
        return {identifier for identifier, _ in self.terms}

    def items(self, task: str) -> set[Any]:
        """What is voted on in a task: places of mentions, identifiers of mentions, or index terms."""
        if task == "spans":
            return set(self.places())
        if task == "indexing":
            return set(self.indexed())
        stated = (mention.identifiers for mention in self.mentions if mention.identifiers is not None)
        return {identifier for identifiers in stated for identifier in identifiers or (NO_CONCEPT,)}


def vote_of(document: BioCDocument, report: Report) -> Vote:
    """The annotations of a document as a vote. Mentions that break the offset invariant are reported and left out."""
    texts = [passage_text(passage) for passage in document.passages]
    positions = {id(passage): position for position, passage in enumerate(document.passages)}
    voted: set[VotedMention] = set()
    broken = 0
    for mention in mentions(document):
        position = positions[id(mention.passage)]
        spans = tuple(sorted(mention.spans))
        if text_of(texts[position], mention.passage.offset, mention.spans) != mention.text:
            report(_broken(document, mention))
            broken += 1
        else:
            voted.add(VotedMention(position, spans, stated_identifiers(mention)))
    return Vote(tuple(sorted(voted, key=_order)), tuple(sorted(set(_terms(document)), key=_term_order)), broken)


def _order(mention: VotedMention) -> tuple[int, tuple[Span, ...], bool, tuple[str, ...]]:
    return *mention.place, mention.identifiers is None, mention.identifiers or ()


def _term_order(term: tuple[str, str | None]) -> tuple[str, str]:
    return term[0], term[1] or ""


def _terms(document: BioCDocument) -> Iterator[tuple[str, str | None]]:
    for term in index_terms(document):
        for identifier in term.identifier.split(","):
            if identifier.strip() not in ("", NO_CONCEPT):
                yield identifier.strip(), term.entry_term


def _broken(document: BioCDocument, mention: Mention) -> str:
    start = mention.spans[0][0]
    return (
        f"document {document.id!r}: the mention {mention.text!r} does not match the text at offset {start} and has no "
        "vote; correct its offsets"
    )


def text_of(text: str, offset: int, spans: tuple[Span, ...]) -> str:
    """The text at spans of a passage (document offsets), joined by one blank; empty if a span is not inside it."""
    inside = all(offset <= start < end <= offset + len(text) for start, end in spans)
    return " ".join(text[start - offset : end - offset] for start, end in spans) if inside else ""


def text_digest(document: BioCDocument) -> str:
    """A hash of the offsets and texts of all passages. It does not depend on the file format."""
    digest = hashlib.blake2b(digest_size=16)
    for passage in document.passages:
        text = passage_text(passage).encode("utf-8", "surrogatepass")
        digest.update(f"{passage.offset} {len(text)} ".encode())
        digest.update(text)
    return digest.hexdigest()


def dump(vote: Vote) -> bytes:
    """A vote as bytes; equal votes have equal bytes."""
    mentions = [[mention.passage, mention.spans, mention.identifiers] for mention in vote.mentions]
    return json.dumps([mentions, vote.terms, vote.broken], separators=(",", ":")).encode()


def load(raw: bytes) -> Vote:
    """The vote that `dump` wrote."""
    mentions, terms, broken = json.loads(raw)
    voted = (
        VotedMention(passage, tuple((start, end) for start, end in spans), None if ids is None else tuple(ids))
        for passage, spans, ids in mentions
    )
    return Vote(tuple(voted), tuple((identifier, entry) for identifier, entry in terms), broken)
