"""The annotations of one run in one document, in a compact form: many runs are in memory at once."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from bioc import BioCDocument

from corpora.model.document import Span, index_terms, mentions
from corpora.model.mention_infons import stated_identifiers
from corpora.model.mesh_ids import NO_CONCEPT
from corpora.model.passages import passage_text
from corpora.reporting import Report

SpanPlace = tuple[int, tuple[Span, ...]]
"""The position of a passage in the document, and sorted spans in document offsets."""


@dataclass(frozen=True, slots=True)
class VotedMention:
    passage: int
    """Its position in the document."""
    spans: tuple[Span, ...]
    """Sorted, in document offsets."""
    identifiers: tuple[str, ...] | None = None
    """Empty for "no concept"; None if the run did not assign identifiers."""

    @property
    def place(self) -> SpanPlace:
        return self.passage, self.spans


@dataclass(frozen=True, slots=True)
class Vote:
    """The vote of a run on a document: distinct mentions and index terms, both sorted."""

    mentions: tuple[VotedMention, ...] = ()
    terms: tuple[tuple[str, str | None], ...] = ()
    """Identifier and entry term of each."""
    broken: int = 0
    """The number of mentions whose text differs from the text at their offsets. They are not in `mentions`."""

    def places(self) -> set[SpanPlace]:
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
            report(
                f"document {document.id!r}: the mention {mention.text!r} does not match the text at offset "
                f"{mention.spans[0][0]} and has no vote; correct its offsets"
            )
            broken += 1
        else:
            voted.add(VotedMention(position, spans, stated_identifiers(mention)))
    terms = {
        (identifier.strip(), term.entry_term)
        for term in index_terms(document)
        for identifier in term.identifier.split(",")
        if identifier.strip() not in ("", NO_CONCEPT)
    }
    ordered = sorted(voted, key=lambda one: (*one.place, one.identifiers is None, one.identifiers or ()))
    return Vote(tuple(ordered), tuple(sorted(terms, key=lambda term: (term[0], term[1] or ""))), broken)


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
