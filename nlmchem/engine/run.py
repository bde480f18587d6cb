"""A run: its output folder with the lock that allows one run at a time, and what all its parts share."""

from __future__ import annotations

import os
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from corpora.errors import ConfigurationError
from corpora.output_names import Clashes
from corpora.reading import Unclaimed
from corpora.storage import atomic, locks
from corpora.storage.atomic import sha256_of
from corpora.storage.members import Selection
from corpora.storage.owned_files import FileRecord, OwnedFolder
from nlmchem.engine.apart import Apart
from nlmchem.engine.ledger import Ledger
from nlmchem.engine.options import RunOptions, Shard
from nlmchem.engine.outputs import Outputs, stored_as
from nlmchem.engine.parted_outputs import PartedOutputs
from nlmchem.engine.progress import RunProgress
from nlmchem.engine.quarantine import Quarantine, article_of
from nlmchem.engine.stop import RunStopped
from nlmchem.engine.tasks import Setup
from nlmchem.search.recorded import FactsRecorder

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
                if whole == self.manifest.relative_to(self.out) or is_ours(self._output_of(whole)):
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

    def _output_of(self, path: Path) -> PurePosixPath:
        """The output that a file belongs to: the file itself, or the output of an article in quarantine."""
        entry = PurePosixPath(*path.parts[1:-1]) if path.parts[0] == self.quarantine.name else None
        output_and_position = entry and article_of(entry)
        return output_and_position[0] if output_and_position else PurePosixPath(path)

    @contextmanager
    def opened(self) -> Iterator[OwnedFolder]:
        """Make the folder and lock it for this process; shards of a job array work in it at the same time.

        Each shard has a record of its files. Raises `ConfigurationError` where another command works in the folder.
        """
        atomic.make_folder(self.state)
        is_shared = self.shard.of > 1
        with (
            # Before the lock of the whole folder, which would include it.
            locks.hold(self.state) if is_shared else nullcontext(),
            OwnedFolder(self.out, self.state / "files", among_others=True, shared=is_shared) as files,
        ):
            yield files


def now() -> str:
    """The clock time, for the ledger and the manifest."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(slots=True)
class Run:
    """What the parts of a run share.

    `fingerprint`: of the configuration. `files`: the output folder, in which files of the user stay. `one_output`: the
    file that all articles are written to; None: one output for each source. `progress` and `clashes` are set when the
    input files are known. `unclaimed`: files that no format claims. `apart`: what else is not read. `seconds`: the time
    of each stage, summed over all workers.
    """

    folder: RunFolder
    options: RunOptions
    setup: Setup
    fingerprint: dict[str, Any]
    ledger: Ledger
    files: OwnedFolder
    one_output: Path | None = None
    outputs: Outputs | PartedOutputs = field(init=False)
    quarantine: Quarantine = field(init=False)
    progress: RunProgress = field(init=False)
    selection: Selection = field(init=False)
    suffix: str = field(init=False)
    clashes: Clashes = field(default_factory=Clashes)
    unclaimed: Unclaimed = field(default_factory=Unclaimed)
    apart: Apart = field(default_factory=Apart)
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    begun: str = field(default_factory=now)
    clock: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        folder, options = self.folder, self.options
        self.outputs, self.suffix = self._outputs()
        self.quarantine = Quarantine(folder.quarantine, self.fingerprint)
        plan = self.setup.plan
        self.selection = Selection(
            options.include, options.exclude, plan.lines, plan.offsets, plan.text_column, plan.id_column,
            options.all_versions,
        )  # fmt: skip

    def _outputs(self) -> tuple[Outputs | PartedOutputs, str]:
        """What writes the results, and the suffix of an output; parts have no output for a source, only its name."""
        plan, parts = self.setup.plan, self.folder.parts
        parted = plan.parted()
        if parted is None or plan.per_file is None:
            writer, suffix = stored_as(plan, self.one_output is not None)
            recorder = FactsRecorder(self.folder.state) if self.setup.facts else None
            return Outputs(self.files, parts, self.ledger, writer, recorder), suffix
        return PartedOutputs(self.files, parts, self.ledger, parted, plan.per_file, self.options.shard), ""

    @property
    def out(self) -> Path:
        """The output folder."""
        return self.folder.out

    @property
    def format(self) -> str:
        """The name of the output format."""
        return self.setup.plan.format

    def require_folder(self) -> None:
        """Raise `RunStopped` if the output folder was removed during the run: what it had is lost."""
        if not self.ledger.is_in_place():
            raise RunStopped(f"the output folder {self.out} was removed during the run; run the same command again")
