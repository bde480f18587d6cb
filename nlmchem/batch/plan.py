"""What there is to do, found out before any work: the sources, and a name for the output of each."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from corpora.errors import ConfigurationError
from corpora.formats.registry import suffixes
from corpora.storage import inputs
from corpora.storage.inputs import InputFile
from corpora.storage.members import Member, members
from nlmchem.batch.ledger import Ledger
from nlmchem.batch.shard import Shard

__all__ = ["output_name", "output_of", "register", "stamp"]

_RESERVED = re.compile(r"quarantine|manifest(-\d+-of-\d+)?\.json|\.nlmchem(-\d+-of-\d+)?")

LONGEST_NAME = 230
"""Bytes of a file name, out of the 255 that file systems allow: temporary files and quarantine add to it."""


def output_name(relative: PurePosixPath, suffix: str) -> PurePosixPath:
    """The output path of an input: its relative path with the suffix of the output format.

    That suffix replaces the suffix of a format; any other dot is part of the name.
    """
    is_format = relative.suffix.lower() in suffixes()
    return relative.with_name((relative.stem if is_format else relative.name) + suffix)


def stamp(file: InputFile) -> str | None:
    """Size and times of change of an input; None for what is gone or, as a pipe, can be read only once.

    The time of the last change of the file's node is part of it: a copy with an old date is a change,
    and so are new permissions.
    """
    try:
        facts = Path(file.path).stat()
    except OSError:
        return None
    if file.path == inputs.STDIN or not stat.S_ISREG(facts.st_mode):
        return None
    return f"{facts.st_size}:{facts.st_mtime_ns}:{facts.st_ctime_ns}"


def output_of(member: Member, suffix: str) -> PurePosixPath:
    """The output path of a file or member. The rest of a broken archive has a name beside its members' outputs."""
    output = output_name(member.relative, suffix)
    return output.with_name(output.name + ".rest") if member.is_rest else output


def register(files: Iterable[InputFile], ledger: Ledger, suffix: str, shard: Shard, out: Path) -> int:
    """Write the input files and the sources of this run into the ledger; says how many bytes the files have.

    Raises `ConfigurationError` where there is no file, where two inputs would have one output, or
    where an output would overwrite an input. What cannot be opened becomes a source all the same:
    it fails when it is its turn. Call within a transaction.
    """
    total = 0
    folders: set[PurePosixPath] = set()
    if not ledger.set_files((_place(file), file.path, str(file.relative)) for file in files):
        raise ConfigurationError("the inputs hold no file; name files, folders, globs or archives")
    for file in ledger.files():
        mine = False
        before: set[PurePosixPath] = set()
        for member, output in _sources(file, suffix):
            if not shard.holds(output):
                continue
            if output in before:
                raise ConfigurationError(f"{file.path} holds {member} twice; pack it again with each file once")
            before.add(output)
            _refuse_name(file, output, ledger, out)
            ledger.add_source(file.path, member, output)
            folders.update(output.parents)
            mine = True
        if mine:
            ledger.forget_earlier_failures(file.path)
            total += file.size()
    for folder in folders:
        if ledger.has_output(str(folder)):
            raise ConfigurationError(f"the outputs would need {folder} as a file and as a folder; rename one input")
    return total


def _place(file: InputFile) -> str:
    try:
        f"{file.path}{file.relative}".encode()
    except UnicodeEncodeError:
        raise ConfigurationError(f"the file name {os.fsencode(file.path)!r} is not UTF-8; rename the file") from None
    return file.path if file.path == inputs.STDIN else os.path.realpath(file.path)


def _refuse_name(file: InputFile, output: PurePosixPath, ledger: Ledger, out: Path) -> None:
    if _RESERVED.fullmatch(output.parts[0]):
        raise ConfigurationError(
            f"the output of {file.path} would be {output}, a name that the run itself uses; rename the input"
        )
    if any(len(part.encode("utf-8", "surrogateescape")) > LONGEST_NAME for part in output.parts):
        raise ConfigurationError(
            f"the output of {file.path} would be {output}, which is longer than {LONGEST_NAME} bytes; rename the input"
        )
    if ledger.is_input(os.path.realpath(out / output)):
        raise ConfigurationError(f"the output {out / output} would overwrite an input; choose another output folder")


def _sources(file: InputFile, suffix: str) -> Iterator[tuple[str | None, PurePosixPath]]:
    """Members and their output names; for an archive that is broken after some members, also that of the rest."""
    if inputs.is_pipe(file.path):
        yield None, output_name(file.relative, suffix)
    else:
        yield from ((member.name, output_of(member, suffix)) for member, _ in members(file))
