"""Attacks on what is the user's, as whole commands: files, endless waits, and words for what is not our defect.

    python -m benchmarks.faults.attacks [ITEM ...]

Each attack is a command line in a folder of its own, with the files of the user in it. It runs in a process of its own,
with at most SECONDS seconds, as many at once as there are processors. An attack counts as lost where a file of the user
has another content or is gone, as wrong where the exit code or the sentence is not the expected one, as endless where
the process does not end, and as unexpected where it prints a traceback, more than is allowed, or "unexpected" for what
is not a defect of ours. Ends with 1 where one counts. The last lines are the seconds in which the server for agents
answers. The numbers are those of the table in docs/measurements/robustness.md. No data is needed.
Files of the user at every place, and two commands at once, are drilled by `benchmarks.faults.crash_points`; texts and
articles that take quadratic time by `benchmarks.speed.linear_time`; damaged inputs by `benchmarks.faults.fuzz`.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import shlex
import shutil
import signal
import socket
import sqlite3
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.synchronize import Event as ProcessEvent
from pathlib import Path
from threading import Event
from typing import NoReturn

import bioc  # noqa: F401 (imported once, for all commands)

import nlmchem.cli.app
import nlmchem.engine.runner
import nlmchem.steps.abbreviate  # noqa: F401
from benchmarks.faults.attack_cases import ATTACKS, DEAF, SNAPSHOT, Attack, prepare

SECONDS = 240
ENDING = 30
"""Seconds in which a command that is talked to answers, also a signal or the end of its input."""
KINDS = ("lost", "wrong", "endless", "unexpected")
WORDS = ("unexpected ", "Traceback", "please report", "report the traceback", "panicked")
"""What a command prints for a defect of ours."""
LONGEST = 3000
"""Characters of all messages of a command."""
FORK = get_context("fork")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended. `code` is None where it did not. `seconds`: its answers in a conversation."""

    code: int | None
    printed: str
    seconds: dict[str, float]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("items", nargs="*", type=int, help="numbers of items; all if none is given")
    items = parser.parse_args().items
    chosen = [attack for attack in ATTACKS if not items or attack.item in items]
    counts: Counter[str] = Counter()
    waits: defaultdict[str, list[float]] = defaultdict(list)
    with (
        tempfile.TemporaryDirectory(prefix="attacks-") as name,
        deaf_server() as port,
        ProcessPoolExecutor(mp_context=FORK) as pool,
    ):
        work = ((attack, Path(name) / str(number), Path(name) / "home", port) for number, attack in enumerate(chosen))
        # Threads of the same process would inherit the pipes of each other's commands.
        for attack, (faults, seconds) in zip(chosen, pool.map(_tried, work), strict=True):
            counts.update(faults.keys())
            if faults:
                print(f"item {attack.item}: {attack.command}: {', '.join(map(' '.join, faults.items()))}", flush=True)
            if attack.command.startswith("mcp"):
                for what, waited in seconds.items():
                    waits[what].append(waited)
    by_item = Counter(attack.item for attack in chosen)
    print(f"{len(chosen)} attacks ({', '.join(f'item {item}: {n}' for item, n in sorted(by_item.items()))})")
    print(", ".join(f"{counts[kind]} {kind}" for kind in KINDS))
    for what, found in waits.items():
        print(f"mcp answers {what} in {min(found):.1f} to {max(found):.1f} s ({len(found)} times)")
    return int(any(counts.values()))


