"""BioC XML: read as a stream, one document in memory at a time, and written as BioC's DTD defines it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO
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
from corpora.formats.format import Header, Joined, Reader
from corpora.formats.losses import Losses, infon_value
from corpora.model.document import Holder
from corpora.parsing.safe_xml import (
    PARSER_OPTIONS,
    Cutter,
    cut_off,
    illegal_characters,
    parse_fragment,
    reason,
    require_one_kind,
    root_name,
    without_illegal_characters,
)
from corpora.reporting import ElementPath, Report, describe, ignore

TITLE = "BioC XML"


def sniff(head: bytes) -> bool:
    """Whether the root element is `collection` or `document`. Raises `InputError` where it has a prefix."""
    root = root_name(head)
    if root not in ("collection", "document"):
        return False
    if not re.search(rb"<" + root.encode() + rb"[\s/>]", head):
        raise InputError(f"the names of its elements have a prefix, as in <x:{root}>; remove it, BioC has none")
    return True


# -- splitting a collection ---------------------------------------------------------------------


def split(stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
    """The bytes of each `document` element of a collection, or of a file that is one bare `document`.

    `stream` is UTF-8: `corpora.formats.detection.split` converts other encodings. `header` is complete when the
    iterator ends. Raises `InputError` where the file breaks off, after the documents before that place. Broken XML
    inside a document is an error of that document alone, which `parse` raises.
    """
    count = 0
    cutter = Cutter(stream, "document")
    for raw in cutter.documents():
        count += 1
        yield raw
    # The bytes around the documents are a small XML file.
    fault = None
    if count and not cutter.cut_off:
        require_one_kind(cutter.around, "document")
    collections = [part for part in map(bytes.strip, _COLLECTION_END.split(cutter.around)) if part] or [b""]
    for number, around in enumerate(collections):
        collection_header = header if not number else Header()
        fault = _read_around(around, count, collection_header, report) or fault
        if collection_header not in (header, Header()):
            report("the file contains several collections; the source, date, key and infons of the first were kept")
    if cutter.cut_off or fault is not None:
        message = reason(fault) if fault is not None and fault.msg else ""
        if cutter.cut_off or any(sign in message for sign in _SIGNS_OF_CUT):
            raise InputError(cut_off(cutter.lines)) from fault
        raise InputError(
            f"the XML around its documents is broken ({message}); correct it, or get the file again"
        ) from fault
    if not count:
        report("the collection contains no document")


_COLLECTION_END = re.compile(rb"(?<=</collection>)")
_SIGNS_OF_CUT = ("Premature end", "EndTag: '</' not found", "Couldn't find end", "Document is empty")


def _read_around(around: bytes, count: int, header: Header, report: Report) -> etree.XMLSyntaxError | None:
    """Fill `header` from the XML around the documents. Returns the error in that XML, if there is one."""
    fault: etree.XMLSyntaxError | None = None
    root: etree._Element | None = None
    try:
        root = parse_fragment(around)
    except etree.XMLSyntaxError as error:
        fault = error
        # The root of broken XML is read as far as possible.
        with suppress(etree.XMLSyntaxError):
            if around.strip():
                root = etree.fromstring(around, etree.XMLParser(recover=True, **PARSER_OPTIONS))
    # An element that is cut off is not reported: `split` reports that the file is cut off.
    note = report if fault is None else ignore
    for child in root if root is not None and _name(root) == "collection" else ():
        name = _name(child)
        if name == "infon":
            _add_infon(header.infons, child, (None, "collection", None), note)
        elif name in ("source", "date", "key"):
            setattr(header, name, child.text or "")
        elif name != "document":
            note(f"element <{name}> of the collection is not part of BioC and was left out")
    # Around a bare document there is at most a prolog, which cannot be parsed as XML.
    return None if root is None and count else fault


def _name(element: etree._Element) -> str:
    """An element's name without its namespace; `&foo;` for a reference to an entity."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else str(element.text)


_UNDEFINED = re.compile(r"Entity '([^']*)' not defined")


