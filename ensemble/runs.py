"""Runs over the same documents, read in parallel.

The first pass reads every run once, in the order of its files, and stores its votes in a temporary file; only the
positions of the votes stay in memory. The second pass reads the texts of one run, document by document, and adds the
votes of all runs. Memory does not depend on the size of the runs: it needs some hundred bytes for each document and
eight bytes for each document of a run.

Two documents are the same if their texts are equal passage by passage, and their join key (PMCID without prefix, else
PMID) or their id is equal. One id may belong to several documents of different texts: an article and its tables, for
example.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bioc import BioCDocument

from corpora.errors import Argument, ConfigurationError, InputError, OptionError
from corpora.model.alignment import layout, text_differences
from corpora.model.document import mentions
from corpora.model.metadata import join_key
from corpora.model.passages import passage_text
from corpora.output_names import run_names
from corpora.reading import read
from corpora.reporting import Report, ignore, log
from corpora.storage.inputs import expand, is_pipe
from corpora.storage.spool import SpoolWriter, read_record
from corpora.words.quantities import quantity
from ensemble import MISSING
from ensemble.votes import Vote, dump, load, text_digest, text_of, vote_of

GOLD = "gold"
"""The name of the gold standard in messages."""
NOTES = 20
"""Sentences of a run's reader that are reported in full; the others are only counted."""
_NOWHERE = -1


def rounded_share(part: int, whole: int) -> float:
    """part / whole with 4 decimals, rounded half up."""
    return (20_000 * part + whole) // (2 * whole) / 10_000


# -- first pass ---------------------------------------------------------------------------------


@dataclass(slots=True)
class RunIndex:
    """What a run contains, and where the vote on each document is in its temporary file."""

    entries: list[tuple[str, str, str, int]] = field(default_factory=list)
    """For each document its id, its join key, the digest of its text, the position of its vote."""
    infons: int = 0
    """The number of infons of documents and passages."""
    mentions: int = 0
    terms: int = 0
    digest: str = ""
    annotators: Counter[str] = field(default_factory=Counter)
    """How many mentions each has found."""
    notes: list[str] = field(default_factory=list)
    """Sentences of the reader."""
    unlisted: int = 0
    """How many sentences were left out."""


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
            raw, key, text = dump(vote), join_key(document), text_digest(document)
            index.entries.append((str(document.id), key, text, writer.append(raw)))
            index.infons += len(document.infons) + sum(len(passage.infons) for passage in document.passages)
            index.mentions += len(vote.places())
            index.terms += len(vote.indexed())
            index.annotators.update(mention.annotator for mention in mentions(document) if mention.annotator)
            digests.append(hashlib.sha256(f"{key} {text} ".encode("utf-8", "surrogatepass") + raw).digest())
    index.digest = hashlib.sha256(b"".join(sorted(digests))).hexdigest()
    return index


def _index_all(paths: Sequence[str], folder: Path, workers: int) -> list[RunIndex]:
    """Read all runs, `workers` at the same time. The votes of run n are in `_spool(folder, n)`."""
    spools = [_spool(folder, position) for position in range(len(paths))]
    if workers == 1 or len(paths) == 1:
        return [_index(path, spool) for path, spool in zip(paths, spools, strict=True)]
    from loky import ProcessPoolExecutor

    # Of two paths that do not exist, the first is named, whichever worker is faster.
    expand(paths)
    with ProcessPoolExecutor(min(workers, len(paths))) as pool:
        return list(pool.map(_index, paths, spools))


def _spool(folder: Path, position: int) -> Path:
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

    def _enter(self, column: int, id: str, key: str, digest: str, position: int) -> None:
        row = self._row(id, key, digest)
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

    def _row(self, id: str, key: str, digest: str) -> int | None:
        number = self._rows.get((key, digest))
        return self._rows.get((id.removeprefix("PMC"), digest)) if number is None else number

    def row(self, document: BioCDocument) -> int | None:
        """The row of a document, by its join key and text, else by its id and text."""
        return self._row(str(document.id), join_key(document), text_digest(document))

    def has(self, column: int, row: int) -> bool:
        return self._positions[column][row] != _NOWHERE

    def position(self, column: int, row: int) -> int | None:
        """Where the vote of a source on a document is stored; None if the source does not have the document."""
        return self._positions[column][row] if self.has(column, row) else None

    def conflict(self) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """Two cells (column, row) of one article whose texts differ, or None.

        Texts differ if each of two sources has a document of the article that the other source does not have.
        """
        groups: dict[str, list[int]] = {}
        for row, key in enumerate(self._keys):
            groups.setdefault(key, []).append(row)
        for rows in groups.values():
            if len(rows) == 1:
                continue
            for first in range(len(self.sources)):
                for second in range(first + 1, len(self.sources)):
                    of_first = [row for row in rows if self.has(first, row) and not self.has(second, row)]
                    of_second = [row for row in rows if self.has(second, row) and not self.has(first, row)]
                    if of_first and of_second:
                        return (first, of_first[0]), (second, of_second[0])
        return None


