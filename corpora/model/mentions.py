"""The mentions of a document: located annotations, with the concepts that they name and the reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bioc import BioCAnnotation, BioCDocument, BioCPassage

from corpora.model.abbreviations import ABBREVIATION
from corpora.model.annotations import every_annotation, number_in
from corpora.model.chemical import CHEMICAL
from corpora.model.locations import Span, locate
from corpora.model.mesh_ids import NO_CONCEPT, PREFIX, canonical, mesh_id
from corpora.model.passages import passage_text
from corpora.model.spelling import spelt_now

PROBABILITY = "probability"
IDENTIFIER_PROBABILITY = "identifier_probability"
MENTION_INFONS = frozenset(
    {"type", "identifier", "name", "entry_term", "sieve", "score", "matched_name", "annotator", ABBREVIATION}
    | {PROBABILITY, IDENTIFIER_PROBABILITY}
)
"""The infons of mentions and index terms that tables have columns for; `ABBR` goes with the abbreviations."""
_LEFT_OUT = "mentions left out"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The reason for a mention's identifiers. A field is None where the document does not state it.

    `probability`: that the text is a mention; only calibrated ones are written. `identifier_probability`: that the
    identifiers of a mention are right. `score` and both probabilities are from 0 to 1, and are written with 4 decimals.
    """

    sieve: str | None = None
    score: float | None = None
    matched_name: str | None = None
    identifier_probability: float | None = None
    probability: float | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Mention:
    """A span of text that names something: a view on a BioC annotation and its passage."""

    annotation: BioCAnnotation
    passage: BioCPassage

    def __repr__(self) -> str:
        places = "+".join(f"{start}-{end}" for start, end in self.spans)
        concepts = ",".join(self.identifiers) or (NO_CONCEPT if self.sought else "not linked")
        return f"Mention({self.text!r}, {places}, {concepts})"

    @property
    def text(self) -> str:
        return str(self.annotation.text or "")

    @property
    def type(self) -> str:
        return str(self.annotation.infons.get("type") or "")

    @property
    def spans(self) -> tuple[Span, ...]:
        """Its positions (start, end) in the document, in the order of the file."""
        return tuple((place.offset, place.offset + place.length) for place in self.annotation.locations)

    @property
    def identifiers(self) -> tuple[str, ...]:
        """Concepts such as `MESH:D014867`, in text order. Empty if none was found or the mention was not linked.

        MeSH identifiers have this form in whatever way the file spells and joins them.
        """
        return spelt_now(canonical(str(self.annotation.infons.get("identifier") or "")))

    @property
    def concept_name(self) -> str | None:
        """The preferred names of its concepts as the file states them, joined by a bar; None if it does not."""
        name = self.annotation.infons.get("name")
        return None if name is None else str(name)

    @property
    def sought(self) -> bool:
        """Whether the mention was linked, with or without a result (`-`). An empty identifier does not count."""
        return self.annotation.infons.get("identifier") not in (None, "")

    @property
    def evidence(self) -> Evidence:
        infons = self.annotation.infons
        return Evidence(
            infons.get("sieve"),
            number_in(infons.get("score")),
            infons.get("matched_name"),
            number_in(infons.get(IDENTIFIER_PROBABILITY)),
            number_in(infons.get(PROBABILITY)),
        )

    @property
    def reasons(self) -> str | None:
        """Why a decision keeps it (see `set_reasons`)."""
        reasons: str | None = self.annotation.infons.get("reasons")
        return reasons

    @property
    def annotator(self) -> str | None:
        """The tagger that found it, with the hash of its weights or lexicon (see `annotator`)."""
        name: str | None = self.annotation.infons.get("annotator")
        return name


_NAMES = " | "
_UNNAMED = "-"
"""Stands for the name of a concept that has none, among the names of several."""


def joined_names(names: Sequence[str | None]) -> str | None:
    """The names of the concepts of a mention as one text (`Mention.concept_name`); None if none has a name."""
    return _NAMES.join(name or _UNNAMED for name in names) if any(names) else None


def split_names(joined: str | None) -> tuple[str | None, ...]:
    """The names that `joined_names` has joined."""
    return tuple(None if name == _UNNAMED else name for name in joined.split(_NAMES)) if joined else ()


def mentions_of(passage: BioCPassage) -> list[Mention]:
    """The located mentions of a passage and its sentences, of any type."""
    holders = (passage, *passage.sentences)
    return [
        Mention(annotation, passage) for holder in holders for annotation in holder.annotations if annotation.locations
    ]


def mentions(document: BioCDocument, type: str | None = CHEMICAL) -> Iterator[Mention]:
    """The located mentions of one type (None: of any type) in the order of the file."""
    for annotation, passage in every_annotation(document):
        if passage is None or not annotation.locations:
            continue
        if type is None or annotation.infons.get("type") == type:
            yield Mention(annotation, passage)


