"""Durable events: the calls of a process that change what is on the disk.

Opening a file for writing, creating, renaming and removing files and folders, `fsync`, and SQL statements that write.
`watch` calls a function before each event: it can count, end the process, or raise an error. Use it only in a process
that `in_child` has forked, because an audit hook cannot be removed.
"""

from __future__ import annotations

import gc
import os
import signal
import sqlite3
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Ended", "Event", "in_child", "killing", "watch"]

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGING = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink")
_NO_WRITES = ("select", "pragma synchronous", "pragma user_version;", "pragma quick_check", "begin", "savepoint")


@dataclass(frozen=True, slots=True)
class Event:
    """`what`: the name of the call, or an SQL statement. `where`: the path, if the event has one; `to`: its new one."""

    what: str
    where: str = ""
    to: str = ""

    def __str__(self) -> str:
        return f"{self.what} {self.where}".strip()


@dataclass(slots=True)
class Ended:
    """How a child ended. `signal`: the number of the signal that killed it, else 0. `error`: class and message."""

    signal: int = 0
    error: str = ""
    sentence: str = ""
    value: str = ""
    printed: str = ""
    events: list[str] = field(default_factory=list)


Act = Callable[[Event], None]


def killing(number: int) -> Act:
    """Kill this process before event `number`, counted from 0."""
    left = number

    def act(event: Event) -> None:
        nonlocal left
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1

    return act


def watch(root: Path, act: Act, *, reading: bool = False, after_sql: Act | None = None) -> None:
    """Call `act` before each durable event below `root`. `reading`: also before a file is opened for reading.

    `after_sql` is called after each SQL statement.
    """
    inside = str(root)

    def hook(name: str, arguments: tuple[Any, ...]) -> None:
        if name == "open":
            path, _, flags = arguments
            if isinstance(path, (str, bytes, os.PathLike)) and os.fsdecode(path).startswith(inside):
                writes = bool((flags or 0) & _WRITING)
                if writes or reading:
                    act(Event("open" if writes else "read", os.fsdecode(path)))
        elif name in _CHANGING:
            path = arguments[0]
            if isinstance(path, int):
                act(Event(name, f"descriptor {path}"))
            elif os.fsdecode(path).startswith(inside) or _below(arguments, inside):
                act(Event(name, os.fsdecode(path), os.fsdecode(arguments[1]) if name == "os.rename" else ""))

    def fsync(descriptor: Any) -> None:
        number = descriptor if isinstance(descriptor, int) else descriptor.fileno()
        act(Event("fsync", str(Path(f"/proc/self/fd/{number}").readlink())))
        plain_fsync(number)

    plain_fsync, plain_connect = os.fsync, sqlite3.connect
    os.fsync = fsync

    class Watched(sqlite3.Connection):
        def execute(self, sql: str, *rest: Any) -> sqlite3.Cursor:
            return self._done(sql, super().execute, rest)

        def executemany(self, sql: str, *rest: Any) -> sqlite3.Cursor:
            return self._done(sql, super().executemany, rest)

        def close(self) -> None:
            act(Event("close of the ledger"))
            super().close()
            if after_sql is not None:
                after_sql(Event("close"))

        def _done(self, sql: str, run: Callable[..., sqlite3.Cursor], rest: tuple[Any, ...]) -> sqlite3.Cursor:
            short = " ".join(sql.split())
            if not short.lower().startswith(_NO_WRITES):
                act(Event(short[:60]))
            found = run(sql, *rest)
            if after_sql is not None:
                after_sql(Event(short))
            return found

    def connect(path: Any, **options: Any) -> sqlite3.Connection:
        mine = str(path).startswith(inside)
        return plain_connect(path, factory=Watched, **options) if mine else plain_connect(path, **options)

    sqlite3.connect = connect  # type: ignore[assignment]
    sys.addaudithook(hook)


def _below(arguments: tuple[Any, ...], inside: str) -> bool:
    """Whether a call with a relative path and the descriptor of a folder (`shutil.rmtree`) is below a folder."""
    # Other whole numbers, such as the mode of a new folder, are no descriptors.
    open_here = (v for v in arguments[1:] if isinstance(v, int) and Path(f"/proc/self/fd/{v}").is_symlink())
    return any(os.readlink(f"/proc/self/fd/{number}").startswith(inside) for number in open_here)  # noqa: PTH115


def in_child(work: Callable[[], object]) -> Ended:
    """Do work in a forked process. Returns how it ended, with what it printed on standard error."""
    with tempfile.TemporaryFile("w+") as report, tempfile.TemporaryFile("w+") as printed:
        child = os.fork()
        if child == 0:
            try:
                gc.freeze()  # a collection would look at all objects of the parent, and so copy their memory
                _use_one_thread()
                os.dup2(printed.fileno(), 2)
                sys.stderr = open(2, "w", closefd=False)
                _write_report(report.fileno(), work)
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        report.seek(0)
        printed.seek(0)
        error, sentence, value = [*report.read().split("\x1e"), "", "", ""][:3]
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        return Ended(number, error, sentence, value, printed.read())


def _use_one_thread() -> None:
    """Use no thread pools: the threads of the parent are missing here, and OpenMP would wait for them for ever."""
    if "threadpoolctl" in sys.modules:
        sys.modules["threadpoolctl"].threadpool_limits(1)


def _write_report(descriptor: int, work: Callable[[], object]) -> None:
    error = sentence = value = ""
    try:
        value = str(work())
    except BaseException as raised:
        error, sentence = type(raised).__name__, str(raised)
        traceback.print_exc()
    os.write(descriptor, "\x1e".join((error, sentence, value)).encode("utf-8", "backslashreplace"))
