"""What all recipes share: their options, the sha256 of their inputs, the commit and command of a card."""

from __future__ import annotations

import argparse
import hashlib
import json
import shlex
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from corpora.storage.atomic import sha256_of

REPOSITORY = Path(__file__).resolve().parents[2]


def parser_of(description: str | None, inputs: Path, folders: str) -> argparse.ArgumentParser:
    """A parser with the options of all recipes. `folders`: what the folder of the data must have."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help=f"the folder that has {folders}")
    parser.add_argument("--inputs", type=Path, default=inputs, help="the sha256 of the inputs")
    parser.add_argument("--record", action="store_true", help="write the sha256 of the inputs, and stop")
    return parser


def made_by(
    name: str, arguments: Sequence[str] | None, inputs: dict[str, str], hidden: dict[str, str] | None = None
) -> dict[str, Any]:
    """The part of a card about its making. `hidden`: folders of this machine, with the words shown in their place."""
    words = [(hidden or {}).get(word, word) for word in (sys.argv[1:] if arguments is None else arguments)]
    command = shlex.join(["python", "-m", f"benchmarks.retrain.{name}", *words])
    return {"commit": commit(), "command": command, "inputs": inputs}


def record(data: Path, names: Iterable[str], file: Path) -> dict[str, Any]:
    """Write the sha256 of the inputs, files under `data`, to a JSON file. Raises `SystemExit` if one is missing."""
    return recorded({name: sha256(data / name) for name in names}, file)


def recorded(hashes: dict[str, str], file: Path) -> dict[str, str]:
    file.write_text(json.dumps(hashes, indent=1) + "\n", "utf-8")
    return hashes


def checked(data: Path, file: Path) -> dict[str, str]:
    """The recorded sha256 of the inputs. Raises `SystemExit` if an input is missing or different."""
    return compared({name: sha256(data / name) for name in json.loads(file.read_text("utf-8"))}, file)


def compared(hashes: dict[str, str], file: Path) -> dict[str, str]:
    """The sha256 of the inputs, if they are those in a JSON file. Raises `SystemExit` if not."""
    wanted = json.loads(file.read_text("utf-8"))
    if wrong := [name for name in wanted | hashes if hashes.get(name) != wanted.get(name)]:
        raise SystemExit(
            f"these inputs differ from those recorded in {file.name}: {', '.join(wrong)}; use the recorded versions, "
            "or record the present ones with --record"
        )
    return hashes


def commit() -> str:
    """The hash of the commit of the working tree, with a note if files were changed since."""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=REPOSITORY, capture_output=True, text=True).stdout.strip()

    changed = " with uncommitted changes" if git("status", "--porcelain", "--untracked-files=no") else ""
    return git("rev-parse", "HEAD") + changed


def sha256(path: Path) -> str:
    """The sha256 of a file; of a folder, that of the names and sha256 of its files. Raises `SystemExit` if missing."""
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
        lines = (f"{file.relative_to(path).as_posix()} {sha256(file)}\n" for file in files)
        return hashlib.sha256("".join(lines).encode()).hexdigest()
    try:
        return sha256_of(path)
    except OSError as error:
        raise SystemExit(f"cannot read the input {path} ({error.strerror}); give its folder with --data") from error


def report(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
