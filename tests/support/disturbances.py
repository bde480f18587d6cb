"""Disturbs the commands of drills at their durable events: kills, power failures, errors.

After each disturbance the command is continued, and the files are compared with those of an undisturbed run. All work
is done in forked processes.
"""

from __future__ import annotations

import errno
import importlib
import os
import random
import signal
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from article_events import done_again
from durable_events import Act, Ended, Event, in_child, killing, watch
from power_loss import Disk
from run_drills import Command, Content, Drill, Place

from corpora.storage.owned_files import RECORD
from nlmchem.run.plan import environment

MINE = b"of the user, who has no other copy"


@dataclass(frozen=True, slots=True, eq=False)
class Ready:
    """A drill at its place, with its start, and the right contents: after undisturbed runs."""

    drill: Drill
    place: Place
    right: tuple[Content, ...]


def prepared(drill: Drill, root: Path) -> Ready:
    """Make the start of a drill and run it undisturbed. `root` must be empty."""
    place = Place(root)
    (root / "work").mkdir(parents=True)
    _require(in_child(lambda: drill.prepare(place)))
    place.keep_as_start()
    right = []
    for command in (drill.command, drill.or_as_after):
        if command is not None:
            place.restore()
            modules = in_child(lambda command=command: (command(place), "\n".join(sys.modules))[1])
            _require(modules)
            _import(modules.value.split("\n"))
            right.append(content(place))
    return Ready(drill, place, tuple(right))


OURS = ("corpora.", "sieves.", "ensemble.", "indexing.", "nlmchem.")
LARGE = ("numpy", "joblib", "loky", "scipy", "sklearn", "torch", "transformers", "accelerate", "tokenizers")


def _import(modules: Sequence[str]) -> None:
    """Import what a drill needs, so that its forked processes do not import it thousands of times."""
    for name in modules:
        if name.startswith(OURS + LARGE):
            with suppress(ImportError):
                importlib.import_module(name)
    environment()


@cache
def events_of(ready: Ready, *, reading: bool = False) -> list[str]:
    """The durable events of the command."""
    drill, place = ready.drill, ready.place
    seen = place.root / "events.txt"
    seen.write_text("")

    def note(event: Event) -> None:
        lines.append(str(event))

    def work() -> None:
        _watched(place, drill.command, note, reading=reading)
        seen.write_text("\n".join(line.replace("\n", " ") for line in list(lines)))

    lines: list[str] = []
    place.restore()
    _require(in_child(work))
    return seen.read_text().split("\n")


def disturbed(ready: Ready, act: Act, *, reading: bool = False) -> Ended:
    """Run the command from the start; `act` is called before each event."""
    ready.place.restore()
    return in_child(lambda: _watched(ready.place, ready.drill.command, act, reading=reading))


def kill_everywhere(ready: Ready, step: int = 1, first: int = 0) -> tuple[int, list[str]]:
    """Kill the command before every `step`-th event and continue it. Returns the cases and what differed."""
    drill = ready.drill
    number = len(events_of(ready))
    cases = range(first % step, number, step)
    differences = []
    for case in cases:
        ended = disturbed(ready, killing(case))
        if not ended.signal:
            differences.append(f"{drill.name}, event {case}: was not killed ({ended.error} {ended.sentence})")
            continue
        after = in_child(lambda: drill.continued(ready.place))
        if why := difference(ready, after):
            differences.append(f"{drill.name}, killed before event {case}: {why}")
    return len(cases), differences


def kill_at_moments(ready: Ready, number: int, seed: int = 0) -> tuple[int, list[str]]:
    """Kill the command at `number` random moments of its processor time, and continue it. Returns cases, differences.

    A file of the user stands beside the output. The signal is one that commands do not use, and that kills.
    """
    place, drill = ready.place, ready.drill
    mine, chosen = place.root / "work" / "of the user.txt", random.Random(f"{seed} {drill.name}")
    place.restore()
    before = os.times()
    _require(in_child(lambda: drill.command(place)))
    whole = sum(os.times()[2:4]) - sum(before[2:4])
    differences = []
    for _ in range(number):
        moment = chosen.uniform(0, whole)
        place.restore()
        mine.write_bytes(MINE)
        in_child(lambda moment=moment: (signal.setitimer(signal.ITIMER_PROF, moment), drill.command(place)))
        after = in_child(lambda: drill.continued(place))
        why = "" if mine.read_bytes() == MINE else "the file of the user is another"
        mine.unlink()
        if why := why or difference(ready, after):
            differences.append(f"{drill.name}, killed after {moment:.3f} of {whole:.3f} s: {why}")
    return number, differences


def lose_power_everywhere(
    ready: Ready, step: int = 1, first: int = 0, seeds: Sequence[int] = (0,)
) -> tuple[int, list[str]]:
    """Cut the power before every `step`-th event and continue. For seeds see `power_loss.Disk.fail`."""
    drill = ready.drill
    number = len(events_of(ready))
    cases = [(case, seed) for case in range(first % step, number, step) for seed in seeds]
    differences = []
    for case, seed in cases:
        ready.place.restore()
        _require_killed(in_child(lambda case=case, seed=seed: _without_power(drill, ready.place, case, seed)))
        after = in_child(lambda: drill.continued(ready.place))
        if why := difference(ready, after):
            differences.append(f"{drill.name}, power lost before event {case}, seed {seed}: {why}")
    return len(cases), differences


