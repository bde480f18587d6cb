"""What some steps write about a mention besides its concepts: candidates, other databases, votes, repairs.

| infon | value |
|---|---|
| `candidates` | the concepts that it may mean, best first: `MESH:D015032 Zinc (0.99); ...` |
| `chebi`, `pubchem` | its identifiers in other databases, one for each concept, joined by `,` |
| `score` | of an ensemble: share of the runs, by weight, 4 decimals |
| `votes`, `voters` | number of runs that voted for it; their names, sorted and joined by `,` |
| `merged_from` | for a span merged from overlapping spans: `start-end:score` of each, joined by `;` |
| `identifier_score` | share of the votes for its identifiers, 4 decimals |
| `repair` | what a repair did: `changed` (other limits), `divided` (a further part of a mention), `added`, `joined` (now a part of the mention before it), `removed`; absent where it changed nothing |
| `original_span`, `original_text` | position (`start-end`, in the document) and text before the repair |
| `original_type` | the type before the repair, if it was another one |
| `original_identifier` | the identifiers of the text before the repair |
"""  # noqa: E501 (a row of a table is a line)

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage

from corpora.model.chemical import CHEMICAL
from corpora.model.document import (
    Mention,
    Span,
    add_mention,
    clear_identifiers,
    every_annotation,
    every_relation,
    identifier_parts,
    identifier_text,
    set_identifier_text,
    set_identifiers,
    text_at,
)
from corpora.model.mesh_ids import Change, rewritten

DATABASES = ("chebi", "pubchem")
"""The other databases, by the names of their infons and columns."""
CHANGED, DIVIDED, ADDED, JOINED, REMOVED = "changed", "divided", "added", "joined", "removed"
REMOVED_TYPE = f"Removed_{CHEMICAL}"
"""The type of a mention that a repair removed. It stays in the document, and no score or stage counts it."""

# -- concepts -----------------------------------------------------------------------------------


def set_candidates(mention: Mention, candidates: Iterable[tuple[str, str | None, float | None]]) -> None:
    """Write the concepts that a mention may mean: identifier, preferred name, score 0 to 1 (None: not stated)."""
    words = (
        f"{identifier}{'' if name is None else f' {name}'}{'' if score is None else f' ({score:.2f})'}"
        for identifier, name, score in candidates
    )
    if text := "; ".join(words):
        mention.annotation.infons["candidates"] = text


def candidates_of(mention: Mention) -> str:
    """The concepts that a mention may mean, in words; empty where they are not stated."""
    return str(mention.annotation.infons.get("candidates") or "")


def cross_reference(mention: Mention, database: str) -> str | None:
    """The identifiers of a mention in a database (`CHEBI:15377`; of PubChem the number of the compound).

    One for each concept of the mention, joined by `,`; `-` for a concept without any. None where none was looked up.
    """
    value = mention.annotation.infons.get(database)
    return None if value is None else str(value)


def set_cross_references(mention: Mention, identifiers: Mapping[str, str]) -> None:
    """Write the identifiers of a mention, by database. Identifiers of an earlier look-up are replaced."""
    for database in DATABASES:
        mention.annotation.infons.pop(database, None)
    mention.annotation.infons.update(identifiers)


def rewrite_identifiers(document: BioCDocument, change: Change) -> None:
    """Replace the MeSH identifiers of annotations of any type, index terms and relations."""
    for annotation, _ in every_annotation(document):
        stated = identifier_text(annotation)
        if stated is not None:
            set_identifier_text(annotation, rewritten(stated, str(annotation.text or ""), change))
    for relation in every_relation(document):
        for key, value in relation.infons.items():
            relation.infons[key] = rewritten(str(value), "", change)


# -- votes --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Votes:
    score: float
    """The share of the runs, 0 to 1."""
    voters: tuple[str, ...]
    parts: tuple[tuple[Span, float], ...] = ()
    """The spans that were merged into it, with their scores."""
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

    `Mention.identifiers` is empty in both cases.
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


# -- repairs ------------------------------------------------------------------------------------


def retype(mention: Mention, type: str = CHEMICAL) -> None:
    """Give a mention another type and store the type that it had."""
    if mention.type != type:
        mention.annotation.infons.setdefault("original_type", mention.type)
        mention.annotation.infons["type"] = type


def move(mention: Mention, span: Span, text: str, how: str = CHANGED) -> None:
    """Move a mention to another span (document offsets). `text`: the text of its passage.

    Its identifiers and their evidence described the earlier text, so they are moved to `original_identifier`.
    """
    annotation, infons = mention.annotation, mention.annotation.infons
    infons["repair"] = how
    infons.setdefault("original_span", ";".join(f"{start}-{end}" for start, end in mention.spans))
    infons.setdefault("original_text", mention.text)
    identifiers = identifier_parts(annotation)
    if identifiers is not None:
        infons["original_identifier"] = ",".join(identifiers)
    clear_identifiers(mention)
    annotation.locations = [BioCLocation(span[0], span[1] - span[0])]
    annotation.text = text_at(text, mention.passage.offset, span)


def copy_to(mention: Mention, span: Span, text: str, id: str) -> Mention:
    """A second part of a mention that a repair divides. Call it before the mention itself is moved."""
    made = BioCAnnotation()
    made.id, made.text = id, mention.annotation.text
    made.infons = dict(mention.annotation.infons)
    made.locations = list(mention.annotation.locations)
    mention.passage.add_annotation(made)
    part = Mention(made, mention.passage)
    move(part, span, text, DIVIDED)
    return part


def take_out(mention: Mention, how: str = REMOVED) -> None:
    """Remove a mention: it gets the type `REMOVED_TYPE` and keeps everything else."""
    retype(mention, REMOVED_TYPE)
    mention.annotation.infons["repair"] = how


def add_repaired(passage: BioCPassage, span: Span, *, id: str, annotator: str, score: float, text: str) -> Mention:
    """Add a mention that a rule found (as `add_mention`)."""
    mention = add_mention(passage, [span], id=id, annotator=annotator, score=score, text=text)
    mention.annotation.infons["repair"] = ADDED
    return mention
