"""The charts of an evaluation report, by file name."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nlmchem.evaluation.bootstrap import Floats
from nlmchem.evaluation.comparison import Comparison
from nlmchem.evaluation.run_curves import ScoreCurve, run_curve
from nlmchem.report.charts import Chart, Series, interval_chart, line_chart

__all__ = ["BINS", "evaluation_charts"]

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
        yield "precision-recall", line_chart("Precision and recall, strict", "Recall", "Precision", series)
        for number, curve in scored:
            yield f"threshold-{number + 1}", _thresholds(names[number], curve)


def _intervals(comparison: Comparison, measure: str) -> Chart:
    rows = []
    for result in comparison.results:
        of_run = result.measure(measure)
        if of_run is not None and of_run.intervals is not None:
            interval = of_run.intervals[2]
            rows.append((result.name, of_run.score.f1, interval.low, interval.high))
    title = f"F1 of {comparison.task.value}, {measure}"
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
    title = f"F1 in {comparison.number_of_samples} bootstrap samples, {measure}"
    return line_chart(title, "F1", "Share of samples", series, (low, high), (0.0, top * 1.05 or 1.0), y_numbers=False)


def _thresholds(name: str, curve: ScoreCurve) -> Chart:
    series = [
        Series("precision", curve.thresholds, curve.precision, 0),
        Series("recall", curve.thresholds, curve.recall, 1),
        Series("F1", curve.thresholds, curve.f1, 2),
    ]
    low, high = min(0.0, curve.thresholds[-1]), max(1.0, curve.thresholds[0])
    best = curve.best
    title = f"{name}: best F1 {curve.f1[best]:.4f} at scores of at least {curve.thresholds[best]:.4f}"
    return line_chart(title, "Minimum score", "Precision, recall, F1", series, (low, high))
