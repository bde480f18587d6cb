"""Tasks as JSON lines, one passage a line: what doccano and Prodigy have in common."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from bioc import BioCDocument

from corpora.formats.format import Header, Joined, Reader
from corpora.formats.losses import Losses, encoded
from corpora.reporting import Report
from corpora.words.quantities import quantity
from nlmchem.companions.curation.formats.task_values import first_values, values
from nlmchem.companions.curation.formats.tasks import (
    EditorTask,
    Key,
    Region,
    RegionLink,
    document_named,
    grouped,
    parsed,
    place_of,
    report_losses,
    report_unread,
    tasks_of,
)

_OTHERS = {"passages", "documents", "ner_tags"}
"""Keys of other formats."""


def text_of(value: dict[str, Any]) -> str | None:
    """The text of a task; some releases of doccano export it as `data`. None for an object that is no task."""
    text = value.get("text", value.get("data"))
    return text if isinstance(text, str) else None


def _nothing(value: dict[str, Any]) -> tuple[str, ...]:
    return ()


def _never(value: dict[str, Any]) -> bool:
    return False


def _nobody(value: dict[str, Any]) -> tuple[None, bool]:
    return None, False


@dataclass(frozen=True, slots=True)
class TaskLines:
    """A format of this kind. `is_line(value)`: whether a line is a task with regions of this format.

    `stored`: the infons of mentions that a region has. `line(task)`: the value of a line. `found(value)`: the
    regions of a line, and their relations. `whose(value)`: the annotator of a line (None: not stated), and whether
    nobody has finished it. `left_out(value)`: the kinds of what a line has that is not read. `is_doubtful(value)`:
    whether its offsets can mean something else; `doubt` is what the report says of such texts.
    """

    title: str
    is_line: Callable[[dict[str, Any]], bool]
    stored: frozenset[str]
    line: Callable[[EditorTask], dict[str, Any]]
    found: Callable[[dict[str, Any]], tuple[tuple[Region, ...], tuple[RegionLink, ...]]]
    whose: Callable[[dict[str, Any]], tuple[str | None, bool]] = _nobody
    left_out: Callable[[dict[str, Any]], Iterable[str]] = _nothing
    is_doubtful: Callable[[dict[str, Any]], bool] = _never
    doubt: str = ""

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
        tasks = first_values(head)
        are_tasks = bool(tasks) and all(text_of(task) is not None and not task.keys() & _OTHERS for task in tasks)
        return are_tasks and any(map(self.is_line, tasks))

    def _split(self, stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
        unfinished, doubtful, left_out = 0, 0, Counter[str]()

        def tasks() -> Iterator[Any]:
            nonlocal unfinished, doubtful
            for value in values(stream):
                if isinstance(value, dict):
                    left_out.update(self.left_out(value))
                    doubtful += self.is_doubtful(value)
                    unfinished += self.whose(value)[1] and bool(value.get("spans"))
                yield value

        yield from grouped(tasks(), self._key)
        report_unread(unfinished, left_out, report)
        if doubtful:
            report(f"{quantity(doubtful, 'text has', 'texts have')} {self.doubt}")

    def _key(self, value: Any) -> Key:
        # `parse` refuses what is no object.
        return (document_named(value), *self.whose(value)) if isinstance(value, dict) else ("", None, False)

    def _parse(self, raw: bytes, report: Report) -> BioCDocument:
        return parsed(raw, self._task)

    def _task(self, value: Any) -> EditorTask:
        document, offset = place_of(value)
        regions, links = self.found(value)
        section, text = str(value.get("section") or ""), text_of(value)
        if text is None:
            raise KeyError("text")
        return EditorTask(document, offset, text, section, regions, *self.whose(value), links=links)
