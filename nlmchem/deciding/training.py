"""Trains a decision on gold articles and the spans that a tagger found there.

The tagger must not have been trained on these articles. Otherwise its spans are better than in new articles, and the
decision trusts them too much. scikit-learn trains the trees; the model is plain numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corpora.errors import ConfigurationError
from corpora.reporting import Report, log
from corpora.words.quantities import quantity
from indexing.learning.crossfit import folds, models_by_part
from indexing.learning.fitting import ForestOptions, fit_forest
from indexing.learning.linear import Flags
from nlmchem.deciding.decision import DecisionModel, SpanFeatureMaker, chosen_of, log_odds_of
from nlmchem.deciding.features import FEATURES, MONOTONE, SpanFeatures
from nlmchem.deciding.knowledge import Knowledge
from nlmchem.deciding.tagged import Tagged
from sieves.lexicon.lexicon import Lexicon

THRESHOLDS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)


@dataclass(frozen=True, slots=True)
class DecisionOptions:
    """`trees`, `leaves`, `rate`: of the boosting. `folds`: of the cross-validation that chooses the threshold.

    `floor`: as in `DecisionModel`. `threshold`: fixed (None: chosen).
    """

    trees: int = 60
    leaves: int = 16
    rate: float = 0.12
    folds: int = 5
    floor: float = 0.7
    threshold: float | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Labelled:
    """The candidates of one article: features, whether each is a gold span; the number of gold spans."""

    features: SpanFeatures
    right: Flags
    gold: int


def label(tagged: Iterable[Tagged], lexicon: Lexicon) -> Iterator[Labelled]:
    """The candidates of each article and whether they are right. Applies the knowledge to the passages."""
    knowledge, make = Knowledge(lexicon), SpanFeatureMaker(lexicon)
    for document, passages, gold in tagged:
        knowledge(document, passages)
        features, _ = make(document, passages)
        offsets = [passage.offset for passage in document.passages]
        right = [((offsets[n] + start, offsets[n] + end),) in gold for n, start, end in features.spans]
        yield Labelled(features, np.array(right, dtype=bool), len(gold))


def learn(
    articles: Sequence[Labelled],
    options: DecisionOptions | None = None,
    features: Sequence[str] = FEATURES,
    card: dict[str, Any] | None = None,
    report: Report = log,
) -> DecisionModel:
    """Train a decision. The threshold is the one with the best strict F in cross-validation by article.

    Raises `ConfigurationError` if there are too few articles, or no or only right candidates.
    """
    options = options or DecisionOptions()
    if len(articles) < options.folds:
        raise ConfigurationError(
            f"{quantity(len(articles), 'article is', 'articles are')} too few; give at least {options.folds}"
        )
    right = sum(int(article.right.sum()) for article in articles)
    number = sum(len(article.right) for article in articles)
    if not 0 < right < number:
        raise ConfigurationError(f"{right} of {number} candidates are right; a decision needs right and wrong ones")
    chosen, scores = options.threshold, dict[float, float]()
    if chosen is None:
        scores = _scores_by_threshold(articles, options, features)
        chosen = max(scores, key=lambda threshold: (scores[threshold], threshold))
        report(f"threshold {chosen:g}: strict F {scores[chosen]:.4f} in {options.folds}-fold cross-validation")
    facts = {
        **(card or {}),
        "articles": len(articles),
        "candidates": number,
        "right": right,
        **({"cross-validated F": round(scores[chosen], 4)} if scores else {}),
    }
    return _fitted(articles, options, features, chosen, facts)


def strict_f(articles: Sequence[Labelled], model: DecisionModel, threshold: float | None = None) -> float:
    """The strict F of the spans that a decision chooses."""
    correct = given = wanted = 0
    for article in articles:
        log_odds = log_odds_of(article.features, model)
        chosen = list(chosen_of(article.features.spans, log_odds, threshold or model.threshold))
        correct += int(article.right[chosen].sum())
        given += len(chosen)
        wanted += article.gold
    return 2 * correct / (given + wanted) if given + wanted else 0.0


def _scores_by_threshold(
    articles: Sequence[Labelled], options: DecisionOptions, features: Sequence[str]
) -> dict[float, float]:
    """The strict F of each threshold, on average over the folds."""
    sums = dict.fromkeys(THRESHOLDS, 0.0)
    parts = folds(range(len(articles)), options.folds, options.seed)
    models = models_by_part(parts, lambda rest: _fitted([articles[at] for at in rest], options, features, 0.5, {}))
    for model, held in models:
        for threshold in THRESHOLDS:
            sums[threshold] += strict_f([articles[at] for at in held], model, threshold) / options.folds
    return sums


def _fitted(
    articles: Sequence[Labelled],
    options: DecisionOptions,
    features: Sequence[str],
    threshold: float,
    card: dict[str, Any],
) -> DecisionModel:
    values = np.concatenate([article.features.matrix(features) for article in articles])
    right = np.concatenate([article.right for article in articles])
    forest = ForestOptions(options.trees, options.rate, options.leaves, penalty=1.0)
    trees = fit_forest(values, right, features, forest, options.seed, MONOTONE)
    return DecisionModel(trees, threshold, options.floor, card)
