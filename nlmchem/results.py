"""Annotated articles as Python objects that print and display themselves."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from bioc import BioCCollection, BioCDocument

from corpora.model.document import Definition, IndexTerm, Mention, definitions, index_terms, mentions
from corpora.model.passages import passage_text

__all__ = ["Article", "Collection", "article_of", "collection_of", "marked_up"]

SHOWN = 20
"""Passages of an article, and articles of a collection, that a notebook shows."""

_MARK = "background:#d7ecd9;border-radius:3px;padding:0 2px"
_UNLINKED = "background:#fff;border-bottom:2px dotted #888"


class Article(BioCDocument):
    """A `bioc.BioCDocument` with its mentions as attributes; a notebook shows the marked-up text."""

    @property
    def mentions(self) -> list[Mention]:
        """The mentions of chemicals, in the order of the file."""
        return list(mentions(self))

    @property
    def definitions(self) -> list[Definition]:
        """The abbreviations that the article defines."""
        return list(definitions(self))

    @property
    def index_terms(self) -> list[IndexTerm]:
        """The MeSH concepts that the article is about."""
        return list(index_terms(self))

    def __repr__(self) -> str:
        return f"Article({self.id!r}, {len(self.passages)} passages, {len(self.mentions)} mentions)"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return marked_up(self)


class Collection(BioCCollection):
    """A `bioc.BioCCollection` of annotated articles; a notebook shows the first of them."""

    def __repr__(self) -> str:
        return f"Collection({len(self.documents)} articles)"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        more = len(self.documents) - SHOWN
        rest = f"<p>and {more} more articles</p>" if more > 0 else ""
        return "".join(marked_up(document) for document in self.documents[:SHOWN]) + rest


def article_of(document: BioCDocument) -> BioCDocument:
    """The same document as an `Article`: both share all their content. Other subclasses are returned as they are."""
    if type(document) is not BioCDocument:
        return document
    article = Article.__new__(Article)
    article.__dict__ = document.__dict__
    return article


def collection_of(collection: BioCCollection) -> BioCCollection:
    """The same collection as a `Collection`: both share all their content."""
    if type(collection) is not BioCCollection:
        return collection
    shown = Collection.__new__(Collection)
    shown.__dict__ = collection.__dict__
    return shown


def marked_up(document: BioCDocument) -> str:
    """HTML of the first `SHOWN` passages with text; mentions are marked, with identifiers and matched names as tooltip.

    Of mentions that overlap, the first and longest is marked.
    """
    found: dict[int, list[Mention]] = {}
    for mention in mentions(document):
        found.setdefault(id(mention.passage), []).append(mention)
    with_text = [passage for passage in document.passages if passage_text(passage).strip()]
    paragraphs = [
        f"<p>{_marked(passage_text(passage), passage.offset, found.get(id(passage), ()))}</p>"
        for passage in with_text[:SHOWN]
    ]
    more = len(with_text) - SHOWN
    rest = f"<p>and {more} more passages</p>" if more > 0 else ""
    return f"<div><p><b>{escape(str(document.id))}</b></p>{''.join(paragraphs)}{rest}</div>"


def _marked(text: str, offset: int, own: Iterable[Mention]) -> str:
    spans = sorted(
        ((start - offset, end - offset, mention) for mention in own for start, end in mention.spans),
        key=lambda span: (span[0], -span[1]),
    )
    pieces: list[str] = []
    reached = 0
    for start, end, mention in spans:
        if start < reached or end > len(text):
            continue
        pieces += [escape(text[reached:start]), _mark(text[start:end], mention)]
        reached = end
    return "".join([*pieces, escape(text[reached:])])


def _mark(text: str, mention: Mention) -> str:
    identifiers = ", ".join(mention.identifiers)
    name = mention.evidence.matched_name
    tooltip = identifiers + (f" ({name})" if identifiers and name else "") or "no concept"
    style = _MARK if identifiers else _UNLINKED
    return f'<mark style="{style}" title="{escape(tooltip)}">{escape(text)}</mark>'
