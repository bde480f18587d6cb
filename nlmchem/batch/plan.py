"""Plans a run before any work: finds the sources and the name of the output of each."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from corpora.errors import Argument, ConfigurationError
from corpora.reading import Unclaimed, sources
from corpora.reporting import Report, log
from corpora.storage import inputs, standoff
from corpora.storage.inputs import InputFile
from corpora.storage.members import Member
from corpora.storage.selection import Selection
from corpora.writing import output_name
from nlmchem.batch.ledger import Ledger
from nlmchem.batch.shard import Shard

__all__ = ["OutputNames", "Registered", "by_full_path", "name_fault", "output_of", "register", "stamp"]

_RESERVED = re.compile(r"quarantine|manifest(-\d+-of-\d+)?\.json|\.nlmchem(-\d+-of-\d+)?")

LONGEST_NAME = 230
"""Bytes of a file name. File systems allow 255; temporary files and the quarantine add a suffix."""


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

    A member of an archive whose name cannot be used gets a name in the folder `ARCHIVE.refused` and a fault: the
    archive may come from others, so it must not end the run. Only digests are kept, for archives of many members.
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
            return PurePosixPath(f"{output.parts[0]}.refused") / name, fault
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


@dataclass(slots=True)
class Registered:
    """What a run reads: the size of its files in bytes. `unclaimed`: files that no format claims, of this shard."""

    size: int = 0
    sources: int = 0
    unclaimed: Unclaimed = field(default_factory=Unclaimed)


def register(
    files: Iterable[InputFile],
    ledger: Ledger,
    suffix: str,
    shard: Shard,
    out: Path,
    selection: Selection,
    report: Report = log,
) -> Registered:
    """Write the input files and the sources of this run to the ledger.

    `report` receives a sentence about files with several names. Raises `ConfigurationError` where there is nothing to
    read, where two inputs have the same output, or where an output would overwrite an input. A file that cannot be
    opened becomes a source as well; it fails when it is read. A file that no format claims is counted, and does not
    become a source. Call within a transaction.
    """
    found = Registered()
    folders: set[PurePosixPath] = set()
    if not ledger.set_files((_place(file), file.path, str(file.relative)) for file in files):
        raise ConfigurationError("there are no files in the inputs; name files, folders, globs or archives")
    number, example = ledger.repeated_files()
    if number:
        report(f"{number} inputs are links to files that are read anyway, for example {example}; each is read once")
    for file in ledger.files():
        mine = False
        for member, output, reason in _sources(file, suffix, selection):
            found.sources += reason is None
            if not shard.holds(output):
                continue
            if reason is not None:
                found.unclaimed.add(file.path if member is None else f"{file.path}, member {member}", reason)
                continue
            _refuse_name(file, output, ledger, out)
            ledger.add_source(file.path, member, output)
            folders.update(output.parents)
            mine = True
        if mine:
            ledger.forget_earlier_failures(file.path)
            found.size += file.size()
    for folder in folders:
        if ledger.has_output(str(folder)):
            raise ConfigurationError(f"{folder} would be the name of an output and of a folder; rename one input")
    _require_sources(found, selection)
    return found


def _require_sources(found: Registered, selection: Selection) -> None:
    if found.sources:
        return
    if (skipped := found.unclaimed).number:
        raise ConfigurationError(f"no input has a format that is read; the first, {skipped.first[0]}: {skipped.reason}")
    if selection.include or selection.exclude:
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


def _refuse_name(file: InputFile, output: PurePosixPath, ledger: Ledger, out: Path) -> None:
    if (fault := name_fault(output)) is not None:
        raise ConfigurationError(f"{file.path}: {fault}")
    if ledger.is_input(os.path.realpath(out / output)):
        raise ConfigurationError(f"the output {out / output} would overwrite an input; choose another output folder")


def _sources(
    file: InputFile, suffix: str, selection: Selection
) -> Iterator[tuple[str | None, PurePosixPath, str | None]]:
    """Members, their output names, and why no format claims them (None: one does).

    An archive that is broken after some members has one more source, its rest.
    """
    if inputs.is_pipe(file.path):
        yield None, output_name(file.relative, suffix), None
        return
    names = OutputNames(suffix)
    for source in sources([file], selection):
        reason = source.unclaimed()
        output = names.of(source.member)[0] if reason is None else output_of(source.member, suffix)
        yield source.member.name, output, reason
