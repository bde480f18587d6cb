"""What one run says about one document: its mentions and index terms, small enough to hold many runs' at once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

from bioc import BioCDocument

from corpora.model.document import NO_CONCEPT, Mention, Span, index_terms, mentions, passage_text
from corpora.model.votes import stated_identifiers
from corpora.reporting import Report

__all__ = ["Said", "Vote", "dump", "load", "text_digest", "text_of", "vote_of"]


@dataclass(frozen=True, slots=True)
class Said:
    """A mention as a run says it. `passage`: its position; `spans`: sorted; `identifiers`: None where not sought."""

    passage: int
    spans: tuple[Span, ...]
    identifiers: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Vote:
    """A run's say on a document: distinct mentions and index terms (identifier, entry term), both sorted.

    `broken` counts mentions whose text is not what stands at their place: nothing can be voted on them.
    """

    mentions: tuple[Said, ...] = ()
    terms: tuple[tuple[str, str | None], ...] = ()
    broken: int = 0


def vote_of(document: BioCDocument, report: Report) -> Vote:
    """What a document's annotations say. Mentions that break the offset invariant are reported and left out."""
    texts = [passage_text(passage) for passage in document.passages]
    positions = {id(passage): position for position, passage in enumerate(document.passages)}
    said: set[Said] = set()
    broken = 0
    for mention in mentions(document):
        position = positions[id(mention.passage)]
        spans = tuple(sorted(mention.spans))
        if text_of(texts[position], mention.passage.offset, mention.spans) != mention.text:
            report(_broken(document, mention))
            broken += 1
        else:
            said.add(Said(position, spans, stated_identifiers(mention)))
    return Vote(tuple(sorted(said, key=_order)), tuple(sorted(set(_terms(document)), key=_term_order)), broken)


def _order(said: Said) -> tuple[int, tuple[Span, ...], bool, tuple[str, ...]]:
    return said.passage, said.spans, said.identifiers is None, said.identifiers or ()


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
        f"document {document.id!r}: the mention {mention.text!r} at offset {start} is not what stands there "
        "and takes no part in the vote; mend its offsets"
    )


def text_of(text: str, offset: int, spans: tuple[Span, ...]) -> str:
    """What stands at spans of a passage (document offsets), joined by one blank; empty where one is no place in it."""
    inside = all(offset <= start < end <= offset + len(text) for start, end in spans)
    return " ".join(text[start - offset : end - offset] for start, end in spans) if inside else ""


def text_digest(document: BioCDocument) -> str:
    """A digest of all passages' offsets and texts: the same for the same text, whatever the format."""
    digest = hashlib.blake2b(digest_size=16)
    for passage in document.passages:
        text = passage_text(passage).encode("utf-8", "surrogatepass")
        digest.update(f"{passage.offset} {len(text)} ".encode())
        digest.update(text)
    return digest.hexdigest()


def dump(vote: Vote) -> bytes:
    """A vote as bytes, the same for the same vote."""
    mentions = [[said.passage, said.spans, said.identifiers] for said in vote.mentions]
    return json.dumps([mentions, vote.terms, vote.broken], separators=(",", ":")).encode()


def load(raw: bytes) -> Vote:
    """The vote that `dump` wrote."""
    mentions, terms, broken = json.loads(raw)
    said = (
        Said(passage, tuple((start, end) for start, end in spans), None if ids is None else tuple(ids))
        for passage, spans, ids in mentions
    )
    return Vote(tuple(said), tuple((identifier, entry) for identifier, entry in terms), broken)
