"""Documents from texts and spans, for corpora without a format for articles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bioc import BioCDocument, BioCPassage

from corpora.errors import ArticleError
from corpora.model.chemical import CHEMICAL
from corpora.model.document import Span, add_mention
from corpora.reporting import Report


def article(
    id: str, texts: Sequence[tuple[str, str | None, str]], ids: Mapping[str, str] | None = None, step: int = 1
) -> BioCDocument:
    """A document of passages, one after another, with `step` characters between them.

    `texts`: (text, section type, type) of each passage. An empty text makes no passage, but its step counts. `ids`: the
    ids of the article by kind (`pmc`, `pmid`, `doi`).
    """
    document = BioCDocument()
    document.id = id
    document.infons = {f"article-id_{kind}": value for kind, value in (ids or {}).items()}
    offset = 0
    for text, section, type in texts:
        if text:
            passage = BioCPassage()
            passage.offset, passage.text = offset, text
            passage.infons = {"section_type": section, "type": type} if section else {"type": type}
            document.add_passage(passage)
        offset += len(text) + step
    return document


def title_and_abstract(pmid: str, title: str, abstract: str) -> BioCDocument:
    """A PubMed abstract with offsets as in PubTator: the abstract begins one character after the title."""
    texts = [(title, "TITLE", "title"), (abstract, "ABSTRACT", "abstract")]
    return article(pmid, texts, {"pmid": pmid})


def mark(
    document: BioCDocument,
    spans: Sequence[Span],
    text: str,
    ids: Iterator[str],
    annotator: str,
    report: Report,
    type: str = CHEMICAL,
) -> None:
    """Add a gold mention at document offsets. If its text is not at these offsets, it is left out and reported."""
    start, end = min(span[0] for span in spans), max(span[1] for span in spans)
    where = f"document {document.id!r}: the mention {text!r} at {start}..{end}"
    if not text:
        report(f"{where} was left out: it has no text; compare with the publisher's file")
        return
    passage = next((p for p in document.passages if p.offset <= start and end <= p.offset + len(p.text)), None)
    if passage is None:
        report(f"{where} is in no passage and was left out; compare with the publisher's file")
        return
    there = " ".join(passage.text[a - passage.offset : b - passage.offset] for a, b in spans)
    if there != text:
        report(f"{where} was left out: the text there is {there!r}; compare with the publisher's file")
        return
    try:
        add_mention(passage, spans, id=next(ids), annotator=annotator, type=type)
    except ArticleError as error:
        report(f"{where} was left out: {error}")
