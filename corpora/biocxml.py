"""BioC XML: read as a stream, one document in memory at a time; written strictly after BioC's DTD."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, TypeAlias
from xml.sax.saxutils import escape

from bioc import (
    BioCAnnotation,
    BioCDocument,
    BioCLocation,
    BioCNode,
    BioCPassage,
    BioCRelation,
    BioCSentence,
)
from lxml import etree

from corpora.errors import ArticleError, InputError
from corpora.header import Header
from corpora.losses import Losses, infon_value
from corpora.report import Report
from corpora.xmlsafe import PARSER_OPTIONS, illegal_characters, parse_fragment

__all__ = ["SEPARATOR", "SUFFIX", "closing", "dumps", "opening", "parse", "split"]

SUFFIX = ".xml"
SEPARATOR = b"\n"
CHUNK = 1 << 16

Holder: TypeAlias = BioCDocument | BioCPassage | BioCSentence


# -- splitting a collection ---------------------------------------------------------------------


def split(stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
    """The serialised documents of a collection, or of a file that is one bare `document`.

    `header` is filled while the file is read; it is whole when the iterator ends. Raises
    `InputError` where the XML breaks off, after the documents before that place.
    """
    parser = etree.XMLPullParser(events=("end",), tag="document", **PARSER_OPTIONS)
    masked = _Masked(stream)
    root: etree._Element | None = None
    fault: etree.XMLSyntaxError | None = None
    while fault is None and (chunk := masked.read()):
        try:
            parser.feed(chunk)
        except etree.XMLSyntaxError as error:
            fault = error
        for _, element in parser.read_events():
            root = element.getparent()
            raw = etree.tostring(element, encoding="utf-8", with_tail=False)
            _forget(element, root, header, report)
            yield raw
    if fault is None:
        try:
            closed = parser.close()
        except etree.XMLSyntaxError as error:
            fault = error
        else:
            if closed.tag == "collection":
                _read_header(closed, header, report)
    if fault is not None:
        if root is not None:
            _read_header(root, header, report)
        raise InputError(_explain(fault)) from fault


class _Masked:
    """A stream whose characters that XML forbids are replaced, so that they cost one article, not the file.

    The 32 control characters become the 32 noncharacters U+FDD0..U+FDEF; `parse` refuses an article
    that holds one, and names what stood there. Only for encodings that extend ASCII.
    """

    _FORBIDDEN = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|&#(?:x[0-9a-fA-F]{1,6}|[0-9]{1,7});")
    _UNFINISHED = re.compile(rb"&(?:#[0-9a-fA-Fx]{0,8})?\Z")

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._kept = b""
        self._first = True
        self._passive = False

    def read(self) -> bytes:
        chunk = self._stream.read(CHUNK)
        if self._first:
            self._first = False
            declared = re.search(rb"encoding\s*=\s*[\"']([^\"']+)", chunk[:200])
            utf8 = declared is None or declared.group(1).lower() in (b"utf-8", b"us-ascii", b"ascii")
            self._passive = chunk[:2] in (b"\xff\xfe", b"\xfe\xff") or not utf8
        if self._passive:
            return chunk
        if not chunk:
            rest, self._kept = self._kept, b""
            return rest
        text = self._kept + chunk
        unfinished = self._UNFINISHED.search(text)
        cut = unfinished.start() if unfinished else len(text)
        self._kept = text[cut:]
        return self._FORBIDDEN.sub(_mask, text[:cut]) or self.read()


def _mask(found: re.Match[bytes]) -> bytes:
    text = found.group()
    if len(text) == 1:
        code = text[0]
    else:
        code = int(text[3:-1], 16) if text[2:3] == b"x" else int(text[2:-1])
        if code < 0x110000 and not 0xD800 <= code < 0xE000 and not illegal_characters(chr(code)):
            return text
    return chr(0xFDD0 + min(code, 31)).encode()


def _forget(element: etree._Element, root: etree._Element | None, header: Header, report: Report) -> None:
    """Give a document's memory back, and that of everything before it."""
    element.clear()
    if root is None:
        return
    if element.getprevious() is not None:
        _read_header(root, header, report)
    for earlier in list(element.itersiblings(preceding=True)):
        root.remove(earlier)


