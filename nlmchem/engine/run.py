"""A run: its output folder with the lock that allows one run at a time, what all its parts share, and its manifest."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from corpora.commands.command import Bar, Progress
from corpora.errors import ConfigurationError
from corpora.output_names import Clashes
from corpora.reading import Unclaimed
from corpora.storage import atomic, locks
from corpora.storage.atomic import sha256_of
from corpora.storage.members import Selection
from corpora.storage.owned_files import FileRecord, OwnedFolder
from corpora.words.quantities import quantity
from nlmchem.engine.account import LISTED, Unread
from nlmchem.engine.ledger import Ledger
from nlmchem.engine.outputs import Outputs, stored_as
from nlmchem.engine.parts import PartedOutputs
from nlmchem.engine.quarantine import Quarantine, article_of
from nlmchem.engine.stop import RunStopped
from nlmchem.engine.tasks import Setup
from nlmchem.run.observers import OBSERVERS
from nlmchem.run.options import RunOptions, Shard
from nlmchem.run.plan import Job, environment
from nlmchem.tagging.kernel.arithmetic import path_of_kernel
from sieves.lexicon.options import LexiconOptions

_VARIABLE = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")
NOT_FINISHED = 0.99
"""The highest share that is shown before the end of the run."""

# The names that `corpora.storage.atomic` gives to files and folders while they are written.
_TEMPORARY = re.compile(r"\.(.+)\.[0-9a-f]{8}\.tmp", re.DOTALL)
_TEMPORARY_FOLDER = re.compile(r"\.(.+)\.[0-9a-f]{8}\.partial", re.DOTALL)
_STATE = re.compile(r"\.nlmchem(?:-(\d+)-of-(\d+))?")


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The output folder `out` for one run. Each shard of a job array has its own ledger, parts and manifest."""

    out: Path
    shard: Shard

    @property
    def state(self) -> Path:
        return self.out / f".nlmchem{self._suffix}"

    @property
    def ledger(self) -> Path:
        return self.state / "ledger.sqlite"

    @property
    def parts(self) -> Path:
        return self.state / "parts"

    @property
    def manifest(self) -> Path:
        return self.out / f"manifest{self._suffix}.json"

    @property
    def quarantine(self) -> Path:
        """The folder of failed articles, which all shards share."""
        return self.out / "quarantine"

    @property
    def _suffix(self) -> str:
        return "" if self.shard.of == 1 else f"-{self.shard}"

    @classmethod
    def runs_in(cls, out: Path) -> list[RunFolder]:
        """The run in an output folder, or all its shards."""
        folders = []
        for state in sorted(out.glob(".nlmchem*")):
            name = _STATE.fullmatch(state.name)
            if name and (state / "ledger.sqlite").exists():
                folders.append(cls(out, Shard(int(name[1] or 1), int(name[2] or 1))))
        return folders

    def siblings(self) -> list[RunFolder]:
        """The other shards. Raises `ConfigurationError` if the run in the folder has another number of shards."""
        others = [run for run in self.runs_in(self.out) if run != self]
        for run in others:
            if run.shard.of != self.shard.of:
                how = "without shards" if run.shard.of == 1 else f"in {run.shard.of} shards"
                raise ConfigurationError(
                    f"the output folder {self.out} contains a run that was made {how}; "
                    "continue it in the same way, or choose another folder"
                )
        return others

    def sweep(self, is_ours: Callable[[PurePosixPath], bool]) -> None:
        """Delete temporary files of a killed run. `is_ours`: whether an output belongs to this shard."""
        for where, folders, files in os.walk(self.out):
            here = Path(where).relative_to(self.out)
            for name in filter(_TEMPORARY_FOLDER.fullmatch, folders):
                whole = here / _TEMPORARY_FOLDER.sub(r"\1", name)
                if is_ours(PurePosixPath(whole)):
                    atomic.recover(self.out / whole)
            folders[:] = [folder for folder in folders if not folder.startswith(".nlmchem")]
            for name in filter(_TEMPORARY.fullmatch, files):
                whole = here / _TEMPORARY.sub(r"\1", name)
                # The output of an article in quarantine, or the file itself.
                entry = PurePosixPath(*whole.parts[1:-1]) if whole.parts[0] == self.quarantine.name else None
                output_and_position = entry and article_of(entry)
                output = output_and_position[0] if output_and_position else PurePosixPath(whole)
                if whole == self.manifest.relative_to(self.out) or is_ours(output):
                    (Path(where) / name).unlink(missing_ok=True)

    def has_files_of_others(self) -> bool:
        """Whether the folder has a file that no run wrote, such as one that was changed by hand."""
        record = FileRecord(self.state / "files")
        for path in self.out.rglob("*"):
            name = path.relative_to(self.out)
            is_ours = name.parts[0] == self.state.name or locks.is_lock(path.name)
            if not is_ours and path.is_file() and not record.has(name.as_posix(), sha256_of(path)):
                return True
        return False

    @contextmanager
    def opened(self) -> Iterator[OwnedFolder]:
        """Make the folder and lock it for this process; shards of a job array work in it at the same time.

        Each shard has a record of its files. A run that is refused before it begins leaves no folder that is made here.
        Raises `ConfigurationError` where another command works in the folder.
        """
        new = [folder for folder in (self.state, *self.state.parents) if not folder.exists()]
        atomic.make_folder(self.state)
        is_shared = self.shard.of > 1
        try:
            with (
                # Before the lock of the whole folder, which would include it.
                locks.hold(self.state) if is_shared else nullcontext(),
                OwnedFolder(self.out, self.state / "files", among_others=True, shared=is_shared) as files,
            ):
                try:
                    yield files
                finally:
                    if new and files.is_new():
                        shutil.rmtree(self.state, ignore_errors=True)
        finally:
            # Folders that have other files now stay.
            with suppress(OSError):
                for folder in new[1:] if not self.state.exists() else ():
                    folder.rmdir()


