"""Registers the inputs of a run before any work: finds the sources, the name of the output of each, and old mentions.

The inputs are opened once for this, and a second time when they are read: a run is refused before any work where two
outputs have one name or articles have mentions, and both are known only when the last archive was read to its end.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from corpora import reading
from corpora.errors import Argument, ArticleError, ConfigurationError, InputError, OptionError
from corpora.formats import registry as formats
from corpora.model.chemical import CHEMICAL
from corpora.model.document import mentions
from corpora.reading import Unclaimed
from corpora.reporting import ignore
from corpora.storage import inputs, standoff
from corpora.storage.inputs import InputFile
from corpora.storage.members import Member
from corpora.writing import output_name
from nlmchem.batch.run import Run
from nlmchem.progress import counted, warn

_RESERVED = re.compile(r"quarantine|manifest(-\d+-of-\d+)?\.json|\.nlmchem(-\d+-of-\d+)?")

LONGEST_NAME = 230
"""Bytes of a file name. File systems allow 255; temporary files and the quarantine add a suffix."""

_TYPE = re.compile(rb'[>"\s-]' + CHEMICAL.encode() + rb'[<"\s]|\tB\r?\n')
"""A mention's type in any of the formats (in CoNLL, a tag without type is a chemical). Other bytes may match, too."""


def stamp(file: InputFile) -> str | None:
    """Size and times of an input file; None where it is missing or, like a pipe, can be read only once.

    The time of the last change of the inode is included: a copy with an old date is a change, and so are new
    permissions. An input that consists of two files has the sizes and times of both.
    """
    annotations = standoff.annotations_of(file.path)
    try:
        facts = [path.stat() for path in (Path(file.path), *([annotations] if annotations else []))]
    except OSError:
        return None
    if file.path == inputs.STDIN or not all(stat.S_ISREG(fact.st_mode) for fact in facts):
        return None
    return ":".join(f"{fact.st_size}:{fact.st_mtime_ns}:{fact.st_ctime_ns}" for fact in facts)


def output_of(member: Member, suffix: str) -> PurePosixPath:
    """The output path of a file or member. The rest of a broken archive has a name beside its members' outputs."""
    output = output_name(member.relative, suffix)
    return output.with_name(output.name + ".rest") if member.is_rest else output


class OutputNames:
    """The output names of the sources of one input, in the order of its members.

    A member of an archive whose name cannot be used gets a name in a folder `*.refused` of the archive and a fault:
    the archive may come from others, so it must not end the run. Only digests are kept, for archives of many members.
    """

    def __init__(self, suffix: str) -> None:
        self._suffix = suffix
        self._outputs: set[bytes] = set()
        self._folders: set[bytes] = set()
        self._refused = 0

    def of(self, member: Member) -> tuple[PurePosixPath, str | None]:
        """The output path of a member, and why its name cannot be used (None: it can)."""
        output = output_of(member, self._suffix)
        if member.name is None:
            return output, None
        fault = self._fault(output)
        if fault is not None:
            self._refused += 1
            name = f"{self._refused}-{output.name.encode()[:100].decode(errors='ignore')}"
            folder = PurePosixPath(f"{output.parts[0]}.refused", *member.file.relative.parts[1:])
            return folder / name, fault
        self._outputs.add(_digest(output))
        self._folders.update(map(_digest, output.parents))
        return output, None

    def _fault(self, output: PurePosixPath) -> str | None:
        again = "so it was not read; pack the archive again"
        own = _digest(output)
        if own in self._outputs:
            return f"another member has the same name (or the same output, {output}), {again} without duplicates"
        if own in self._folders or any(_digest(folder) in self._outputs for folder in output.parents):
            return f"its output {output} would be a file and a folder, {again} with other names"
        return name_fault(output)


def name_fault(output: PurePosixPath) -> str | None:
    """Why an output cannot have a name; None if it can."""
    if _RESERVED.fullmatch(output.parts[0]):
        return f"the output would be {output}, a name that is reserved for the run; rename the input"
    if any(len(part.encode("utf-8", "surrogateescape")) > LONGEST_NAME for part in output.parts):
        return f"the output would be {output}, which is longer than {LONGEST_NAME} bytes; rename the input"
    return None


def _digest(path: PurePosixPath) -> bytes:
    return hashlib.blake2b(str(path).encode("utf-8", "surrogateescape"), digest_size=12).digest()


def by_full_path(file: InputFile) -> InputFile:
    """The same input with its whole path as place under the output, so that no two inputs share an output name."""
    if inputs.is_pipe(file.path):
        return file
    return replace(file, relative=PurePosixPath(*Path(os.path.abspath(file.path)).parts[1:]))  # noqa: PTH100


def opened_sources(
    run: Run, file: InputFile, unclaimed: Unclaimed | None = None
) -> Iterator[tuple[PurePosixPath, reading.Source]]:
    """The sources of a file that a format claims, each open, with their outputs.

    An archive that is broken after some members has one more source, its rest. `unclaimed` receives the others, as far
    as they belong to this shard.
    """
    names = OutputNames(run.suffix)
    for opened in reading.sources([file], run.selection):
        if (reason := opened.unclaimed()) is not None:
            if unclaimed is not None and run.options.shard.holds(output_of(opened.member, run.suffix)):
                unclaimed.add(str(opened.member), reason)
            continue
        output, fault = names.of(opened.member)
        yield output, opened if fault is None else replace(opened, member=replace(opened.member, fault=fault))


