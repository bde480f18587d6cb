"""From any format that is read to any that is written, one article in memory at a time."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import BinaryIO, cast

from corpora import atomic, formats, inputs
from corpora.errors import ArticleError, ConfigurationError, InputError
from corpora.files import fallback_id
from corpora.header import Header
from corpora.report import Report

__all__ = ["convert_into", "format_of_suffix"]


def format_of_suffix(name: str) -> str:
    """The format that a file name asks for. Raises `ConfigurationError` where it asks for none."""
    for format in formats.WRITABLE:
        if name.endswith(formats.writable(format).SUFFIX):
            return format
    raise ConfigurationError(f"{name} has no suffix of a format; add --format {'|'.join(formats.WRITABLE)}")


def convert_into(source: str, target: Path | None, format: str, report: Report) -> tuple[int, int]:
    """Convert everything that `source` names into one file (None: standard output).

    Says how many articles were written and how many failed; each failure is reported by name, and
    the others are written. Raises `ConfigurationError`, and `OSError` where the file cannot be written.
    """
    writer = formats.writable(format)
    header = Header()
    with tempfile.TemporaryFile(dir=None if target is None else _folder(target)) as body:
        # A collection's header may stand behind its documents: it is written when all are read.
        done, failed = _convert_all(source, cast(BinaryIO, body), writer, header, report)
        body.seek(0)
        if target is None:
            _copy(writer, header, cast(BinaryIO, body), sys.stdout.buffer)
        else:
            with atomic.replacing(target) as stream:
                _copy(writer, header, cast(BinaryIO, body), stream)
    return done, failed


def _folder(target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    return target.parent


def _copy(writer: formats.WritableFormat, header: Header, body: BinaryIO, stream: BinaryIO) -> None:
    stream.write(writer.opening(header))
    shutil.copyfileobj(body, stream, 1 << 20)
    stream.write(writer.closing(header))


def _convert_all(
    source: str, body: BinaryIO, writer: formats.WritableFormat, header: Header, report: Report
) -> tuple[int, int]:
    done = failed = 0
    first_header: Header | None = None
    for file in inputs.expand([source]):
        where = file.path
        try:
            for member, stream in inputs.members(file):
                where = file.path if member.name is None else f"{file.path}, member {member.name}"
                if member.fault is not None:
                    raise InputError(member.fault)
                own = header if first_header is None else Header()
                for name, raw in formats.split(stream, own, report):
                    try:
                        document = formats.readable(name).parse(raw, report)
                        document.id = document.id or fallback_id(member.relative)
                        fragment = writer.dumps(document, report)
                    except ArticleError as error:
                        failed += 1
                        report(f"{where}: {error}")
                        continue
                    if done:
                        body.write(writer.SEPARATOR)
                    body.write(fragment)
                    done += 1
                if first_header is None:
                    first_header = header
                elif own != first_header and (own.source or own.key or own.infons):
                    report(f"{where}: its collection has a header of its own; that of the first file was kept")
        except InputError as error:
            failed += 1
            report(f"{where}: {error}")
    return done, failed