def _explain(fault: etree.XMLSyntaxError, raw: bytes) -> str:
    """Why an article cannot be parsed, and what to do."""
    named = re.search(rb"<id>([^<]*)</id>", raw)
    name = f"document {named[1].decode('utf-8', 'replace')!r}" if named else "a document without id"
    where = f"{name}: its XML is broken at line {fault.lineno or 1} of the article"
    text = raw.decode("utf-8", "surrogateescape")
    if illegal := illegal_characters(text):
        byte = next((ord(c) & 0xFF for c in text if 0xDC80 <= ord(c) < 0xDD00), None)
        if byte is not None:
            return f"{where}: the byte 0x{byte:02X} is not UTF-8; save the file as UTF-8, or declare its encoding"
        return f"{where}: it contains {', '.join(illegal[:5])}, which XML forbids; remove it"
    message = reason(fault)
    if match := _UNDEFINED.search(message):
        return f"{where}: the entity &{match[1]}; is not defined; write the character itself"
    if match := re.search(r"invalid xmlChar value (\d+)", message):
        return f"{where}: it contains U+{int(match[1]):04X}, which XML forbids; remove it"
    return f"{where} ({message}); correct it, or get the file again"


# -- one document -------------------------------------------------------------------------------

_UNUSUAL_TAG = re.compile(
    rb'<(?!infon key="[^"]*+"/?>|annotation id="[^"]*+"/?>|relation id="[^"]*+"/?>'
    rb'|location offset="[^"]*+" length="[^"]*+"/>|node refid="[^"]*+" role="[^"]*+"/>)[^\s>/]++\s'
)
_FOREIGN_ATTRIBUTES = etree.XPath(
    "//@*[not(parent::infon and name()='key' or (parent::annotation or parent::relation) and name()='id'"
    " or parent::location and (name()='offset' or name()='length')"
    " or parent::node and (name()='refid' or name()='role'))]"
)
# Two patterns that begin with a literal take an eighth of the time of one pattern with an alternative at its start.
_UNUSUAL_TEXTS = (re.compile(rb"<(?:/[a-z]++|document|passage|sentence)>\s*+[^\s<]"), re.compile(rb"/>\s*+[^\s<]"))
_HOLDERS = ("document", "passage", "sentence", "annotation", "relation")


def parse(raw: bytes, report: Report) -> BioCDocument:
    """Parse one serialised `document` element. Reports what it leaves out. Raises `ArticleError`."""
    try:
        element = parse_fragment(raw)
    except etree.XMLSyntaxError as error:
        raise ArticleError(_explain(error, raw)) from error
    if element.tag != "document" or (element.find("id") is None and element.find("passage") is None):
        raise ArticleError(f"it is not a BioC document: a <{element.tag}> without id and passages")
    document = BioCDocument()
    document.text = ""
    place: ElementPath = (None, "document", element.findtext("id") or "")
    for child in element:
        match child.tag:
            case "id":
                document.id = _text(child, place, report)
            case "infon":
                _add_infon(document.infons, child, place, report)
            case "passage":
                document.passages.append(_filled(BioCPassage(), "passage", child, place, report))
            case _:
                _add_common(document, child, place, report)
    # Searching the bytes takes a tenth of the time of visiting each attribute, and files rarely have such attributes.
    foreign = _FOREIGN_ATTRIBUTES(element) if _UNUSUAL_TAG.search(raw) else ()
    if attributes := sorted({f"{value.attrname} of <{value.getparent().tag}>" for value in foreign}):
        report(f"{describe(place)}: attributes that are not part of BioC were left out: {', '.join(attributes)}")
    has_stray_text = any(pattern.search(raw) for pattern in _UNUSUAL_TEXTS)
    for holder in element.iter(*_HOLDERS) if has_stray_text else ():
        stray = "".join([holder.text or "", *(child.tail or "" for child in holder)]).strip()
        if stray:
            report(f"{describe(place)}: text between the elements of a <{holder.tag}> was left out: {stray[:60]!r}")
    return document


