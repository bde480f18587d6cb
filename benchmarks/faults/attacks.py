"""Attacks on what is the user's, as whole commands: files, endless waits, and words for what is not our defect.

    python -m benchmarks.faults.attacks [ITEM ...]

Each attack is a command line in a folder of its own, with the files of the user in it. It runs in a process of its own,
with at most SECONDS seconds. An attack counts as lost where a file of the user has another content or is gone, as wrong
where the exit code or the sentence is not the expected one, as endless where the process does not end, and as
unexpected where it prints a traceback, more than is allowed, or "unexpected" for what is not a defect of ours. Ends
with 1 where one counts. The numbers are those of the table in docs/measurements/robustness.md. No data is needed.
Files of the user at every place, and two commands at once, are drilled by `benchmarks.faults.crash_points`; texts and
articles that take quadratic time by `benchmarks.speed.linear_time`; damaged inputs by `benchmarks.faults.fuzz`.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shlex
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import bioc  # noqa: F401 (imported once, for all commands)

import nlmchem.cli.app
import nlmchem.engine.runner
import nlmchem.steps.abbreviate  # noqa: F401
from benchmarks.faults.attack_cases import ATTACKS, DEAF, Attack, Conversation, prepare

SECONDS = 240
ENDING = 30
"""Seconds in which a command that is talked to ends, after a signal or the end of its input."""
KINDS = ("lost", "wrong", "endless", "unexpected")
WORDS = ("unexpected ", "Traceback", "please report", "report the traceback", "panicked")
"""What a command prints for a defect of ours."""
LONGEST = 3000
"""Characters of all messages of a command."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended. `code` is None where it did not."""

    code: int | None
    printed: str
    seconds: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("items", nargs="*", type=int, help="numbers of items; all if none is given")
    items = parser.parse_args().items
    chosen = [attack for attack in ATTACKS if not items or attack.item in items]
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="attacks-") as folder, deaf_server() as port:
        home = Path(folder) / "home"
        for number, attack in enumerate(chosen):
            faults = tried(attack, Path(folder) / str(number), home, port)
            counts.update(faults.keys())
            if faults:
                print(f"item {attack.item}: {attack.command}: {', '.join(map(' '.join, faults.items()))}", flush=True)
    by_item = Counter(attack.item for attack in chosen)
    print(f"{len(chosen)} attacks ({', '.join(f'item {item}: {n}' for item, n in sorted(by_item.items()))})")
    print(", ".join(f"{counts[kind]} {kind}" for kind in KINDS))
    return int(any(counts.values()))


def tried(attack: Attack, folder: Path, home: Path, port: int) -> dict[str, str]:
    """The kinds of faults of an attack, each with what was seen."""
    folder.mkdir()
    prepare(folder, attack)
    before = _contents(folder, attack)
    for command in attack.before:
        _run(command, folder, home, port)
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
    ending = _run(attack.command, folder, home, port, attack.conversation)
    faults: dict[str, str] = {}
    there = {hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}
    gone = [path for path, digest in before.items() if digest not in there]
    if gone:
        faults["lost"] = f"({', '.join(gone)})"
    if ending.code is None:
        faults["endless"] = f"({ending.seconds:.0f} s)"
    elif ending.code not in attack.codes or attack.said not in ending.printed:
        faults["wrong"] = f"(exit code {ending.code}: {ending.printed[-400:]!r})"
    if any(word in ending.printed for word in WORDS) or len(ending.printed) > LONGEST:
        faults["unexpected"] = f"({ending.printed[-400:]!r})"
    return faults


def _contents(folder: Path, attack: Attack) -> dict[str, str]:
    return {path: hashlib.sha256((folder / path).read_bytes()).hexdigest() for path in attack.files}


def _run(command: str, folder: Path, home: Path, port: int, conversation: Conversation | None = None) -> Ending:
    """Run a command line in a forked process, which has the modules of this one: the start would take most time.

    With a conversation, standard output counts as messages, and the process has `ENDING` seconds for its end.
    """
    begun = time.monotonic()
    given, typing = os.pipe()
    with tempfile.TemporaryFile("w+") as printed:
        child = os.fork()
        if child == 0:
            os.close(typing)
            answers = None if conversation is None else printed.fileno()
            _be_the_command(command.replace(DEAF, f"127.0.0.1:{port}"), folder, home, printed.fileno(), given, answers)
        os.close(given)
        if conversation is None:
            os.close(typing)
        else:
            typist = threading.Thread(target=_type, args=(conversation, typing, child), daemon=True)
            typist.start()
        limit = SECONDS if conversation is None else conversation.seconds + ENDING
        code: int | None = None
        while time.monotonic() - begun < limit:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                code = os.waitstatus_to_exitcode(status)
                break
            time.sleep(0.02)
        else:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
        printed.seek(0)
        return Ending(code, printed.read(), time.monotonic() - begun)


def _type(conversation: Conversation, typing: int, child: int) -> None:
    """Write the lines, wait, and end the input or send the signal."""
    # It may have ended before it has read all.
    with suppress(OSError), os.fdopen(typing, "wb") as stream:
        stream.write(conversation.lines.encode())
        stream.flush()
        time.sleep(conversation.seconds)
        if conversation.signal:
            os.kill(child, conversation.signal)
            time.sleep(ENDING)


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
