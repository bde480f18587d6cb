"""The typed view on the votes of an annotation: the runs that voted for it, and their share.

With `corpora.model.document` the only file that contains the keys of infons:

| infon | value |
|---|---|
| `score` | share of the runs, by weight, 4 decimals |
| `votes`, `voters` | number of runs that voted for it; their names, sorted and joined by `,` |
| `merged_from` | for a span merged from overlapping spans: `start-end:score` of each, joined by `;` |
| `identifier_score` | share of the votes for its identifiers, 4 decimals |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bioc import BioCAnnotation, BioCPassage

from corpora.model.document import Mention, Span, add_mention, identifier_parts, set_identifiers

Part = tuple[Span, float]
"""A span that was merged into another one (start and end in the document), and its score."""


@dataclass(frozen=True, slots=True)
class Votes:
    """The votes for an annotation: share of the runs (0 to 1), names of the voters, spans merged into it."""

    score: float
    voters: tuple[str, ...]
    parts: tuple[Part, ...] = ()
    identifier_score: float | None = None


def write_votes(annotation: BioCAnnotation, votes: Votes) -> None:
    """Write votes into the infons of an annotation. The name of a voter must not contain a comma."""
    infons = annotation.infons
    infons["score"] = f"{votes.score:.4f}"
    infons["votes"] = str(len(votes.voters))
    infons["voters"] = ",".join(votes.voters)
    if votes.parts:
        infons["merged_from"] = ";".join(f"{start}-{end}:{score:.4f}" for (start, end), score in votes.parts)
    if votes.identifier_score is not None:
        infons["identifier_score"] = f"{votes.identifier_score:.4f}"


def voters(annotation: BioCAnnotation) -> tuple[str, ...]:
    """The names of the runs that voted for an annotation; none for an annotation without votes."""
    return tuple(filter(None, str(annotation.infons.get("voters") or "").split(",")))


def stated_identifiers(mention: Mention) -> tuple[str, ...] | None:
    """The different parts of a mention's identifier, unchanged: () for `-`, None where the mention states none.

    Not to be had from `Mention.identifiers`, for which no answer and the answer "none" are the same.
    """
    stated = identifier_parts(mention.annotation)
    if stated is None:
        return None
    parts = tuple(dict.fromkeys(part.strip() for part in stated if part.strip()))
    return () if parts == ("-",) else parts


def add_plain_mention(passage: BioCPassage, spans: Sequence[Span], id: str, identifiers: Sequence[str]) -> Mention:
    """Add a mention with only its type and identifiers, as in challenge files.

    Raises `ArticleError` if a span is empty or outside the passage.
    """
    mention = add_mention(passage, spans, id=id, annotator=None)
    set_identifiers(mention, identifiers)
    return mention
