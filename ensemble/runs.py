"""Runs over the same documents, read in parallel.

The first pass reads every run once, in the order of its files, and stores its votes on disk (`ensemble.first_pass`);
only the positions of the votes stay in memory. The second pass reads the texts of one run, document by document, and
adds the votes of all runs. Memory does not depend on the size of the runs: it needs some hundred bytes for each
document and eight bytes for each document of a run.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any

from bioc import BioCDocument

from corpora.errors import Argument, ConfigurationError, InputError, OptionError
from corpora.model.alignment import layout, text_differences
from corpora.model.metadata import join_key
from corpora.model.passages import passage_text
from corpora.reading import read
from corpora.reporting import Report, ignore, log
from corpora.run_names import run_names
from corpora.storage.inputs import is_pipe
from corpora.storage.spool import read_record
from corpora.words.quantities import quantity
from ensemble import MISSING
from ensemble.first_pass import DocumentTable, RunIndex, index_all, spool_of
from ensemble.votes import Vote, load, text_digest, text_of

GOLD = "gold"
"""The name of the gold standard in messages."""


def rounded_share(part: int, whole: int) -> float:
    """part / whole with 4 decimals, rounded half up."""
    return (20_000 * part + whole) // (2 * whole) / 10_000


@dataclass(frozen=True, slots=True)
class EnsembleRun:
    """A run: its path, its weight (a whole number), and how many documents, mentions and index terms it has.

    `digest`: a sha256 of its texts, mentions, identifiers and index terms. It does not depend on the file format or the
    order of the documents. `annotators`: who found its mentions, as the mentions state it, the most frequent first.
    """

    name: str
    path: str
    weight: int
    documents: int
    mentions: int
    terms: int
    digest: str
    annotators: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The run as manifests list it, without its path."""
        return {
            "name": self.name,
            "sha256": self.digest,
            "weight": self.weight,
            "annotators": list(self.annotators),
            "documents": self.documents,
            "mentions": self.mentions,
            "index_terms": self.terms,
        }


