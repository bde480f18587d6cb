"""Drawings of a cross-validation: precision and recall by threshold, F by the number of training articles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from crossvalidation import Blend, Boosting, Chosen, Fold, Outcome, Regression, micro, outcome, strict

from indexing.training import FEATURES
from nlmchem.evaluation.scores import Counts
from nlmchem.report.charts import Series, line_chart

SIZES = (25, 50, 100, 200, 300)


def precision_recall(found: Outcome, reference: Sequence[tuple[str, Counts]], total: int, path: Path) -> None:
    """Write a drawing of precision over recall of held-out scores, with the chosen thresholds.

    `total`: terms to find, those that are no candidate included. `reference`: indexers that are points.
    """
    order = np.argsort(-np.array(found.scores), kind="stable")
    right = np.cumsum(np.array(found.labels)[order])
    precision, recall = right / np.arange(1, len(order) + 1), right / total
    points = [
        Series(f"{name} (P {c.precision:.3f}, R {c.recall:.3f})", (c.recall,), (c.precision,), number)
        for number, (name, c) in enumerate(reference, 1)
    ]
    curve = Series("default, by threshold", tuple(recall.tolist()), tuple(precision.tolist()), 0)
    drawing = line_chart("Index terms, articles held out", "Recall", "Precision", [curve, *points])
    path.write_bytes(drawing.svg())


def learning(
    gold: Chosen, prepared: Callable[[int], Sequence[Fold]], whole: tuple[int, Counts], path: Path | None
) -> list[tuple[int, Counts]]:
    """The scores with few training articles, more, and all; drawn if there is a path."""
    rows = [
        (size, micro(strict(gold, outcome(prepared(size), Blend(Regression(FEATURES), Boosting(FEATURES))).chosen)))
        for size in SIZES
        if size < whole[0]
    ]
    rows.append(whole)
    if path is not None:
        sizes = tuple(float(size) for size, _ in rows)
        series = [
            Series("precision", sizes, tuple(c.precision for _, c in rows), 1),
            Series("recall", sizes, tuple(c.recall for _, c in rows), 2),
            Series("F", sizes, tuple(c.f1 for _, c in rows), 0),
        ]
        title = "Index terms by the number of articles learnt from"
        drawing = line_chart(title, "Articles", "Score", series, (0.0, max(sizes)), (0.0, 0.8))
        path.write_bytes(drawing.svg())
    return rows
