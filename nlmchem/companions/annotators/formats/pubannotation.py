"""PubAnnotation: JSON of articles with denotations, one object or a list of them.

    {"sourcedb": "PubMed", "sourceid": "123", "text": "Zinc ...",
     "denotations": [{"id": "T1", "span": {"begin": 0, "end": 4}, "obj": "Chemical"}],
     "attributes": [{"id": "A1", "subj": "T1", "pred": "identifier", "obj": "MESH:D015032"}]}

Offsets count code points of `text`. `obj` is a type, or the identifier of a concept. `divisions` are the passages.
`tracks` are the annotations of several projects. Relations between denotations are read and written; other keys, such
as `blocks` and `namespaces`, are reported.

Source: https://www.pubannotation.org/docs/annotation-format/
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bioc import BioCDocument, BioCNode, BioCPassage, BioCRelation

from corpora.errors import DAMAGE, ArticleError, damage, shortened
from corpora.formats.biocjson import split
from corpora.formats.format import Joined, Reader
from corpora.formats.losses import Losses, encoded
from corpora.model.chemical import CHEMICAL
from corpora.model.document import Mention, Span, add_mention, every_annotation, mentions, set_identifiers
from corpora.model.mesh_ids import canonical, mesh_id
from corpora.model.metadata import article_ids
from corpora.model.passages import passage_text, section_type
from corpora.parsing import JSON_MARKS, require_bounded
from corpora.reporting import Report

_HEAD = re.compile(rb'"(?:denotations|sourcedb)"\s*:')
_IDENTIFIER_KEYS = frozenset(
    {"identifier", "id", "mesh", "mesh_id", "concept", "concept_id", "kb_id", "xref", "reference"}
)
"""Predicates of attributes that are identifiers, in lower case."""
_CURIE = re.compile(r"[A-Za-z][\w.-]*:[\w.-]*\d[\w.-]*|https?://\S+")
_DATABASES = {"pmc": "pmc", "pubmed": "pmid", "pmid": "pmid", "doi": "doi"}
_READ = frozenset(
    "target sourcedb sourceid source_url divid section text project denotations attributes relations tracks "  # noqa: SIM905
    "divisions id".split()
)
"""Keys that are read. Others are reported."""

Value = Mapping[str, Any]


def sniff(head: bytes) -> bool:
    """Whether a file begins with JSON that has the keys of PubAnnotation."""
    return head.lstrip()[:1] in (b"{", b"[") and _HEAD.search(head) is not None


def parse(raw: bytes, report: Report) -> BioCDocument:
    """Parse one article. Raises `ArticleError`."""
    require_bounded(raw, JSON_MARKS)
    try:
        value = json.loads(raw, strict=False)
        if not isinstance(value, dict) or not isinstance(value.get("text"), str):
            raise ArticleError('it is not of PubAnnotation: an object with "text" is needed; get the whole annotation')
        document = _article(value)
        for track in (value, *value.get("tracks", ())):
            _annotate(document, track, report)
    except DAMAGE as error:
        raise ArticleError(f"its JSON is not that of PubAnnotation ({damage(error)}); correct it") from error
    left = sorted(key for key, given in value.items() if key not in _READ and given)
    if left:
        report(f"document {document.id!r}: not read: {shortened(', '.join(left))}")
    return document


def _article(value: Value) -> BioCDocument:
    document = BioCDocument()
    database, number = str(value.get("sourcedb") or ""), str(value.get("sourceid") or "")
    part = value.get("divid")
    document.id = number if part is None else f"{number}-{part}"
    kind = _DATABASES.get(database.lower())
    if kind is not None and number:
        document.infons[f"article-id_{kind}"] = number.removeprefix("PMC") if kind == "pmc" else number
    for (start, end), section in _divisions(value):
        passage = BioCPassage()
        passage.offset, passage.text = start, value["text"][start:end]
        if section:
            passage.infons["type"] = section
        document.add_passage(passage)
    return document


def _divisions(value: Value) -> Iterator[tuple[Span, str]]:
    """The spans of the passages and their labels. Text outside of divisions is in passages of its own."""
    text, reached = value["text"], 0
    given = sorted(value.get("divisions") or (), key=lambda item: int(item["span"]["begin"]))
    for item in given:
        start, end = int(item["span"]["begin"]), int(item["span"]["end"])
        if not reached <= start < end <= len(text):
            # Divisions may be nested: an outer one has no text of its own then.
            continue
        if text[reached:start].strip():
            yield (reached, start), ""
        yield (start, end), str(item.get("label") or "")
        reached = end
    if reached == 0 or text[reached:].strip():
        yield (reached, len(text)), str(value.get("section") or "") if reached == 0 else ""


def _annotate(document: BioCDocument, track: Value, report: Report) -> None:
    """Add the denotations, attributes and relations of an article or of one of its tracks."""
    project = str(track["project"]) if track.get("project") else None
    taken = {annotation.id for annotation, _ in every_annotation(document)}
    known: dict[str, Mention] = {}
    for number, denotation in enumerate(track.get("denotations") or (), 1):
        id = str(denotation.get("id") or f"T{number}")
        span = denotation["span"]
        parts = span if isinstance(span, Sequence) else [span]
        spans: list[Span] = [(int(part["begin"]), int(part["end"])) for part in parts]
        passage = next((p for p in document.passages if _holds(p, spans)), None)
        if passage is None:
            report(
                f"document {document.id!r}: the denotation {id!r} at {spans[0][0]} to {spans[-1][1]} is not inside one "
                "passage of the text, and is left out; correct its span"
            )
            continue
        # It states a type or an identifier.
        type = obj = str(denotation.get("obj") or CHEMICAL)
        if is_concept := bool(mesh_id(obj) or _CURIE.fullmatch(obj)):
            type = CHEMICAL
        unique = f"{project}:{id}" if id in taken and project else id
        mention = add_mention(passage, spans, id=unique, annotator=project, type=type)
        if is_concept:
            set_identifiers(mention, canonical(obj))
        known[id] = mention
    for attribute in track.get("attributes") or ():
        subject = known.get(str(attribute.get("subj")))
        if subject is not None and str(attribute.get("pred")).lower() in _IDENTIFIER_KEYS:
            set_identifiers(subject, (*subject.identifiers, *canonical(str(attribute.get("obj") or ""))))
        elif subject is not None:
            subject.annotation.infons[str(attribute.get("pred"))] = str(attribute.get("obj"))
    for relation in track.get("relations") or ():
        ends = [(known.get(str(relation.get(role))), role) for role in ("subj", "obj")]
        nodes = [BioCNode(mention.annotation.id, role) for mention, role in ends if mention is not None]
        if len(nodes) < 2:
            report(
                f"document {document.id!r}: the relation {relation.get('id')!r} has an end that is no denotation; left "
                "out"
            )
            continue
        made = BioCRelation()
        made.id = str(relation.get("id") or f"R{len(document.relations) + 1}")
        made.infons, made.nodes = {"type": str(relation.get("pred") or "relation")}, nodes
        document.add_relation(made)


def _holds(passage: BioCPassage, spans: Sequence[Span]) -> bool:
    end = passage.offset + len(passage.text)
    return all(passage.offset <= start < stop <= end for start, stop in spans)


# -- writing ------------------------------------------------------------------------------------


_STORED = frozenset({"type", "article-id_pmc", "article-id_pmid"})
"""The infons of documents and passages that have a place."""


def dumps(document: BioCDocument, report: Report) -> bytes:
    """One article as a JSON object; reports what the format cannot store. Raises `ArticleError`."""
    losses = Losses()
    text, divisions = _text(document)
    denotations: list[dict[str, Any]] = []
    attributes: list[dict[str, str]] = []
    for mention in mentions(document, None):
        id = str(mention.annotation.id or f"T{len(denotations) + 1}")
        spans = [{"begin": start, "end": end} for start, end in mention.spans]
        denotations.append({"id": id, "span": spans[0] if len(spans) == 1 else spans, "obj": mention.type or CHEMICAL})
        attributes += [
            {"id": f"A{len(attributes) + 1 + at}", "subj": id, "pred": "identifier", "obj": identifier}
            for at, identifier in enumerate(mention.identifiers)
        ]
        losses.add("further infons of mentions", len(mention.annotation.infons.keys() - {"type", "identifier"}))
        losses.add("marks of mentions without a concept (-)", mention.sought and not mention.identifiers)
        there = " ".join(text[start:end] for start, end in mention.spans)
        losses.add("texts of mentions that are not at their offsets", mention.text not in ("", there))
    for annotation, passage in every_annotation(document):
        losses.add("annotations without location", not annotation.locations)
        losses.add("annotations of the document", bool(annotation.locations) and passage is None)
    losses.around(document, stored=_STORED)
    losses.add("empty passages", len(document.passages) - len(divisions))
    relations = list(_relations(document, losses))
    losses.report(report, "PubAnnotation")
    ids = article_ids(document)
    databases = {"pmc": "PMC", "pmid": "PubMed", "doi": "DOI"}
    of_id = ((database, ids[key].removeprefix("PMC")) for key, database in databases.items() if key in ids)
    database, number = next(of_id, ("nlmchem", str(document.id)))
    value = {
        "sourcedb": database, "sourceid": number, "text": text, "divisions": divisions, "denotations": denotations,
        "attributes": attributes, "relations": relations,
    }  # fmt: skip
    return encoded(json.dumps(value, ensure_ascii=False), document)


def _text(document: BioCDocument) -> tuple[str, list[dict[str, Any]]]:
    """The text of an article, in which document offsets count, and the divisions of its passages."""
    pieces: list[str] = []
    divisions = []
    reached = 0
    for passage in sorted(document.passages, key=lambda passage: passage.offset):
        text = passage_text(passage)
        if passage.offset < reached:
            raise ArticleError(
                f"the passage at offset {passage.offset} of document {document.id!r} overlaps the one before it; "
                "correct the offsets"
            )
        pieces += ["\n" * (passage.offset - reached), text]
        reached = passage.offset + len(text)
        if text:
            label = str(passage.infons.get("type") or section_type(passage) or "text")
            divisions.append({"span": {"begin": passage.offset, "end": reached}, "label": label})
    return "".join(pieces), divisions


def _relations(document: BioCDocument, losses: Losses) -> Iterator[dict[str, str]]:
    located = {annotation.id for annotation, _ in every_annotation(document) if annotation.locations}
    holders = [document, *document.passages, *(s for passage in document.passages for s in passage.sentences)]
    for holder in holders:
        for relation in holder.relations:
            ends = [node.refid for node in relation.nodes]
            if len(ends) != 2 or not located.issuperset(ends):
                losses.add("relations that do not join two mentions")
                continue
            kind = str(relation.infons.get("type") or "relation")
            yield {"id": str(relation.id), "subj": ends[0], "pred": kind, "obj": ends[1]}


READER = Reader(split, parse, sniff)
WRITER = Joined(dumps, b",\n", lambda header: b"[\n", lambda header: b"\n]\n")
