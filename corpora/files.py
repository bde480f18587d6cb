"""Whole files in one call: `read()` yields documents, `write()` takes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path, PurePosixPath

from bioc import BioCDocument

from corpora import atomic, formats, inputs
from corpora.errors import ArticleError, InputError
from corpora.header import Header
from corpora.report import Report, log

__all__ = ["fallback_id", "read", "write"]


def read(
    source: str | PathLike[str] | Sequence[str | PathLike[str]],
    header: Header | None = None,
    report: Report = log,
) -> Iterator[BioCDocument]:
    """The documents of files, folders, globs, archives or `-`, one in memory at a time.

    A document without id gets its file's name. `header` is filled with what a collection says of
    itself. Raises `InputError` or `ArticleError`, with the file named, at the first thing that
    cannot be read: for runs that must go on past such places there is `nlmchem annotate`.
    """
    names = [source] if isinstance(source, (str, PathLike)) else list(source)
    for file in inputs.expand([str(name) for name in names]):
        where = file.path
        try:
            for member, stream in inputs.members(file):
                where = file.path if member.name is None else f"{file.path}, member {member.name}"
                if member.fault is not None:
                    raise InputError(member.fault)
                own = Header() if header is None else header
                for name, raw in formats.split(stream, own, report):
                    document = formats.readable(name).parse(raw, report)
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
    format: str = "biocxml",
    header: Header | None = None,
    report: Report = log,
) -> int:
    """Write documents into one file, which is whole or not there; says how many there were.

    Raises `ArticleError` for text that the format cannot hold.
    """
    writer = formats.writable(format)
    header = header or Header()
    count = 0
    with atomic.replacing(Path(path)) as stream:
        stream.write(writer.opening(header))
        for document in documents:
            if count:
                stream.write(writer.SEPARATOR)
            stream.write(writer.dumps(document, report))
            count += 1
        stream.write(writer.closing(header))
    return count