def _read_header(root: etree._Element, header: Header, report: Report) -> None:
    for child in root:
        text = child.text or ""
        if child.tag == "infon":
            _add_infon(header.infons, child, "collection", report)
        elif child.tag in ("source", "date", "key"):
            setattr(header, child.tag, text)
        elif child.tag != "document":
            report(f"element <{child.tag}> of the collection is not BioC and was left out")


def _explain(fault: etree.XMLSyntaxError) -> str:
    line = fault.lineno or 1
    message = (fault.msg or str(fault)).partition(", line ")[0]
    if "Premature end" in message or "EndTag: '</' not found" in message or "Couldn't find end" in message:
        return f"the XML ends too early, at line {line}: the file was cut off; get it again"
    if "encoding" in message.lower() or "UTF-8" in message:
        return (
            f"line {line}: its bytes are not text in the encoding that it declares ({message}); "
            "save it as UTF-8 and declare that"
        )
    return f"the XML is broken at line {line} ({message}); mend that place or get the file again"


# -- one document -------------------------------------------------------------------------------


def parse(raw: bytes, report: Report) -> BioCDocument:
    """Read one serialised `document` element. Raises `ArticleError`; what it cannot keep it reports."""
    try:
        element = parse_fragment(raw)
    except etree.XMLSyntaxError as error:
        raise ArticleError(_explain(error)) from error
    _refuse_masked(raw, element)
    if element.tag != "document":
        raise ArticleError(f"its element is <{element.tag}>, not <document>: not a BioC document")
    document = BioCDocument()
    document.text = ""
    for child in element:
        match child.tag:
            case "id":
                document.id = _text(child, "document id", report)
            case "infon":
                _add_infon(document.infons, child, "document", report)
            case "passage":
                document.passages.append(_passage(child, report))
            case _:
                _add_common(document, child, f"document {document.id!r}", report)
    return document


def _refuse_masked(raw: bytes, element: etree._Element) -> None:
    found = re.search(rb"\xef\xb7[\x90-\xaf]", raw)
    if found is None:
        return
    code = ord(found.group().decode()) - 0xFDD0
    named = f"U+{code:04X}" if code < 31 else "a control character, surrogate or noncharacter"
    identifier = element.findtext("id") or ""
    raise ArticleError(f"document {identifier!r} holds a character that XML forbids ({named}); remove it")


def _passage(element: etree._Element, report: Report) -> BioCPassage:
    passage = BioCPassage()
    passage.offset = _offset(element, "passage")
    where = f"passage at offset {passage.offset}"
    for child in element:
        match child.tag:
            case "infon":
                _add_infon(passage.infons, child, where, report)
            case "text":
                passage.text = _text(child, where, report)
            case "sentence":
                passage.sentences.append(_sentence(child, report))
            case "offset":
                pass
            case _:
                _add_common(passage, child, where, report)
    return passage


def _sentence(element: etree._Element, report: Report) -> BioCSentence:
    sentence = BioCSentence()
    sentence.offset = _offset(element, "sentence")
    where = f"sentence at offset {sentence.offset}"
    for child in element:
        match child.tag:
            case "infon":
                _add_infon(sentence.infons, child, where, report)
            case "text":
                sentence.text = _text(child, where, report)
            case "offset":
                pass
            case _:
                _add_common(sentence, child, where, report)
    return sentence


def _add_common(holder: Holder, child: etree._Element, where: str, report: Report) -> None:
    if child.tag == "annotation":
        holder.annotations.append(_annotation(child, where, report))
    elif child.tag == "relation":
        holder.relations.append(_relation(child, where, report))
    elif isinstance(child.tag, str):
        report(f"{where}: element <{child.tag}> is not BioC and was left out")
    else:
        raise ArticleError(f"{where}: the entity {child.text} is not defined; write the character itself")


def _annotation(element: etree._Element, where: str, report: Report) -> BioCAnnotation:
    annotation = BioCAnnotation()
    annotation.id = element.get("id") or ""
    where = f"{where}, annotation {annotation.id!r}"
    for child in element:
        match child.tag:
            case "infon":
                _add_infon(annotation.infons, child, where, report)
            case "location":
                start, length = _number(child, "offset", where), _number(child, "length", where)
                annotation.locations.append(BioCLocation(start, length))
            case "text":
                annotation.text = _text(child, where, report)
            case _:
                report(f"{where}: element <{child.tag}> is not BioC and was left out")
    return annotation


