"""Writes ensembles: files with the voted documents, and a manifest with the runs and the rule of the vote."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from corpora.formats.header import Header
from corpora.formats.registry import suffix_of
from corpora.writing import write
from ensemble.combine import Combiner, Counts, Rule
from ensemble.folder import write_manifest
from ensemble.runs import Poll

__all__ = ["ENSEMBLE", "Written", "sha256_of", "write_ensemble", "write_shards", "write_voted_manifest"]

ENSEMBLE = "nlmchem ensemble"


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: the counts, and for each file its name, number of documents and sha256."""

    counts: Counts
    files: tuple[dict[str, Any], ...]
    manifest: dict[str, Any] = field(default_factory=dict)


def write_ensemble(
    poll: Poll, rule: Rule, folder: Path, format: str = "biocxml", extra: dict[str, Any] | None = None
) -> Written:
    """Write the ensemble into a folder: one file, such as `ensemble.xml`, and a manifest.

    `extra` is added to the manifest (program, time, machine). Raises the errors of `Poll.ballots`, and `ArticleError`
    for text that the format cannot store.
    """
    combiner = Combiner(poll, rule)
    files = write_shards(poll, combiner, folder, "ensemble", len(poll), format)
    return write_voted_manifest(poll, combiner, folder, ENSEMBLE, files, extra or {})


def write_shards(
    poll: Poll, combiner: Combiner, folder: Path, name: str, size: int, format: str
) -> list[dict[str, Any]]:
    """Write all documents of a poll, `size` in each file, with one document in memory at a time.

    Returns name, number of documents and sha256 of each file.
    """
    suffix = suffix_of(format)
    number = -(-len(poll) // size)
    header = Header(source="nlmchem ensemble", key=f"{name} {poll.digest[:12]}")
    documents = map(combiner, poll.ballots())
    files = []
    for position in range(1, number + 1):
        file = folder / (f"{name}{suffix}" if number == 1 else f"{name}-{position:04}-of-{number:04}{suffix}")
        count = write(islice(documents, size), file, format, header)
        files.append({"name": file.name, "documents": count, "sha256": sha256_of(file)})
    return files


def write_voted_manifest(
    poll: Poll, combiner: Combiner, folder: Path, made_by: str, files: Sequence[dict[str, Any]], extra: dict[str, Any]
) -> Written:
    """Write the manifest of a vote: its rule, runs, counts and files, and the values of `extra`."""
    rule = combiner.rule
    content = {
        "annotator": combiner.signature,
        "rule": {
            "tasks": list(rule.tasks),
            "threshold": rule.threshold,
            "overlaps": rule.overlaps,
            "identifiers_by": "mention" if rule.per_mention else "text",
        },
        "counts": combiner.counts.as_dict(),
        "files": list(files),
        **extra,
    }
    manifest = write_manifest(folder, poll, made_by, content)
    return Written(combiner.counts, tuple(files), manifest)


def sha256_of(path: Path) -> str:
    """The sha256 of a file, or of the names and contents of the files in a folder, in hexadecimal."""
    if path.is_dir():
        listing = "".join(f"{file.name} {sha256_of(file)}\n" for file in sorted(path.iterdir()))
        return hashlib.sha256(listing.encode()).hexdigest()
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
