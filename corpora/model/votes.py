"""The typed view on what a vote leaves in an annotation: who voted for it, and with what share.

Beside `corpora.model.document` this is the only file that knows infon keys:

| infon | value |
|---|---|
| `score` | share of the runs, by weight, 4 decimals |
| `votes`, `voters` | number of runs that stand behind it; their names, joined by `,`, in sorted order |
| `merged_from` | for a span made of overlapping ones: `start-end:score` of each, joined by `;` |
| `identifier_score` | share of the votes that its identifiers won, 4 decimals |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bioc import BioCAnnotation, BioCPassage

from corpora.model.document import Mention, Span, add_mention, identifier_parts, set_identifiers

__all__ = ["Part", "Votes", "add_plain_mention", "read_votes", "stated_identifiers", "write_votes"]

Part = tuple[Span, float]
"""A span that went into a merged one (start and end in the document), and its score."""


@dataclass(frozen=True, slots=True)
class Votes:
    """What stands behind an annotation: share of the runs in 0..1, names of the voters, spans merged into it."""

    score: float
    voters: tuple[str, ...]
    parts: tuple[Part, ...] = ()
    identifier_score: float | None = None


def write_votes(annotation: BioCAnnotation, votes: Votes) -> None:
    """Write the votes into an annotation's infons; a name must hold no comma."""
    infons = annotation.infons
    infons["score"] = f"{votes.score:.4f}"
    infons["votes"] = str(len(votes.voters))
    infons["voters"] = ",".join(votes.voters)
    if votes.parts:
        infons["merged_from"] = ";".join(f"{start}-{end}:{score:.4f}" for (start, end), score in votes.parts)
    if votes.identifier_score is not None:
        infons["identifier_score"] = f"{votes.identifier_score:.4f}"


def read_votes(annotation: BioCAnnotation) -> Votes | None:
    """The votes behind an annotation; None where nobody voted on it. Raises `ValueError` where they are garbled."""
    infons = annotation.infons
    if "voters" not in infons:
        return None
    voters = tuple(name for name in str(infons["voters"]).split(",") if name)
    parts = tuple(_part(text) for text in str(infons.get("merged_from") or "").split(";") if text)
    share = infons.get("identifier_score")
    return Votes(float(infons["score"]), voters, parts, None if share is None else float(share))


def _part(text: str) -> Part:
    place, _, score = text.partition(":")
    start, _, end = place.partition("-")
    return (int(start), int(end)), float(score)


def stated_identifiers(mention: Mention) -> tuple[str, ...] | None:
    """The parts of a mention's identifier as they stand, each once: () where it says `-`, None where it says nothing.

    Not to be had from `Mention.identifiers`, for which no answer and the answer "none" are the same.
    """
    stated = identifier_parts(mention.annotation)
    if stated is None:
        return None
    parts = tuple(dict.fromkeys(part.strip() for part in stated if part.strip()))
    return () if parts == ("-",) else parts


def add_plain_mention(passage: BioCPassage, spans: Sequence[Span], id: str, identifiers: Sequence[str]) -> Mention:
    """Add a mention with its type and identifiers and nothing else, as challenge files hold them.

    Raises `ArticleError` where a span is empty or lies outside the passage.
    """
    mention = add_mention(passage, spans, id=id, annotator=None)
    set_identifiers(mention, identifiers)
    return mention
