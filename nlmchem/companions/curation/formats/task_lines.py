"""Tasks as JSON lines, one passage a line: what doccano and Prodigy have in common."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from bioc import BioCDocument

from corpora.formats.format import Joined, Reader
from corpora.formats.header import Header
from corpora.formats.losses import Losses
from corpora.formats.utf8 import encoded
from corpora.reporting import Report
from nlmchem.companions.curation.formats.tasks import (
    Key,
    Region,
    Task,
    grouped,
    lines,
    parsed,
    place_of,
    report_losses,
    tasks_of,
)


def _nobody(value: dict[str, Any]) -> tuple[None, bool]:
    return None, False


@dataclass(frozen=True, slots=True)
class TaskLines:
    """A format of this kind. `regions`: the key of the regions, by which a file is recognised.

    `stored`: the infons of mentions that a region has. `line(task)`: the value of a line. `found(value)`: the
    regions of a line. `whose(value)`: the annotator of a line (None: not stated), and whether nobody has finished it.
    """

    title: str
    regions: str
    stored: frozenset[str]
    line: Callable[[Task], dict[str, Any]]
    found: Callable[[dict[str, Any]], Iterable[Region]]
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
        first = head.partition(b"\n")[0]
        keys = (self.regions, "document", "offset")
        return head.startswith(b"{") and all(f'"{key}"'.encode() in first for key in keys)

    def _split(self, stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
        return grouped(lines(stream), self._key)

    def _key(self, value: Any) -> Key:
        # `parse` refuses what is no object.
        return (str(value.get("document")), *self.whose(value)) if isinstance(value, dict) else ("", None, False)

    def _parse(self, raw: bytes, report: Report) -> BioCDocument:
        return parsed(raw, self._task)

    def _task(self, value: Any) -> Task:
        document, offset = place_of(value)
        section, regions = str(value.get("section") or ""), tuple(self.found(value))
        return Task(document, offset, str(value["text"]), section, regions, *self.whose(value))
