"""The quarantine: a folder for each failed article, with a copy of the article and the reason of the failure.

A copy may be corrected by hand, for `nlmchem replay`. A corrected copy that was not replayed is the only one. A run
that reads the article from its input again keeps it, and renames it to `changed-article.xml` when the article succeeds.

The folder of article 3 of `sub/a.xml` is `sub/a.xml.3`. A folder of inputs whose name ends in a number, such as `v1.2`,
gets a plus sign: `v1.2+/a.xml.3`. So the folder of an article is never a folder of inputs, whatever their names are.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from corpora.errors import DAMAGE, ConfigurationError, damage, shortened
from corpora.formats.registry import suffix_of
from corpora.storage import atomic
from corpora.storage.atomic import sha256_of
from nlmchem.engine.tasks import Failure, Source, Task

RECORD = "error.json"
ARTICLE = "article"
CHANGED = "changed-"
"""The beginning of the name of a corrected copy whose article has succeeded without it."""
_HASH, _REPLAYED = "hash", "replayed"
"""Keys of the record: the sha256 of the copy as it was written, and of the copy that a replay has used."""

_NUMBERED = re.compile(r".+\.[0-9]+\+*", re.DOTALL)
"""Names that end like the folder of an article, with any number of plus signs after it."""


@dataclass(frozen=True, slots=True)
class QuarantineEntry:
    """A failed article. `article`: the file with its copy; None if it could not be read."""

    folder: Path
    output: PurePosixPath
    position: int
    hash: str
    format: str
    fallback_id: str
    article: Path | None
    infons: Mapping[str, str] = field(default_factory=dict)


class Quarantine:
    """The folder `quarantine` in the output folder. `kept`: copies that were changed by hand, and stay."""

    def __init__(self, folder: Path, fingerprint: dict[str, Any]) -> None:
        self._folder = folder
        self._fingerprint = fingerprint
        self.kept: list[Path] = []

    def place(self, source: Source, position: int) -> Path:
        """The folder of an article."""
        return self._folder / entry_of(source.output, position)

    def add(self, source: Source, position: int, failure: Failure, task: Task | None) -> None:
        """Store a failed article and the reason. Without a task (it could not be read) only the reason is stored."""
        place = self.place(source, position)
        if task is not None:
            copy = place / f"{ARTICLE}{suffix_of(task.format)}"
            if not copy.is_file() or copy.read_bytes() == task.raw or not _is_changed(copy, _HASH):
                _write(copy, task.raw)
            else:
                self.kept.append(copy)
        facts = {
            "input": source.path,
            "member": source.member,
            "output": str(source.output),
            "position": position,
            _HASH: task.hash if task else None,
            "format": task.format if task else None,
            "fallback_id": task.fallback_id if task else None,
            "infons": dict(task.infons) if task else {},
            "stage": failure.stage,
            "message": failure.message,
            "traceback": failure.traceback.splitlines(),
            "configuration": self._fingerprint,
        }
        _write_record(place, facts)

    def use(self, entry: QuarantineEntry, content: bytes) -> None:
        """Record the content of the copy that is annotated again: it is no longer the only one if that succeeds."""
        facts = json.loads((entry.folder / RECORD).read_bytes())
        facts[_REPLAYED] = hashlib.sha256(content).hexdigest()
        _write_record(entry.folder, facts)

    def remove(self, source: Source, position: int) -> None:
        """Remove an article, because it has succeeded."""
        place = self.place(source, position)
        if place.exists():
            self._remove(place)

    def keep(self, wanted: Callable[[PurePosixPath, int], bool]) -> None:
        """Remove all articles for which `wanted(output of the source, position)` is false."""
        for path in self._records():
            article = article_of(PurePosixPath(path.parent.relative_to(self._folder)))
            if article is not None and not wanted(*article):
                self._remove(path.parent)

    def entries(self) -> Iterator[QuarantineEntry]:
        """All failed articles, sorted by path. Raises `ConfigurationError` for a damaged record."""
        for path in self._records():
            try:
                facts = json.loads(path.read_bytes())
                format = facts["format"]
                article = path.parent / f"{ARTICLE}{suffix_of(format)}" if format else None
                facts["output"].encode()  # A lone surrogate raises `UnicodeEncodeError`.
                position = facts["position"]
                if not isinstance(position, int) or not 0 <= position < 1 << 53:
                    raise ValueError(f"{shortened(str(position))} is not the number of an article")
                entry = QuarantineEntry(
                    path.parent,
                    PurePosixPath(facts["output"]),
                    position,
                    str(facts["hash"] or ""),
                    str(format or ""),
                    str(facts["fallback_id"] or ""),
                    # A pipe or a device may never end.
                    article if article and article.is_file() else None,
                    {str(key): str(value) for key, value in facts.get("infons", {}).items()},
                )
            except (*DAMAGE, OSError, ConfigurationError) as error:
                what = f"{path} is not a valid record of a failed article ({damage(error)})"
                raise ConfigurationError(f"{what}; remove its folder") from error
            yield entry

    def _records(self) -> list[Path]:
        return sorted(path for path in self._folder.rglob(RECORD) if path.is_file())

    def _remove(self, place: Path) -> None:
        # Only these files: users may add notes of their own. The record is last: while it exists, the next run finds
        # an entry whose removal was interrupted, and removes the rest.
        for copy in sorted(place.glob(f"{ARTICLE}.*")):
            if _is_changed(copy, _HASH, _REPLAYED):
                number, name = 1, copy.with_name(CHANGED + copy.name)
                while name.exists():
                    number += 1
                    name = copy.with_name(f"{CHANGED}{number}-{copy.name}")
                self.kept.append(copy.rename(name))
            else:
                copy.unlink(missing_ok=True)
        (place / RECORD).unlink(missing_ok=True)
        for folder in (place, *place.parents):
            try:
                folder.rmdir()
            except OSError:
                # The folder is not empty, or another shard has removed it.
                break
            if folder == self._folder:
                break


def entry_of(output: PurePosixPath, position: int) -> PurePosixPath:
    """The folder of an article below the quarantine."""
    folders = (f"{part}+" if _NUMBERED.fullmatch(part) else part for part in output.parts[:-1])
    return PurePosixPath(*folders, f"{output.name}.{position}")


def article_of(entry: PurePosixPath) -> tuple[PurePosixPath, int] | None:
    """The output and the position of an article, from its folder below the quarantine; None for any other folder."""
    name, _, position = entry.name.rpartition(".")
    if not name or not (position.isascii() and position.isdecimal()):
        return None
    folders = (part.removesuffix("+") if _NUMBERED.fullmatch(part) else part for part in entry.parts[:-1])
    return PurePosixPath(*folders, name), int(position)


def _is_changed(copy: Path, *keys: str) -> bool:
    """Whether a copy has none of the contents whose sha256 the record has under these keys. True without a record."""
    try:
        facts = json.loads((copy.parent / RECORD).read_bytes())
        known = [facts.get(key) for key in keys]
    except (FileNotFoundError, *DAMAGE):
        return True
    return copy.is_file() and sha256_of(copy) not in known


def _write_record(place: Path, facts: dict[str, Any]) -> None:
    _write(place / RECORD, json.dumps(facts, indent=1, ensure_ascii=True).encode() + b"\n")


def _write(path: Path, content: bytes) -> None:
    try:
        atomic.write_bytes(path, content)
    except FileNotFoundError:
        # Another shard has removed the new, empty folder before the file was written.
        atomic.write_bytes(path, content)
