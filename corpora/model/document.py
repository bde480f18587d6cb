"""The typed view on a BioC document: mentions, abbreviations, index terms.

All stages of the project exchange `bioc.BioCDocument` objects, and read and write what they found by the names here.
The files of `corpora.model` are the only ones with the keys of our infons: this one, `corpora.model.mention_infons`
(votes, repairs, candidates), `corpora.model.short_forms` (long forms of a dictionary), `corpora.model.passages` and
`corpora.model.metadata`.

Offsets count Unicode code points from the start of the document. `corpora.model.invariant` checks them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from math import isfinite
from typing import TypeAlias

from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCNode, BioCPassage, BioCRelation, BioCSentence

from corpora.errors import ArticleError
from corpora.model.chemical import CHEMICAL, INDEX_TERM
from corpora.model.mesh_ids import NO_CONCEPT, PREFIX, canonical, mesh_id, spelt_now
from corpora.model.passages import passage_text

ABBREVIATION = "ABBR"
SHORT_FORM = "ShortForm"
LONG_FORM = "LongForm"
OCCURRENCE = "Occurrence"
"""The `strategy` of a relation between an occurrence and a long form that is defined elsewhere in the article."""
PROBABILITY = "probability"
IDENTIFIER_PROBABILITY = "identifier_probability"
MENTION_INFONS = frozenset(
    {"type", "identifier", "name", "entry_term", "sieve", "score", "matched_name", "annotator", ABBREVIATION}
    | {PROBABILITY, IDENTIFIER_PROBABILITY}
)
"""The infons of mentions and index terms that tables have columns for; `ABBR` goes with the abbreviations."""
_LEFT_OUT = "mentions left out"
_NAMES = " | "
_UNNAMED = "-"
"""Stands for the name of a concept that has none, among the names of several."""

Holder: TypeAlias = BioCDocument | BioCPassage | BioCSentence
Span = tuple[int, int]
"""Start and end (exclusive) in code points from the start of the document."""


# -- annotations of any type --------------------------------------------------------------------


def holders_of(document: BioCDocument) -> list[Holder]:
    """What has annotations and relations: the passages, then their sentences, then the document."""
    sentences = [sentence for passage in document.passages for sentence in passage.sentences]
    return [*document.passages, *sentences, document]


def every_annotation(document: BioCDocument) -> Iterator[tuple[BioCAnnotation, BioCPassage | None]]:
    """Every annotation of a document, with its passage (None at document level), also those in sentences."""
    for passage in document.passages:
        for holder in (passage, *passage.sentences):
            for annotation in holder.annotations:
                yield annotation, passage
    for annotation in document.annotations:
        yield annotation, None


def fresh_ids(document: BioCDocument, prefix: str) -> Iterator[str]:
    """Ids `C1`, `C2`, ... (for the prefix `C`) that no annotation or relation of the document uses."""
    taken = {annotation.id for annotation, _ in every_annotation(document)}
    taken.update(relation.id for relation in every_relation(document))
    return (name for name in map(f"{prefix}{{}}".format, count(1)) if name not in taken)


def every_relation(document: BioCDocument) -> Iterator[BioCRelation]:
    """Every relation of a document, also those in sentences."""
    for passage in document.passages:
        for holder in (passage, *passage.sentences):
            yield from holder.relations
    yield from document.relations


def remove_annotations(document: BioCDocument, unwanted: Callable[[BioCAnnotation], bool]) -> int:
    """Remove annotations from passages and sentences. Returns their number."""
    removed = 0
    for passage in document.passages:
        for holder in (passage, *passage.sentences):
            kept = [annotation for annotation in holder.annotations if not unwanted(annotation)]
            removed += len(holder.annotations) - len(kept)
            holder.annotations[:] = kept
    return removed


def remove_of_type(document: BioCDocument, type: str) -> int:
    """Remove all annotations of one type from the document and its passages. Returns their number."""
    removed = 0
    for holder in (*document.passages, document):
        kept = [a for a in holder.annotations if a.infons.get("type") != type]
        removed += len(holder.annotations) - len(kept)
        holder.annotations[:] = kept
    return removed


def number_in(value: object) -> float | None:
    """The finite number that an infon states; None if it states none."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