def _tried(work: tuple[Attack, Path, Path, int]) -> tuple[dict[str, str], dict[str, float]]:
    """The kinds of faults of an attack, each with what was seen; the seconds of a conversation."""
    attack, folder, home, port = work
    folder.mkdir()
    prepare(folder, attack)
    before = _contents(folder, "")
    for command in attack.before:
        if command == SNAPSHOT:
            shutil.copytree(folder / "out", folder / SNAPSHOT, copy_function=os.link)
        elif (ran := _run(Attack(0, command), folder, home, port)).code not in (0, 3):
            return {"wrong": f"({command} before it: exit code {ran.code}: {ran.printed[-400:]!r})"}, {}
    if SNAPSHOT in attack.before:
        before.update(_contents(folder, "out" if SNAPSHOT in attack.command else SNAPSHOT))
    for path, text in attack.then.items():
        # What the user does with the output.
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
        before[path] = hashlib.sha256(text.encode()).hexdigest()
    for path in attack.gone:
        (folder / path).unlink()
        before.pop(path, None)
    for path in attack.damaged:
        content = bytearray((folder / path).read_bytes())
        content[len(content) // 2] ^= 1
        (folder / path).write_bytes(content)
        before.pop(path, None)
    ready, free = FORK.Event(), FORK.Event()
    if attack.locked:
        FORK.Process(target=_hold, args=(folder / attack.locked, ready, free)).start()
        ready.wait(ENDING)
    ending = _run(attack, folder, home, port, free)
    free.set()
    faults: dict[str, str] = {}
    there = set(_contents(folder, "").values())
    if gone := [path for path, digest in before.items() if digest not in there]:
        faults["lost"] = f"({', '.join(gone)})"
    if ending.code is None or max(ending.seconds.values(), default=0) > ENDING:
        faults["endless"] = f"({ending.seconds})"
    elif ending.code not in attack.codes or attack.said not in ending.printed:
        faults["wrong"] = f"(exit code {ending.code}: {ending.printed[-400:]!r})"
    if any(word in ending.printed for word in WORDS) or len(ending.printed) > LONGEST:
        faults["unexpected"] = f"({ending.printed[-400:]!r})"
    return faults, ending.seconds


def _contents(folder: Path, below: str) -> dict[str, str]:
    """The files in a folder, by path, with the sha256 of each."""
    files = (path for path in (folder / below).rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def _hold(path: Path, ready: ProcessEvent, free: ProcessEvent) -> None:
    """Lock a file until it is free."""
    with path.open("ab") as stream, closing(sqlite3.connect(path if path.suffix == ".sqlite" else ":memory:")) as held:
        if path.suffix == ".sqlite":
            held.execute("BEGIN EXCLUSIVE")
        else:
            fcntl.flock(stream, fcntl.LOCK_EX)
        ready.set()
        free.wait()


def _run(attack: Attack, folder: Path, home: Path, port: int, free: ProcessEvent | None = None) -> Ending:
    """Run a command line in a forked process, which has the modules of this one: the start would take most time.

    With a conversation or a sentence that must come, standard output counts as messages. `free` ends the lock of a file
    when the sentence has come.
    """
    command = attack.command.replace(DEAF, f"127.0.0.1:{port}")
    given, typing = os.pipe()
    with tempfile.TemporaryFile("w+") as printed:
        child = os.fork()
        if child == 0:
            os.close(typing)
            answers = printed.fileno() if attack.conversation or attack.said else None
            _be_the_command(command, folder, home, printed.fileno(), given, answers)
        os.close(given)
        seconds: dict[str, float] = {}
        ended = Event()
        typist = threading.Thread(target=_type, args=(attack, typing, printed.fileno(), child, ended, free, seconds))
        typist.start()
        code, end = None, time.monotonic() + SECONDS
        while code is None and time.monotonic() < end:
            found, status = os.waitpid(child, os.WNOHANG)
            if found:
                code = os.waitstatus_to_exitcode(status)
            else:
                time.sleep(0.02)
        if code is None:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
        ended.set()
        typist.join()
        printed.seek(0)
        return Ending(code, printed.read(), seconds)


def _type(
    attack: Attack,
    typing: int,
    printed: int,
    child: int,
    ended: Event,
    free: ProcessEvent | None,
    seconds: dict[str, float],
) -> None:
    """Be the user of a conversation. `seconds` gets how long each answer took, by what was answered."""
    # The command may have ended before it has read all.
    with suppress(OSError), os.fdopen(typing, "wb") as stream:
        if (talk := attack.conversation) is None:
            return
        stream.write(talk.lines.encode())
        stream.flush()
        ended.wait(talk.seconds)
        begun = time.monotonic()
        stream.write(talk.last.encode())
        stream.flush()
        while attack.said.encode() not in os.pread(printed, 1 << 20, 0):
            if ended.wait(0.02):
                return
        if talk.last:
            seconds["a cancel"] = time.monotonic() - begun
        begun = time.monotonic()
        if talk.signal:
            os.kill(child, talk.signal)
        else:
            stream.close()
            if free:
                free.set()
        ended.wait()
        seconds[signal.Signals(talk.signal).name if talk.signal else "the end of its input"] = time.monotonic() - begun


def _be_the_command(command: str, folder: Path, home: Path, messages: int, given: int, answers: int | None) -> NoReturn:
    from nlmchem.cli import main as nlmchem

    code = 99
    try:
        os.setpgid(0, 0)
        os.dup2(given, 0)
        os.dup2(os.open(os.devnull, os.O_WRONLY) if answers is None else answers, 1)
        os.dup2(messages, 2)
        os.chdir(folder)
        cache = folder / "cache" if command.startswith("fetch") else Path(os.environ.get("NLMCHEM_HOME") or home)
        path = os.pathsep.join((str(Path(__file__).parents[2]), str(folder / "plugins")))
        os.environ.update(NLMCHEM_HOME=str(cache), PYTHONPATH=path)
        sys.argv = ["nlmchem", *shlex.split(command)]
        if command.startswith(("train", "stranger", "mcp")):
            # The threads of torch do not survive a fork, and plugins are looked for once in a process. The server
            # closes standard input and output.
            os.execv(sys.executable, [sys.executable, "-m", *sys.argv])
        nlmchem()
    except SystemExit as ended:
        code = int(str(ended.code or 0))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


@contextmanager
def deaf_server() -> Iterator[int]:
    """The port of a server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        kept: list[socket.socket] = []

        def accept() -> None:
            while True:
                try:
                    kept.append(server.accept()[0])
                except OSError:
                    return

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1]


if __name__ == "__main__":
    sys.exit(main())
