"""Many runs over the same documents, opened in step.

The first pass reads every run once, in whatever order its files hold the documents, and keeps on disk
what it says of each (`ensemble.votes`); in memory stays where each document lies. The second pass reads
the texts of one run, document by document, and beside each the votes of all. Memory does not grow with
the size of the runs, only by some hundred bytes for each document and eight for each document of a run.

Documents are the same where their texts are, passage by passage, and their article's key (PMCID without
prefix, else PMID) or their id is. One id may stand for several documents of different texts, as where
an article's tables are a document of their own.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from pathlib import Path

from bioc import BioCDocument

from corpora.errors import ConfigurationError, InputError
from corpora.model.alignment import layout, text_differences
from corpora.model.document import join_key, passage_text
from corpora.reading import read
from corpora.reporting import Report, ignore, log
from corpora.run_names import run_names
from corpora.storage.inputs import is_pipe
from corpora.storage.spool import read_record
from ensemble.first_pass import Index, index_all, spool_of
from ensemble.votes import Vote, load, text_digest, text_of

__all__ = ["GOLD", "MISSING", "Ballot", "Poll", "Run", "open_poll"]

MISSING = ("error", "abstain")
"""What becomes of a document that some runs lack: an error, or a vote of those that have it."""
GOLD = "gold"
NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Run:
    """A run: its path, its weight against the others (whole numbers), what it holds.

    `digest` is a sha256 over all that it says (texts, mentions, identifiers, index terms), the same for
    any format and order of documents.
    """

    name: str
    path: str
    weight: int
    documents: int
    mentions: int
    terms: int
    digest: str


@dataclass(frozen=True, slots=True)
class Ballot:
    """One document and what each run says of it, None for a run that lacks it.

    `weights` and `votes` are in the order of `Poll.runs`; `gold` is None where no gold standard is
    given, or where it lacks the document.
    """

    document: BioCDocument
    weights: tuple[int, ...]
    votes: tuple[Vote | None, ...]
    gold: Vote | None = None

    @property
    def total(self) -> int:
        """The weight of all runs that have the document."""
        return sum(weight for weight, vote in zip(self.weights, self.votes, strict=True) if vote is not None)

    def share(self, voters: Iterable[int]) -> float:
        """The share of the runs at these positions, by weight, rounded half up to the 4 decimals that are written.

        Votes are held against thresholds as they are written: 19 of 54 runs are 0.3519, and pass 0.3519.
        """
        weight = sum(self.weights[position] for position in voters)
        return (20_000 * weight + self.total) // (2 * self.total) / 10_000

    def text(self, passage: int, spans: tuple[tuple[int, int], ...]) -> str:
        """What stands at spans of a passage."""
        holder = self.document.passages[passage]
        return text_of(passage_text(holder), holder.offset, spans)


# -- which documents are the same ---------------------------------------------------------------


class _Table:
    """Rows are documents, columns are sources (the runs, then the gold standard); cells are places in spools."""

    def __init__(self, sources: Sequence[str], indexes: Sequence[Index]) -> None:
        self.sources = sources
        self.places = [array("q") for _ in sources]
        self.names: list[str] = []
        self.keys: list[str] = []
        self._rows: dict[tuple[str, str], int] = {}
        for column, index in enumerate(indexes):
            for id, key, digest, place in index.entries:
                self._enter(column, id, key, digest, place)

    def row(self, id: str, key: str, digest: str) -> int | None:
        """The row of a document, by the article's key or else by its id, each together with the text."""
        found = self._rows.get((key, digest))
        return self._rows.get((id.removeprefix("PMC"), digest)) if found is None else found

    def _enter(self, column: int, id: str, key: str, digest: str, place: int) -> None:
        row = self.row(id, key, digest)
        if row is None:
            row = len(self.names)
            self.names.append(id)
            self.keys.append(key)
            self._rows[key, digest] = row
            self._rows.setdefault((id.removeprefix("PMC"), digest), row)
            for places in self.places:
                places.append(NOWHERE)
        if self.places[column][row] != NOWHERE:
            raise ConfigurationError(f"document {id!r} stands twice in {self.sources[column]}; take one of them out")
        self.places[column][row] = place

    def has(self, column: int, row: int) -> bool:
        return self.places[column][row] != NOWHERE

    def conflict(self) -> tuple[int, int, int, int] | None:
        """Two cells (column, row, column, row) of one article whose texts differ; None where there are none.

        So it is where each of two sources has a document of the article that the other lacks.
        """
        groups: dict[str, list[int]] = {}
        for row, key in enumerate(self.keys):
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


