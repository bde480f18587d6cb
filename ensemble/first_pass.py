"""The first pass over the runs: each is read once, its votes are stored in a temporary file, its documents are joined.

Two documents are the same if their texts are equal passage by passage, and their join key (PMCID without prefix, else
PMID) or their id is equal. One id may belong to several documents of different texts: an article and its tables, for
example.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from corpora.errors import ConfigurationError
from corpora.model.document import mentions
from corpora.model.metadata import join_key
from corpora.reading import read
from corpora.storage.inputs import expand
from corpora.storage.spool import SpoolWriter
from ensemble.votes import dump, text_digest, vote_of

NOTES = 20
"""Sentences of a run's reader that are reported in full; the others are only counted."""
_NOWHERE = -1


@dataclass(slots=True)
class RunIndex:
    """What a run contains, and where the vote on each document is in its temporary file.

    `entries`: for each document its id, its join key, the digest of its text, the position of its vote. `infons`: the
    number of infons of documents and passages. `annotators`: how many mentions each has found. `notes`: sentences of
    the reader; `unlisted`: how many were left out.
    """

    entries: list[tuple[str, str, str, int]] = field(default_factory=list)
    infons: int = 0
    mentions: int = 0
    terms: int = 0
    digest: str = ""
    annotators: Counter[str] = field(default_factory=Counter)
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
            index.mentions += len(vote.places())
            index.terms += len(vote.indexed())
            index.annotators.update(mention.annotator for mention in mentions(document) if mention.annotator)
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
    from loky import ProcessPoolExecutor

    # Of two paths that do not exist, the first is named, whichever worker is faster.
    expand(paths)
    with ProcessPoolExecutor(min(workers, len(paths))) as pool:
        return list(pool.map(_index, paths, spools))


def spool_of(folder: Path, position: int) -> Path:
    """The temporary file with the votes of a run."""
    return folder / f"{position}.votes"


class DocumentTable:
    """Rows are documents, columns are sources (the runs, then the gold standard), cells are positions of votes."""

    def __init__(self, sources: Sequence[str], indexes: Sequence[RunIndex]) -> None:
        self.sources = sources
        self.names: list[str] = []
        """The id of each row's document, in the first source that has it."""
        self._positions = [array("q") for _ in sources]
        self._keys: list[str] = []
        self._rows: dict[tuple[str, str], int] = {}
        for column, index in enumerate(indexes):
            for id, key, digest, position in index.entries:
                self._enter(column, id, key, digest, position)

    def row(self, id: str, key: str, digest: str) -> int | None:
        """The row of a document, by its join key and text, else by its id and text."""
        number = self._rows.get((key, digest))
        return self._rows.get((id.removeprefix("PMC"), digest)) if number is None else number

    def _enter(self, column: int, id: str, key: str, digest: str, position: int) -> None:
        row = self.row(id, key, digest)
        if row is None:
            row = len(self.names)
            self.names.append(id)
            self._keys.append(key)
            self._rows[key, digest] = row
            self._rows.setdefault((id.removeprefix("PMC"), digest), row)
            for positions in self._positions:
                positions.append(_NOWHERE)
        if self.has(column, row):
            raise ConfigurationError(f"document {id!r} occurs twice in {self.sources[column]}; remove one of them")
        self._positions[column][row] = position

    def has(self, column: int, row: int) -> bool:
        """Whether a source has a document."""
        return self._positions[column][row] != _NOWHERE

    def position(self, column: int, row: int) -> int | None:
        """Where the vote of a source on a document is stored; None if the source does not have the document."""
        return self._positions[column][row] if self.has(column, row) else None

    def conflict(self) -> tuple[int, int, int, int] | None:
        """Two cells (column, row, column, row) of one article whose texts differ, or None.

        Texts differ if each of two sources has a document of the article that the other source does not have.
        """
        groups: dict[str, list[int]] = {}
        for row, key in enumerate(self._keys):
            groups.setdefault(key, []).append(row)
        for rows in groups.values():
            if len(rows) == 1:
                continue
            for here in range(len(self.sources)):
                for there in range(here + 1, len(self.sources)):
                    mine = [row for row in rows if self.has(here, row) and not self.has(there, row)]
                    other = [row for row in rows if self.has(there, row) and not self.has(here, row)]
                    if mine and other:
                        return here, mine[0], there, other[0]
        return None