def _without_power(drill: Drill, place: Place, case: int, seed: int) -> None:
    disk = Disk(place.root / "work")
    left, busy = case, False

    def act(event: Event) -> None:
        nonlocal left, busy
        if busy:
            return
        busy = True
        disk.before(event)
        if left == 0:
            disk.fail(seed)
            os.kill(os.getpid(), signal.SIGKILL)
        left, busy = left - 1, False

    disk.begin()
    watch(place.root, act, after_sql=disk.after_sql)
    drill.command(place)


def _require_killed(ended: Ended) -> None:
    if not ended.signal:
        raise AssertionError(f"was not killed: {ended.error} {ended.sentence} {ended.printed}")


ERRORS = ("MemoryError", "ENOSPC", "EIO", "EMFILE")
_OF_SQLITE = {"ENOSPC": sqlite3.SQLITE_FULL, "EIO": sqlite3.SQLITE_IOERR, "EMFILE": sqlite3.SQLITE_CANTOPEN}


def raise_everywhere(ready: Ready, step: int = 1, first: int = 0) -> tuple[int, list[str]]:
    """Raise an error at every `step`-th event (here also where files are opened for reading), then continue.

    The command must go on or end with an error of ours, in one line. `after_error` of the drill continues it.
    """
    drill = ready.drill
    number = len(events_of(ready, reading=True))
    again = drill.after_error or drill.again or drill.command
    cases = [(case, error) for case in range(first % step, number, step) for error in ERRORS]
    differences = []
    for case, error in cases:
        ended = disturbed(ready, _raising(case, error), reading=True)
        where = f"{drill.name}, {error} at event {case}"
        if ended.signal or not is_one_sentence(ended):
            differences.append(f"{where}: ended with {ended.error} {ended.sentence!r} {ended.signal or ''}")
        after = in_child(lambda: again(ready.place))
        if why := difference(ready, after):
            differences.append(f"{where}: {why}")
    return len(cases), differences


def is_one_sentence(ended: Ended) -> bool:
    """Whether the command line would print one line. It has sentences for errors of the system of its own."""
    return ended.error in ("", "MemoryError") or ("\n" not in ended.sentence and ended.error in _OURS)


_OURS = (
    "RunStopped", "ConfigurationError", "OptionError", "ResourceError", "InputError", "WorkersLost", "OSError",
    "IsADirectoryError", "NotADirectoryError", "FileExistsError",
)  # fmt: skip


def _raising(number: int, error: str) -> Act:
    left = number

    def act(event: Event) -> None:
        nonlocal left
        left -= 1
        if left == -1:
            raise _made(error, event)

    return act


def _made(error: str, event: Event) -> Exception:
    if error == "MemoryError":
        return MemoryError()
    if event.what in ("open", "read", "fsync") or event.what.startswith("os."):
        code = getattr(errno, error)
        return OSError(code, os.strerror(code), event.where)
    raised = sqlite3.OperationalError({"ENOSPC": "database or disk is full"}.get(error, "disk I/O error"))
    raised.sqlite_errorcode = _OF_SQLITE[error]
    return raised


def difference(ready: Ready, after: Ended) -> str:
    """How the state after a continued command differs from an undisturbed run; empty if it does not."""
    place, right = ready.place, ready.right
    if after.error or after.signal:
        return f"it was not continued: {after.error} {after.sentence} {after.signal or ''}"
    found = content(place)
    if found not in right:
        expected = right[0]
        names = sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))
        return f"other content in {', '.join(names)}"
    if again := done_again(place.events):
        return f"{again} finished articles were annotated again"
    return ""


def content(place: Place) -> Content:
    """All files of the drill; of manifests, ledgers and locks only that they are there."""
    return {str(path.relative_to(place.root)): _bytes_of(path) for path in _files(place.root / "work")}


def _files(folder: Path) -> Iterator[Path]:
    yield from (
        path
        for path in sorted(folder.rglob("*"))
        # `.checked-VERSION` has times of the disk; without it the lexicon is read once more.
        if path.is_file() and not path.name.endswith(("-wal", "-shm")) and not path.name.startswith(".checked-")
    )


WITH_TIMES = (
    "ledger.sqlite", "files", ".lock", "manifest.json", ".nlmchem-fetch.json", "facts.sqlite", "search.sqlite",
)  # fmt: skip
"""Files with times, or of a database; what commands print of the latter is compared."""


def _bytes_of(path: Path) -> bytes:
    if path.name in WITH_TIMES:
        return b""
    with suppress(FileNotFoundError):
        content = path.read_bytes()
        if path.name == RECORD:
            # Manifests contain times.
            return b"".join(line for line in content.splitlines(True) if not line.endswith(b"manifest.json\n"))
        return content
    return b""


def _watched(place: Place, command: Command, act: Act, *, reading: bool = False) -> object:
    watch(place.root, act, reading=reading)
    return command(place)


def _require(ended: Ended) -> None:
    if ended.error or ended.signal:
        raise AssertionError(f"{ended.error}: {ended.sentence} {ended.printed}")
