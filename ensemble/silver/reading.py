"""Reads a silver corpus: its shards, each checked against the record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bioc import BioCDocument

from corpora.errors import InputError
from corpora.reading import read
from corpora.storage.atomic import sha256_of
from ensemble.silver.record import read_record


def read_silver(folder: Path) -> Iterator[BioCDocument]:
    """The documents of a silver corpus. Each shard is checked against the manifest before it is read.

    Raises `ConfigurationError` if the folder is not a silver corpus, `InputError` for a missing or changed shard.
    """
    record = read_record(folder)
    for shard in record["shards"]:
        name = shard["name"]
        # A shard is a file, or a folder of files.
        for path, digest in record["files"].items():
            if path == name or path.startswith(f"{name}/"):
                _require_unchanged(folder / path, digest)
        yield from read(folder / name)


def _require_unchanged(path: Path, digest: str) -> None:
    for is_right, problem in ((path.is_file, "is missing"), (lambda: sha256_of(path) == digest, "was changed")):
        if not is_right():
            raise InputError(f"the shard {path} {problem}; copy the folder again, or make the corpus again")
