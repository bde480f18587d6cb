"""Long forms that a dictionary gives to short forms without definition.

Each is one annotation of type ABBR without a relation, so that `corpora.model.document.definitions` does not read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bioc import BioCAnnotation, BioCDocument, BioCPassage

from corpora.model.document import (
    ABBREVIATION,
    SHORT_FORM,
    Mention,
    Span,
    add_mention,
    every_annotation,
    set_identifiers,
)

DICTIONARY = "Dictionary"
"""The `strategy` of a long form that comes from a dictionary, not from the article."""

_BETWEEN = " | "
_ALTERNATIVE = re.compile(r"(.*) \((\d\.\d{4})\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Inferred:
    """A long form from a dictionary, at one place of its short form.

    `span`: in code points from the start of the document. `score`: its probability. `alternatives`: the next long forms
    with theirs. `articles`: how many articles behind the dictionary define it; 0 if the file does not state it.
    `identifier`: of the concept with this name, or empty.
    """

    short_form: str
    long_form: str
    span: Span
    score: float
    alternatives: tuple[tuple[str, float], ...] = ()
    articles: int = 0
    identifier: str = ""


def add_inferred(passage: BioCPassage, inferred: Inferred, id: str) -> None:
    """Add an inferred long form to a passage. Raises `ArticleError` if the span is empty or outside the passage."""
    mention = add_mention(
        passage, [inferred.span], id=id, annotator=None, score=inferred.score, type=ABBREVIATION
    )  # fmt: skip
    infons = mention.annotation.infons
    infons.update({ABBREVIATION: SHORT_FORM, "strategy": DICTIONARY, "long_form": inferred.long_form})
    if inferred.identifier:
        set_identifiers(mention, [inferred.identifier])
    if inferred.articles:
        infons["articles"] = str(inferred.articles)
    if inferred.alternatives:
        infons["alternatives"] = _BETWEEN.join(
            f"{long_form.replace(_BETWEEN, ' ')} ({score:.4f})" for long_form, score in inferred.alternatives
        )


def inferred_long_forms(document: BioCDocument) -> Iterator[Inferred]:
    """The inferred long forms of a document, in the order of the file."""
    for annotation, passage in every_annotation(document):
        if passage is None or not is_inferred(annotation):
            continue
        mention, infons = Mention(annotation, passage), annotation.infons
        others = map(_ALTERNATIVE.fullmatch, str(infons.get("alternatives") or "").split(_BETWEEN))
        articles = str(infons.get("articles") or "")
        yield Inferred(
            mention.text,
            str(infons["long_form"]),
            mention.spans[0],
            mention.evidence.score or 0.0,
            tuple((match[1], float(match[2])) for match in others if match),
            int(articles) if articles.isascii() and articles.isdecimal() else 0,
            next(iter(mention.identifiers), ""),
        )


def is_inferred(annotation: BioCAnnotation) -> bool:
    """Whether an annotation is an inferred long form."""
    infons = annotation.infons
    return (
        infons.get("type") == ABBREVIATION
        and infons.get("strategy") == DICTIONARY
        and bool(infons.get("long_form"))
        and bool(annotation.locations)
    )


def remove_inferred(document: BioCDocument) -> int:
    """Remove all inferred long forms. Returns their number."""
    removed = 0
    for passage in document.passages:
        for holder in (passage, *passage.sentences):
            kept = [annotation for annotation in holder.annotations if not is_inferred(annotation)]
            removed += len(holder.annotations) - len(kept)
            holder.annotations[:] = kept
    return removed
