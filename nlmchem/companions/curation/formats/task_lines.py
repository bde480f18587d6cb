"""Tasks as JSON lines, one passage a line: what doccano and Prodigy have in common."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from bioc import BioCDocument

from corpora.errors import DAMAGE
from corpora.formats.format import Joined, Reader
from corpora.formats.header import Header
from corpora.formats.losses import Losses
from corpora.formats.utf8 import encoded
from corpora.reporting import Report
from nlmchem.companions.curation.formats.tasks import (
    EditorTask,
    Key,
    Region,
    RegionLink,
    document_named,
    grouped,
    lines,
    parsed,
    place_of,
    report_losses,
    tasks_of,
)

_LOOKED_AT = 50
"""Lines by which a file is recognised."""
_OTHERS = {"passages", "documents", "ner_tags", "data"}
"""Keys of other formats."""
_KEY = re.compile(rb'"([A-Za-z_]+)"\s*:')


def _nobody(value: dict[str, Any]) -> tuple[None, bool]:
    return None, False


@dataclass(frozen=True, slots=True)
class TaskLines:
    """A format of this kind. `is_line(value)`: whether a line is a task with regions of this format.

    `stored`: the infons of mentions that a region has. `line(task)`: the value of a line. `found(value)`: the
    regions of a line, and their relations. `whose(value)`: the annotator of a line (None: not stated), and whether
    nobody has finished it.
    """

    title: str
    is_line: Callable[[dict[str, Any]], bool]
    stored: frozenset[str]
    line: Callable[[EditorTask], dict[str, Any]]
    found: Callable[[dict[str, Any]], tuple[tuple[Region, ...], tuple[RegionLink, ...]]]
    whose: Callable[[dict[str, Any]], tuple[str | None, bool]] = _nobody

    @property
    def reader(self) -> Reader:
        """Reads the tasks of each article and annotator."""
        return Reader(self._split, self._parse, self._sniff)

    @property
    def writer(self) -> Joined:
        """Writes a line for each passage. Reports what it lacks."""
        return Joined(self._dumps)

    def _dumps(self, document: BioCDocument, report: Report) -> bytes:
        losses = Losses()
        rows = [self.line(task) for task in tasks_of(document, losses, self.stored)]
        report_losses(losses, report, self.title)
        return encoded("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), document)

    def _sniff(self, head: bytes) -> bool:
        # A task without regions can lack their key.
        values = _beginning(head)
        are_tasks = bool(values) and all("text" in value and not value.keys() & _OTHERS for value in values)
        return are_tasks and any(map(self.is_line, values))

    def _split(self, stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
        return grouped(lines(stream), self._key)

    def _key(self, value: Any) -> Key:
        # `parse` refuses what is no object.
        return (document_named(value), *self.whose(value)) if isinstance(value, dict) else ("", None, False)

    def _parse(self, raw: bytes, report: Report) -> BioCDocument:
        return parsed(raw, self._task)

    def _task(self, value: Any) -> EditorTask:
        document, offset = place_of(value)
        regions, links = self.found(value)
        section = str(value.get("section") or "")
        return EditorTask(document, offset, str(value["text"]), section, regions, *self.whose(value), links=links)


def _beginning(head: bytes) -> list[dict[str, Any]]:
    """The values of the first lines, if all are JSON objects; of a first line that is cut off, its keys."""
    lines = [line for line in head.split(b"\n") if line.strip()]
    try:
        values = [json.loads(line) for line in (lines[:-1] or lines)[:_LOOKED_AT]]
    except DAMAGE:
        # A line that is longer than the head: its keys, with what regions have as values.
        first = lines[0] if lines and lines[0].startswith(b"{") else b""
        values = [{key.decode("utf-8", "replace"): [{}] for key in _KEY.findall(first)}] if len(lines) == 1 else []
    return values if all(isinstance(value, dict) for value in values) else []