@dataclass(frozen=True, slots=True)
class Ballot:
    """One document with the votes of all runs; None for a run that does not have the document.

    `weights` and `votes` are in the order of `Poll.runs`. `gold` is None if there is no gold standard, or if it does
    not have the document.
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
        """The share of the runs at these positions, by weight, with 4 decimals, rounded half up.

        The rounded share is compared with thresholds: 19 of 54 runs are 0.3519, which passes the threshold 0.3519.
        """
        return rounded_share(sum(self.weights[position] for position in voters), self.total)

    def text(self, passage: int, spans: tuple[tuple[int, int], ...]) -> str:
        """The text at spans of a passage."""
        holder = self.document.passages[passage]
        return text_of(passage_text(holder), holder.offset, spans)


class Poll:
    """Runs that were read once and are ready for voting; made by `open_poll`.

    `runs` are sorted by name, so the order in which they were given has no effect.
    """

    def __init__(
        self,
        runs: Sequence[EnsembleRun],
        table: DocumentTable,
        sources: Sequence[int],
        rows: Sequence[int],
        folder: Path,
    ):
        self.runs = tuple(runs)
        self._table = table
        self._order = sources
        self._rows = frozenset(rows)
        self._folder = folder
        self._gold = len(runs) if len(table.sources) > len(runs) else None

    def __len__(self) -> int:
        """The number of documents."""
        return len(self._rows)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the runs, sorted."""
        return tuple(run.name for run in self.runs)

    @property
    def has_gold(self) -> bool:
        """Whether there is a gold standard."""
        return self._gold is not None

    @property
    def digest(self) -> str:
        """A sha256 of the runs with their weights; names have no effect."""
        parts = sorted(f"{run.digest} {run.weight}\n" for run in self.runs)
        return hashlib.sha256("".join(parts).encode()).hexdigest()

    def with_weights(self, weights: Sequence[int]) -> Poll:
        """The same runs with other weights, in the order of `runs`."""
        other = copy(self)
        other.runs = tuple(replace(run, weight=weight) for run, weight in zip(self.runs, weights, strict=True))
        return other

    def ballots(self) -> Iterator[Ballot]:
        """Every document with its votes, one in memory at a time. May be called several times.

        Texts and all that is not voted on come from the run with the most infons (ties: the first by name); documents
        that this run does not have come from the next run. Raises `InputError` if a run changed after it was opened.
        """
        pending = set(self._rows)
        for source in self._order:
            if not pending:
                return
            for document in read(self.runs[source].path, report=ignore):
                row = self._table.row(str(document.id), join_key(document), text_digest(document))
                if row is None:
                    name = self._table.sources[source]
                    raise InputError(f"document {document.id!r} of {name} changed while it was read; run again")
                if row in pending:
                    pending.discard(row)
                    yield self._ballot(document, row)

    def _ballot(self, document: BioCDocument, row: int) -> Ballot:
        votes = tuple(self._vote(column, row) for column in range(len(self.runs)))
        gold = None if self._gold is None else self._vote(self._gold, row)
        return Ballot(document, tuple(run.weight for run in self.runs), votes, gold)

    def _vote(self, column: int, row: int) -> Vote | None:
        position = self._table.position(column, row)
        return None if position is None else load(read_record(spool_of(self._folder, column), position))


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
    """Open runs and, optionally, a gold standard: files, folders, globs or archives of any readable format.

    `weights`: one positive number for each run, in the order of `paths`; if empty, all runs have the same weight.
    `missing`: one of `MISSING`. `workers`: processes that read runs at the same time. `scratch`: the parent folder of
    the temporary files (default: the temporary folder of the system).

    Raises `ConfigurationError` for wrong arguments, empty runs, documents that a run has twice or not at all, and texts
    that differ between runs; `InputError` and `ArticleError` for files that cannot be read.
    """
    for path in [*paths, *([gold] if gold is not None else [])]:
        if is_pipe(path):
            raise ConfigurationError(f"{path} can be read only once, but runs are read twice; save it as a file")
    order = _checked(paths, weights, missing)
    names = [name for name, _, _ in order]
    every = [path for _, path, _ in order] + ([gold] if gold is not None else [])
    sources = names + ([GOLD] if gold is not None else [])
    folder = Path(tempfile.mkdtemp(prefix=".votes-", dir=scratch))
    try:
        indexes = index_all(every, folder, workers)
        for name, path, index in zip(sources, every, indexes, strict=True):
            _report_index(name, path, index, report)
        table = DocumentTable(sources, indexes)
        _require_same_texts(table, every)
        rows = _rows(table, len(order), missing, report)
        runs = [_run(name, path, weight, index) for (name, path, weight), index in zip(order, indexes, strict=False)]
        _report_twins(runs, report)
        richest = sorted(range(len(runs)), key=lambda position: (-indexes[position].infons, position))
        for index in indexes:
            index.entries.clear()
        yield Poll(runs, table, richest, rows, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(name: str, path: str, weight: int, index: RunIndex) -> EnsembleRun:
    by_frequency = sorted(index.annotators.items(), key=lambda pair: (-pair[1], pair[0]))
    annotators = tuple(annotator for annotator, _ in by_frequency)
    return EnsembleRun(name, path, weight, len(index.entries), index.mentions, index.terms, index.digest, annotators)


def _checked(paths: Sequence[str], weights: Sequence[str], missing: str) -> list[tuple[str, str, int]]:
    """Name, path and weight of each run, sorted by name."""
    if not paths:
        raise ConfigurationError("no run was given; give at least one file or folder")
    if missing not in MISSING:
        raise OptionError("missing", f"is {missing!r}; use one of {', '.join(MISSING)}")
    if weights and len(weights) != len(paths):
        raise ConfigurationError(
            f"{len(weights)} weights for {quantity(len(paths), 'run')}; give one for each run, in their order"
        )
    whole = _whole(weights) if weights else [1] * len(paths)
    return sorted(zip(run_names(paths), paths, whole, strict=True))


def _whole(weights: Sequence[str]) -> list[int]:
    """Weights as whole numbers in the same proportions, so that sums do not depend on their order."""
    fractions: list[Fraction] = []
    for text in weights:
        try:
            value = Fraction(text)
        except (ValueError, ZeroDivisionError):
            value = Fraction(0)
        if value <= 0:
            raise ConfigurationError(f"the weight {text!r} is not a positive number; to exclude a run, remove it")
        fractions.append(value)
    unit = lcm(*(value.denominator for value in fractions))
    return [int(value * unit) for value in fractions]


def _report_index(name: str, path: str, index: RunIndex, report: Report) -> None:
    if not index.entries:
        raise ConfigurationError(f"the run {name} ({path}) has no document; check the path")
    for sentence in index.notes:
        report(f"{name}: {sentence}")
    if index.unlisted:
        report(f"{name}: {index.unlisted} more messages of this run are not shown; read the run alone to see them")
    if not index.mentions and not index.terms:
        report(f"{name} has no annotations; it lowers the share of every span and index term")


def _require_same_texts(table: DocumentTable, paths: Sequence[str]) -> None:
    conflict = table.conflict()
    if conflict is None:
        return
    here, mine, there, other = conflict
    left, right = (_document_at(table, paths[column], row) for column, row in ((here, mine), (there, other)))
    names = (table.sources[here], table.sources[there])
    first = next(text_differences(layout(left), layout(right), names))
    raise ConfigurationError(f"{first}; all runs must have the same texts, so make them from the same input")


def _document_at(table: DocumentTable, path: str, row: int) -> BioCDocument:
    for document in read(path, report=ignore):
        if table.row(str(document.id), join_key(document), text_digest(document)) == row:
            return document
    raise InputError(f"{path} changed while it was read; run again")


def _rows(table: DocumentTable, runs: int, missing: str, report: Report) -> list[int]:
    """The rows with votes. Documents that a source does not have are an error or a report, as `missing` requires."""
    rows = range(len(table.names))
    for column, name in enumerate(table.sources):
        lacking = [row for row in rows if not table.has(column, row)]
        if not lacking:
            continue
        row = lacking[0]
        holder = next(table.sources[other] for other in range(len(table.sources)) if table.has(other, row))
        first = f"the first, {table.names[row]!r}, is in {holder}"
        what = f"{name} does not have {len(lacking)} of {quantity(len(table.names), 'document')} ({first})"
        if missing == "error":
            raise ConfigurationError(f"{what}; add them, or use ", Argument("missing", "abstain"))
        consequence = "these documents are not scored" if column == runs else "the other runs vote without it"
        report(f"{what}: {consequence}")
    voted = [row for row in rows if any(table.has(column, row) for column in range(runs))]
    if len(voted) < len(table.names):
        report(f"left out: {quantity(len(table.names) - len(voted), 'document')} of the gold standard in no run")
    return voted


def _report_twins(runs: Sequence[EnsembleRun], report: Report) -> None:
    if len(runs) == 1:
        report(f"{runs[0].name} is the only run, so every score is 1")
    seen: dict[str, str] = {}
    for run in runs:
        if run.digest in seen:
            report(f"{run.name} has the same annotations as {seen[run.digest]}, so these annotations count twice")
        seen.setdefault(run.digest, run.name)
