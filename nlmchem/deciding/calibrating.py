"""Fits the calibration of a decision by mentions of articles that the trees have not seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indexing.learning.crossfit import Examples, held_out_scores
from indexing.learning.linear import Floats, Linear, fit_linear
from nlmchem.deciding.calibration import OF_ARTICLES, OF_SHORT_TEXTS, Calibration

PENALTY = 100.0
FOLDS = 5


def measured(articles: Examples, short: Sequence[Examples], sizes: tuple[float, float]) -> Calibration:
    """The calibration by the mentions of whole articles, and of short texts from several sources (none: not measured).

    `values`: columns of `OF_ARTICLES` and `OF_SHORT_TEXTS`. `sizes`: `few` and `many` of the calibration.
    """
    of_short_texts = fitted(short, OF_SHORT_TEXTS) if short else None
    return Calibration(fitted([articles], OF_ARTICLES), of_short_texts, *sizes)


def held_out(examples: Examples, features: Sequence[str], others: Sequence[Examples] = (), seed: int = 0) -> Floats:
    """The probability of each mention by a regression that was fitted without its article. `others`: other sources."""
    parts = examples.folds(FOLDS, seed)
    return held_out_scores(examples, parts, lambda rest: fitted([rest, *others], features).probabilities)


def fitted(sources: Sequence[Examples], features: Sequence[str]) -> Linear:
    """The regression on the mentions of these sources. All sources count alike, however many mentions they have.

    Annotators of different corpora mark different texts. With equal sources the regression relies on what they share.
    """
    rows = Examples.joined(sources)
    counts = np.concatenate(
        [np.full(len(source.labels), len(rows.labels) / (len(sources) * len(source.labels))) for source in sources]
    )
    return fit_linear(rows.values, rows.labels, features, PENALTY, counts)
