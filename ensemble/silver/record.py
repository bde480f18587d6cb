"""The record of a silver corpus, `manifest.json`: how it was made, the sha256 of every file, and a fingerprint of all.

The fingerprint is the sha256 of the record without it. So a corpus has one number that a paper can state, and a copy
of the folder can be checked without anything else.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from corpora.errors import ConfigurationError, command
from corpora.storage.atomic import sha256_of
from corpora.storage.inputs import MANIFEST
from corpora.storage.locks import is_lock
from corpora.storage.owned_files import RECORD
from corpora.words.quantities import quantity
from ensemble.output import write_json

SILVER = "nlmchem silver"
FINGERPRINT = "fingerprint"
WRITERS = ("nlmchem", "pyarrow")
"""Packages whose version is in the bytes of the files."""


def write_record(folder: Path, content: dict[str, Any]) -> dict[str, Any]:
    """Write the record of a folder that has all its other files. Returns the record."""
    record = {"made_by": SILVER, **content, "files": _digests(folder)}
    record[FINGERPRINT] = _fingerprint(record)
    write_json(folder / MANIFEST, record)
    return record


def read_record(folder: Path) -> dict[str, Any]:
    """The record of a silver corpus. Raises `ConfigurationError` where the folder has none."""
    try:
        record = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        record = None
    if (
        not isinstance(record, dict)
        or record.get("made_by") != SILVER
        or not all(isinstance(record.get(key), kind) for key, kind in (("files", dict), ("shards", list)))
    ):
        raise ConfigurationError(
            f"{folder} is not a silver corpus; make one with {command('silver RUN... -o', str(folder))}"
        )
    return record


def versions(packages: tuple[str, ...] = WRITERS) -> dict[str, str]:
    """The versions of packages; those that are not installed are missing."""
    installed = {}
    for package in packages:
        try:
            installed[package] = version(package)
        except PackageNotFoundError:
            continue
    return installed


# -- checking -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Check:
    """The result of a check. `files`: how many the record lists. `problems`: sentences, a changed record first."""

    fingerprint: str
    files: int
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_as_made(self) -> bool:
        """Whether the folder has all files as they were written, and no others."""
        return not self.problems


def check(folder: Path) -> Check:
    """Compare a silver corpus with its record, and the record with its fingerprint.

    Raises `ConfigurationError` where the folder is not a silver corpus, `OSError`.
    """
    record = read_record(folder)
    listed, there = record["files"], _digests(folder)
    problems = []
    computed = _fingerprint(record)
    if record.get(FINGERPRINT) != computed:
        problems.append(f"{MANIFEST} was changed: its content has the fingerprint {computed}")
    problems += [f"{name} is missing" for name in sorted(listed.keys() - there.keys())]
    problems += [f"{name} was changed" for name in sorted(listed.keys() & there.keys()) if listed[name] != there[name]]
    problems += [f"{name} does not belong to the corpus" for name in sorted(there.keys() - listed.keys())]
    return Check(str(record.get(FINGERPRINT)), len(listed), tuple(problems), tuple(_notes(folder, record)))


def _notes(folder: Path, record: dict[str, Any]) -> list[str]:
    notes = []
    stated = record.get("versions")
    made_with = stated if isinstance(stated, dict) else {}
    others = {name: (made, now) for name, now in versions(tuple(made_with)).items() if (made := made_with[name]) != now}
    for name, (made, now) in others.items():
        notes.append(f"made with {name} {made}; here is {now}, with which the same command may write other bytes")
    hidden = sum(1 for path in folder.rglob("*") if path.is_file() and _is_hidden(path, folder) and not _is_ours(path))
    if hidden:
        notes.append(f"{quantity(hidden, 'hidden file was', 'hidden files were')} not checked")
    return notes


def _fingerprint(record: dict[str, Any]) -> str:
    content = {key: value for key, value in record.items() if key != FINGERPRINT}
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def _digests(folder: Path) -> dict[str, str]:
    """The sha256 of each file by its path, without the record and hidden files."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not _is_hidden(path, folder))
    digests = {path.relative_to(folder).as_posix(): sha256_of(path) for path in files}
    digests.pop(MANIFEST, None)
    return digests


def _is_ours(path: Path) -> bool:
    return path.name == RECORD or is_lock(path.name)


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)
