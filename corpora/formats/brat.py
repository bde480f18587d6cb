"""brat standoff: for each article a text file, `NAME.txt`, and a file with its annotations, `NAME.ann`.

The shared tasks of BioNLP have the same lines in two files, `NAME.a1` and `NAME.a2`. They are read as well.

The lines of an annotation file are:

    T1<TAB>Chemical 0 4;10 15<TAB>text    a mention: type, spans in code points of the text file, the text of the spans
    N1<TAB>Reference T1 MESH:D015032<TAB>Zinc    a concept of T1 with its name
    R1<TAB>ABBR ShortForm:T2 LongForm:T3    a relation of two mentions

    #1<TAB>AnnotatorNotes T1<TAB>candidates: ...    what a curator should see of T1; not read

Source: https://brat.nlplab.org/standoff.html. Other lines (events, attributes, notes) are reported and left out.

Each passage is one line of the text file, and a line break inside a passage is written as a blank. When a text file
is read, each line is a passage, unless a mention continues in the next line.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import ChainMap
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain

from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCNode, BioCPassage, BioCRelation

from corpora.errors import ArticleError, InputError, shortened
from corpora.formats.format import Folder, Reader, file_name
from corpora.formats.losses import Losses, encoded
from corpora.formats.text import split
from corpora.model.document import ABBREVIATION, Evidence, Mention, Span, every_annotation, holders_of, set_identifiers
from corpora.model.mention_infons import candidates_of
from corpora.model.passages import PassageSearch, passage_text
from corpora.reporting import Report
from corpora.storage import standoff
from corpora.words.quantities import quantity

TITLE = "brat"
REFERENCE = "Reference"
"""The relation of brat between a mention and an entry of a database."""

_ANNOTATION = re.compile(rb"[TRN]\d+\t\S+ \S+")
_BREAK = re.compile(r"[\n\r]")
_COLUMN = re.compile(r"[\t\n\r]")
_ESCAPED = re.compile(r"%([0-9A-F]{2})")
_BLANKS = re.compile(r"\s+")
_CONCEPT = re.compile(r"[^\s:]+:\S+")
_MENTION = re.compile(r"(\S+) (\d{1,15} \d{1,15}(?:;\d{1,15} \d{1,15})*)")
_NORMALIZATION = re.compile(r"\S+ (T\d+) ([^\s:]+:\S+)")
_MOST_BYTES = 4
"""Of a code point in UTF-8."""
_FOR_CURATORS = "candidates: "
"""The beginning of the notes that are written."""
_RELATION = re.compile(r"(\S+)((?: [^\s:]+:T\d+)+)\s*")


# -- reading ------------------------------------------------------------------------------------


def sniff(head: bytes) -> bool:
    """Whether a file is a text with its annotations. Raises `InputError` for annotations without their text."""
    if head.startswith(standoff.MARK):
        return True
    if _ANNOTATION.match(head):
        raise InputError(
            "it contains annotations of brat without their text; "
            "put the text, NAME.txt, beside NAME.ann or NAME.a1 in a folder, and unpack archives"
        )
    return False


def parse(raw: bytes, report: Report) -> BioCDocument:
    """One article, as `corpora.storage.standoff` joins its files. Its id is the file name. Raises `ArticleError`.

    Passages have no section. Mentions keep the numbers of their T lines as ids.
    """
    try:
        name, text_bytes, annotation_bytes = standoff.parted(raw)
    except ValueError as error:
        raise ArticleError(
            "it begins like a text that nlmchem joined with its annotations, but is none; remove it"
        ) from error
    text = _decoded(text_bytes, "text")
    lines = _Lines(_decoded(annotation_bytes, "annotations"), text)
    document = BioCDocument()
    document.id = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), name)
    document.passages = _passages(text, lines.placed)
    starts = [passage.offset for passage in document.passages]
    holders: dict[str, BioCPassage] = {}
    for annotation in lines.mentions.values():
        start = min(place.offset for place in annotation.locations)
        holders[annotation.id] = document.passages[max(0, bisect_right(starts, start) - 1)]
        holders[annotation.id].add_annotation(annotation)
    for id, (identifiers, names) in lines.concepts.items():
        mention = Mention(lines.mentions[id], holders[id])
        # Without a name of its own, a concept is written with the text of its mention.
        matched = names[0] if len(set(names)) == 1 and names[0] != _line(mention.text) else ""
        set_identifiers(mention, identifiers, Evidence(matched_name=matched or None))
    for relation in lines.relations:
        homes = {holders[node.refid].offset for node in relation.nodes}
        (holders[relation.nodes[0].refid] if len(homes) == 1 else document).add_relation(relation)
    if lines.others:
        count = quantity(lines.others, "annotation line")
        report(f"left out: {count} with other content than mentions, their concepts and their relations")
    if lines.dangling:
        count = quantity(len(lines.dangling), "concept or relation", "concepts or relations")
        listed = shortened(", ".join(lines.dangling))
        report(f"left out: {count} of mentions that the file does not have ({listed}); correct the ids")
    return document


def _decoded(content: bytes, what: str) -> str:
    """The text of a file, with LF in place of CR where CR alone ends its lines."""
    try:
        text = content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise ArticleError(f"byte {error.start} of its {what} is not UTF-8; save the file as UTF-8") from error
    return text if "\n" in text else text.replace("\r", "\n")


class _Lines:
    def __init__(self, content: str, text: str) -> None:
        self._text = text
        self.mentions: dict[str, BioCAnnotation] = {}
        self.placed: list[BioCAnnotation] = []
        """Mentions whose text is at their offsets: only these can connect two lines."""
        self.concepts: dict[str, tuple[list[str], list[str]]] = {}
        """Identifiers and names of a mention, by its id."""
        self.relations: list[BioCRelation] = []
        self.others = 0
        self.dangling: list[str] = []
        # Only \n ends a line: the text of a mention may contain U+2028 and the like.
        lines = (line.removesuffix("\r") for line in content.split("\n"))
        rows = [line.split("\t") for line in lines if line.strip()]
        # Lines may refer to mentions in later lines.
        for id, *columns in sorted(rows, key=lambda row: not row[0].startswith("T")):
            body, third = (*columns, "", "")[:2]
            if id.startswith("T"):
                self._add_mention(id, body, third)
            elif id.startswith("N"):
                self._add_concept(id, body, third)
            elif id.startswith("R"):
                self._add_relation(id, body)
            elif not (id.startswith("#") and third.startswith(_FOR_CURATORS)):
                self.others += 1

    def _add_mention(self, id: str, body: str, stated: str) -> None:
        match = _MENTION.fullmatch(body.rstrip())
        places = [tuple(map(int, pair.split())) for pair in match[2].split(";")] if match else []
        # A span behind the text can count another unit than code points: `corpora.model.invariant` corrects it.
        limit = _MOST_BYTES * len(self._text)
        if match is None or not all(start < end <= limit for start, end in places):
            has = f"the line {shortened(id)} has {shortened(body)!r}"
            raise ArticleError(f"{has} where a type and spans in the text are expected; correct it")
        if id in self.mentions:
            raise ArticleError(f"two lines have the id {shortened(id)}; give one of them another id")
        annotation = BioCAnnotation()
        annotation.id, annotation.infons = id, {"type": match[1]}
        annotation.locations = [BioCLocation(start, end - start) for start, end in places]
        text = " ".join(self._text[start:end] for start, end in places)
        # A text that differs from its offsets is kept: `corpora.model.invariant.check` reports it.
        is_placed = _line(text).rstrip() == stated.rstrip()
        annotation.text = text if is_placed else stated
        self.placed += [annotation] if is_placed else []
        self.mentions[id] = annotation

    def _add_concept(self, id: str, body: str, name: str) -> None:
        match = _NORMALIZATION.fullmatch(body)
        if match is None or match[1] not in self.mentions:
            self._leave_out(id, () if match is None else (match[1],))
            return
        identifiers, names = self.concepts.setdefault(match[1], ([], []))
        identifiers.append(match[2])
        names.append(name)

    def _add_relation(self, id: str, body: str) -> None:
        match = _RELATION.fullmatch(body)
        nodes = [part.split(":") for part in match[2].split()] if match else []
        if match is None or len(nodes) < 2 or not all(mention in self.mentions for _, mention in nodes):
            self._leave_out(id, [mention for _, mention in nodes] if len(nodes) > 1 else ())
            return
        relation = BioCRelation()
        relation.id, relation.infons = id, {"type": match[1]}
        relation.nodes = [BioCNode(mention, role) for role, mention in nodes]
        self.relations.append(relation)
        for node in relation.nodes if match[1] == ABBREVIATION else ():
            self.mentions[node.refid].infons[ABBREVIATION] = node.role

    def _leave_out(self, id: str, mentions: Collection[str]) -> None:
        """Count a line: one of mentions, or one with other content, such as the relation of an event."""
        if mentions and all(mention.startswith("T") for mention in mentions):
            self.dangling.append(id)
        else:
            self.others += 1


def _passages(text: str, annotations: Iterable[BioCAnnotation]) -> list[BioCPassage]:
    """A passage for each line that is not empty. Lines that a mention connects are one passage."""
    breaks = [match.start() for match in re.finditer("\n", text)]
    connected: set[int] = set()
    for annotation in annotations:
        start = min(place.offset for place in annotation.locations)
        end = max(place.offset + place.length for place in annotation.locations)
        connected.update(breaks[bisect_left(breaks, start) : bisect_left(breaks, end)])
    passages: list[BioCPassage] = []
    start = 0
    for end in [*(place for place in breaks if place not in connected), len(text)]:
        line = text[start:end].removesuffix("\r")
        if line:
            passages.append(BioCPassage.of_text(line, start))
        start = end + 1
    passages = passages or [BioCPassage.of_text("", 0)]
    for position, passage in enumerate(passages):
        passage.infons = {"type": _type(position)}
    return passages


def _type(position: int) -> str:
    """The infon `type` of a passage that is read."""
    return "paragraph" if position else "front"


# -- writing ------------------------------------------------------------------------------------


def dumps(document: BioCDocument, report: Report) -> bytes:
    """One article, as `corpora.storage.standoff` joins its files. Reports what it leaves out or changes.

    Raises `ArticleError` for text that UTF-8 cannot store.
    """
    writer = _DocumentWriter(document)
    annotations = "".join(f"{line}\n" for line in writer.lines())
    writer.lost.report(report, TITLE)
    writer.changed.report_changes(report, TITLE)
    content = encoded(writer.text, document), encoded(annotations, document)
    return standoff.joined(file_name(str(document.id)), *content)


def files(article: bytes) -> tuple[str, dict[str, bytes]]:
    """The name and the two files of an article, from what `dumps` returned."""
    name, text, annotations = standoff.parted(article)
    return name, {standoff.TEXT: text, standoff.ANNOTATIONS: annotations}


class _DocumentWriter:
    """Writes one document and counts what it leaves out (`lost`) and what it changes (`changed`)."""

    def __init__(self, document: BioCDocument) -> None:
        self.lost, self.changed = Losses(), Losses()
        self._document = document
        self._texts = [passage_text(passage) for passage in document.passages]
        self._positions = {id(passage): position for position, passage in enumerate(document.passages)}
        offsets = (passage.offset for passage in document.passages)
        self._search = PassageSearch(list(zip(offsets, self._texts, strict=True)))
        self._starts: list[int] = []
        """Where each passage begins in the text file."""
        reached = 0
        for position, (passage, text) in enumerate(zip(document.passages, self._texts, strict=True)):
            self._starts.append(reached)
            self.changed.add("passages that begin at another offset", passage.offset != reached)
            reached += len(text) + 1
            self.changed.add("line breaks (written as blanks)", len(_BREAK.findall(text)))
            self.lost.add("empty passages", not text)
            self.lost.add("sentences", len(passage.sentences))
            expected = passage.infons.get("type") == _type(position)
            self.lost.add("infons of passages", len(passage.infons) - expected)
            self.lost.extra(passage)
        self.lost.add("infons of the document", len(document.infons))
        self.lost.extra(document)
        self.text = "".join(f"{_BREAK.sub(' ', text)}\n" for text in self._texts)
        self._ids: dict[int, str] = {}
        self._related: set[str] = set()

    def lines(self) -> Iterator[str]:
        mentions: list[Mention] = []
        for annotation, passage in every_annotation(self._document):
            self.lost.extra(annotation)
            spans = self._spans(annotation, passage)
            if spans:
                self._ids[id(annotation)] = f"T{len(mentions) + 1}"
                mention = Mention(annotation, passage or BioCPassage())
                mentions.append(mention)
                places = ";".join(f"{start} {end}" for start, end in spans)
                text = " ".join(self.text[start:end] for start, end in spans)
                is_other = text != _BREAK.sub(" ", mention.text)
                self.changed.add("mentions with another text than at their offsets", is_other)
                yield f"T{len(mentions)}\t{self._name(mention.type, 'types')} {places}\t{_line(text)}"
        noted = [(mention, candidates) for mention in mentions if (candidates := candidates_of(mention))]
        for number, (mention, candidates) in enumerate(noted, 1):
            score = mention.evidence.score
            note = f"{_FOR_CURATORS}{candidates}{'' if score is None else f' | score of the mention: {score:.2f}'}"
            yield f"#{number}\tAnnotatorNotes {self._ids[id(mention.annotation)]}\t{_line(note)}"
        number = 0
        for mention in mentions:
            for identifier in mention.identifiers:
                if _CONCEPT.fullmatch(identifier):
                    number += 1
                    name = mention.evidence.matched_name or mention.text
                    yield f"N{number}\t{REFERENCE} {self._ids[id(mention.annotation)]} {identifier}\t{_line(name)}"
                else:
                    self.lost.add("identifiers that are not DATABASE:ID")
            self.lost.add("marks of mentions without a concept (-)", mention.sought and not mention.identifiers)
        yield from self._relation_lines()
        for mention in mentions:
            related = self._ids[id(mention.annotation)] in self._related
            stored = {"type", ABBREVIATION} if related else {"type"}
            names = bool(mention.identifiers and mention.evidence.matched_name) + mention.sought
            names += bool(candidates_of(mention))
            self.lost.add("infons of mentions", len(mention.annotation.infons.keys() - stored) - names)

    def _spans(self, annotation: BioCAnnotation, passage: BioCPassage | None) -> list[Span]:
        """The spans of an annotation in the text file; empty for an annotation that is left out."""
        if not annotation.locations:
            self.lost.add("annotations without location (index terms)")
            return []
        # The passage of the annotation first: offsets of passages may overlap.
        first = () if passage is None else (self._positions[id(passage)],)
        spans: list[Span] = []
        for place in annotation.locations:
            around = self._search.around(place.offset, place.offset + place.length)
            for position in chain(first, around) if place.length > 0 else ():
                start = place.offset - self._document.passages[position].offset
                if start >= 0 and start + place.length <= len(self._texts[position]):
                    begin = self._starts[position] + start
                    spans.append((begin, begin + place.length))
                    break
            else:
                self.lost.add("mentions outside the text")
                return []
        return spans

    def _name(self, value: str, kind: str) -> str:
        """A type or role, which cannot be empty or contain blanks or colons."""
        name = _name(value) or "Unknown"
        self.changed.add(f"{kind} that are empty or contain blanks or colons", name != value)
        return name

    def _relation_lines(self) -> Iterator[str]:
        everywhere = {annotation.id: annotation for annotation, _ in every_annotation(self._document)}
        number = 0
        for holder in holders_of(self._document):
            # Some corpora repeat the ids of annotations in each passage: a relation means those of its own passage.
            by_id = ChainMap({annotation.id: annotation for annotation in holder.annotations}, everywhere)
            for relation in holder.relations:
                self.lost.extra(relation)
                ids = [self._ids.get(id(by_id.get(node.refid))) for node in relation.nodes]
                if len(ids) != 2 or None in ids:
                    self.lost.add("relations that do not have two mentions")
                    continue
                number += 1
                self._related.update(map(str, ids))
                self.lost.add("infons of relations", len(relation.infons.keys() - {"type"}))
                roles = [self._name(node.role, "roles") for node in relation.nodes]
                name = self._name(str(relation.infons.get("type") or ""), "types")
                yield f"R{number}\t{name} {roles[0]}:{ids[0]} {roles[1]}:{ids[1]}"


def _line(text: str) -> str:
    """A text without tabs and line breaks, which separate the columns and lines of the annotation file."""
    return _COLUMN.sub(" ", text)


def _name(text: str) -> str:
    """A text without blanks and colons, which separate the parts of a line."""
    return _BLANKS.sub("_", text).replace(":", "_")


def beside(types: Sequence[str]) -> dict[str, bytes]:
    """The configuration of a collection (https://brat.nlplab.org/configuration.html)."""
    sections = ["[entities]", *map(_name, types), "", "[relations]", "", "[events]", "", "[attributes]", ""]
    return {"annotation.conf": "\n".join(sections).encode()}


READER = Reader(split, parse, sniff)
WRITER = Folder(dumps, files, (standoff.TEXT, standoff.ANNOTATIONS))