def locate(passage: BioCPassage, spans: Sequence[Span], id: str, text: str) -> BioCAnnotation:
    """Add an annotation at `spans` to a passage, with their text. `text`: that of the passage.

    Raises `ArticleError` if a span is empty or outside the passage.
    """
    pieces = [text_at(text, passage.offset, span) for span in spans]
    if not pieces or not all(pieces):
        raise ArticleError(
            f"no text at {list(spans)} in the passage at offset {passage.offset}; "
            "this is an error in the annotator; please report it"
        )
    annotation = BioCAnnotation()
    annotation.id = id
    annotation.text = " ".join(pieces)
    for start, end in spans:
        annotation.add_location(BioCLocation(start, end - start))
    passage.add_annotation(annotation)
    return annotation


def text_at(text: str, offset: int, span: Span) -> str:
    """The part of a passage's text at a span of the document; empty if the span is empty or not inside the text."""
    start, end = span[0] - offset, span[1] - offset
    return text[start:end] if 0 <= start < end <= len(text) else ""


def outer(annotation: BioCAnnotation) -> Span:
    """From the start of the first location of an annotation to the end of the last one."""
    spans = _spans(annotation)
    return spans[0] if len(spans) == 1 else (min(start for start, _ in spans), max(end for _, end in spans))


def _spans(annotation: BioCAnnotation) -> tuple[Span, ...]:
    return tuple((place.offset, place.offset + place.length) for place in annotation.locations)


