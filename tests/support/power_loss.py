"""What a power failure leaves: the files and names that were flushed, and any part of the rest.

`Disk` follows a command through its durable events. The content of a file is safe since its last `fsync`, a name since
the last `fsync` of its folder, the ledger since its last transaction in `Ledger.durable`. POSIX promises no more;
everything later may be on the disk or not, in any order.
"""

from __future__ import annotations

import os
import random
import shutil
import stat
from dataclasses import dataclass, field
from pathlib import Path

from durable_events import Event

__all__ = ["Disk"]

LEDGER = ("ledger.sqlite", "ledger.sqlite-wal")


@dataclass(slots=True)
class Disk:
    """The disk below `root`, which is safe at the start. `is_full`: whether SQLite flushes each transaction now."""

    root: Path
    contents: dict[int, bytes] = field(default_factory=dict)
    names: dict[int, dict[str, int]] = field(default_factory=dict)
    held: dict[int, int] = field(default_factory=dict)
    folders: set[int] = field(default_factory=set)
    is_full: bool = False

    def begin(self) -> None:
        """Everything that is there is safe."""
        for folder, _, files in os.walk(self.root):
            self._keep_names(Path(folder))
            for name in files:
                self._keep_content(Path(folder) / name)

    def before(self, event: Event) -> None:
        """Record an event that happens next. A flush is recorded as done."""
        self._hold_all()
        if event.what != "fsync" or not event.where.startswith(str(self.root)):
            return
        path = Path(event.where.removesuffix(" (deleted)"))
        if path.is_dir():
            self._keep_names(path)
        elif path.exists():
            self._keep_content(path)

    def after_sql(self, event: Event) -> None:
        """Record an SQL statement that is done."""
        statement = event.what.upper()
        if statement.startswith("PRAGMA SYNCHRONOUS="):
            self.is_full = statement.endswith("FULL")
        elif statement == "CLOSE" or (statement == "COMMIT" and self.is_full):
            for path in self.root.rglob(LEDGER[0]):
                self._keep_ledger(path)

    def fail(self, seed: int) -> None:
        """Make the files what a power failure leaves. Seed 0: only what is safe; else each later change by chance."""
        self._hold_all()
        chance = random.Random(seed)
        now = self._present()
        tree = self._tree(self.root.stat().st_ino, chance, now, bool(seed))
        for entry in list(os.scandir(self.root)):
            shutil.rmtree(entry.path) if entry.is_dir(follow_symlinks=False) else os.remove(entry.path)  # noqa: PTH107
        _write(self.root, tree)

    # -- recording ------------------------------------------------------------------------------

    def _hold_all(self) -> None:
        """Keep every file and folder open, so that its number is not used again after it is removed."""
        for folder, _, files in os.walk(self.root):
            self.folders.add(Path(folder).stat().st_ino)
            for path in (Path(folder), *(Path(folder) / name for name in files)):
                number = path.lstat().st_ino
                if number not in self.held and not path.is_symlink():
                    self.held[number] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def _keep_names(self, folder: Path) -> None:
        self.names[folder.stat().st_ino] = _names(folder)

    def _keep_content(self, path: Path) -> None:
        self.contents[path.stat().st_ino] = _bytes(path)

    def _keep_ledger(self, path: Path) -> None:
        """SQLite flushes both files, and the folder when it makes them."""
        entries = self.names.setdefault(path.parent.stat().st_ino, {})
        for name in LEDGER:
            file = path.with_name(name)
            if file.exists():
                self._keep_content(file)
                entries[name] = file.stat().st_ino
            else:
                entries.pop(name, None)

    # -- the failure ----------------------------------------------------------------------------

    def _present(self) -> tuple[dict[int, bytes], dict[int, dict[str, int]]]:
        contents: dict[int, bytes] = {}
        names: dict[int, dict[str, int]] = {}
        for folder, _, files in os.walk(self.root):
            names[Path(folder).stat().st_ino] = _names(Path(folder))
            for name in files:
                contents[(Path(folder) / name).stat().st_ino] = _bytes(Path(folder) / name)
        return contents, names

    def _tree(
        self, folder: int, chance: random.Random, now: tuple[dict[int, bytes], dict[int, dict[str, int]]], mixed: bool
    ) -> dict[str, object]:
        safe, later = self.names.get(folder, {}), now[1].get(folder, {})
        tree: dict[str, object] = {}
        # The two files of a ledger are one thing: SQLite itself keeps them consistent.
        newest = mixed and chance.random() < 0.5
        for name in sorted(safe.keys() | later.keys()):
            if name.startswith("ledger.sqlite"):
                number = (later if newest else safe).get(name) if name in LEDGER else None
            else:
                number = (later if mixed and chance.random() < 0.5 else safe).get(name)
            if number is None:
                continue
            if number in self.folders:
                tree[name] = self._tree(number, chance, now, mixed)
            elif name in LEDGER:
                tree[name] = (now[0] if newest else self.contents).get(number, b"")
            else:
                tree[name] = self._content(number, chance, now[0], mixed)
        return tree

    def _content(self, number: int, chance: random.Random, now: dict[int, bytes], mixed: bool) -> bytes:
        safe = self.contents.get(number, b"")
        later = now.get(number, safe)
        if not mixed:
            return safe
        # A part of what was written since the flush: the file may end anywhere between.
        if later.startswith(safe):
            return later[: chance.randint(len(safe), len(later))]
        return later if chance.random() < 0.5 else safe


def _names(folder: Path) -> dict[str, int]:
    return {entry.name: entry.stat(follow_symlinks=False).st_ino for entry in os.scandir(folder)}


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if stat.S_ISREG(path.lstat().st_mode) else b""


def _write(folder: Path, tree: dict[str, object]) -> None:
    for name, content in tree.items():
        if isinstance(content, dict):
            (folder / name).mkdir()
            _write(folder / name, content)
        else:
            assert isinstance(content, bytes)
            (folder / name).write_bytes(content)
