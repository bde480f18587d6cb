"""Articles that failed, each in a folder of its own: what it was, why it failed, how to try again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from corpora.errors import ConfigurationError
from corpora.formats.registry import suffix_of
from corpora.storage import atomic
from nlmchem.batch.tasks import Failure, Source, Task

__all__ = ["Entry", "Quarantine"]

RECORD = "error.json"
ARTICLE = "article"


@dataclass(frozen=True, slots=True)
class Entry:
    """A quarantined article; `article` is its own file, None where the input could not be read so far."""

    folder: Path
    output: PurePosixPath
    position: int
    hash: str
    format: str
    fallback_id: str
    article: Path | None


class Quarantine:
    """The folder `quarantine/` under the output folder."""

    def __init__(self, folder: Path, fingerprint: dict[str, Any]) -> None:
        self._folder = folder
        self._fingerprint = fingerprint

    def place(self, source: Source, position: int) -> Path:
        """The folder of an article."""
        return self._folder / f"{source.output}.{position}"

    def add(self, source: Source, position: int, failure: Failure, task: Task | None) -> None:
        """Keep a failed article; without a task only the reason, since there is nothing to keep."""
        place = self.place(source, position)
        if task is not None:
            _write(place / f"{ARTICLE}{suffix_of(task.format)}", task.raw)
        facts = {
            "input": source.path,
            "member": source.member,
            "output": str(source.output),
            "position": position,
            "hash": task.hash if task else None,
            "format": task.format if task else None,
            "fallback_id": task.fallback_id if task else None,
            "stage": failure.stage,
            "message": failure.message,
            "traceback": failure.traceback.splitlines(),
            "configuration": self._fingerprint,
        }
        text = json.dumps(facts, indent=1, ensure_ascii=True)
        _write(place / RECORD, text.encode() + b"\n")

    def remove(self, source: Source, position: int) -> None:
        """Take an article out again: it is done now."""
        place = self.place(source, position)
        if place.exists():
            self._remove(place)

    def keep(self, wanted: Callable[[PurePosixPath, int], bool]) -> None:
        """Take out every article, told by its source's output and its position, that is not `wanted`."""
        for path in self._records():
            output, _, position = str(path.parent.relative_to(self._folder)).rpartition(".")
            if position.isdecimal() and not wanted(PurePosixPath(output), int(position)):
                self._remove(path.parent)

    def entries(self) -> Iterator[Entry]:
        """All quarantined articles, in sorted order. Raises `ConfigurationError` for a record that is none."""
        yield from map(_entry, self._records())

    def _records(self) -> list[Path]:
        return sorted(path for path in self._folder.rglob(RECORD) if path.is_file())

    def _remove(self, place: Path) -> None:
        # Only what was put there: another article's folder may lie in this one.
        for path in (place / RECORD, *place.glob(f"{ARTICLE}.*")):
            path.unlink(missing_ok=True)
        for folder in (place, *place.parents):
            try:
                folder.rmdir()
            except OSError:
                # There is more in it, or another shard was faster.
                break
            if folder == self._folder:
                break


def _write(path: Path, content: bytes) -> None:
    try:
        atomic.write_bytes(path, content)
    except FileNotFoundError:
        # Another shard took the folder away, empty, between our making it and writing into it.
        atomic.write_bytes(path, content)


def _entry(path: Path) -> Entry:
    try:
        facts = json.loads(path.read_bytes())
        format = facts["format"]
        article = path.parent / f"{ARTICLE}{suffix_of(format)}" if format else None
        return Entry(
            path.parent,
            PurePosixPath(facts["output"]),
            int(facts["position"]),
            str(facts["hash"] or ""),
            str(format or ""),
            str(facts["fallback_id"] or ""),
            article if article and article.exists() else None,
        )
    except (KeyError, TypeError, ValueError, OSError, ConfigurationError) as error:
        raise ConfigurationError(f"{path} is not a quarantine record ({error}); remove its folder") from error
