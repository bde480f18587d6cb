"""The options of a run besides those of its steps: its files, its workers, its limits, the part of a job array.

Those of `FileOptions` decide about the bytes of the output; those of `RunOptions` do not.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from corpora.commands.options import option
from corpora.commands.shared import licence_option
from corpora.errors import OptionError
from corpora.model.mesh_ids import SPELLINGS
from corpora.words.quantities import OFFSETS_HELP, UNITS
from nlmchem.run.step import COMMON, RUNS

AUTO = "auto"
NO_LIMIT = "no limit"

FEWEST = 100
"""A share is compared from this number of articles on, and at the end of the run: one of one article is no share."""
_SHARE = re.compile(r"\d*\.?\d+%?|\d+\.%?", re.ASCII)


@dataclass(frozen=True)
class FileOptions:
    """How text files are read, what offsets of the input count, and what tables contain."""

    lines: bool = option(False, "Text files (.txt) and standard input contain one article in each line.", panel=COMMON)
    text_column: str | None = option(
        None,
        "Column of CSV and TSV, or key of JSON lines, with the texts.",
        metavar="NAME",
        default_text="usual names: title, abstract, text ...",
        panel=COMMON,
    )
    id_column: str | None = option(
        None,
        "Column or key with the ids of the articles.",
        metavar="NAME",
        default_text="usual names: id, pmid ...",
        panel=COMMON,
    )
    with_abbreviations: bool = option(
        False, "TSV, CSV and PubTator: a row for each short form, with its long form.", panel=COMMON, advanced=True
    )
    per_file: int | None = option(
        None,
        "Write numbered parts of N articles each, not an output for each input; for jsonl and parquet.",
        minimum=1,
        maximum=100_000,
        metavar="N",
        panel=RUNS,
        advanced=True,
    )
    identifiers: str | None = option(
        None,
        "Spelling of MeSH identifiers in the output: MESH:D014867 (mesh), mesh:D014867 (curie), or an address (uri).",
        choices=SPELLINGS,
        default_text="mesh, or as the input has them",
        panel=COMMON,
        advanced=True,
    )
    offsets: str | None = option(None, OFFSETS_HELP, choices=UNITS, metavar="UNIT", panel=COMMON, advanced=True)


def default_workers() -> int:
    """One worker for each processor that this process may use; macOS has no such limit."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def parse_workers(text: str) -> int | None:
    """The number of workers; None for `auto`. Raises `OptionError`."""
    if text == AUTO:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise OptionError("workers", f"must be {AUTO} or a number of 1 or more, not {text!r}")
    return int(text)


@dataclass(frozen=True)
class WorkerOptions:
    """How many processes work. `workers` None: one for each processor."""

    workers: int | None = option(
        None,
        "Worker processes; auto: one for each processor.",
        metavar="N|auto",
        parse=parse_workers,
        default_text=AUTO,
        panel=COMMON,
    )

    @property
    def number_of_workers(self) -> int:
        return self.workers or default_workers()


@dataclass(frozen=True, slots=True)
class FailureLimit:
    """The highest number (`share` False) or share (0 to 1) of failed articles with which a run goes on."""

    most: float
    share: bool = False

    @classmethod
    def parse(cls, text: str) -> FailureLimit | None:
        """The limit of `20` (articles), `0.5` or `50%` (a share); None for `no limit`. Raises `OptionError`."""
        if text == NO_LIMIT:
            return None
        if text.isascii() and text.isdecimal():
            return cls(int(text))
        most = 2.0
        if _SHARE.fullmatch(text):
            most = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        if most > 1:
            raise OptionError("max_failures", f"must be a number (20) or a share (0.5 or 50%), not {text!r}")
        return cls(most, share=True)

    def is_exceeded(self, failed: int, ended: int, at_end: bool = False) -> bool:
        """Whether too many of the articles that have ended failed."""
        if not self.share:
            return failed > self.most
        return (at_end or ended >= FEWEST) and failed > self.most * ended

    def __str__(self) -> str:
        return f"{100 * self.most:g}%" if self.share else f"{self.most:g}"


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `number` (from 1) of `of` parts. The name of an output decides which part it belongs to."""

    number: int = 1
    of: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard of `I/N`. Raises `OptionError`."""
        left, slash, right = text.partition("/")
        if not slash or not left.isdecimal() or not right.isdecimal() or not 1 <= int(left) <= int(right):
            raise OptionError("shard", f"must be I/N with I from 1 to N, for example 3/16, not {text!r}")
        return cls(int(left), int(right))

    def holds(self, output: PurePosixPath) -> bool:
        """Whether an output belongs to this part."""
        if self.of == 1:
            return True
        digest = hashlib.sha256(str(output).encode("utf-8", "surrogateescape")).digest()
        return int.from_bytes(digest[:8], "big") % self.of == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}-of-{self.of}"


@dataclass(frozen=True)
class RunOptions(WorkerOptions):
    licence: tuple[str, ...] = licence_option()
    timeout: float | None = option(
        None, "Seconds that an article may take.", minimum=0.1, default_text="no limit", panel=RUNS, advanced=True
    )
    max_failures: FailureLimit | None = option(
        None,
        "Stop if more articles fail: a number (20), or a share (0.5 or 50%) of 100 articles or more.",
        metavar="N|SHARE",
        parse=FailureLimit.parse,
        default_text=NO_LIMIT,
        panel=RUNS,
        advanced=True,
    )
    shard: Shard = option(
        Shard(),
        "Process part I of N of the files, for job arrays.",
        metavar="I/N",
        parse=Shard.parse,
        default_text="1/1",
        panel=RUNS,
        advanced=True,
    )
    dask: str | None = option(
        None, "Address of a Dask scheduler that runs the workers.", metavar="ADDRESS", panel=RUNS, advanced=True
    )
    include: tuple[str, ...] = option(
        (),
        "Read only files whose name or path matches this pattern, such as '*.nxml'.",
        metavar="GLOB",
        repeat=True,
        panel=RUNS,
    )
    exclude: tuple[str, ...] = option(
        (), "Do not read files whose name or path matches this pattern.", metavar="GLOB", repeat=True, panel=RUNS
    )
    all_versions: bool = option(
        False, "Read each version of a PMC article, not the newest one alone.", panel=RUNS, advanced=True
    )
    exclude_retracted: bool = option(
        False, "Leave out articles that their metadata call retracted.", panel=RUNS, advanced=True
    )
    prune: bool = option(
        False,
        "Remove the outputs of articles that the inputs no longer contain.",
        in_file=False,
        panel=RUNS,
        advanced=True,
    )
    prune_empty: bool = option(
        False,
        "Also remove the outputs of folders that have no file now, with `prune`.",
        in_file=False,
        panel=RUNS,
        advanced=True,
    )
    quiet: bool = option(False, "Print errors only: no progress, notes and counts.", short="q", panel=COMMON)
    restart: bool = option(False, "Delete the results of earlier runs and start again.", in_file=False, panel=RUNS)
    retry_failed: bool = option(False, "Process failed articles again.", in_file=False, panel=RUNS)
