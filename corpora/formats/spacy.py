"""spaCy's DocBin: one `Doc` for each article, with its mentions as spans with ids. It is only written.

    docs = DocBin().from_disk("articles.spacy").get_docs(nlp.vocab)

`doc.spans["mentions"]` has all mentions in one piece: label, `kb_id_` (identifiers, joined by commas) and `id_`.
`doc.ents` has those that do not overlap, the longest first, as the training of a named entity recognizer needs them.
`doc.user_data` has the id of the article, and offset and section of its passages. Tokens are those of spaCy's English
tokenizer, cut where a mention begins or ends, so that each span is exact.

The package spacy (extra `[spacy]`) writes the file. It is imported when the file is written.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from bioc import BioCDocument

from corpora.errors import ArticleError
from corpora.formats.format import Header, Table
from corpora.formats.losses import Losses, encoded
from corpora.model.document import ABBREVIATION, mentions
from corpora.model.passages import passage_text, section_type
from corpora.reporting import Report

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

SPANS = "mentions"
"""The key of the mentions in `doc.spans`."""


def dumps(document: BioCDocument, report: Report) -> bytes:
    """Text and mentions of an article as JSON, which `write` turns into a `Doc`. Raises `ArticleError`.

    Passages stand at their offsets, with blanks between them, so that offsets of spans are those of the document.
    Reports what is left out.
    """
    losses = Losses()
    losses.beside_mentions(document, {"section_type"}, {"type", "identifier"})
    text = _text(document)
    spans = []
    for mention in mentions(document, None):
        (start, end), *more = mention.spans
        if more or not text[start:end].strip() or mention.text not in ("", text[start:end]):
            losses.add("mentions in several pieces, or whose text is not at their offsets")
            continue
        losses.add("marks of mentions without a concept (-)", mention.sought and not mention.identifiers)
        identifiers = ",".join(mention.identifiers)
        spans.append([start, end, mention.type, identifiers, str(mention.annotation.id or "")])
    losses.report(report, "spaCy's DocBin")
    passages = [[passage.offset, section_type(passage) or ""] for passage in document.passages]
    value = {"id": str(document.id), "text": text, "passages": passages, "mentions": spans}
    # Each article is one line of JSON, so that articles can be joined.
    return encoded(json.dumps(value, ensure_ascii=False), document)


def _text(document: BioCDocument) -> str:
    pieces: list[str] = []
    reached = 0
    for passage in sorted(document.passages, key=lambda passage: passage.offset):
        gap = passage.offset - reached
        if gap < 0:
            raise ArticleError(
                f"the passage at offset {passage.offset} of document {document.id!r} overlaps the one before it, so "
                "that the article is not one text; correct the offsets"
            )
        text = passage_text(passage)
        pieces += [" " * gap, text]
        reached = passage.offset + len(text)
    return "".join(pieces)


def write(articles: Iterable[bytes], header: Header, stream: BinaryIO) -> None:
    """Write all articles as one DocBin, which spaCy holds in memory as a whole; the header is lost."""
    import spacy
    from spacy.tokens import DocBin

    nlp = spacy.blank("en")
    nlp.max_length = 1 << 30
    doc_bin = DocBin(attrs=["ENT_IOB", "ENT_TYPE", "ENT_KB_ID", "ENT_ID", "SPACY"], store_user_data=True)
    for article in articles:
        doc_bin.add(_doc(nlp, json.loads(article)))
    stream.write(doc_bin.to_bytes())


def _doc(nlp: Language, article: dict[str, Any]) -> Doc:
    from spacy.tokens import Doc, SpanGroup
    from spacy.util import filter_spans

    text, given = article["text"], article["mentions"]
    cuts = sorted({place for start, end, *_ in given for place in (start, end)})
    words, spaces = [], []
    for token in nlp.make_doc(text):
        for word in _cut(token.text, token.idx, cuts):
            words.append(word)
            spaces.append(False)
        spaces[-1] = bool(token.whitespace_)
    doc = Doc(nlp.vocab, words=words, spaces=spaces)
    doc.user_data = {"id": article["id"], "passages": article["passages"]}
    spans = [
        doc.char_span(start, end, label=kind, kb_id=identifiers, span_id=id, alignment_mode="expand")
        for start, end, kind, identifiers, id in given
    ]
    doc.spans[SPANS] = SpanGroup(doc, name=SPANS, spans=spans)
    # A short or long form is often a chemical itself: it is an entity only where no other mention is.
    chosen = filter_spans([span for span in spans if span.label_ != ABBREVIATION])
    taken = {token.i for span in chosen for token in span}
    doc.ents = chosen + filter_spans(
        [span for span in spans if span.label_ == ABBREVIATION and taken.isdisjoint(range(span.start, span.end))]
    )
    return doc


def _cut(word: str, start: int, cuts: Sequence[int]) -> Iterator[str]:
    """The pieces of a word that begins at `start`, cut at the sorted offsets `cuts`."""
    reached = 0
    for cut in cuts[bisect_right(cuts, start) :]:
        if cut >= start + len(word):
            break
        yield word[reached : cut - start]
        reached = cut - start
    yield word[reached:]


WRITER = Table(dumps, write)
