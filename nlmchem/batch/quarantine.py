"""Articles that failed, each in a folder of its own: what it was, why it failed, how to try again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from corpora import atomic
from corpora.errors import ConfigurationError
from nlmchem.batch.tasks import Failure, Source, Task

__all__ = ["Entry", "Quarantine"]

SUFFIXES = {"biocxml": ".xml", "biocjson": ".json", "pubtator": ".pubtator", "jats": ".nxml"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A quarantined article; `raw` is None where its file could not be read as far as the article."""

    folder: Path
    output: PurePosixPath
    position: int
    hash: str
    format: str
    fallback_id: str
    raw: bytes | None


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
            atomic.write_bytes(place / f"article{SUFFIXES[task.format]}", task.raw)
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
        atomic.write_bytes(place / "error.json", text.encode() + b"\n")

    def remove(self, source: Source, position: int) -> None:
        """Take an article out again: it is done now."""
        place = self.place(source, position)
        if place.exists():
            shutil.rmtree(place)
        for parent in place.parents:
            if parent == self._folder.parent or not parent.is_dir() or any(parent.iterdir()):
                break
            parent.rmdir()

    def entries(self) -> Iterator[Entry]:
        """All quarantined articles, in sorted order. Raises `ConfigurationError` for a folder that is none."""
        if not self._folder.is_dir():
            raise ConfigurationError(f"no quarantine at {self._folder}; name OUT/quarantine of a run, or OUT")
        for path in sorted(self._folder.rglob("error.json")):
            yield _entry(path)


def _entry(path: Path) -> Entry:
    try:
        facts = json.loads(path.read_bytes())
        format = facts["format"]
        article = path.parent / f"article{SUFFIXES[format]}" if format else None
        return Entry(
            path.parent,
            PurePosixPath(facts["output"]),
            int(facts["position"]),
            facts["hash"] or "",
            format or "",
            facts["fallback_id"] or "",
            article.read_bytes() if article and article.exists() else None,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigurationError(f"{path} is no quarantine record ({error}); remove its folder") from error
