"""The index terms of a document: annotations of its first passage without a place, as in the NLM-Chem track."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bioc import BioCAnnotation, BioCDocument

from corpora.errors import ArticleError
from corpora.model.annotations import every_annotation, fresh_ids, number_in, remove_of_type
from corpora.model.chemical import INDEX_TERM
from corpora.model.mesh_ids import NO_CONCEPT, mesh_id
from corpora.model.spelling import spelt_now


@dataclass(frozen=True, slots=True)
class IndexTerm:
    """A MeSH concept as index term of an article."""

    identifier: str
    entry_term: str | None = None
    score: float | None = None


def is_index_term(annotation: BioCAnnotation) -> bool:
    """Whether an annotation is an index term."""
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
    """Add index terms to the first passage, as in the corpora of the NLM-Chem track.

    Raises `ArticleError` for a document without passages.
    """
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
