"""What there is to do, found out before any work: the sources, and a name for the output of each."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from corpora import inputs
from corpora.errors import ConfigurationError, InputError
from corpora.inputs import InputFile
from nlmchem.batch.ledger import Ledger

__all__ = ["Shard", "output_name", "register", "stamp"]

# Suffixes that say what a file is and that the output's own suffix replaces; any other dot is part of a name.
_SUFFIXES = {".xml", ".nxml", ".json", ".jsonl", ".bioc", ".pubtator", ".txt", ".tsv", ".ndjson"}
_RESERVED = {"manifest.json", "quarantine", ".nlmchem"}


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `number` (from 1) of `of`: which files it holds depends on their output names alone."""

    number: int = 1
    of: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """From `I/N` on the command line. Raises `ConfigurationError`."""
        left, slash, right = text.partition("/")
        if not slash or not left.isdecimal() or not right.isdecimal() or not 1 <= int(left) <= int(right):
            raise ConfigurationError(f"--shard is {text!r}; write I/N with I from 1 to N, as in 3/16")
        return cls(int(left), int(right))

    def holds(self, output: PurePosixPath) -> bool:
        """Whether a source belongs to this part."""
        digest = hashlib.sha256(str(output).encode("utf-8", "surrogateescape")).digest()
        return int.from_bytes(digest[:8], "big") % self.of == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}-of-{self.of}"


def output_name(relative: PurePosixPath, suffix: str) -> PurePosixPath:
    """Where the output of an input goes: its own place, with the suffix of the format written."""
    stem = relative.name
    known = PurePosixPath(stem).suffix.lower() in _SUFFIXES and PurePosixPath(stem).stem
    if known:
        stem = PurePosixPath(stem).stem
    return relative.with_name(stem + suffix)


def stamp(file: InputFile) -> str | None:
    """Size and time of change of an input; None for standard input and for what is gone."""
    try:
        facts = Path(file.path).stat()
    except OSError:
        return None
    return f"{facts.st_size}:{facts.st_mtime_ns}"


def register(files: Iterable[InputFile], ledger: Ledger, suffix: str, shard: Shard, out: Path) -> int:
    """Write the input files and the sources of this run into the ledger; says how many bytes the files have.

    Raises `ConfigurationError` where there is no file, where two inputs would have one output, or
    where an output would overwrite an input. What cannot be opened becomes a source all the same:
    it fails when it is its turn.
    """
    total = 0
    with ledger.transaction():
        if not ledger.set_files((_place(file), file.path, str(file.relative)) for file in files):
            raise ConfigurationError("the inputs hold no file; name files, folders, globs or archives")
        for file in ledger.files():
            mine = False
            for member, relative in _sources(file):
                output = output_name(relative, suffix)
                if shard.holds(output):
                    _refuse_collisions(file, output, ledger, out)
                    ledger.add_source(file.path, member, output)
                    mine = True
            total += file.size() if mine else 0
    return total


def _place(file: InputFile) -> str:
    return file.path if file.path == inputs.STDIN else os.path.realpath(file.path)


def _refuse_collisions(file: InputFile, output: PurePosixPath, ledger: Ledger, out: Path) -> None:
    if output.parts[0] in _RESERVED:
        raise ConfigurationError(
            f"the output of {file.path} would be {output}, a name that the run itself uses; rename the input"
        )
    if ledger.is_input(os.path.realpath(out / output)):
        raise ConfigurationError(f"the output {out / output} would overwrite an input; choose another output folder")


def _sources(file: InputFile) -> list[tuple[str | None, PurePosixPath]]:
    if file.path == inputs.STDIN:
        return [(None, file.relative)]
    found: list[tuple[str | None, PurePosixPath]] = []
    try:
        found.extend((member.name, member.relative) for member, _ in inputs.members(file))
    except InputError:
        return found or [(None, file.relative)]
    return found
