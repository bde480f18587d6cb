"""BioC JSON, as one collection or as JSON lines: read tolerantly, written strictly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO, TypeAlias

from bioc import (
    BioCAnnotation,
    BioCDocument,
    BioCLocation,
    BioCNode,
    BioCPassage,
    BioCRelation,
    BioCSentence,
)

from corpora.errors import ArticleError
from corpora.header import Header
from corpora.jsonstream import JsonStream
from corpora.losses import extra_keys
from corpora.report import Report

__all__ = ["SEPARATOR", "SUFFIX", "closing", "dumps", "opening", "parse", "split"]

SUFFIX = ".json"
SEPARATOR = b",\n"

Holder: TypeAlias = BioCDocument | BioCPassage | BioCSentence


# -- splitting ----------------------------------------------------------------------------------


def split(stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
    """The JSON text of each document in a collection, a list, a `PubTator3` wrapper or JSON lines.

    `header` is filled while the file is read. Raises `InputError` where the JSON breaks off, after
    the documents before that place.
    """
    seen: set[str] = set()
    for text, other in JsonStream(stream).documents():
        if text is not None:
            yield text.encode("utf-8")
        elif other is not None:
            _take(header, *other, seen, report)


def _take(header: Header, key: str, value: Any, seen: set[str], report: Report) -> None:
    if key in seen:
        if value and value != _header_value(header, key):
            report(f"the file holds several collections; the {key!r} of the first one was kept")
        return
    seen.add(key)
    if key in ("source", "date", "key"):
        setattr(header, key, str(value or ""))
    elif key == "infons":
        header.infons.update(value or {})
    else:
        header.extra[key] = value


def _header_value(header: Header, key: str) -> Any:
    return getattr(header, key) if key in ("source", "date", "key", "infons") else header.extra.get(key)


# -- reading one document -----------------------------------------------------------------------


def parse(raw: bytes, report: Report) -> BioCDocument:
    """Read one document. Raises `ArticleError`; missing lists and nulls count as empty."""
    try:
        value = json.loads(raw, strict=False)
    except json.JSONDecodeError as error:
        raise ArticleError(f"its JSON is broken ({error.msg}, character {error.pos}); mend it") from error
    except RecursionError:
        raise ArticleError("its JSON is nested too deeply to be a BioC document; look at it") from None
    if not isinstance(value, dict) or not isinstance(value.get("passages"), list):
        raise ArticleError('it is no BioC document: a JSON object with a list of "passages" is needed')
    rest = dict(value)
    document = BioCDocument()
    document.id = _string(rest.pop("id", ""))
    where = f"document {document.id!r}"
    document.infons = _infons(rest, where)
    document.passages = [_passage(item, where) for item in _list(rest, "passages", where)]
    _common(document, rest, where)
    return document


def _passage(value: Any, where: str) -> BioCPassage:
    rest = _object(value, f"{where}, passage")
    passage = BioCPassage()
    passage.offset = _integer(rest.pop("offset", None), f"{where}: the offset of a passage")
    where = f"{where}, passage at offset {passage.offset}"
    passage.infons = _infons(rest, where)
    passage.text = _string(rest.pop("text", ""))
    passage.sentences = [_sentence(item, where) for item in _list(rest, "sentences", where)]
    _common(passage, rest, where)
    return passage


def _sentence(value: Any, where: str) -> BioCSentence:
    rest = _object(value, f"{where}, sentence")
    sentence = BioCSentence()
    sentence.offset = _integer(rest.pop("offset", None), f"{where}: the offset of a sentence")
    sentence.infons = _infons(rest, where)
    sentence.text = _string(rest.pop("text", ""))
    _common(sentence, rest, f"{where}, sentence at offset {sentence.offset}")
    return sentence


def _common(holder: Holder, rest: dict[str, Any], where: str) -> None:
    holder.annotations = [_annotation(item, where) for item in _list(rest, "annotations", where)]
    holder.relations = [_relation(item, where) for item in _list(rest, "relations", where)]
    _keep_extra(holder, rest)


def _annotation(value: Any, where: str) -> BioCAnnotation:
    rest = _object(value, f"{where}, annotation")
    annotation = BioCAnnotation()
    annotation.id = _string(rest.pop("id", ""))
    where = f"{where}, annotation {annotation.id!r}"
    annotation.infons = _infons(rest, where)
    annotation.text = _string(rest.pop("text", ""))
    for item in _list(rest, "locations", where):
        place = _object(item, f"{where}, location")
        start = _integer(place.get("offset"), f"{where}: the offset of a location")
        length = _integer(place.get("length"), f"{where}: the length of a location")
        annotation.locations.append(BioCLocation(start, length))
    _keep_extra(annotation, rest)
    return annotation


def _relation(value: Any, where: str) -> BioCRelation:
    rest = _object(value, f"{where}, relation")
    relation = BioCRelation()
    relation.id = _string(rest.pop("id", ""))
    where = f"{where}, relation {relation.id!r}"
    relation.infons = _infons(rest, where)
    for item in _list(rest, "nodes", where):
        node = _object(item, f"{where}, node")
        relation.nodes.append(BioCNode(_string(node.get("refid")), _string(node.get("role"))))
    _keep_extra(relation, rest)
    return relation


def _keep_extra(holder: Any, rest: dict[str, Any]) -> None:
    if rest:
        holder.extra = rest


def _infons(rest: dict[str, Any], where: str) -> dict[str, Any]:
    value = rest.pop("infons", None)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ArticleError(f"{where}: its infons are no JSON object; mend them")
    return value


def _list(rest: dict[str, Any], key: str, where: str) -> list[Any]:
    value = rest.pop(key, None)
    if value is None:
        return []
    if not isinstance(value, list):
        raise ArticleError(f"{where}: its {key} are no JSON list; mend them")
    return value


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ArticleError(f"{where}: a JSON object is needed, not {str(value)[:40]!r}; mend it")
    return dict(value)


def _string(value: Any) -> str:
    return "" if value is None else str(value)


def _integer(value: Any, what: str) -> int:
    try:
        number = int(value)
        if number == float(value):
            return number
    except (TypeError, ValueError, OverflowError):
        pass
    raise ArticleError(f"{what} is {value!r}, which is no whole number; mend it")


# -- writing ------------------------------------------------------------------------------------


def opening(header: Header) -> bytes:
    """Everything before the first document."""
    own = {"source": header.source, "date": header.date, "key": header.key, "infons": header.infons}
    text = _json({**own, **header.extra}, "the collection's header")
    return text[:-1] + b', "documents": [\n'


def closing(header: Header) -> bytes:
    """Everything after the last document."""
    return b"\n]}\n"


def dumps(document: BioCDocument, report: Report) -> bytes:
    """One document on one line, in UTF-8. Raises `ArticleError` for numbers that JSON does not know."""
    value = {
        "id": document.id,
        "infons": document.infons,
        "passages": [_passage_value(passage) for passage in document.passages],
        **_common_value(document),
    }
    return _json(value, f"document {document.id!r}")


def _json(value: dict[str, Any], what: str) -> bytes:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        raise ArticleError(f"{what} holds a number that JSON cannot ({error}); mend its infons") from error
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        # A lone surrogate: JSON can say it, but only as an escape.
        return json.dumps(value, ensure_ascii=True, allow_nan=False).encode("ascii")


def _passage_value(passage: BioCPassage) -> dict[str, Any]:
    return {
        "offset": passage.offset,
        "infons": passage.infons,
        "text": passage.text or "",
        "sentences": [_sentence_value(sentence) for sentence in passage.sentences],
        **_common_value(passage),
    }


def _sentence_value(sentence: BioCSentence) -> dict[str, Any]:
    return {
        "offset": sentence.offset,
        "infons": sentence.infons,
        "text": sentence.text or "",
        **_common_value(sentence),
    }


def _common_value(holder: Holder) -> dict[str, Any]:
    return {
        "annotations": [_annotation_value(annotation) for annotation in holder.annotations],
        "relations": [_relation_value(relation) for relation in holder.relations],
        **extra_keys(holder),
    }


def _annotation_value(annotation: BioCAnnotation) -> dict[str, Any]:
    return {
        "id": annotation.id,
        "infons": annotation.infons,
        "text": annotation.text,
        "locations": [{"offset": place.offset, "length": place.length} for place in annotation.locations],
        **extra_keys(annotation),
    }


def _relation_value(relation: BioCRelation) -> dict[str, Any]:
    return {
        "id": relation.id,
        "infons": relation.infons,
        "nodes": [{"refid": node.refid, "role": node.role} for node in relation.nodes],
        **extra_keys(relation),
    }
