"""Tasks of annotation editors: a task is a passage, and its regions are spans with a label.

Label Studio, doccano and Prodigy have no articles. A task therefore has the id of its article and the offset of its
passage; a reader joins the tasks of an article, one document for each annotator. The rest that these formats have in
common is here: what a task is, how the tasks of a document are made, what is lost, and the JSON values of a file of
tasks: a list, JSON lines, or a single task, whatever the editor or a script wrote.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, BinaryIO

from bioc import BioCDocument, BioCNode, BioCPassage, BioCRelation

from corpora.errors import DAMAGE, ArticleError, command, damage, shortened
from corpora.formats.losses import Losses
from corpora.model.document import add_mention, every_annotation, mentions_of, set_identifiers
from corpora.model.mention_infons import candidates_of
from corpora.model.passages import passage_text, section_type, set_section_type
from corpora.parsing import json_documents
from corpora.parsing.json_documents import DECODER, after_gap
from corpora.reporting import Report
from corpora.words.quantities import quantity
from nlmchem.companions.curation import chosen_for, set_curator

FACTS = ("document", "offset", "section", "why", "candidates")
"""The fields of a task that `EditorTask.facts` writes."""
SMALLER = "export fewer tasks into a file"
"""The remedy for a file that is too large."""
_LIST = re.compile(r"[\s,]*\[")
_KEY = re.compile(r'"([A-Za-z_]+)"\s*:')


@dataclass(frozen=True, slots=True)
class Region:
    """A span of a task with its label."""

    start: int
    """In code points of the text; `end` is exclusive."""
    end: int
    type: str
    identifiers: tuple[str, ...] | None = None
    """None where the task does not state them."""
    score: float | None = None
    """0 to 1; None where it is not stated."""
    candidates: str = ""


@dataclass(frozen=True, slots=True)
class RegionLink:
    """A relation of two regions of a task, which are named by their positions in it."""

    type: str
    first: int
    second: int


@dataclass(frozen=True, slots=True)
class EditorTask:
    """A passage with its regions."""

    document: str
    """Empty for a task that is not from an article of ours: it is an article of its own."""
    offset: int
    """That of the passage in the document."""
    text: str
    section: str
    regions: tuple[Region, ...]
    annotator: str | None = None
    """Whose regions these are; None where it is not stated."""
    is_open: bool = False
    """Whether nobody has finished the task."""
    why: str = ""
    links: tuple[RegionLink, ...] = ()

    @property
    def facts(self) -> dict[str, Any]:
        """Where the text is from, and what a curator should see beside it."""
        candidates = {
            self.text[region.start : region.end]: region.candidates for region in self.regions if region.candidates
        }
        return {
            "document": self.document,
            "offset": self.offset,
            "section": self.section,
            "why": self.why,
            "candidates": "\n".join(f"{text}: {concepts}" for text, concepts in candidates.items()),
        }


# -- writing ------------------------------------------------------------------------------------


def tasks_of(document: BioCDocument, stored: frozenset[str], title: str, report: Report) -> list[EditorTask]:
    """The tasks of a document: its passages with text. Reports what they lack.

    `stored`: the infons of mentions that the format `title` stores. Raises `ArticleError` for a document without text.
    """
    losses = Losses()
    tasks = [
        _task(document, passage, text, losses, stored)
        for passage in document.passages
        if (text := passage_text(passage)).strip()
    ]
    if not tasks:
        raise ArticleError(f"document {document.id!r} has no text, so there is nothing to annotate; leave it out")
    losses.add("passages without text", len(document.passages) - len(tasks))
    losses.add("infons of the document", len(document.infons))
    losses.add("relations", len(document.relations))
    losses.add("annotations without location", sum(not one.locations for one, _ in every_annotation(document)))
    losses.add("annotations of the document", sum(bool(one.locations) for one in document.annotations))
    losses.extra(document)
    losses.report(report, f"a task of {title}")
    return tasks


def _task(
    document: BioCDocument, passage: BioCPassage, text: str, losses: Losses, stored: frozenset[str]
) -> EditorTask:
    losses.add("sentences", len(passage.sentences))
    losses.add("relations", sum(len(holder.relations) for holder in (passage, *passage.sentences)))
    losses.add("infons of passages", len(passage.infons.keys() - {"section_type", "chosen_for"}))
    losses.extra(passage)
    regions: list[Region] = []
    for mention in mentions_of(passage):
        losses.add("infons of mentions", len(mention.annotation.infons.keys() - stored - {"candidates"}))
        losses.extra(mention.annotation)
        spans = [(start - passage.offset, end - passage.offset) for start, end in mention.spans]
        inside = all(0 <= start < end <= len(text) for start, end in spans)
        if not inside or mention.text not in ("", " ".join(text[start:end] for start, end in spans)):
            losses.add("mentions whose text is not at their offsets")
            continue
        losses.add("mentions of several pieces (each piece is a mention)", len(spans) > 1)
        identifiers = mention.identifiers if mention.sought else None
        regions += [
            Region(start, end, mention.type, identifiers, mention.evidence.score, candidates_of(mention))
            for start, end in spans
        ]
    section = section_type(passage) or ""
    return EditorTask(str(document.id), passage.offset, text, section, tuple(regions), why=chosen_for(passage))


# -- reading ------------------------------------------------------------------------------------


def values(stream: BinaryIO) -> Iterator[Any]:
    """The tasks of a file: the values of each list in it, and each other value. Raises `InputError`."""
    return json_documents.values(stream, "export the tasks again", SMALLER)


def first_values(head: bytes) -> list[dict[str, Any]]:
    """The first tasks of a file that begins with `head`, if all are JSON objects.

    Of a first task that is longer than `head`, its keys, with what regions have as values.
    """
    text = head.decode("utf-8", "ignore")
    opening = _LIST.match(text)
    start = place = after_gap(text, 0 if opening is None else opening.end())
    tasks: list[dict[str, Any]] = []
    while place < len(text) and text[place] == "{":
        try:
            value, place = DECODER.raw_decode(text, place)
        except DAMAGE:
            break
        tasks.append(value)
        place = after_gap(text, place)
    else:
        # After the last task is the end of the list, or nothing.
        return tasks if place >= len(text) or (text[place] == "]" and opening) else []
    is_whole = len(head) < 1 << 15
    if not tasks and not is_whole:
        return [{key: [{}] for key in _KEY.findall(text, start)}]
    return tasks


Key = tuple[str, str | None, bool]
"""Document (empty: not stated), annotator, and whether the task is open."""


def grouped(tasks: Iterable[Any], key: Callable[[Any], Key]) -> Iterator[bytes]:
    """The tasks of each document and annotator as one JSON list, in the order of the first of them.

    A task that states no document is a list of its own.
    """
    groups: dict[tuple[Key, int], list[Any]] = {}
    for number, value in enumerate(tasks):
        document, annotator, is_open = key(value)
        groups.setdefault(((document, annotator, is_open), -1 if document else number), []).append(value)
    return (json.dumps(group).encode() for group in groups.values())


def parsed(raw: bytes, task: Callable[[Any], EditorTask]) -> BioCDocument:
    """The document of a group that `grouped` returned. Raises `ArticleError`."""
    tasks: list[EditorTask] = []
    for value in json.loads(raw):
        try:
            tasks.append(task(value))
        except DAMAGE as error:
            name = shortened(json.dumps(value), 60)
            raise ArticleError(
                f"the task {name} cannot be read ({damage(error)}); export it again as the tasks of "
                f"{command('curate export')} are, or correct it"
            ) from error
    return document_of(tasks)


def document_of(tasks: Sequence[EditorTask]) -> BioCDocument:
    """A document with a passage for each task. Raises `ArticleError` for regions outside the text."""
    document = BioCDocument()
    document.id = tasks[0].document
    set_curator(document, tasks[0].annotator, is_open=tasks[0].is_open)
    number, links = 0, 0
    for task in sorted(tasks, key=lambda task: task.offset):
        passage = BioCPassage()
        passage.offset, passage.text = task.offset, task.text
        if task.section:
            set_section_type(passage, task.section)
        document.add_passage(passage)
        for link in task.links:
            links += 1
            relation = BioCRelation()
            relation.id, relation.infons = f"R{links}", {"type": link.type}
            ends = ((link.first, "first"), (link.second, "second"))
            relation.nodes = [BioCNode(f"T{number + 1 + position}", role) for position, role in ends]
            passage.relations.append(relation)
        for region in task.regions:
            number += 1
            if not 0 <= region.start < region.end <= len(task.text):
                raise ArticleError(
                    f"document {task.document!r}, passage at offset {task.offset}: the region {region.start}-"
                    f"{region.end} is outside the text of {len(task.text)} characters; the editor has another text "
                    "than the export"
                )
            span = (task.offset + region.start, task.offset + region.end)
            mention = add_mention(
                passage, [span], id=f"T{number}", annotator=task.annotator, score=region.score, type=region.type
            )
            if region.identifiers is not None:
                set_identifiers(mention, region.identifiers)
    return document


def report_unread(unfinished: int, left_out: Counter[str], report: Report) -> None:
    """Report tasks with regions that nobody finished, and what of the tasks is not read, by kind."""
    if unfinished:
        tasks = quantity(unfinished, "task was finished by nobody", "tasks were finished by nobody")
        report(f"{tasks}: the regions are suggestions, drafts, or rejected or skipped ones")
    if left_out:
        listed = ", ".join(f"{kind} ({number})" for kind, number in sorted(left_out.items()))
        report(f"left out, because they are no regions of text or relations: {listed}")


def other_fields(value: dict[str, Any], known: Container[str]) -> Iterator[str]:
    """The fields of a task that are not read: the data that other programs keep beside the text."""
    for key, content in value.items():
        if content not in (None, "", [], {}) and key not in known and key not in FACTS and not key.startswith("_"):
            yield f"field {shortened(key)}"


def document_named(value: Any) -> str:
    """The document that a task states; empty for a task of another program."""
    return str(value["document"]) if isinstance(value, dict) and value.get("document") is not None else ""


def place_of(value: Any) -> tuple[str, int]:
    """The document and the offset that a task states: none and 0 for a task of another program.

    Raises the errors of `DAMAGE`.
    """
    name = document_named(value)
    return name, int(value["offset"] if name else value.get("offset") or 0)


def score_of(value: Any) -> float | None:
    """A score as a task states it; None where it is no number."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
    return float(value) if is_number else None
