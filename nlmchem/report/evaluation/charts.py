"""The charts of an evaluation report, of an ensemble's curve and of the agreement of runs, by file name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from corpora.words.quantities import quantity
from nlmchem.evaluation.bootstrap import Floats
from nlmchem.evaluation.comparison import Comparison
from nlmchem.evaluation.curves import Best, Curve, ScoreCurve, run_curve
from nlmchem.evaluation.ensembles import Agreement
from nlmchem.report.charts import Chart, Series, bar_chart, framed, interval_chart, line_chart, matrix_chart, stem_chart

BINS = 60
"""Bins of a histogram, over the range of all runs."""


def evaluation_charts(comparison: Comparison) -> Iterator[tuple[str, Chart]]:
    """File name without suffix, and chart: intervals and bootstrap samples, precision and recall, thresholds by run."""
    for measure in comparison.measures:
        if measure in comparison.samples:
            yield f"intervals-{measure}", _intervals(comparison, measure)
            yield f"bootstrap-{measure}", _histogram(comparison, measure)
    curves = [run_curve(comparison, result) for result in comparison.results]
    scored = [(number, curve) for number, curve in enumerate(curves) if curve is not None]
    if scored:
        names = [result.name for result in comparison.results]
        series = [Series(names[number], curve.recall, curve.precision, number) for number, curve in scored]
        title = f"Precision and recall in {_documents(comparison)}, strict"
        yield "precision-recall", _precision_and_recall(title, series)
        for number, curve in scored:
            yield f"threshold-{number + 1}", _thresholds(names[number], curve)


def _precision_and_recall(title: str, series: Sequence[Series]) -> Chart:
    """The axes have the part of 0..1 in which the curves are."""
    recall, precision = ([value for line in series for value in getattr(line, axis)] for axis in ("xs", "ys"))
    return line_chart(title, "Recall", "Precision", series, framed(recall), framed(precision))


def _documents(comparison: Comparison) -> str:
    return quantity(len(comparison.documents), "document")


def _intervals(comparison: Comparison, measure: str) -> Chart:
    rows = []
    for result in comparison.results:
        of_run = result.measure(measure)
        if of_run is not None and of_run.intervals is not None:
            interval = of_run.intervals[2]
            rows.append((result.name, of_run.score.f1, interval.low, interval.high))
    title = f"F1 of {comparison.task.value} in {_documents(comparison)}, {measure}"
    return interval_chart(title, "F1, with the middle 95% of bootstrap samples", rows)


def _histogram(comparison: Comparison, measure: str) -> Chart:
    values: Floats = comparison.samples[measure][:, :, 2]
    low, high = float(values.min()), float(values.max())
    margin = max(0.005, (high - low) * 0.05)
    low, high = max(0.0, low - margin), min(1.0, high + margin)
    edges = np.linspace(low, high, BINS + 1)
    counts = [np.histogram(values[:, run], bins=edges)[0] for run in range(values.shape[1])]
    top = max(int(count.max()) for count in counts)
    series = []
    for number, (result, count) in enumerate(zip(comparison.results, counts, strict=True)):
        # A line of steps: each bin is its two upper corners.
        xs = tuple(float(edge) for edge in np.repeat(edges, 2)[1:-1])
        ys = tuple(float(height) for height in np.repeat(count, 2))
        series.append(Series(result.name, xs, ys, number))
    title = f"F1 in {comparison.number_of_samples} bootstrap samples of {_documents(comparison)}, {measure}"
    return line_chart(title, "F1", "Share of samples", series, (low, high), (0.0, top * 1.05 or 1.0), y_numbers=False)


def _thresholds(name: str, curve: ScoreCurve) -> Chart:
    low, high = min(0.0, curve.thresholds[-1]), max(1.0, curve.thresholds[0])
    best = curve.best
    title = f"{name}: best F1 {curve.f1[best]:.4f} at scores of at least {curve.thresholds[best]:.4f}"
    return line_chart(title, "Minimum score", "Precision, recall, F1", _by_threshold(curve), (low, high))


def _by_threshold(curve: ScoreCurve) -> list[Series]:
    values = (("precision", curve.precision), ("recall", curve.recall), ("F1", curve.f1))
    return [Series(name, curve.thresholds, ys, number) for number, (name, ys) in enumerate(values)]


# -- ensembles --------------------------------------------------------------------------------


SHOWN = 30
"""Runs and articles in a chart; the tables contain all."""


def curve_charts(curve: Curve, best: Best | None) -> dict[str, Chart]:
    """Precision against recall, scores by threshold, and the best thresholds of bootstrap samples."""
    title = f"Scores of the ensemble by threshold, {curve.task}"
    x_name = "Threshold (minimum share of the runs)"
    scores = line_chart(title, x_name, "Precision, recall, F1", _by_threshold(curve.scores))
    charts = {"precision-recall": _precision_recall(curve), "scores-by-threshold": scores}
    if best is not None:
        charts["best-threshold"] = _best_thresholds(curve, best)
    return charts


def _precision_recall(curve: Curve) -> Chart:
    # All single runs look the same and share one entry in the legend: curve.json has their names.
    singles = [
        Series("" if position else "single runs", (counts.recall,), (counts.precision,), 1)
        for position, counts in enumerate(curve.single_runs().values())
    ]
    title = f"Precision and recall of the ensemble, {curve.task}"
    ensemble = Series("ensemble", curve.scores.recall, curve.scores.precision, 0)
    return _precision_and_recall(title, [ensemble, *singles])


def _best_thresholds(curve: Curve, best: Best) -> Chart:
    total = sum(times for _, times in best.thresholds_drawn)
    stems = [(threshold, times / total) for threshold, times in best.thresholds_drawn]
    title = f"Best threshold in {total} bootstrap samples, {curve.task}; on all documents: {best.threshold:.4f}"
    return stem_chart(title, "Threshold (minimum share of the runs)", "Share of samples", stems)


def agreement_charts(agreement: Agreement) -> dict[str, Chart]:
    """F1 between the runs, and the articles with the greatest disagreement."""
    names = agreement.runs[:SHOWN]
    between = matrix_chart(
        f"F1 between runs, {agreement.task}",
        names,
        agreement.f1[: len(names), : len(names)],
        float(agreement.f1.min()),
    )
    rows = [
        (item.document, item.division, f"{item.division:.1f} (F1 {item.agreement:.2f})")
        for item in agreement.divisions[:SHOWN]
    ]
    title = f"Articles with the greatest disagreement, {agreement.task}"
    return {"runs": between, "articles": bar_chart(title, "Division (and mean F1 between runs)", rows)}