def register(run: Run, files: Iterable[InputFile]) -> int:
    """Write the input files and the sources of this run to the ledger. Returns the size of the files in bytes.

    Raises `ConfigurationError` where there is nothing to read, where two inputs have the same output, or where an
    output would overwrite an input; `OptionError` where articles that are still to be annotated have mentions and
    the plan refuses them. A file that cannot be opened becomes a source as well; it fails when it is read. A file
    that no format claims is counted, and does not become a source. Call within a transaction.
    """
    if not run.ledger.set_files((_place(file), file.path, str(file.relative)) for file in files):
        raise ConfigurationError("there are no files in the inputs; name files, folders, globs or archives")
    number, example = run.ledger.repeated_files()
    if number:
        warn(f"{number} inputs are links to files that are read anyway, for example {example}; each is read once")
    # By default every article with mentions fails, so the run is refused before any work.
    refuse_annotated = run.setup.plan.refuses_mentions
    found = _Found()
    checked = _add_sources(run, found, refuse_annotated)
    articles = annotated = 0
    first = ""
    for place, has_mentions in counted(checked, "articles checked for mentions") if refuse_annotated else checked:
        articles += 1
        annotated += has_mentions
        first = first or (place if has_mentions else "")
    for folder in found.folders:
        if folder.parts and (run.out / folder).is_symlink():
            raise ConfigurationError(f"{run.out / folder} is a link, and no output is written to links; remove it")
        if run.ledger.has_output(str(folder)):
            raise ConfigurationError(f"{folder} would be the name of an output and of a folder; rename one input")
    _require_sources(run, found)
    if annotated:
        raise OptionError(
            "existing",
            f"must be given: {annotated} of {articles} articles already have mentions (the first: {first}). keep: they "
            "stay, and new mentions that overlap them are not added; replace: they are removed first; error: these "
            "articles fail. nothing was done",
        )
    return found.size


@dataclass(slots=True)
class _Found:
    """What was found in the inputs: bytes of the files of this shard, sources of all shards, folders of outputs."""

    size: int = 0
    sources: int = 0
    folders: set[PurePosixPath] = field(default_factory=set)


def _add_sources(run: Run, found: _Found, check_mentions: bool) -> Iterator[tuple[str, bool]]:
    """Write the sources to the ledger. Yields place and presence of mentions for each article that is checked."""
    ledger = run.ledger
    for file in ledger.files():
        mine = False
        for output, opened in _listed(run, file):
            found.sources += 1
            if not run.options.shard.holds(output):
                continue
            _refuse_name(run, file, output)
            source = ledger.add_source(file.path, None if opened is None else opened.member.name, output)
            found.folders.update(output.parents)
            mine = True
            if check_mentions and opened is not None and ledger.source_state(source)[0] != "done":
                yield from ((str(source), has_mentions) for has_mentions in _have_mentions(opened))
        if mine:
            ledger.forget_earlier_failures(file.path)
            found.size += file.size()


def _listed(run: Run, file: InputFile) -> Iterator[tuple[PurePosixPath, reading.Source | None]]:
    """The sources of a file; None for a pipe, which can be read only once and is not opened here."""
    if inputs.is_pipe(file.path):
        return iter([(output_name(file.relative, run.suffix), None)])
    return iter(opened_sources(run, file, run.unclaimed))


def _require_sources(run: Run, found: _Found) -> None:
    if found.sources:
        return
    if (skipped := run.unclaimed).number:
        raise ConfigurationError(f"no input has a format that is read; the first, {skipped.first[0]}: {skipped.reason}")
    if run.selection.include or run.selection.exclude:
        raise ConfigurationError(
            Argument("include"),
            " and ",
            Argument("exclude"),
            " select none of the files in the inputs; check the patterns",
        )


def _place(file: InputFile) -> str:
    try:
        f"{file.path}{file.relative}".encode()
    except UnicodeEncodeError:
        raise ConfigurationError(f"the file name {os.fsencode(file.path)!r} is not UTF-8; rename the file") from None
    return file.path if file.path == inputs.STDIN else os.path.realpath(file.path)


def _refuse_name(run: Run, file: InputFile, output: PurePosixPath) -> None:
    if (fault := name_fault(output)) is not None:
        raise ConfigurationError(f"{file.path}: {fault}")
    if run.ledger.is_input(os.path.realpath(run.out / output)):
        raise ConfigurationError(
            f"the output {run.out / output} would overwrite an input; choose another output folder"
        )


def _have_mentions(source: reading.Source) -> Iterator[bool]:
    try:
        for article in source.raw_articles(ignore):
            may = formats.named(article.format).stores_mentions and _TYPE.search(article.raw) is not None
            yield may and _has_mentions(article, source.member.fallback_id)
    # Not silent: the run reads the source again, and its reader reports every error with its traceback. Here an error
    # must not end the run before any work. Articles after it that have mentions fail one by one.
    except Exception:
        return


def _has_mentions(article: reading.RawArticle, fallback_id: str) -> bool:
    try:
        document = reading.parse(article.format, article.raw, fallback_id, ignore)
    except (ArticleError, InputError):
        return False
    return any(mentions(document))