def identifier_parts(annotation: BioCAnnotation) -> tuple[str, ...] | None:
    """The identifier infon split at commas, with `-`; None where there is none.

    Parts are unchanged, except for CURIEs and addresses of MeSH.

    Use `Mention.identifiers` instead, except for measures that count the written parts.
    """
    value = annotation.infons.get("identifier")
    return None if value is None else tuple(map(_plain_part, str(value).split(",")))


def _plain_part(part: str) -> str:
    is_spelt_otherwise = ":" in part and not part.startswith(PREFIX)
    return (mesh_id(part) if is_spelt_otherwise else None) or part


def identifier_text(annotation: BioCAnnotation) -> str | None:
    """The identifiers of an annotation as the file spells and joins them; None where there are none."""
    value = annotation.infons.get("identifier")
    return None if value is None else str(value)


def set_identifier_text(annotation: BioCAnnotation, text: str) -> None:
    """Write the identifiers of an annotation as they are to be spelt."""
    annotation.infons["identifier"] = text


def annotator(name: str, version: str) -> str:
    """The name of an annotator in a file: its name and the first 12 digits of the SHA-256 of its weights or lexicon."""
    return f"nlmchem:{name}@{version[:12]}"


def add_mention(
    passage: BioCPassage,
    spans: Sequence[Span],
    *,
    id: str,
    annotator: str | None,
    score: float | None = None,
    type: str = CHEMICAL,
    text: str | None = None,
) -> Mention:
    """Add a mention at `spans` (document offsets) to a passage; its text is read from the passage.

    `id`: from `fresh_ids`. `annotator`: from the function `annotator` (None: not stated). `score`: 0 to 1. `text`: the
    result of `passage_text(passage)` where the caller has it; this saves time where only sentences have text. Raises
    `ArticleError` if a span is empty or outside the passage.
    """
    annotation = locate(passage, spans, id, passage_text(passage) if text is None else text)
    annotation.infons = {"type": type}
    if annotator is not None:
        annotation.infons["annotator"] = annotator
    if score is not None:
        annotation.infons["score"] = f"{score:.4f}"
    return Mention(annotation, passage)


def set_identifiers(
    mention: Mention, identifiers: Sequence[str], evidence: Evidence | None = None, name: str | None = None
) -> None:
    """Write the concepts of a mention (`-` for none) and the evidence. Other infons are not changed.

    `name`: the preferred names of the concepts, joined by ` | `. The name of other concepts is removed.
    """
    infons = mention.annotation.infons
    if mention.identifiers != tuple(identifiers):
        infons.pop("name", None)
    infons["identifier"] = ",".join(identifiers) or NO_CONCEPT
    if name is not None:
        infons["name"] = name
    if evidence is None:
        return
    if evidence.sieve is not None:
        infons["sieve"] = evidence.sieve
    if evidence.score is not None:
        infons["score"] = f"{evidence.score:.4f}"
    if evidence.matched_name is not None:
        infons["matched_name"] = evidence.matched_name
    if evidence.identifier_probability is not None:
        infons[IDENTIFIER_PROBABILITY] = f"{evidence.identifier_probability:.4f}"


def set_probability(mention: Mention, probability: float) -> None:
    """Write the calibrated probability that the text is a mention."""
    mention.annotation.infons[PROBABILITY] = f"{probability:.4f}"


def set_reasons(mention: Mention, reasons: str) -> None:
    """Write why a decision keeps a mention (`explain`), in words."""
    mention.annotation.infons["reasons"] = reasons


def set_annotator(mention: Mention, annotator: str) -> None:
    """Write who found a mention, or confirmed it."""
    mention.annotation.infons["annotator"] = annotator


def clear_identifiers(mention: Mention) -> None:
    """Remove the concepts of a mention and their evidence. Its own score is kept."""
    for key in ("identifier", "name", "sieve", "matched_name", IDENTIFIER_PROBABILITY):
        mention.annotation.infons.pop(key, None)


def remove_mentions(document: BioCDocument, type: str = CHEMICAL) -> int:
    """Remove all located mentions of one type. Returns their number."""
    removed = 0
    for passage in document.passages:
        for holder in (passage, *passage.sentences):
            kept = [a for a in holder.annotations if a.infons.get("type") != type or not a.locations]
            removed += len(holder.annotations) - len(kept)
            holder.annotations[:] = kept
    return removed


def note_left_out(document: BioCDocument, number: int) -> None:
    """Keep in memory how many mentions a tagger left out because of their score, for the counts of a run."""
    # Not an infon: no format stores it.
    vars(document)[_LEFT_OUT] = number


def left_out_of(document: BioCDocument) -> int | None:
    """How many mentions a tagger left out because of their score; None if it had no lowest score."""
    number: int | None = vars(document).get(_LEFT_OUT)
    return number
