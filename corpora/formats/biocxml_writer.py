"""Writes BioC XML as BioC's DTD defines it. Reading is in `corpora.formats.biocxml`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias
from xml.sax.saxutils import escape

from bioc import BioCDocument, BioCPassage, BioCSentence

from corpora.errors import ArticleError
from corpora.formats.header import Header
from corpora.formats.losses import Losses, infon_value
from corpora.parsing.safe_xml import illegal_characters, without_illegal_characters
from corpora.reporting import Report

SEPARATOR = b"\n"
TITLE = "BioC XML"

Holder: TypeAlias = BioCDocument | BioCPassage | BioCSentence
"""What has annotations and relations."""


def opening(header: Header) -> bytes:
    """Everything before the first document."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<!DOCTYPE collection SYSTEM "BioC.dtd">',
        "<collection>",
        *(f"<{tag}>{_escape(str(getattr(header, tag)))}</{tag}>" for tag in ("source", "date", "key")),
        *_infon_lines(header.infons, Losses()),
    ]
    # An error in the header must not lose articles: `header_losses` reports the characters that are replaced.
    return without_illegal_characters("\n".join(lines) + "\n").encode("utf-8")


def closing(header: Header) -> bytes:
    """Everything after the last document."""
    return b"\n</collection>\n"


def header_losses(header: Header, report: Report) -> None:
    """Report what XML cannot store of a collection's header."""
    losses = Losses()
    losses.add("JSON keys that BioC does not define", len(header.extra.keys() - {"bioctype"}))
    values = [infon_value(value, losses) for value in header.infons.values()]
    texts = "".join(map(str, [header.source, header.date, header.key, *header.infons, *values]))
    losses.add("characters that XML forbids (replaced by U+FFFD)", len(illegal_characters(texts)))
    losses.report(lambda sentence: report(f"the collection's header: {sentence}"), TITLE)


def dumps(document: BioCDocument, report: Report) -> bytes:
    """One document as an XML element, in UTF-8.

    Reports null values, types of infon values and keys that BioC does not define, which XML cannot store. Raises
    `ArticleError` for characters that XML forbids.
    """
    losses = Losses()
    losses.extra(document)
    lines = ["<document>", f"<id>{_escape(_string(document.id))}</id>", *_infon_lines(document.infons, losses)]
    for passage in document.passages:
        lines.append("<passage>")
        lines += _infon_lines(passage.infons, losses)
        lines.append(f"<offset>{passage.offset}</offset>")
        losses.extra(passage)
        if passage.text or not passage.sentences:
            lines.append(f"<text>{_escape(passage.text or '')}</text>")
        for sentence in passage.sentences:
            losses.extra(sentence)
            lines += ["<sentence>", *_infon_lines(sentence.infons, losses)]
            lines.append(f"<offset>{sentence.offset}</offset>")
            if sentence.text:
                lines.append(f"<text>{_escape(sentence.text)}</text>")
            lines += [*_common_lines(sentence, losses), "</sentence>"]
        lines += [*_common_lines(passage, losses), "</passage>"]
    lines += [*_common_lines(document, losses), "</document>"]
    losses.report(report, TITLE)
    return _encode("\n".join(lines), f"document {document.id!r}")


def _common_lines(holder: Holder, losses: Losses) -> Iterator[str]:
    for annotation in holder.annotations:
        losses.extra(annotation)
        places = ""
        for place in annotation.locations:
            losses.extra(place)
            places += f'<location offset="{place.offset}" length="{place.length}"/>'
        infons = "".join(_infon_lines(annotation.infons, losses))
        text = _escape(_string(annotation.text))
        yield f'<annotation id="{_quote(annotation.id)}">{infons}{places}<text>{text}</text></annotation>'
    for relation in holder.relations:
        losses.extra(relation)
        infons = "".join(_infon_lines(relation.infons, losses))
        nodes = ""
        for node in relation.nodes:
            losses.extra(node)
            nodes += f'<node refid="{_quote(node.refid)}" role="{_quote(node.role)}"/>'
        yield f'<relation id="{_quote(relation.id)}">{infons}{nodes}</relation>'


def _infon_lines(infons: dict[str, object], losses: Losses) -> list[str]:
    lines: list[str] = []
    for key, value in infons.items():
        text = value if isinstance(value, str) else infon_value(value, losses)
        if text is not None:
            lines.append(f'<infon key="{_quote(key)}">{_escape(text)}</infon>')
    return lines


def _escape(text: str) -> str:
    # XML parsers turn a raw carriage return into a line feed (XML 1.0, 2.11). They keep one that is a reference.
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


def _string(value: object) -> str:
    return "" if value is None else str(value)


def _quote(value: object) -> str:
    text = _string(value)
    # Nearly all keys and ids are such texts.
    return text if text.isidentifier() else escape(text, _IN_QUOTES)


_IN_QUOTES = {'"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#9;"}


def _encode(text: str, what: str) -> bytes:
    bad = illegal_characters(text)
    if bad:
        raise ArticleError(f"{what} contains {', '.join(bad[:5])}, which XML forbids; remove it, or write BioC JSON")
    return text.encode("utf-8")
