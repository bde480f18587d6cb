"""One or more runs compared with the gold standard: counts by document, scores, intervals, significance.

The command line and the report show these results. The measures are defined in `matches` and `lca`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import repeat

import numpy as np

from corpora.commands.command import ResultTable
from corpora.errors import Argument, ConfigurationError
from corpora.model.alignment import Difference, differences
from corpora.model.chemical import CHEMICAL, INDEX_TERM
from corpora.model.hierarchy import Hierarchy
from corpora.reporting import Report, aligned, log, once
from corpora.words.quantities import quantity
from nlmchem.evaluation import bootstrap, matches
from nlmchem.evaluation.articles import ArticlePair, Side, join, require_type
from nlmchem.evaluation.bootstrap import Floats, Interval
from nlmchem.evaluation.matches import IdentifierSets, SpanMatches
from nlmchem.evaluation.scores import PRF, Counts, count_fields, figures, mean, score_fields, total

BETTER = 0.95
"""A run is better than another run if it scores higher in at least this share of the samples."""


class TrackTask(StrEnum):
    SPANS = "spans"
    IDENTIFIERS = "identifiers"
    INDEXING = "indexing"

    @property
    def type(self) -> str:
        """The annotation type that is scored by default."""
        return INDEX_TERM if self is TrackTask.INDEXING else CHEMICAL


@dataclass(frozen=True, slots=True)
class ScoringOptions:
    """`type` None: the type of the task. `samples` 0: no bootstrap. `hierarchy`: for approximate identifiers."""

    type: str | None = None
    approximate: bool = False
    hierarchy: Hierarchy | None = None
    samples: int = bootstrap.SAMPLES
    seed: int = bootstrap.SEED


@dataclass(frozen=True, slots=True)
class Measure:
    documents: tuple[Counts | None, ...]
    """In the order of the comparison's documents; None if a document is excluded from means."""
    score: PRF
    """The micro-average (Counts) or, for approximate identifiers, the mean over documents."""
    intervals: tuple[Interval, Interval, Interval] | None
    """Of precision, recall and F1; None without bootstrap."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """One run. `pairs`, and either `spans` or `identifiers`, have the order of the comparison's documents."""

    name: str
    pairs: tuple[ArticlePair, ...]
    spans: tuple[SpanMatches, ...]
    identifiers: tuple[IdentifierSets, ...]
    strict: Measure
    approximate: Measure | None

    def measure(self, name: str) -> Measure:
        """The measure `strict` or `approximate`; `Comparison.measures` has the names of those that were computed."""
        found = self.strict if name == "strict" else self.approximate
        assert found is not None, "all runs of a comparison have the same measures"
        return found


@dataclass(frozen=True, slots=True)
class Comparison:
    """All runs of a task.

    `samples[measure]`: scores of every sample, shape (samples, runs, 3). `wins[measure]`: the share of samples in which
    the F1 of the row's run is higher than that of the column's run. Both are empty without bootstrap.
    """

    task: TrackTask
    type: str
    gold: str
    documents: tuple[str, ...]
    results: tuple[RunResult, ...]
    number_of_samples: int
    seed: int
    samples: dict[str, Floats]
    wins: dict[str, Floats]

    @property
    def measures(self) -> tuple[str, ...]:
        """`strict`, and `approximate` if it was requested."""
        return ("strict", "approximate") if self.results[0].approximate is not None else ("strict",)


def verify(gold: Side, run: Side) -> list[Difference]:
    """The differences between the documents of a run and of the gold standard. Scores are valid if there are none."""
    return differences(
        [article.layout for article in gold.articles],
        [article.layout for article in run.articles],
        ("the gold standard", run.name),
    )


def require_same_texts(gold: Side, runs: Sequence[Side], report: Report = log) -> None:
    """Report the differences of all runs (see `verify`). Raises `ConfigurationError` if there are any."""
    # Errors of the gold standard alone are found with each run: report them once.
    differences = dict.fromkeys(difference for run in runs for difference in verify(gold, run))
    for difference in differences:
        report(str(difference))
    if differences:
        raise ConfigurationError(
            "the runs differ from the gold standard in documents, passages or text "
            f"({quantity(len(differences), 'difference')}, listed "
            "above), so nothing was scored; give runs on these documents, or add ",
            Argument("no_verify", True),
        )


