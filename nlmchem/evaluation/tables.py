"""A comparison as text, TSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator

from corpora.commands.command import ResultTable
from corpora.words.quantities import quantity
from nlmchem.evaluation.comparison import BETTER, Comparison, Measure, RunResult
from nlmchem.evaluation.scores import PRF, Counts, count_fields, figures, score_fields

_COUNTED = ("gold", "found", "predicted", "right")
_COLUMNS = ("run", "measure", "document", "precision", "recall", "f1", *_COUNTED, "f1_low", "f1_high")


def better_than(comparison: Comparison, measure: str, run: int) -> list[str]:
    """The runs that a run is better than; see `BETTER`."""
    wins = comparison.wins.get(measure)
    if wins is None:
        return []
    return [
        result.name
        for other, result in enumerate(comparison.results)
        if other != run and float(wins[run, other]) >= BETTER
    ]


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
            if measure is not None:
                fields[name] = _measure_fields(comparison, name, index, measure)
        fields["documents"] = {
            document: {
                name: _score_fields(measure.documents[position], name)
                for name in comparison.measures
                if (measure := result.measure(name)) is not None
            }
            for position, document in enumerate(comparison.documents)
        }
        yield fields


def _measure_fields(comparison: Comparison, name: str, run: int, measure: Measure) -> dict[str, object]:
    fields = _score_fields(measure.score, name) or {}
    if measure.intervals is not None:
        keys = ("precision", "recall", "f1")
        fields["intervals"] = {
            key: [round(interval.low, 6), round(interval.high, 6)]
            for key, interval in zip(keys, measure.intervals, strict=True)
        }
        fields["wins"] = {
            other.name: round(float(comparison.wins[name][run, position]), 6)
            for position, other in enumerate(comparison.results)
            if position != run
        }
        fields["better_than"] = better_than(comparison, name, run)
    return fields


def _score_fields(score: PRF | None, measure: str) -> dict[str, object] | None:
    if score is None:
        return None
    if not isinstance(score, Counts):
        return {**score_fields(score, 6)}
    if measure == "strict":
        return {**count_fields(score, 6)}
    return {**score_fields(score, 6), **dict(zip(_COUNTED, _numbers(score), strict=True))}


def as_table(comparison: Comparison) -> ResultTable:
    """For each run and measure a row for the whole run (`*`) and a row for each document."""
    return ResultTable(_COLUMNS, _rows(comparison))


def _rows(comparison: Comparison) -> Iterator[list[str]]:
    for result in comparison.results:
        for name in comparison.measures:
            measure = result.measure(name)
            if measure is None:
                continue
            interval = measure.intervals[2] if measure.intervals else None
            ends = [f"{interval.low:.4f}", f"{interval.high:.4f}"] if interval else ["", ""]
            yield [result.name, name, "*", *_cells(measure.score), *ends]
            for document, score in zip(comparison.documents, measure.documents, strict=True):
                yield [result.name, name, document, *_cells(score), "", ""]


def _cells(score: PRF | None) -> list[str]:
    if score is None:
        return [""] * 7
    return figures(score) + (counted(score) or [""] * 4)


def as_text(comparison: Comparison) -> Iterator[str]:
    """A table of runs for each measure, and the shares of samples in which one run scores higher than another."""
    documents = len(comparison.documents)
    yield f"{comparison.task.value}, type {comparison.type}, {quantity(documents, 'document')} of {comparison.gold}"
    for name in comparison.measures:
        yield ""
        yield from _table(name, comparison)
    if comparison.number_of_samples:
        yield ""
        yield (
            f"In brackets: the middle 95% of {comparison.number_of_samples} bootstrap samples, seed {comparison.seed}."
        )
        for name in comparison.measures:
            yield from _ranking(name, comparison)


def _table(name: str, comparison: Comparison) -> Iterator[str]:
    rows = [[name, "P", "R", "F1", *_COUNTED]]
    rows += [_text_row(result, name) for result in comparison.results]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        yield "  ".join(cells).rstrip()


def _text_row(result: RunResult, name: str) -> list[str]:
    measure = result.measure(name)
    assert measure is not None, "all runs of a comparison have the same measures"
    return [result.name, *with_intervals(measure), *(counted(measure.score) or [""] * 4)]


def with_intervals(measure: Measure) -> list[str]:
    """Precision, recall and F1 with 4 decimals, each with its interval if there is a bootstrap."""
    if measure.intervals is None:
        return figures(measure.score)
    pairs = zip(figures(measure.score), measure.intervals, strict=True)
    return [f"{figure} [{interval.low:.4f}, {interval.high:.4f}]" for figure, interval in pairs]


def counted(score: PRF) -> list[str]:
    """The counts gold, found, predicted and right; empty for a mean."""
    return [*map(str, _numbers(score))] if isinstance(score, Counts) else []


def _numbers(counts: Counts) -> tuple[int, ...]:
    return counts.gold, counts.found, counts.predicted, counts.right


def _ranking(name: str, comparison: Comparison) -> Iterator[str]:
    if len(comparison.results) < 2:
        return
    yield ""
    yield f"{name}: share of samples in which the F1 of the row is above that of the column ({BETTER:.0%}: better)"
    names = [result.name for result in comparison.results]
    width = max(len(each) for each in names)
    columns = [f"({number})" for number in range(1, len(names) + 1)]
    yield f"{'':{width + 5}}" + "".join(f"{column:>10}" for column in columns)
    for row, label in enumerate(names):
        cells = [
            f"{'':>10}" if row == column else f"{_share(float(comparison.wins[name][row, column])):>10}"
            for column in range(len(names))
        ]
        yield f"{columns[row]:>4} {label:{width}}" + "".join(cells)


def _share(value: float) -> str:
    return f"{value:.4f}{'*' if value >= BETTER else ' '}"
