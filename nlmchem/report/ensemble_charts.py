"""The charts of an ensemble, by file name: its curve against a gold standard, and the agreement of its runs."""

from __future__ import annotations

from nlmchem.evaluation.agreement import Agreement
from nlmchem.evaluation.curves import Best, Curve
from nlmchem.report.charts import Chart, Series, bar_chart, line_chart, matrix_chart, stem_chart

__all__ = ["agreement_charts", "curve_charts"]

SHOWN = 30
"""Runs and articles in a chart; the tables contain all."""


def curve_charts(curve: Curve, best: Best | None) -> dict[str, Chart]:
    """Precision against recall, scores by threshold, and the best thresholds of bootstrap samples."""
    charts = {"precision-recall": _precision_recall(curve), "scores-by-threshold": _by_threshold(curve)}
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
    return line_chart(title, "Recall", "Precision", [Series("ensemble", curve.recall, curve.precision, 0), *singles])


def _by_threshold(curve: Curve) -> Chart:
    values = (("precision", curve.precision), ("recall", curve.recall), ("F1", curve.f1))
    series = [Series(name, curve.thresholds, ys, number) for number, (name, ys) in enumerate(values)]
    title = f"Scores of the ensemble by threshold, {curve.task}"
    return line_chart(title, "Threshold (minimum share of the runs)", "Precision, recall, F1", series)


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