def compare(
    task: TrackTask, gold: Side, runs: Sequence[Side], options: ScoringOptions, report: Report = log
) -> Comparison:
    """Compare runs with the gold standard. It is not checked that the texts are equal (see `verify`).

    Raises `ConfigurationError` for a type that no side has, and for approximate identifiers without a hierarchy.
    """
    if options.approximate and task is not TrackTask.SPANS and options.hierarchy is None:
        raise ConfigurationError(
            "approximate identifier scores need a hierarchy; give it with ", Argument("parents", "FILE")
        )
    type = options.type or task.type
    require_type(gold, runs, type, report)
    joined = [join(gold, run) for run in runs]
    # Documents of other runs are added to each run. They are not in the gold standard, so both sides are empty.
    # The first run that has a document counts.
    every = {
        pair.document: ArticlePair(pair.document, pair.gold, pair.gold) for of_run in joined[::-1] for pair in of_run
    }
    documents = sorted(every)
    by_document = [every | {pair.document: pair for pair in of_run} for of_run in joined]
    joined = [[of_run[name] for name in documents] for of_run in by_document]
    if task is TrackTask.SPANS:
        results, scores = _compare_spans(runs, joined, type, options, report)
    else:
        results, scores = _compare_identifiers(task, gold, runs, joined, type, options, report)
    return Comparison(
        task,
        type,
        gold.name,
        tuple(documents),
        tuple(results),
        options.samples,
        options.seed,
        scores,
        {name: bootstrap.wins(values) for name, values in scores.items()},
    )


def _compare_spans(
    runs: Sequence[Side], joined: list[list[ArticlePair]], type: str, options: ScoringOptions, report: Report
) -> tuple[list[RunResult], dict[str, Floats]]:
    # Warnings about the gold standard are reported once, not for every run.
    quiet = once(report)
    matched = [
        [matches.match(pair, type, run.name, quiet) for pair in pairs] for run, pairs in zip(runs, joined, strict=True)
    ]
    scores: dict[str, Floats] = {}
    by_measure: dict[str, list[Measure]] = {}
    for name in ("strict", "approximate") if options.approximate else ("strict",):
        approximate = name == "approximate"
        if options.samples:
            tables = _passage_tables(matched, approximate)
            drawn = bootstrap.counted_passages(tables, options.samples, options.seed)
            scores[name] = bootstrap.scores_of_counts(drawn.reshape(options.samples, len(runs), 4))
        counts = [[match.counts(approximate) for match in of_run] for of_run in matched]
        by_measure[name] = _measures(counts, [total(of_run) for of_run in counts], scores.get(name))
    near = by_measure.get("approximate", [None] * len(runs))
    results = [
        RunResult(run.name, tuple(pairs), tuple(of_run), (), strict, approximate)
        for run, pairs, of_run, strict, approximate in zip(
            runs, joined, matched, by_measure["strict"], near, strict=True
        )
    ]
    return results, scores


def _passage_tables(matches: list[list[SpanMatches]], approximate: bool) -> list[bootstrap.Integers]:
    """For each document the counts by passage, shape (passages, runs * 4)."""
    tables = []
    for of_document in zip(*matches, strict=True):
        rows = max(match.passages for match in of_document)
        table = np.zeros((rows, len(of_document), 4), dtype=np.int64)
        for run, match in enumerate(of_document):
            table[: match.passages, run] = match.passage_counts(approximate)
        tables.append(table.reshape(rows, -1))
    return tables