# -- polls --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EnsembleRun:
    name: str
    path: str
    weight: int
    """A whole number."""
    documents: int
    mentions: int
    terms: int
    """The numbers of its documents, mentions and index terms."""
    digest: str
    """A sha256 of its texts, mentions, identifiers and index terms. It does not depend on the file format or the order
    of the documents."""
    annotators: tuple[str, ...] = ()
    """Who found its mentions, as the mentions state it, the most frequent first."""

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
    """One document with the votes of all runs; None for a run that does not have the document."""

    document: BioCDocument
    weights: tuple[int, ...]
    votes: tuple[Vote | None, ...]
    """`weights`, `votes`: in the order of `Poll.runs`."""
    gold: Vote | None = None
    """None if there is no gold standard, or if it does not have the document."""

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

    def __len__(self) -> int:
        """The number of documents."""
        return len(self._rows)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the runs, sorted."""
        return tuple(run.name for run in self.runs)

    @property
    def has_gold(self) -> bool:
        return len(self._table.sources) > len(self.runs)

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
        weights = tuple(run.weight for run in self.runs)
        for source in self._order:
            if not pending:
                return
            for document in read(self.runs[source].path, report=ignore):
                row = self._table.row(document)
                if row is None:
                    name = self._table.sources[source]
                    raise InputError(f"document {document.id!r} of {name} changed while it was read; run again")
                if row in pending:
                    pending.discard(row)
                    votes = tuple(self._vote(column, row) for column in range(len(self.runs)))
                    gold = self._vote(len(self.runs), row) if self.has_gold else None
                    yield Ballot(document, weights, votes, gold)

    def _vote(self, column: int, row: int) -> Vote | None:
        position = self._table.position(column, row)
        return None if position is None else load(read_record(_spool(self._folder, column), position))


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
    golds = [] if gold is None else [gold]
    for path in [*paths, *golds]:
        if is_pipe(path):
            raise ConfigurationError(f"{path} can be read only once, but runs are read twice; save it as a file")
    order = _checked(paths, weights, missing)
    every = [path for _, path, _ in order] + golds
    sources = [name for name, _, _ in order] + [GOLD for _ in golds]
    with TemporaryDirectory(prefix=".votes-", dir=scratch, ignore_cleanup_errors=True) as folder:
        indexes = _index_all(every, Path(folder), workers)
        for name, path, index in zip(sources, every, indexes, strict=True):
            _report_index(name, path, index, report)
        table = DocumentTable(sources, indexes)
        _require_same_texts(table, every)
        rows = _rows(table, len(order), missing, report)
        runs = []
        for (name, path, weight), index in zip(order, indexes, strict=False):
            annotators = sorted(index.annotators, key=lambda each: (-index.annotators[each], each))
            numbers = (len(index.entries), index.mentions, index.terms)
            runs.append(EnsembleRun(name, path, weight, *numbers, index.digest, tuple(annotators)))
        _report_twins(runs, report)
        richest = sorted(range(len(runs)), key=lambda position: (-indexes[position].infons, position))
        for index in indexes:
            index.entries.clear()
        yield Poll(runs, table, richest, rows, Path(folder))


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
    fractions: list[Fraction] = []
    for text in weights or ["1"] * len(paths):
        try:
            value = Fraction(text)
        except (ValueError, ZeroDivisionError):
            value = Fraction(0)
        if value <= 0:
            raise ConfigurationError(f"the weight {text!r} is not a positive number; to exclude a run, remove it")
        fractions.append(value)
    # Whole numbers in the same proportions, so that sums do not depend on their order.
    unit = lcm(*(value.denominator for value in fractions))
    return sorted(zip(run_names(paths), paths, [int(value * unit) for value in fractions], strict=True))


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
    """Raises `ConfigurationError` with the first difference between two texts of one article."""
    cells = table.conflict()
    if cells is None:
        return
    layouts = []
    for column, row in cells:
        document = next((one for one in read(paths[column], report=ignore) if table.row(one) == row), None)
        if document is None:
            raise InputError(f"{paths[column]} changed while it was read; run again")
        layouts.append(layout(document))
    names = (table.sources[cells[0][0]], table.sources[cells[1][0]])
    first = next(text_differences(layouts[0], layouts[1], names))
    raise ConfigurationError(f"{first}; all runs must have the same texts, so make them from the same input")


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
