"""Fits the calibration of a decision by mentions of articles that the trees have not seen."""

from __future__ import annotations

from collections.abc import Sequence

from indexing.learning.crossfit import Examples, held_out_scores
from indexing.learning.fitting import fit_linear
from indexing.learning.linear import Floats, Linear
from nlmchem.deciding.calibration import OF_ARTICLES, OF_SHORT_TEXTS, Calibration

PENALTY = 100.0
FOLDS = 5


def measured(articles: Examples, short: Examples | None, sizes: tuple[float, float]) -> Calibration:
    """The calibration by the mentions of whole articles and of short texts.

    `values`: columns of `OF_ARTICLES` and `OF_SHORT_TEXTS`. `sizes`: `few` and `many` of the calibration.
    """
    of_short_texts = None if short is None else _fitted(short, OF_SHORT_TEXTS)
    return Calibration(_fitted(articles, OF_ARTICLES), of_short_texts, *sizes)


def held_out(examples: Examples, features: Sequence[str], seed: int = 0) -> Floats:
    """The probability of each mention by a regression that was fitted without its article."""
    parts = examples.folds(FOLDS, seed)
    return held_out_scores(examples, parts, lambda rest: _fitted(rest, features).probabilities)


def _fitted(examples: Examples, features: Sequence[str]) -> Linear:
    return fit_linear(examples.values, examples.labels, features, PENALTY)
