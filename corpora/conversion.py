"""Conversion of files from any format to another, with one article in memory at a time."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from corpora import reading
from corpora.errors import ArticleError
from corpora.formats import registry
from corpora.formats.header import Header
from corpora.formats.registry import format_of_suffix
from corpora.reading import Fault, Source, sources
from corpora.reporting import Report, prefixed
from corpora.storage import inputs
from corpora.storage.inputs import InputFile

__all__ = ["convert_into", "format_of_suffix"]


def convert_into(source: str, target: Path | None, format: str, report: Report) -> tuple[int, int]:
    """Convert all articles of `source` into one file (None: standard output).

    Returns the number of articles that were written, and of those that failed. Each failure is reported with its place.
    Raises `ConfigurationError`, and `OSError` if the file cannot be written.
    """
    writer = registry.writable(format)
    found = inputs.expand([source])
    with tempfile.TemporaryFile(dir=None if target is None else _folder(target)) as body:
        # The header of a collection can follow its documents, so it is written after all of them are read.
        job = _Job(cast(BinaryIO, body), writer, report)
        for opened in sources(_without_output(found, source, target, report)):
            job.convert(opened)
        job.report_headers(format)
        body.seek(0)
        if target is None:
            _copy(writer, job.header, cast(BinaryIO, body), cast(BinaryIO, sys.stdout.buffer))
        else:
            with reading.replacing(target) as stream:
                _copy(writer, job.header, cast(BinaryIO, body), stream)
    return job.done, job.failed


def _folder(target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    return target.parent


def _without_output(
    files: Iterable[InputFile], source: str, target: Path | None, report: Report
) -> Iterator[InputFile]:
    for file in files:
        if file.path != source and _is_same(file.path, target):
            report(f"{file.path}: this is the output file; it was not read")
        else:
            yield file


def _is_same(path: str, target: Path | None) -> bool:
    return target is not None and path != inputs.STDIN and Path(path).resolve() == target.resolve()


def _copy(writer: registry.WritableFormat, header: Header, body: BinaryIO, stream: BinaryIO) -> None:
    stream.write(writer.opening(header))
    shutil.copyfileobj(body, stream, 1 << 20)
    stream.write(writer.closing(header))


@dataclass(slots=True)
class _Job:
    """The state of a conversion: articles are written to `body`, and the first header that is not empty is kept."""

    body: BinaryIO
    writer: registry.WritableFormat
    report: Report
    done: int = 0
    failed: int = 0
    header: Header = field(default_factory=Header)
    other_headers: int = 0

    def convert(self, source: Source) -> None:
        """Every article of a file or member; a fault is reported with its place."""
        for item in source.articles(self.report):
            if isinstance(item, Fault):
                self._fail(item)
                continue
            try:
                self._write(self.writer.dumps(item.document, prefixed(self.report, item.place)))
            except ArticleError as error:
                self._fail(Fault(item.place, error))
        self._keep(source.header)

    def _write(self, fragment: bytes) -> None:
        if self.done:
            self.body.write(self.writer.SEPARATOR)
        self.body.write(fragment)
        self.done += 1

    def _fail(self, fault: Fault) -> None:
        self.failed += 1
        self.report(str(fault))

    def _keep(self, header: Header) -> None:
        if self.header == Header():
            self.header = header
        elif header not in (self.header, Header()):
            self.other_headers += 1

    def report_headers(self, format: str) -> None:
        """Report the headers that are lost: one file has one header."""
        if self.other_headers:
            self.report(
                f"{self.other_headers} collections have another header (source, date, key, infons) than the first one, "
                "which was kept"
            )
        registry.tell_header(self.header, format, self.report)
