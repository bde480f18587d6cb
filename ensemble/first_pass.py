"""The first pass over the runs: each run is read once, and its votes are stored in a temporary file."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from corpora.model.metadata import join_key
from corpora.reading import read
from corpora.storage.spool import SpoolWriter
from ensemble.votes import dump, text_digest, vote_of

__all__ = ["RunIndex", "index_all", "spool_of"]

NOTES = 20
"""Sentences of a run's reader that are reported in full; the others are only counted."""


@dataclass(slots=True)
class RunIndex:
    """What a run contains, and where the vote on each document is in its temporary file.

    `entries`: for each document its id, its join key, the digest of its text, the position of its vote. `infons`: the
    number of infons of documents and passages. `notes`: sentences of the reader; `unlisted`: how many were left out.
    """

    entries: list[tuple[str, str, str, int]] = field(default_factory=list)
    infons: int = 0
    mentions: int = 0
    terms: int = 0
    digest: str = ""
    notes: list[str] = field(default_factory=list)
    unlisted: int = 0


def _index(path: str, spool: Path) -> RunIndex:
    """Read a run once and store its votes in `spool`."""
    index = RunIndex()
    digests: list[bytes] = []

    def note(sentence: str) -> None:
        if len(index.notes) < NOTES:
            index.notes.append(sentence)
        else:
            index.unlisted += 1

    with SpoolWriter(spool) as writer:
        for document in read(path, report=note):
            vote = vote_of(document, note)
            raw = dump(vote)
            text = text_digest(document)
            index.entries.append((str(document.id), join_key(document), text, writer.append(raw)))
            index.infons += len(document.infons) + sum(len(passage.infons) for passage in document.passages)
            index.mentions += len({(mention.passage, mention.spans) for mention in vote.mentions})
            index.terms += len({identifier for identifier, _ in vote.terms})
            digests.append(
                hashlib.sha256(f"{join_key(document)} {text} ".encode("utf-8", "surrogatepass") + raw).digest()
            )
    index.digest = hashlib.sha256(b"".join(sorted(digests))).hexdigest()
    return index


def index_all(paths: Sequence[str], folder: Path, workers: int) -> list[RunIndex]:
    """Read all runs, `workers` at the same time. The votes of run n are in `spool_of(folder, n)`.

    Raises the errors of reading: `ConfigurationError`, `InputError`, `ArticleError`.
    """
    spools = [spool_of(folder, position) for position in range(len(paths))]
    if workers == 1 or len(paths) == 1:
        return [_index(path, spool) for path, spool in zip(paths, spools, strict=True)]
    from joblib import Parallel, delayed

    jobs = (delayed(_index)(path, spool) for path, spool in zip(paths, spools, strict=True))
    return list(Parallel(n_jobs=min(workers, len(paths)))(jobs))


def spool_of(folder: Path, position: int) -> Path:
    """The temporary file with the votes of a run."""
    return folder / f"{position}.votes"