def _relation(element: etree._Element, where: str, report: Report) -> BioCRelation:
    relation = BioCRelation()
    relation.id = element.get("id") or ""
    where = f"{where}, relation {relation.id!r}"
    for child in element:
        match child.tag:
            case "infon":
                _add_infon(relation.infons, child, where, report)
            case "node":
                relation.nodes.append(BioCNode(child.get("refid") or "", child.get("role") or ""))
            case _:
                report(f"{where}: element <{child.tag}> is not BioC and was left out")
    return relation


def _add_infon(infons: dict[str, str], element: etree._Element, where: str, report: Report) -> None:
    key = element.get("key") or ""
    if key in infons:
        report(f"{where}: infon {key!r} stands there twice; the last one was kept")
    infons[key] = _text(element, where, report)


def _text(element: etree._Element, where: str, report: Report) -> str:
    if len(element) == 0:
        return element.text or ""
    for child in element:
        if not isinstance(child.tag, str):
            raise ArticleError(f"{where}: the entity {child.text} is not defined; write the character itself")
    report(f"{where}: markup inside <{element.tag}> was flattened to its text")
    return "".join(element.itertext())


def _offset(element: etree._Element, what: str) -> int:
    text = element.findtext("offset")
    try:
        return int(text or "")
    except ValueError:
        raise ArticleError(f"a {what} has the offset {text!r}, which is no number; give every {what} one") from None


def _number(element: etree._Element, key: str, where: str) -> int:
    try:
        return int(element.get(key) or "")
    except ValueError:
        raise ArticleError(
            f"{where}: the location's {key} is {element.get(key)!r}, which is no number; mend it"
        ) from None


# -- writing ------------------------------------------------------------------------------------


def opening(header: Header) -> bytes:
    """Everything before the first document."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<!DOCTYPE collection SYSTEM "BioC.dtd">',
        "<collection>",
        *(f"<{tag}>{_escape(str(getattr(header, tag)))}</{tag}>" for tag in ("source", "date", "key")),
        *_infon_lines(header.infons, Losses()),
    ]
    return _encode("\n".join(lines) + "\n", "the collection's header")


def closing(header: Header) -> bytes:
    """Everything after the last document."""
    return b"\n</collection>\n"


def dumps(document: BioCDocument, report: Report) -> bytes:
    """One document as an XML element, in UTF-8.

    Raises `ArticleError` for text that XML cannot hold; what XML has no place for (nulls, types of
    infon values, keys that BioC does not name) it reports, once a kind.
    """
    losses = Losses()
    losses.extra(document)
    lines = ["<document>", f"<id>{_escape(str(document.id))}</id>", *_infon_lines(document.infons, losses)]
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
    losses.tell(report, "BioC XML")
    return _encode("\n".join(lines), f"document {document.id!r}")


def _common_lines(holder: Holder, losses: Losses) -> Iterator[str]:
    for annotation in holder.annotations:
        losses.extra(annotation)
        places = "".join(f'<location offset="{p.offset}" length="{p.length}"/>' for p in annotation.locations)
        infons = "".join(_infon_lines(annotation.infons, losses))
        text = _escape(annotation.text or "")
        yield f'<annotation id="{_quote(annotation.id)}">{infons}{places}<text>{text}</text></annotation>'
    for relation in holder.relations:
        losses.extra(relation)
        infons = "".join(_infon_lines(relation.infons, losses))
        nodes = "".join(f'<node refid="{_quote(n.refid)}" role="{_quote(n.role)}"/>' for n in relation.nodes)
        yield f'<relation id="{_quote(relation.id)}">{infons}{nodes}</relation>'


def _infon_lines(infons: dict[str, object], losses: Losses) -> Iterator[str]:
    for key, value in infons.items():
        text = value if isinstance(value, str) else infon_value(value, losses)
        if text is not None:
            yield f'<infon key="{_quote(key)}">{_escape(text)}</infon>'


def _escape(text: str) -> str:
    # A carriage return that is not written as a reference comes back as a newline (XML 1.0, 2.11).
    return escape(text, {"\r": "&#13;"})


def _quote(value: object) -> str:
    return escape(str(value), {'"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#9;"})


def _encode(text: str, what: str) -> bytes:
    bad = illegal_characters(text)
    if bad:
        raise ArticleError(f"{what} holds {', '.join(bad[:5])}, which XML cannot; remove it, or write BioC JSON")
    return text.encode("utf-8")
