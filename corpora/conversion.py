"""Converts articles from the formats that are read to the formats that are written, one article in memory at a time."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from corpora import writing
from corpora.errors import ArticleError, ConfigurationError, unexpected
from corpora.formats import registry
from corpora.formats.format import Folder, Writer
from corpora.formats.header import Header
from corpora.output_names import find_clashes, output_of
from corpora.reading import Fault, Source, claimed, sources
from corpora.reporting import Report, prefixed
from corpora.storage import inputs
from corpora.storage.owned_folder import OwnedFolder
from corpora.storage.selection import ALL, Selection
from corpora.writing import Pending


def is_folder(source: str, target: str, format: str | None) -> bool:
    """Whether each input file gets an output of its own. Formats that write a folder write all articles into one.

    Raises `ConfigurationError` for a new name with the suffix of another kind of file.
    """
    if target == "-" or (format is not None and isinstance(registry.writable(format), Folder)):
        return False
    path = Path(target)
    plain = Path(path.name[:-3]) if path.name.lower().endswith(".gz") else path
    if plain.suffix.lower() in registry.suffixes():
        return False
    if not path.is_dir() and not target.endswith("/"):
        writing.refuse_documents(path)
    return path.is_dir() or target.endswith("/") or Path(source).is_dir()


def convert_into(
    source: str,
    target: Path | None,
    format: str,
    report: Report,
    selection: Selection = ALL,
    with_abbreviations: bool = False,
) -> tuple[int, int]:
    """Convert all articles of `source` into one file or folder (None: standard output).

    Files in no known format are skipped, and reported in one sentence. Returns the number of articles that were
    written, and of those that failed. Each failure is reported with its place. Raises `ConfigurationError`, and
    `OSError` if the target cannot be written.
    """
    writer = registry.writable(format, with_abbreviations)
    writing.check_target(writer, target)
    _refuse_input(source, target)
    found = inputs.expand([source], exclude=target if isinstance(writer, Folder) else None)
    # The header of a collection can follow its documents, so the output is written after all of them are read.
    with writing.pending(None if target is None else _folder(target)) as articles:
        job = _Job(articles, writer, report)
        for opened in claimed(sources(found, selection), report):
            job.convert(opened)
        job.report_headers(format)
        writing.write_articles(writer, articles, job.header, target)
    return job.done, job.failed


def convert_each(
    source: str,
    folder: Path,
    format: str,
    report: Report,
    selection: Selection = ALL,
    with_abbreviations: bool = False,
) -> tuple[int, int]:
    """Convert each file (or member of an archive) of `source` into a file of its own in `folder`, with its path.

    A file without any article that could be converted has no output. Files that would have one output keep their
    suffix in its name. An output that nlmchem did not write, or that was changed since, is not overwritten: its input
    fails. Returns and raises as `convert_into` does.
    """
    writer = registry.writable(format, with_abbreviations)
    if Path(source).is_dir() and Path(source).resolve() == folder.resolve():
        raise ConfigurationError(f"the output folder {folder} is the input folder; choose another one")
    owned = OwnedFolder(folder)
    done = failed = 0
    origin: dict[str, str] = {}
    suffix, files = registry.suffix_of(format), list(inputs.expand([source], exclude=folder))
    clashes = find_clashes(lambda: files, suffix, selection)
    if clashes.sentence:
        report(clashes.sentence)
    for opened in claimed(sources(map(clashes.apply, files), selection), report):
        place = str(opened.member)
        name = output_of(opened.member, suffix)
        # Some file systems do not distinguish upper and lower case.
        before = origin.setdefault(str(name).lower(), place)
        fault = owned.fault(name)
        if before != place:
            fault = f"{folder / name} was already written from {before}; rename one, or use separate folders"
        if fault is not None:
            failed += 1
            report(f"{place}: {fault}")
            continue
        with writing.pending(_folder(folder / name)) as articles:
            job = _Job(articles, writer, report)
            job.convert(opened)
            job.report_headers(format)
            if job.done or not job.failed:
                writing.write_articles(writer, articles, job.header, folder / name, before=partial(owned.add, name))
        done, failed = done + job.done, failed + job.failed
    return done, failed


def _folder(target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    return target.parent


def _refuse_input(source: str, target: Path | None) -> None:
    """Raise `ConfigurationError` where the output file is one of the inputs."""
    if target is None or not target.is_file():
        return
    place = os.path.realpath(target)
    if any(file.path != inputs.STDIN and os.path.realpath(file.path) == place for file in inputs.expand([source])):
        raise ConfigurationError(f"{target} is the output and one of the inputs; choose another name for the output")


@dataclass(slots=True)
class _Job:
    """The state of a conversion: it collects the articles, and the first header that is not empty."""

    articles: Pending
    writer: Writer
    report: Report
    done: int = 0
    failed: int = 0
    header: Header = field(default_factory=Header)
    other_headers: int = 0

    def convert(self, source: Source) -> None:
        """Convert every article of a file or member. A fault is reported with its place."""
        for item in source.articles(self.report):
            if isinstance(item, Fault):
                self._fail(item)
                continue
            try:
                self.articles.append(self.writer.dumps(item.document, prefixed(self.report, item.place)))
                self.done += 1
            except ArticleError as error:
                self._fail(Fault(item.place, error))
            except Exception as error:
                self._fail(Fault(item.place, ArticleError(unexpected(error))))
        self._keep(source.header)

    def _fail(self, fault: Fault) -> None:
        self.failed += 1
        self.report(str(fault))

    def _keep(self, header: Header) -> None:
        if self.header == Header():
            self.header = header
        elif header not in (self.header, Header()):
            self.other_headers += 1

    def report_headers(self, format: str) -> None:
        """Report the headers that are lost: one output has one header."""
        if self.other_headers:
            self.report(
                f"{self.other_headers} collections have another header (source, date, key, infons) than the first one, "
                "which was kept"
            )
        registry.report_header_losses(self.header, format, self.report)