# -- mentions -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Evidence:
    """The reason for a mention's identifiers. A field is None where the document does not state it.

    `score` and both probabilities are from 0 to 1, and are written with 4 decimals.
    """

    sieve: str | None = None
    score: float | None = None
    matched_name: str | None = None
    identifier_probability: float | None = None
    """That the identifiers of a mention are right."""
    probability: float | None = None
    """That the text is a mention; only calibrated ones are written."""


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
        return _spans(self.annotation)

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

    Parts are unchanged, except for CURIEs and addresses of MeSH. Use `Mention.identifiers` instead, except for measures
    that count the written parts.
    """

    def plain(part: str) -> str:
        is_spelt_otherwise = ":" in part and not part.startswith(PREFIX)
        return (mesh_id(part) if is_spelt_otherwise else None) or part

    value = annotation.infons.get("identifier")
    return None if value is None else tuple(map(plain, str(value).split(",")))


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
    return remove_annotations(document, lambda found: bool(found.infons.get("type") == type and found.locations))


def note_left_out(document: BioCDocument, number: int) -> None:
    """Keep in memory how many mentions a tagger left out because of their score, for the counts of a run."""
    # Not an infon: no format stores it.
    vars(document)[_LEFT_OUT] = number


def left_out_of(document: BioCDocument) -> int | None:
    """How many mentions a tagger left out because of their score; None if it had no lowest score."""
    number: int | None = vars(document).get(_LEFT_OUT)
    return number


# -- index terms: annotations of the first passage without a place, as in the NLM-Chem track -----


@dataclass(frozen=True, slots=True)
class IndexTerm:
    """A MeSH concept as index term of an article."""

    identifier: str
    entry_term: str | None = None
    score: float | None = None


def is_index_term(annotation: BioCAnnotation) -> bool:
    return bool(annotation.infons.get("type") == INDEX_TERM)


def index_terms(document: BioCDocument) -> Iterator[IndexTerm]:
    """The index terms of a document, in the order of the file."""
    for annotation, _ in every_annotation(document):
        infons = annotation.infons
        if is_index_term(annotation):
            score = number_in(infons.get("score"))
            stated = str(infons.get("identifier") or NO_CONCEPT)
            (identifier,) = spelt_now((mesh_id(stated) or stated,))
            yield IndexTerm(identifier, infons.get("entry_term"), score)


def add_index_term(document: BioCDocument, term: IndexTerm) -> None:
    """Add one index term; for several, `add_index_terms` is faster. Raises `ArticleError`."""
    add_index_terms(document, [term])


def add_index_terms(document: BioCDocument, terms: Iterable[IndexTerm]) -> None:
    """Add index terms to the first passage. Raises `ArticleError` for a document without passages."""
    ids = fresh_ids(document, "MIC")
    for term in terms:
        if not document.passages:
            raise ArticleError(f"document {document.id!r} has no passage that could contain its index terms; add one")
        annotation = BioCAnnotation()
        annotation.id = next(ids)
        annotation.infons = {"type": INDEX_TERM, "identifier": term.identifier}
        if term.entry_term is not None:
            annotation.infons["entry_term"] = term.entry_term
        if term.score is not None:
            annotation.infons["score"] = f"{term.score:.4f}"
        annotation.text = term.entry_term or ""
        document.passages[0].add_annotation(annotation)


def remove_index_terms(document: BioCDocument) -> int:
    """Remove all index terms. Returns their number."""
    return remove_of_type(document, INDEX_TERM)


# -- abbreviations: annotations joined by a relation, as in the BioC abbreviation corpora ---------


@dataclass(frozen=True, slots=True)
class Definition:
    """A short form and the long form that the article defines for it, or an occurrence of the short form elsewhere."""

    short_form: str
    long_form: str
    short_span: Span
    long_span: Span
    strategy: str | None = None
    score: float | None = None

    @property
    def is_occurrence(self) -> bool:
        """Whether the long form is the one of a definition at another place."""
        return self.strategy == OCCURRENCE


def definitions(document: BioCDocument) -> Iterator[Definition]:
    """The abbreviations of a document: definitions and occurrences (`Definition.is_occurrence`)."""
    for relation, short, long in _defining(document):
        yield Definition(
            short.text,
            long.text,
            outer(short),
            outer(long),
            relation.infons.get("strategy"),
            number_in(relation.infons.get("score")),
        )


def defined_forms(document: BioCDocument) -> list[tuple[str, str]]:
    """The distinct short and long forms of the abbreviations of a document, in the order of `definitions`.

    An article repeats few of them often, so use this where their places do not matter.
    """
    return list(dict.fromkeys((short.text, long.text) for _, short, long in _defining(document)))


def _defining(document: BioCDocument) -> Iterator[tuple[BioCRelation, BioCAnnotation, BioCAnnotation]]:
    """The relations of abbreviations, each with its short and its long form, which have locations."""
    everywhere = {annotation.id: annotation for annotation, _ in every_annotation(document)}
    for holder in holders_of(document):
        if not holder.relations:
            continue
        # Some corpora restart the numbers of annotations in each passage: an id means the nearest annotation.
        nearest = {annotation.id: annotation for annotation in holder.annotations}
        for relation in holder.relations:
            if relation.infons.get("type") != ABBREVIATION:
                continue
            parts = {node.role: nearest.get(node.refid) or everywhere.get(node.refid) for node in relation.nodes}
            short, long = parts.get(SHORT_FORM), parts.get(LONG_FORM)
            if short is not None and long is not None and short.locations and long.locations:
                yield relation, short, long


def add_definition(passage: BioCPassage, definition: Definition, ids: Iterator[str]) -> str:
    """Add a definition as two annotations and a relation. Takes three ids from `ids` (see `fresh_ids`).

    Returns the id of the long form, for `add_occurrence`.
    """
    nodes = []
    for role, span in ((SHORT_FORM, definition.short_span), (LONG_FORM, definition.long_span)):
        annotation = locate(passage, [span], next(ids), passage_text(passage))
        annotation.infons = {"type": ABBREVIATION, ABBREVIATION: role}
        nodes.append(BioCNode(annotation.id, role))
    relation = BioCRelation()
    relation.id = next(ids)
    relation.infons = {"type": ABBREVIATION}
    if definition.strategy is not None:
        relation.infons["strategy"] = definition.strategy
    if definition.score is not None:
        relation.infons["score"] = f"{definition.score:.4f}"
    relation.nodes = nodes
    passage.add_relation(relation)
    return str(nodes[-1].refid)


def add_occurrence(
    document: BioCDocument, passage: BioCPassage, span: Span, long_id: str, ids: Iterator[str], *, same_passage: bool
) -> None:
    """Add the short form at `span` (document offsets), and a relation to the long form with the id `long_id`.

    The passage contains the relation if the long form is in the same passage, else the document does. Takes two ids.
    """
    annotation = locate(passage, [span], next(ids), passage_text(passage))
    annotation.infons = {"type": ABBREVIATION, ABBREVIATION: SHORT_FORM}
    relation = BioCRelation()
    relation.id = next(ids)
    relation.infons = {"type": ABBREVIATION, "strategy": OCCURRENCE}
    relation.nodes = [BioCNode(annotation.id, SHORT_FORM), BioCNode(long_id, LONG_FORM)]
    (passage if same_passage else document).add_relation(relation)