def _compare_identifiers(
    task: TrackTask,
    gold: Side,
    runs: Sequence[Side],
    joined: list[list[ArticlePair]],
    type: str,
    options: ScoringOptions,
    report: Report,
) -> tuple[list[RunResult], dict[str, Floats]]:
    for side in (gold, *runs):
        for article in side.articles:
            matches.report_odd_identifiers(article, type, side.name, report)
        of_type = [item for article in side.articles for item in article.of_type(type)]
        if of_type and not any(item.identifiers for item in of_type):
            report(f"no annotation of type {type!r} in {side.name} has an identifier, so its scores are 0")
    sets = [[matches.collect(pair, type) for pair in pairs] for pairs in joined]
    for run, of_run in zip(runs, sets, strict=True):
        matches.report_spelling(of_run, run.name, report)
    strict = [[item.counts() for item in of_run] for of_run in sets]
    scores: dict[str, Floats] = {}
    if options.samples:
        if task is TrackTask.INDEXING:
            counts = bootstrap.counted_documents(strict, options.samples, options.seed)
        else:
            counts = bootstrap.united_passages(*_presence(sets), options.samples, options.seed)
        scores["strict"] = bootstrap.scores_of_counts(counts)
    near: list[Measure] | list[None] = [None] * len(runs)
    if options.approximate and options.hierarchy is not None:
        matches.report_unknown((id for item in sets[0] for id in item.gold), gold.name, options.hierarchy, report)
        for run, of_run in zip(runs, sets, strict=True):
            predicted = (id for item in of_run for id in item.predicted)
            matches.report_unknown(predicted, run.name, options.hierarchy, report)
        lca = [[matches.approximate(item, options.hierarchy) for item in of_run] for of_run in sets]
        if options.samples:
            scores["approximate"] = bootstrap.mean_scores(lca, options.samples, options.seed)
        near = _measures(lca, [mean(of_run) for of_run in lca], scores.get("approximate"))
    exact = _measures(strict, [total(of_run) for of_run in strict], scores.get("strict"))
    results = [
        RunResult(run.name, tuple(pairs), (), tuple(of_run), measure, approximate)
        for run, pairs, of_run, measure, approximate in zip(runs, joined, sets, exact, near, strict=True)
    ]
    return results, scores


