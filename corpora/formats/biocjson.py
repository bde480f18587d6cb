"""BioC JSON. The reader accepts many variants, JSON lines among them; the writer writes one collection."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from bioc import (
    BioCAnnotation,
    BioCDocument,
    BioCLocation,
    BioCNode,
    BioCPassage,
    BioCRelation,
    BioCSentence,
)

from corpora.errors import ArticleError, damage, shortened
from corpora.formats.format import Header, Joined, Parted, Reader
from corpora.formats.losses import extra_keys
from corpora.model.document import Holder
from corpora.parsing import JSON_MARKS, require_bounded
from corpora.parsing.json_documents import HOLDERS, JsonStream
from corpora.reporting import ElementPath, Report, describe

_NUMBER = re.compile(r" *-?[0-9]{1,18}(?:\.0*)? *")
# An object with a key, or an empty one; also in lists. Ids in PubTator and texts, such as those about the complex
# [[Cu(phen)2]Cl2], can begin with brackets as well.
_FIRST_VALUE = re.compile(rb"(?=[\[{])(?:\[\s*+)*+(?:\{\s*+(?:[\"}]|\Z)|\]\s*+(?:[],]|\Z)|\Z)")
SHORT = 1 << 15
"""Bytes of a file that is searched for the keys of BioC: metadata in JSON is common beside articles."""
_SHOWN = 8
"""Keys of another object in a message."""
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\Z)|[\[\]{}]', re.DOTALL)
"""A bracket or a string of JSON; a string that has no end reaches to the end."""
_OWN_ID = re.compile(rb'\s*:\s*(?:"([^"]{0,200})"|([0-9]{1,30}))')
_KEYS = re.compile(rb'"(?:documents|passages|PubTator3|text|annotations)"')


def sniff(head: bytes) -> bool:
    """Whether a file begins with a JSON object or list in UTF-8."""
    return _FIRST_VALUE.match(head) is not None


def is_other(head: bytes) -> bool:
    """Whether it is a whole small JSON file without the keys of BioC, such as the metadata of an article."""
    is_whole = len(head) < SHORT and head.rstrip().endswith((b"}", b"]"))
    return is_whole and b'"' in head and _KEYS.search(head) is None


# -- splitting ----------------------------------------------------------------------------------


def split(stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
    """The JSON text of each document in a collection, a list, a `PubTator3` wrapper or JSON lines.

    Fills `header` while it reads. Raises `InputError` where the JSON breaks off, after the documents before that
    place.
    """
    seen: set[str] = set()
    count = 0
    for text, other in JsonStream(stream).documents():
        if text is not None:
            count += 1
            yield text.encode("utf-8", "surrogateescape")
        if other is None:
            continue
        key, value = other
        if key in seen:
            stated = getattr(header, key) if key in ("source", "date", "key", "infons") else None
            if value and value != header.extra.get(key, stated):
                report(f"the file contains several collections, or {key!r} twice; the first value of {key!r} was kept")
        # JSON can store any value, so nothing is changed.
        elif key in ("source", "date", "key") and (value is None or isinstance(value, str)):
            setattr(header, key, value or "")
        elif key == "infons" and (value is None or isinstance(value, dict)):
            header.infons.update(value or {})
        elif key not in HOLDERS:
            header.extra[key] = value
        seen.add(key)
    if not count:
        report("the collection contains no document")


# -- reading one document -----------------------------------------------------------------------


def parse(raw: bytes, report: Report) -> BioCDocument:
    """Parse one document. Missing lists and nulls count as empty. Raises `ArticleError`."""
    require_bounded(raw, JSON_MARKS)
    try:
        value = json.loads(raw, strict=False)
    except RecursionError:
        raise ArticleError(f"{_called(raw)}: its JSON is nested too deeply to be a BioC document") from None
    except UnicodeDecodeError as error:
        raise ArticleError(
            f"{_called(raw)}: its byte {error.start}, 0x{raw[error.start]:02X}, is not UTF-8; save the file as UTF-8"
        ) from error
    except ValueError as error:
        # Broken JSON, or a number of more digits than Python reads.
        raise ArticleError(f"{_called(raw)}: its JSON is broken ({damage(error)}); correct it") from error
    if not isinstance(value, dict) or not isinstance(value.get("passages"), list):
        advice = ""
        if isinstance(value, dict) and value and "passages" not in value:
            # The keys of another object show its origin.
            keys = ", ".join(shortened(key, 30) for key in list(value)[:_SHOWN])
            advice = f", but it has the keys {keys}; convert it to a format that is read, or remove it"
        raise ArticleError(f'it is not a BioC document: a JSON object with a list of "passages" is needed{advice}')
    document = BioCDocument()
    document.id = _scalar(value, "id", (None, "document", "?"))
    place: ElementPath = (None, "document", document.id)
    document.infons = _infons(value, place)
    document.passages = [_filled(BioCPassage(), "passage", item, place) for item in _objects(value, "passages", place)]
    _common(document, value, place)
    return document


def _called(raw: bytes) -> str:
    """The document by its own id, which is no part of the objects in it."""
    depth = 0
    for token in _TOKEN.finditer(raw):
        depth += (token[0] in (b"{", b"[")) - (token[0] in (b"}", b"]"))
        if depth == 1 and token[0] == b'"id"' and (id := _OWN_ID.match(raw, token.end())):
            return f"document {(id[1] or id[2] or b'').decode('utf-8', 'replace')!r}"
    return "a document without id"


# These functions own the value that `json.loads` returned. They remove the keys that BioC defines; the rest is `extra`.


def _filled(holder: Holder, name: str, value: dict[str, Any], around: ElementPath) -> Holder:
    """The passage or the sentence (`name`) `holder`, with what the object contains."""
    holder.offset = _integer(value.pop("offset", None), around, f"offset of a {name}")
    place: ElementPath = (around, f"{name} at offset", holder.offset)
    holder.infons = _infons(value, place)
    holder.text = _text(value, place)
    if name == "passage":
        sentences = _objects(value, "sentences", place)
        holder.sentences = [_filled(BioCSentence(), "sentence", item, place) for item in sentences]
    _common(holder, value, place)
    return holder


def _common(holder: Holder, value: dict[str, Any], place: ElementPath) -> None:
    annotations = _objects(value, "annotations", place)
    holder.annotations = [_plain_annotation(item) or _annotation(item, place) for item in annotations]
    holder.relations = [_relation(item, place) for item in _objects(value, "relations", place)]
    if value:
        holder.extra = value


def _annotation(value: dict[str, Any], around: ElementPath) -> BioCAnnotation:
    annotation = BioCAnnotation()
    annotation.id = _scalar(value, "id", around)
    place: ElementPath = (around, "annotation", annotation.id)
    annotation.infons = _infons(value, place)
    annotation.text = _text(value, place)
    for item in _objects(value, "locations", place):
        start = _integer(item.pop("offset", None), place, "offset of a location")
        location = BioCLocation(start, _integer(item.pop("length", None), place, "length of a location"))
        if item:
            location.extra = item
        annotation.locations.append(location)
    if value:
        annotation.extra = value
    return annotation


def _plain_annotation(value: dict[str, Any]) -> BioCAnnotation | None:
    """An annotation that has the keys of BioC and no others, else None. A fast path: most of a file is annotations."""
    if len(value) != 4:
        return None
    try:
        id, infons, text, places = value["id"], value["infons"], value["text"], value["locations"]
    except KeyError:
        return None
    if type(id) is not str or type(text) is not str or type(infons) is not dict or type(places) is not list:
        return None
    annotation = BioCAnnotation()
    for place in places:
        if type(place) is not dict or len(place) != 2:
            return None
        start, length = place.get("offset"), place.get("length")
        if type(start) is not int or type(length) is not int:
            return None
        annotation.locations.append(BioCLocation(start, length))
    annotation.id, annotation.infons, annotation.text = id, infons, text
    return annotation


def _relation(value: dict[str, Any], around: ElementPath) -> BioCRelation:
    relation = BioCRelation()
    relation.id = _scalar(value, "id", around)
    place: ElementPath = (around, "relation", relation.id)
    relation.infons = _infons(value, place)
    for item in _objects(value, "nodes", place):
        node = BioCNode(_scalar(item, "refid", place), _scalar(item, "role", place))
        if item:
            node.extra = item
        relation.nodes.append(node)
    if value:
        relation.extra = value
    return relation


def _infons(value: dict[str, Any], place: ElementPath) -> dict[str, Any]:
    infons = value.pop("infons", None)
    if infons is None:
        return {}
    if not isinstance(infons, dict):
        raise ArticleError(f"{describe(place)}: its infons are not a JSON object; correct them")
    return infons


def _objects(value: dict[str, Any], key: str, place: ElementPath) -> Iterator[dict[str, Any]]:
    items = value.pop(key, None)
    if items is None:
        return
    if not isinstance(items, list):
        raise ArticleError(f"{describe(place)}: its {key} are not a JSON list; correct them")
    for item in items:
        if not isinstance(item, dict):
            raise ArticleError(f"{describe(place)}: a {key[:-1]} is {_short(item)}, not a JSON object; correct it")
        yield item


def _text(value: dict[str, Any], place: ElementPath) -> str:
    text = value.pop("text", None)
    if text is None:
        return ""
    if not isinstance(text, str):
        raise ArticleError(f"{describe(place)}: its text is {_short(text)}, not a string; correct it")
    return text


def _scalar(value: dict[str, Any], key: str, around: ElementPath) -> str:
    """An id as text. Many files have numbers as ids."""
    scalar = value.pop(key, None)
    if isinstance(scalar, str):
        return scalar
    if scalar is None:
        return ""
    if isinstance(scalar, (bool, list, dict)):
        raise ArticleError(f"{describe(around)}: one of its elements has the {key} {_short(scalar)}; write a string")
    return str(scalar)


def _integer(value: Any, around: ElementPath, what: str) -> int:
    if type(value) is int:
        return value
    try:
        # In a string, Python also reads 1_2, digits of other scripts, and numbers beside control characters.
        if isinstance(value, str) and not _NUMBER.fullmatch(value):
            raise ValueError
        number = int(value)
        if number == float(value) and not isinstance(value, bool):
            return number
    except (TypeError, ValueError, OverflowError):
        pass
    raise ArticleError(f"{describe(around)}: the {what} is {_short(value)}, which is not a whole number; correct it")


def _short(value: Any) -> str:
    return repr(value)[:40]


# -- writing ------------------------------------------------------------------------------------


def opening(header: Header) -> bytes:
    """Everything before the first document."""
    fields = {"source": header.source, "date": header.date, "key": header.key, "infons": header.infons}
    value = {**fields, **header.extra}
    try:
        text = _json(value, "the collection's header")
    except ArticleError:
        # The header contains a value such as NaN. An error in the header must not lose articles.
        text = _json(json.loads(json.dumps(value, default=str), parse_constant=str), "the collection's header")
    return text[:-1] + b', "documents": [\n'


def closing(header: Header) -> bytes:
    """Everything after the last document."""
    return b"\n]}\n"


def dumps(document: BioCDocument, report: Report) -> bytes:
    """One document on one line, in UTF-8. Raises `ArticleError` for values that JSON cannot store."""
    value = {
        "id": document.id,
        "infons": document.infons,
        "passages": [_text_value(passage) for passage in document.passages],
    }
    return _json(_with_common(value, document), f"document {document.id!r}")


def _json(value: dict[str, Any], what: str) -> bytes:
    try:
        # Without this check, a value that contains itself raises RecursionError, which is handled as well.
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, check_circular=False)
    except (ValueError, TypeError, RecursionError) as error:
        raise ArticleError(f"{what} contains a value that JSON cannot store ({error}); correct its infons") from error
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        # JSON can store a lone surrogate only as an escape.
        return json.dumps(value, ensure_ascii=True, allow_nan=False).encode("ascii")


def _text_value(holder: BioCPassage | BioCSentence) -> dict[str, Any]:
    value = {"offset": holder.offset, "infons": holder.infons, "text": holder.text or ""}
    if isinstance(holder, BioCPassage):
        value["sentences"] = [_text_value(sentence) for sentence in holder.sentences]
    return _with_common(value, holder)


def _with_common(value: dict[str, Any], holder: Holder) -> dict[str, Any]:
    value["annotations"] = []
    for annotation in holder.annotations:
        places = [
            # Most of a file is locations: a function call for each one is too slow.
            {"offset": place.offset, "length": place.length, **(vars(place).get("extra") or {})}
            for place in annotation.locations
        ]
        one = {"id": annotation.id, "infons": annotation.infons, "text": annotation.text, "locations": places}
        value["annotations"].append(_with_extra(one, annotation))
    value["relations"] = []
    for relation in holder.relations:
        nodes = [_with_extra({"refid": node.refid, "role": node.role}, node) for node in relation.nodes]
        one = {"id": relation.id, "infons": relation.infons, "nodes": nodes}
        value["relations"].append(_with_extra(one, relation))
    return _with_extra(value, holder)


def _with_extra(value: dict[str, Any], holder: Any) -> dict[str, Any]:
    value.update(extra_keys(holder))
    return value


READER = Reader(split, parse, sniff, is_other)
WRITER = Joined(dumps, b",\n", opening, closing, header_losses=lambda header, report: None)

# JSON lines: one document a line, without header. Their content is detected as BioC JSON.
LINES_READER = Reader(split, parse)
LINES_WRITER = Joined(dumps, b"\n", closing=lambda header: b"\n")
LINES_IN_PARTS = Parted(
    dumps, ("",), ".jsonl", lambda articles, streams: LINES_WRITER.write(articles, Header(), streams[0])
)