def now() -> str:
    """The clock time, for the ledger and the manifest."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(slots=True)
class Run:
    """What the parts of a run share."""

    folder: RunFolder
    job: Job
    setup: Setup
    fingerprint: dict[str, Any]
    """That of the configuration."""
    ledger: Ledger
    files: OwnedFolder
    """The output folder, in which files of the user stay."""
    one_output: Path | None = None
    """The file that all articles are written to; None: one output for each source."""
    outputs: Outputs | PartedOutputs = field(init=False)
    quarantine: Quarantine = field(init=False)
    progress: RunProgress = field(init=False)
    """It is set when the input files are known, as `clashes`."""
    selection: Selection = field(init=False)
    suffix: str = field(init=False)
    """The suffix of an output."""
    clashes: Clashes = field(default_factory=Clashes)
    unclaimed: Unclaimed = field(default_factory=Unclaimed)
    """Files that no format claims."""
    unread: Unread = field(default_factory=Unread)
    """What else is not read."""
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """The time of each stage, summed over all workers."""
    begun: str = field(default_factory=now)
    clock: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        folder, options, plan = self.folder, self.options, self.job.plan
        files, parted = plan.files, plan.parted()
        if parted is not None and files.per_file is not None:
            # Parts have no output for a source, only its name.
            self.suffix = ""
            self.outputs = PartedOutputs(self.files, folder.parts, self.ledger, parted, files.per_file, options.shard)
        else:
            writer, self.suffix = stored_as(plan, self.one_output is not None)
            recorders = {
                name: OBSERVERS.named(name, "observer").recorder(folder.state) for name in self.setup.observers
            }
            self.outputs = Outputs(self.files, folder.parts, self.ledger, writer, recorders)
        self.quarantine = Quarantine(folder.quarantine, self.fingerprint)
        self.selection = Selection(
            options.include, options.exclude, files.lines, files.offsets, files.text_column, files.id_column,
            options.all_versions,
        )  # fmt: skip

    @property
    def options(self) -> RunOptions:
        return self.job.options

    @property
    def out(self) -> Path:
        """The output folder."""
        return self.folder.out

    @property
    def format(self) -> str:
        return self.job.plan.format

    def require_folder(self) -> None:
        """Raise `RunStopped` if the output folder was removed during the run: what it had is lost."""
        if not self.ledger.is_in_place():
            raise RunStopped(f"the output folder {self.out} was removed during the run; run the same command again")

    @property
    def writes_parts(self) -> bool:
        """Whether it writes numbered parts, not an output for each source."""
        return self.job.plan.files.per_file is not None


# -- how far it is ------------------------------------------------------------------------------


class RunProgress:
    """Counts the articles of a run and shows them. An article counts when it is done or has failed.

    `quiet`: only errors are printed.
    """

    def __init__(self, total_bytes: int, progress: Progress, *, quiet: bool = False) -> None:
        self._shown = ExitStack()
        self._bar: Bar = self._shown.enter_context(progress.bar(total_bytes))
        self._begun = time.monotonic()
        self._quiet = quiet
        self._total = total_bytes
        self._files_read = 0
        self._skipped = 0
        self._read_of_file = 0
        self._position: Callable[[], int] | None = None
        self._read = 0
        self._ended = 0
        self._articles = 0
        self._mentions = 0
        self._failed = 0
        self._failures: dict[str, list[Any]] = {}
        """By kind, the first failed article with its reason, and how many more there are."""

    def file_begun(self, position: Callable[[], int] | None) -> None:
        """A file is read from now on. `position`: how many of its bytes on the disk were read, or None if unknown.

        Without it the bytes of the articles count, which are too many if the file is compressed.
        """
        self._position = position

    def article_read(self, size: int) -> None:
        """An article of `size` bytes was read from its file."""
        self._read += size
        self._read_of_file += size

    def file_read(self, size: int) -> None:
        """A file of `size` bytes on disk was read to its end."""
        if self._read_of_file:
            self._files_read += size
        else:
            # Earlier runs have done all of its articles.
            self._skipped += size
        self._read_of_file = 0
        self._position = None

    def article_ended(self, mentions: int, failed: bool, size: int = 0) -> None:
        """An article of `size` bytes is done or has failed. `size` is 0 if it could not be read."""
        self._articles += 1
        self._mentions += mentions
        self._failed += failed
        self._ended += size
        # The bytes of the inputs that are done: of the bytes read, the share of the articles that have ended.
        share = self._ended / self._read if self._read else 0.0
        of_file = self._position() if self._position else self._read_of_file
        done = self._skipped + (self._files_read + of_file) * share
        self._bar.show(min(done, NOT_FINISHED * self._total), self._text())

    def message(self, sentence: str) -> None:
        """Print a sentence on a line of its own."""
        self._bar.message(sentence)

    def note(self, sentence: str) -> None:
        """Print a sentence that is no error; nothing in a quiet run."""
        if not self._quiet:
            self._bar.message(sentence)

    def failure(self, where: str, reason: str) -> None:
        """An article has failed. Of reasons that differ in numbers and quoted words only, the first one is printed."""
        kind = _VARIABLE.sub("", reason)
        if kind in self._failures:
            self._failures[kind][1] += 1
        else:
            self._failures[kind] = [f"{where}, {reason}", 0]
            self.message(f"failed: {where}, {reason}")

    def close(self) -> None:
        """The run has ended."""
        for first, more in self._failures.values():
            if more:
                self.message(f"failed: {quantity(more, 'more article')} like {first}")
        if self._ended >= self._read > 0:
            self._bar.show(self._total, self._text())
        self._shown.close()

    def _text(self) -> str:
        rate = self._articles / max(time.monotonic() - self._begun, 0.001)
        return (
            f"{quantity(self._articles, 'article')}, {quantity(self._mentions, 'mention')}, "
            f"{self._failed} failed, {rate:.1f} articles/s"
        )


# -- the manifest -------------------------------------------------------------------------------


def configuration_in(path: Path) -> dict[str, Any] | None:
    """The configuration in a manifest; None if there is no manifest yet."""
    try:
        configuration: dict[str, Any] | None = json.loads(path.read_bytes()).get("configuration")
    except (OSError, ValueError, AttributeError):
        return None
    return configuration


def write_manifest(run: Run, state: str, ended: str | None) -> None:
    """Write `manifest.json` atomically: the options, versions and results of a run.

    No other output file contains clock times. `state`: `running`, `finished` or `stopped`. `ended`: a clock time.
    """
    options, account = run.options, run.ledger.account
    lexicon = run.job.plan.options(LexiconOptions)
    counts = account.counts()
    number, notes = account.notes(LISTED)
    repeated, documents = account.repeated_documents(LISTED)
    content = {
        "made_by": "nlmchem annotate",
        "state": state,
        "begun": run.begun,
        "ended": ended,
        "elapsed_seconds": round(time.monotonic() - run.clock, 3),
        "run": run.ledger.run,
        "configuration": run.fingerprint,
        "options": {
            "workers": options.number_of_workers,
            "timeout": options.timeout,
            "shard": f"{options.shard.number}/{options.shard.of}",
            "dask": options.dask,
            "lexicon": lexicon and lexicon.lexicon,
        },
        "environment": {**environment(), "processors": os.cpu_count(), "kernel": path_of_kernel()},
        "articles": {
            "input": counts.read,
            "done": counts.done,
            "failed": counts.failed,
            "failed_in_earlier_runs": counts.failed_earlier,
            "skipped": counts.skipped,
        },
        "files_without_format": {"number": run.unclaimed.number, "first": run.unclaimed.first},
        "parts": run.ledger.parts.number(),
        "apart": run.unread.as_json(),
        "changes": {"number": dict(sorted(counts.changes.items())), "first": account.changed(LISTED)},
        "mentions": counts.mentions,
        "mentions_left_out": counts.left_out,
        "expected_precision": counts.expected_precision,
        "counts": counts.of_steps,
        "seconds_by_stage": {stage: round(spent, 3) for stage, spent in sorted(run.seconds.items())},
        "failures": account.failures(LISTED),
        "notes": {"number": number, "first": notes},
        "repeated_document_ids": {"number": repeated, "first": documents},
    }
    text = json.dumps(content, indent=1, ensure_ascii=True)
    run.files.write_text(PurePosixPath(run.folder.manifest.name), text + "\n")