def _presence(sets: list[list[IdentifierSets]]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """For each document the gold table, shape (passages, ids), and the table of the runs, (runs, passages, ids)."""
    gold_tables, run_tables = [], []
    for of_document in zip(*sets, strict=True):
        names = sorted({id for item in of_document for id in (*item.gold, *item.predicted)})
        column = {id: number for number, id in enumerate(names)}
        rows = max(item.passages for item in of_document)
        mine = np.zeros((rows, len(names)), dtype=bool)
        theirs = np.zeros((len(of_document), rows, len(names)), dtype=bool)
        for id, passages in of_document[0].gold.items():
            mine[list(passages), column[id]] = True
        for run, item in enumerate(of_document):
            for id, passages in item.predicted.items():
                theirs[run, list(passages), column[id]] = True
        gold_tables.append(mine)
        run_tables.append(theirs)
    return gold_tables, run_tables


def _measures(
    counts: Sequence[Sequence[Counts | None]], averages: Sequence[PRF], scores: Floats | None
) -> list[Measure]:
    """The measure of each run. `scores`: of every sample, shape (samples, runs, 3); None without bootstrap."""
    intervals = repeat(None, len(counts)) if scores is None else bootstrap.intervals(scores)
    given = zip(counts, averages, intervals, strict=True)
    return [Measure(tuple(of_run), average, interval) for of_run, average, interval in given]


_COUNTED = ("gold", "found", "predicted", "right")
_COLUMNS = ("run", "measure", "document", "precision", "recall", "f1", *_COUNTED, "f1_low", "f1_high")


def better_than(comparison: Comparison, measure: str, run: int) -> list[str]:
    """The runs that a run is better than; see `BETTER`."""
    wins = comparison.wins.get(measure)
    others = enumerate(comparison.results)
    return [] if wins is None else [each.name for at, each in others if at != run and float(wins[run, at]) >= BETTER]


def as_objects(comparison: Comparison) -> Iterator[dict[str, object]]:
    """One JSON object for each run, with its documents."""
    for index, result in enumerate(comparison.results):
        fields: dict[str, object] = {
            "run": result.name,
            "task": comparison.task.value,
            "type": comparison.type,
            "samples": comparison.number_of_samples,
            "seed": comparison.seed,
        }
        for name in comparison.measures:
            measure = result.measure(name)
            of_measure = _score_fields(measure.score, name) or {}
            if measure.intervals is not None:
                of_measure["intervals"] = {
                    key: [round(interval.low, 6), round(interval.high, 6)]
                    for key, interval in zip(("precision", "recall", "f1"), measure.intervals, strict=True)
                }
                of_measure["wins"] = {
                    other.name: round(float(comparison.wins[name][index, position]), 6)
                    for position, other in enumerate(comparison.results)
                    if position != index
                }
                of_measure["better_than"] = better_than(comparison, name, index)
            fields[name] = of_measure
        fields["documents"] = {
            document: {
                name: _score_fields(result.measure(name).documents[position], name) for name in comparison.measures
            }
            for position, document in enumerate(comparison.documents)
        }
        yield fields


def _score_fields(score: PRF | None, measure: str) -> dict[str, object] | None:
    if score is None:
        return None
    if not isinstance(score, Counts):
        return {**score_fields(score, 6)}
    if measure == "strict":
        return {**count_fields(score, 6)}
    return {**score_fields(score, 6), **{name: getattr(score, name) for name in _COUNTED}}


def as_table(comparison: Comparison) -> ResultTable:
    """For each run and measure a row for the whole run (`*`) and a row for each document."""

    def cells(score: PRF | None) -> list[str]:
        return [""] * 7 if score is None else figures(score) + (counted(score) or [""] * 4)

    def rows() -> Iterator[list[str]]:
        for result in comparison.results:
            for name in comparison.measures:
                measure = result.measure(name)
                interval = measure.intervals[2] if measure.intervals else None
                ends = [f"{interval.low:.4f}", f"{interval.high:.4f}"] if interval else ["", ""]
                yield [result.name, name, "*", *cells(measure.score), *ends]
                for document, score in zip(comparison.documents, measure.documents, strict=True):
                    yield [result.name, name, document, *cells(score), "", ""]

    return ResultTable(_COLUMNS, rows())


def as_text(comparison: Comparison) -> Iterator[str]:
    """A table of runs for each measure, and the shares of samples in which one run scores higher than another."""
    documents = len(comparison.documents)
    yield f"{comparison.task.value}, type {comparison.type}, {quantity(documents, 'document')} of {comparison.gold}"
    for name in comparison.measures:
        yield ""
        rows = [[name, "P", "R", "F1", *_COUNTED]]
        for result in comparison.results:
            measure = result.measure(name)
            rows.append([result.name, *with_intervals(measure), *(counted(measure.score) or [""] * 4)])
        yield from aligned(rows)
    if comparison.number_of_samples:
        yield ""
        yield (
            f"In brackets: the middle 95% of {comparison.number_of_samples} bootstrap samples, seed {comparison.seed}."
        )
        if len(comparison.results) > 1:
            for name in comparison.measures:
                yield from _ranking(name, comparison)


def _ranking(name: str, comparison: Comparison) -> Iterator[str]:
    yield ""
    yield f"{name}: share of samples in which the F1 of the row is above that of the column ({BETTER:.0%}: better)"
    names = [result.name for result in comparison.results]
    width = max(len(each) for each in names)
    columns = [f"({number})" for number in range(1, len(names) + 1)]
    yield f"{'':{width + 5}}" + "".join(f"{column:>10}" for column in columns)
    for row, label in enumerate(names):
        shares = [float(share) for share in comparison.wins[name][row]]
        cells = [f"{share:.4f}{'*' if share >= BETTER else ' '}" for share in shares]
        cells[row] = ""
        yield f"{columns[row]:>4} {label:{width}}" + "".join(f"{cell:>10}" for cell in cells)


def with_intervals(measure: Measure) -> list[str]:
    """Precision, recall and F1 with 4 decimals, each with its interval if there is a bootstrap."""
    if measure.intervals is None:
        return figures(measure.score)
    pairs = zip(figures(measure.score), measure.intervals, strict=True)
    return [f"{figure} [{interval.low:.4f}, {interval.high:.4f}]" for figure, interval in pairs]


def counted(score: PRF) -> list[str]:
    """The counts gold, found, predicted and right; empty for a mean."""
    return [str(getattr(score, name)) for name in _COUNTED] if isinstance(score, Counts) else []