def _filled(holder: Holder, name: str, element: etree._Element, around: ElementPath, report: Report) -> Holder:
    """The passage or the sentence (`name`) `holder`, with what the element contains."""
    text = element.findtext("offset")
    try:
        holder.offset = _whole(text)
    except (TypeError, ValueError):
        raise ArticleError(
            f"{describe(around)}: a {name} has the offset {text!r}, which is not a whole number; correct it"
        ) from None
    place: ElementPath = (around, f"{name} at offset", holder.offset)
    for child in element:
        match child.tag:
            case "infon":
                _add_infon(holder.infons, child, place, report)
            case "text":
                holder.text = _text(child, place, report)
            case "sentence" if name == "passage":
                holder.sentences.append(_filled(BioCSentence(), "sentence", child, place, report))
            case "offset":
                pass
            case _:
                _add_common(holder, child, place, report)
    return holder


def _add_common(holder: Holder, child: etree._Element, place: ElementPath, report: Report) -> None:
    if child.tag == "annotation":
        holder.annotations.append(_annotation(child, place, report))
    elif child.tag == "relation":
        holder.relations.append(_relation(child, place, report))
    else:
        _refuse_or_report(child, place, report)


def _annotation(element: etree._Element, around: ElementPath, report: Report) -> BioCAnnotation:
    # Nine tenths of a file are annotations. A usual annotation is read here without further function calls.
    annotation = BioCAnnotation()
    annotation.id = element.get("id", "")
    place: ElementPath = (around, "annotation", annotation.id)
    infons = annotation.infons
    for child in element:
        tag = child.tag
        if tag == "infon":
            key = child.get("key", "")
            if len(child) or key in infons:
                _add_infon(infons, child, place, report)
            else:
                infons[key] = child.text or ""
        elif tag == "location":
            try:
                annotation.locations.append(BioCLocation(_whole(child.get("offset")), _whole(child.get("length"))))
            except (TypeError, ValueError):
                start, length = child.get("offset"), child.get("length")
                raise ArticleError(
                    f"{describe(place)}: a location has the offset {start!r} and the length {length!r}; write whole "
                    "numbers"
                ) from None
        elif tag == "text":
            annotation.text = _text(child, place, report) if len(child) else child.text or ""
        else:
            _refuse_or_report(child, place, report)
    return annotation


def _relation(element: etree._Element, around: ElementPath, report: Report) -> BioCRelation:
    relation = BioCRelation()
    relation.id = element.get("id") or ""
    place: ElementPath = (around, "relation", relation.id)
    for child in element:
        if child.tag == "infon":
            _add_infon(relation.infons, child, place, report)
        elif child.tag == "node":
            relation.nodes.append(BioCNode(child.get("refid") or "", child.get("role") or ""))
        else:
            _refuse_or_report(child, place, report)
    return relation


def _add_infon(infons: dict[str, str], element: etree._Element, place: ElementPath, report: Report) -> None:
    key = element.get("key") or ""
    if key in infons:
        report(f"{describe(place)}: it has two infons {key!r}; the last one was kept")
    infons[key] = _text(element, place, report)


def _text(element: etree._Element, place: ElementPath, report: Report) -> str:
    if len(element) == 0:
        return element.text or ""
    for child in element:
        _refuse_entity(child, place)
    report(f"{describe(place)}: markup inside <{element.tag}> was reduced to its text")
    return "".join(element.itertext())


def _refuse_or_report(child: etree._Element, place: ElementPath, report: Report) -> None:
    _refuse_entity(child, place)
    report(f"{describe(place)}: element <{child.tag}> is not part of BioC and was left out")


def _refuse_entity(child: etree._Element, place: ElementPath) -> None:
    if not isinstance(child.tag, str):
        raise ArticleError(f"{describe(place)}: the entity {child.text} is not defined; write the character itself")


_DECIMAL = re.compile(r"\s*(-?[0-9]{1,18})\.0*\s*")


def _whole(text: str | None) -> int:
    """A whole number, also one as `5.0`. Raises `ValueError`, and `TypeError` for None."""
    try:
        return int(text)  # type: ignore[arg-type]
    except ValueError:
        match = _DECIMAL.fullmatch(str(text))
        if match is None:
            raise
        return int(match[1])


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
    text = "\n".join(lines)
    if bad := illegal_characters(text):
        found = f"document {document.id!r} contains {', '.join(bad[:5])}"
        raise ArticleError(f"{found}, which XML forbids; remove it, or write BioC JSON")
    return text.encode("utf-8")


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


READER = Reader(split, parse, sniff)
WRITER = Joined(dumps, b"\n", opening, closing, header_losses)
