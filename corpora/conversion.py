"""From any format that is read to any that is written, one article in memory at a time."""

from __future__ import annotations

import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from corpora import reading
from corpora.errors import ArticleError, InputError
from corpora.formats import registry
from corpora.formats.header import Header
from corpora.formats.registry import format_of_suffix
from corpora.reporting import Report
from corpora.storage import inputs
from corpora.storage.inputs import InputFile, Member

__all__ = ["convert_into", "format_of_suffix"]


def convert_into(source: str, target: Path | None, format: str, report: Report) -> tuple[int, int]:
    """Convert everything that `source` names into one file (None: standard output).

    Says how many articles were written and how many failed; each failure is reported by name, and
    the others are written. Raises `ConfigurationError`, and `OSError` where the file cannot be written.
    """
    writer = registry.writable(format)
    found = inputs.expand([source])
    with tempfile.TemporaryFile(dir=None if target is None else _folder(target)) as body:
        # A collection's header may stand behind its documents: it is written when all are read.
        job = _Job(cast(BinaryIO, body), writer, report)
        for file in found:
            if file.path != source and _is_same(file.path, target):
                report(f"{file.path}: it is the output and was not read")
            else:
                job.convert(file)
        job.tell_of_headers(format)
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


def _is_same(path: str, target: Path | None) -> bool:
    return target is not None and path != inputs.STDIN and Path(path).resolve() == target.resolve()


def _copy(writer: registry.WritableFormat, header: Header, body: BinaryIO, stream: BinaryIO) -> None:
    stream.write(writer.opening(header))
    shutil.copyfileobj(body, stream, 1 << 20)
    stream.write(writer.closing(header))


@dataclass(slots=True)
class _Job:
    """A conversion on its way: articles go to `body`, the first header that says something is kept."""

    body: BinaryIO
    writer: registry.WritableFormat
    report: Report
    done: int = 0
    failed: int = 0
    header: Header = field(default_factory=Header)
    other_headers: int = 0

    def convert(self, file: InputFile) -> None:
        """Every article of a file or archive; what fails is reported with its place."""
        try:
            for member, stream in inputs.members(file):
                where = file.path if member.name is None else f"{file.path}, member {member.name}"
                try:
                    self._member(member, stream, where)
                except InputError as error:
                    self._fail(where, error)
        except InputError as error:
            self._fail(file.path, error)

    def _member(self, member: Member, stream: BinaryIO, where: str) -> None:
        if member.fault is not None:
            raise InputError(member.fault)
        header = Header()

        def told(sentence: str) -> None:
            self.report(f"{where}: {sentence}")

        try:
            for name, raw in registry.split(stream, header, told):
                try:
                    document = registry.readable(name).parse(raw, told)
                    document.id = document.id or reading.fallback_id(member.relative)
                    self._write(self.writer.dumps(document, told))
                except ArticleError as error:
                    self._fail(where, error)
        finally:
            self._keep(header)

    def _write(self, fragment: bytes) -> None:
        if self.done:
            self.body.write(self.writer.SEPARATOR)
        self.body.write(fragment)
        self.done += 1

    def _fail(self, where: str, error: Exception) -> None:
        self.failed += 1
        self.report(f"{where}: {error}")

    def _keep(self, header: Header) -> None:
        if self.header == Header():
            self.header = header
        elif header not in (self.header, Header()):
            self.other_headers += 1

    def tell_of_headers(self, format: str) -> None:
        """What a single file cannot hold of the headers of many."""
        if self.other_headers:
            self.report(
                f"{self.other_headers} collections have a header (source, date, key, infons) other than the first one, "
                "which was kept"
            )
        registry.tell_header(self.header, format, self.report)