# -- the poll -----------------------------------------------------------------------------------


class Poll:
    """Runs that are ready to be read in step; made by `open_poll`.

    `runs` are sorted by name: nothing depends on the order in which they were given.
    """

    def __init__(self, runs: Sequence[Run], table: _Table, sources: Sequence[int], rows: Sequence[int], folder: Path):
        self.runs = tuple(runs)
        self._table = table
        self._order = sources
        self._rows = frozenset(rows)
        self._folder = folder
        self._gold = len(runs) if len(table.sources) > len(runs) else None

    def __len__(self) -> int:
        """How many documents there are to vote on."""
        return len(self._rows)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(run.name for run in self.runs)

    @property
    def has_gold(self) -> bool:
        return self._gold is not None

    @property
    def digest(self) -> str:
        """A sha256 over the runs with their weights, whatever their names."""
        parts = sorted(f"{run.digest} {run.weight}\n" for run in self.runs)
        return hashlib.sha256("".join(parts).encode()).hexdigest()

    def ballots(self) -> Iterator[Ballot]:
        """Every document with all votes, one in memory at a time; it may be called again.

        Texts and all that is not voted on come from the run that says most of its passages (most
        infons; of equals, the first by name), what that run lacks from the next. Raises `InputError`
        where a run has changed since it was opened.
        """
        pending = set(self._rows)
        for source in self._order:
            if not pending:
                return
            for document in read(self._path(source), report=ignore):
                row = self._table.row(str(document.id), join_key(document), text_digest(document))
                if row is None:
                    name = self._table.sources[source]
                    raise InputError(f"document {document.id!r} of {name} changed while it was read; run again")
                if row in pending:
                    pending.discard(row)
                    yield self._ballot(document, row)

    def _path(self, source: int) -> str:
        return self.runs[source].path

    def _ballot(self, document: BioCDocument, row: int) -> Ballot:
        votes = tuple(self._vote(column, row) for column in range(len(self.runs)))
        gold = None if self._gold is None else self._vote(self._gold, row)
        return Ballot(document, tuple(run.weight for run in self.runs), votes, gold)

    def _vote(self, column: int, row: int) -> Vote | None:
        place = self._table.places[column][row]
        return None if place == NOWHERE else load(read_record(spool_of(self._folder, column), place))


