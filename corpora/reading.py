"""Whole files in one call: `read()` yields documents, `write()` takes them."""

from __future__ import annotations

import gzip
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from bioc import BioCDocument

from corpora.errors import ArticleError, InputError
from corpora.formats import registry
from corpora.formats.header import Header
from corpora.reporting import Report, log
from corpora.storage import atomic, inputs
from corpora.storage.inputs import InputFile

__all__ = ["fallback_id", "read", "replacing", "write"]


def read(
    source: str | PathLike[str] | Sequence[str | PathLike[str]],
    header: Header | None = None,
    report: Report = log,
) -> Iterator[BioCDocument]:
    """The documents of files, folders, globs, archives or `-`, one in memory at a time.

    A document without id gets its file's name. `header` is filled with what the first file says of its
    collection, and whole when that file is read. Raises `ConfigurationError`, at once, for a path that
    names nothing, and `InputError` or `ArticleError`, with the file named, at the first thing that
    cannot be read: for runs that must go on past such places there is `nlmchem annotate`.
    """
    names = [source] if isinstance(source, (str, PathLike)) else list(source)
    return _documents(inputs.expand([str(name) for name in names]), header, report)


def _documents(found: Iterable[InputFile], header: Header | None, report: Report) -> Iterator[BioCDocument]:
    for file in found:
        where = file.path
        try:
            for member, stream in inputs.members(file):
                where = file.path if member.name is None else f"{file.path}, member {member.name}"
                if member.fault is not None:
                    raise InputError(member.fault)
                own, header = header or Header(), None
                for name, raw in registry.split(stream, own, report):
                    document = registry.readable(name).parse(raw, report)
                    if not document.id:
                        document.id = fallback_id(member.relative)
                    yield document
        except (InputError, ArticleError) as error:
            raise type(error)(f"{where}: {error}") from error


def fallback_id(relative: PurePosixPath) -> str:
    """The id of a document that has none: its file's name without suffix."""
    return relative.stem or relative.name


def write(
    documents: Iterable[BioCDocument],
    path: str | PathLike[str],
    format: str | None = None,
    header: Header | None = None,
    report: Report = log,
) -> int:
    """Write documents into one file, which is whole or not there; says how many there were.

    The format is that of the path's suffix where none is given; `.gz` behind it compresses. `header` may
    be one that `read` is filling at the same time. Raises `ConfigurationError` for an unknown format, and
    `ArticleError` for text that the format cannot hold.
    """
    name = format or registry.format_of_suffix(str(path))
    writer = registry.writable(name)
    with replacing(Path(path)) as stream, tempfile.TemporaryFile() as spool:
        # Without a header there is nothing to wait for; what a file says of itself may stand at its end.
        body = stream if header is None else cast(BinaryIO, spool)
        if header is None:
            stream.write(writer.opening(Header()))
        count = 0
        for document in documents:
            if count:
                body.write(writer.SEPARATOR)
            body.write(writer.dumps(document, report))
            count += 1
        if header is not None:
            registry.tell_header(header, name, report)
            stream.write(writer.opening(header))
            spool.seek(0)
            shutil.copyfileobj(spool, stream, 1 << 20)
        stream.write(writer.closing(header or Header()))
    return count


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """As `corpora.storage.atomic.replacing`; what is written into a path that ends in `.gz` is compressed."""
    with atomic.replacing(path) as stream:
        if path.suffix.lower() != ".gz":
            yield stream
            return
        # Neither the time nor the file's name: the same content gives the same bytes.
        with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=stream, mtime=0) as compressed:
            yield cast(BinaryIO, compressed)
