"""Writes articles into one file, folder or stream. Everything that writes collections uses this module."""

from __future__ import annotations

import gzip
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from os import PathLike
from pathlib import Path
from typing import BinaryIO, cast

from bioc import BioCDocument

from corpora.errors import ConfigurationError
from corpora.formats import registry
from corpora.formats.format import Folder, Header, Writer
from corpora.reporting import Report, log
from corpora.storage import atomic, owned_files, spool
from corpora.storage.owned_files import check_replaceable, replacing_owned

MAX_NAME = 200
"""Bytes of a file name in a folder of articles, without its suffix."""


DOCUMENTS = (
    ".7z", ".bz2", ".doc", ".docx", ".feather", ".gz", ".htm", ".html", ".log", ".md", ".ods", ".odt", ".pdf",
    ".pickle", ".pkl", ".ppt", ".pptx", ".ps", ".rdf", ".rst", ".rtf", ".sqlite", ".tar", ".tex", ".tgz", ".toml",
    ".ttl", ".xls", ".xlsx", ".xz", ".yaml", ".yml", ".zip",
)  # fmt: skip
"""Suffixes of files that no format writes: a new output with one of them is a mistake, and no folder."""


def write(
    documents: Iterable[BioCDocument],
    path: str | PathLike[str],
    format: str | None = None,
    header: Header | None = None,
    report: Report = log,
    with_abbreviations: bool = False,
    identifiers: str | None = None,
) -> int:
    """Write documents into one file or folder, which is complete or absent. Returns the number of documents.

    Without `format`, the suffix of the path selects it; `.gz` after it compresses. `header` may be one that
    `corpora.read` is filling at the same time: it is written after the last document was read.
    `with_abbreviations`: TSV, CSV and PubTator have a row for each short form, with its long form.
    `identifiers`: the spelling of MeSH identifiers, `mesh`, `curie` or `uri` (None: not changed). Raises
    `ConfigurationError` for an unknown format or a path that cannot be written, and `ArticleError` for text that the
    format cannot store.
    """
    name = format or registry.format_of_suffix(str(path))
    writer = registry.writable(name, with_abbreviations, identifiers)
    target = Path(path)
    check_target(writer, target)
    count = 0

    def serialized() -> Iterator[bytes]:
        nonlocal count
        for document in documents:
            yield writer.dumps(document, report)
            count += 1

    if header is None:
        write_articles(writer, serialized(), Header(), target)
        return count
    with pending() as articles:
        for article in serialized():
            articles.append(article)
        registry.report_header_losses(header, name, report)
        write_articles(writer, articles, header, target)
    return count


class Pending:
    """Serialised articles in a temporary file, until the header that is written before them is known."""

    __slots__ = ("_folder", "_stream")

    def __init__(self, stream: BinaryIO, folder: Path) -> None:
        self._stream, self._folder = stream, folder

    def append(self, article: bytes) -> None:
        """Store an article. Raises `OSError`, which names the folder of the temporary file."""
        try:
            spool.write_record(self._stream, article)
        except OSError as error:
            atomic.name_written(error, self._folder)
            raise

    def __iter__(self) -> Iterator[bytes]:
        try:
            self._stream.seek(0)
        except OSError as error:
            atomic.name_written(error, self._folder)
            raise
        return spool.records(self._stream)


@contextmanager
def pending(folder: Path | None = None) -> Iterator[Pending]:
    """A store for articles; the temporary file is in `folder` (None: the system's folder)."""
    stream = tempfile.TemporaryFile(dir=folder)
    try:
        yield Pending(cast(BinaryIO, stream), folder or Path(tempfile.gettempdir()))
    finally:
        # On a full disk it would fail once more, with an error that names no file.
        with suppress(OSError):
            stream.close()


def check_target(writer: Writer, path: Path | None) -> None:
    """Raise `ConfigurationError` where a writer cannot write to `path` (None: standard output)."""
    if isinstance(writer, Folder):
        if path is None:
            raise ConfigurationError("this format writes a folder, not a stream; name a folder in place of -")
        check_replaceable(path)
    elif path is not None and path.is_dir():
        raise ConfigurationError(f"{path} is a folder, and this format writes one file; name a file")


def refuse_documents(path: Path) -> None:
    """Raise `ConfigurationError` where the name of a folder that does not exist yet is that of another kind of file."""
    if path.suffix.lower() in DOCUMENTS and not path.is_dir():
        names = ", ".join(registry.writable_names())
        raise ConfigurationError(
            f"{path} has a suffix that selects no format ({names}); use the suffix of one, or another name for a folder"
        )


def write_articles(
    writer: Writer,
    articles: Iterable[bytes],
    header: Header,
    path: Path | None,
    sync: bool = True,
    before: Callable[[Path], None] | None = None,
) -> None:
    """Write articles, as `writer.dumps` returned them, to a file or folder (None: standard output).

    A file or folder is complete or absent: when `articles` raises, the target does not change. `sync` and `before`: as
    in `corpora.storage.atomic.replacing`; without `before` a file is recorded as one of ours
    (`corpora.storage.owned_files`). Raises `OSError`.
    """
    if isinstance(writer, Folder):
        assert path is not None, "check_target refuses standard output"
        with replacing_owned(path) as folder:
            taken: set[str] = set()
            for article in articles:
                name, contents = writer.files(article)
                name = _free_name(name, taken)
                for suffix, content in contents.items():
                    (folder / f"{name}{suffix}").write_bytes(content)
    elif path is None:
        writer.write(articles, header, cast(BinaryIO, sys.stdout.buffer))
    else:
        with replacing(path, sync, before or partial(owned_files.record, path)) as stream:
            writer.write(articles, header, stream)


def _free_name(name: str, taken: set[str]) -> str:
    """A name that no other article of the folder has; stored in `taken`."""
    short = name.encode()[:MAX_NAME].decode(errors="ignore")
    free, number = short, 1
    # Some file systems do not distinguish upper and lower case.
    while free.lower() in taken:
        number += 1
        free = f"{short}-{number}"
    taken.add(free.lower())
    return free


@contextmanager
def replacing(path: Path, sync: bool = True, before: Callable[[Path], None] | None = None) -> Iterator[BinaryIO]:
    """As `corpora.storage.atomic.replacing`; the file is compressed where the path ends in `.gz`."""
    with atomic.replacing(path, sync, before) as stream:
        if path.suffix.lower() != ".gz":
            yield stream
            return
        # Without time and file name: the same content gives the same bytes.
        with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=stream, mtime=0) as compressed:
            yield cast(BinaryIO, compressed)