@contextmanager
def open_poll(
    paths: Sequence[str],
    *,
    gold: str | None = None,
    weights: Sequence[str] = (),
    missing: str = "error",
    workers: int = 1,
    scratch: Path | None = None,
    report: Report = log,
) -> Iterator[Poll]:
    """Open runs (files, folders, globs or archives of any format that is read), perhaps with a gold standard.

    `weights`: one positive number a run, in the order of `paths`; none: all weigh the same. `missing`:
    one of `MISSING`. `workers`: processes that read runs at the same time. `scratch`: the folder under
    which the temporary files lie (default: the system's).

    Raises `ConfigurationError` for wrong arguments, empty runs, documents that a run holds twice or lacks, and
    texts that differ between runs (with the first difference); `InputError` and `ArticleError` for what
    cannot be read.
    """
    for path in [*paths, *([gold] if gold is not None else [])]:
        if is_pipe(path):
            raise ConfigurationError(f"{path} can be read only once, and runs are read twice; save it as a file")
    order = _checked(paths, weights, missing)
    names = [name for name, _, _ in order]
    every = [path for _, path, _ in order] + ([gold] if gold is not None else [])
    sources = names + ([GOLD] if gold is not None else [])
    folder = Path(tempfile.mkdtemp(prefix=".votes-", dir=scratch))
    try:
        indexes = index_all(every, folder, workers)
        for name, path, index in zip(sources, every, indexes, strict=True):
            _tell(name, path, index, report)
        table = _Table(sources, indexes)
        _require_same_texts(table, every)
        rows = _rows(table, len(order), missing, report)
        runs = [
            Run(name, path, weight, len(index.entries), index.mentions, index.terms, index.digest)
            for (name, path, weight), index in zip(order, indexes, strict=False)
        ]
        _report_twins(runs, report)
        richest = sorted(range(len(runs)), key=lambda position: (-indexes[position].infons, position))
        for index in indexes:
            index.entries.clear()
        yield Poll(runs, table, richest, rows, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _checked(paths: Sequence[str], weights: Sequence[str], missing: str) -> list[tuple[str, str, int]]:
    """Name, path and weight of each run, sorted by name."""
    if not paths:
        raise ConfigurationError("no run is given; name at least one file or folder")
    if missing not in MISSING:
        raise ConfigurationError(f"--missing is {missing!r}; write one of {', '.join(MISSING)}")
    if weights and len(weights) != len(paths):
        raise ConfigurationError(f"{len(weights)} weights for {len(paths)} runs; give one for each, in their order")
    whole = _whole(weights) if weights else [1] * len(paths)
    return sorted(zip(run_names(paths), paths, whole, strict=True))


def _whole(weights: Sequence[str]) -> list[int]:
    """Weights as whole numbers of the same proportions: sums of them do not depend on their order."""
    fractions: list[Fraction] = []
    for text in weights:
        try:
            value = Fraction(text)
        except (ValueError, ZeroDivisionError):
            value = Fraction(0)
        if value <= 0:
            raise ConfigurationError(f"the weight {text!r} is no positive number; leave a run out to silence it")
        fractions.append(value)
    unit = lcm(*(value.denominator for value in fractions))
    return [int(value * unit) for value in fractions]


def _tell(name: str, path: str, index: Index, report: Report) -> None:
    if not index.entries:
        raise ConfigurationError(f"the run {name} ({path}) holds no document; check the path")
    for sentence in index.notes:
        report(f"{name}: {sentence}")
    if index.unlisted:
        report(f"{name}: {index.unlisted} more such sentences; read the run by itself to see them")
    if not index.mentions and not index.terms:
        report(f"{name} marks nothing in any document; its votes lower every share")


def _require_same_texts(table: _Table, paths: Sequence[str]) -> None:
    found = table.conflict()
    if found is None:
        return
    here, mine, there, other = found
    left, right = (_document_at(table, paths[column], row) for column, row in ((here, mine), (there, other)))
    names = (table.sources[here], table.sources[there])
    first = next(text_differences(layout(left), layout(right), names))
    raise ConfigurationError(f"{first}; runs must be over the same texts, so make them from the same input")


def _document_at(table: _Table, path: str, row: int) -> BioCDocument:
    for document in read(path, report=ignore):
        if table.row(str(document.id), join_key(document), text_digest(document)) == row:
            return document
    raise InputError(f"{path} changed while it was read; run again")


def _rows(table: _Table, runs: int, missing: str, report: Report) -> list[int]:
    """The rows that are voted on. Raises `ConfigurationError`, or reports, what some sources lack."""
    rows = range(len(table.names))
    for column, name in enumerate(table.sources):
        lacking = [row for row in rows if not table.has(column, row)]
        if not lacking:
            continue
        row = lacking[0]
        holder = next(table.sources[other] for other in range(len(table.sources)) if table.has(other, row))
        what = f"{name} lacks {len(lacking)} of {len(table.names)} documents (the first, {table.names[row]!r}, is in "
        if missing == "error":
            raise ConfigurationError(f"{what}{holder}); complete it, or say --missing abstain")
        consequence = "they are not scored" if column == runs else "it has no vote on them"
        report(f"{what}{holder}): {consequence}")
    voted = [row for row in rows if any(table.has(column, row) for column in range(runs))]
    if len(voted) < len(table.names):
        report(f"{len(table.names) - len(voted)} documents of the gold standard are in no run: they are left out")
    return voted


def _report_twins(runs: Sequence[Run], report: Report) -> None:
    if len(runs) == 1:
        report(f"{runs[0].name} is the only run: it gets all votes, and every score is 1")
    seen: dict[str, str] = {}
    for run in runs:
        if run.digest in seen:
            report(f"{run.name} says exactly what {seen[run.digest]} says: the same run counts twice")
        seen.setdefault(run.digest, run.name)
