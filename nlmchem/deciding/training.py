"""Trains a decision on gold articles and the spans that a tagger found there.

The tagger must not have been trained on these articles. Otherwise its spans are better than in new articles, and the
decision trusts them too much. scikit-learn trains the trees; the model is plain numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from bioc import BioCDocument
from numpy.typing import NDArray

from corpora.errors import ConfigurationError
from corpora.model.document import Span
from corpora.reporting import Report, log
from indexing.boosting import tree_from
from nlmchem.deciding.decision import Evidences, chosen_of, log_odds_of
from nlmchem.deciding.evidence import FEATURES, MONOTONE
from nlmchem.deciding.knowledge import Knowledge
from nlmchem.deciding.trees import Tree, Trees
from nlmchem.tagging.inference.spans import PassageSpans
from sieves.lexicon.lexicon import Lexicon

__all__ = ["DecisionOptions", "Labelled", "Tagged", "label", "learn", "strict_f"]

Floats = NDArray[np.float64]
Tagged = tuple[BioCDocument, Sequence[PassageSpans], set[tuple[Span, ...]]]
"""An article with its definitions, its passages with the spans of the tagger, its gold spans (document offsets)."""

THRESHOLDS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)


@dataclass(frozen=True, slots=True)
class DecisionOptions:
    """`trees`, `leaves`, `rate`: of the boosting. `folds`: of the cross-validation that chooses the threshold.

    `floor`: as in `Trees`. `threshold`: fixed (None: chosen).
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
    """The candidates of one article: spans, features, whether each is a gold span; the number of gold spans."""

    spans: list[tuple[int, int, int]]
    values: Floats
    right: NDArray[np.bool_]
    gold: int


def label(tagged: Iterable[Tagged], lexicon: Lexicon) -> Iterator[Labelled]:
    """The candidates of each article and whether they are right. Applies the knowledge to the passages."""
    knowledge, evidences = Knowledge(lexicon), Evidences(lexicon)
    for document, passages, gold in tagged:
        knowledge(document, passages)
        evidence, _ = evidences(document, passages)
        offsets = [passage.offset for passage in document.passages]
        right = [((offsets[n] + start, offsets[n] + end),) in gold for n, start, end in evidence.spans]
        yield Labelled(evidence.spans, evidence.values, np.array(right, dtype=bool), len(gold))


def learn(
    articles: Sequence[Labelled],
    options: DecisionOptions | None = None,
    features: Sequence[str] = FEATURES,
    provenance: dict[str, Any] | None = None,
    report: Report = log,
) -> Trees:
    """Train a decision. The threshold is the one with the best strict F in cross-validation by article.

    Raises `ConfigurationError` if there are too few articles, or no or only right candidates.
    """
    options = options or DecisionOptions()
    if len(articles) < options.folds:
        raise ConfigurationError(f"there are {len(articles)} articles; give at least {options.folds} to train on")
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
        **(provenance or {}),
        "articles": len(articles),
        "candidates": number,
        "right": right,
        **({"cross-validated F": round(scores[chosen], 4)} if scores else {}),
    }
    return _fitted(articles, options, features, chosen, facts)


def strict_f(articles: Sequence[Labelled], model: Trees, threshold: float | None = None) -> float:
    """The strict F of the spans that a decision chooses."""
    found = given = wanted = 0
    for article in articles:
        log_odds = log_odds_of(article.values, model)
        chosen = list(chosen_of(article.spans, log_odds, threshold or model.threshold))
        found += int(article.right[chosen].sum())
        given += len(chosen)
        wanted += article.gold
    return 2 * found / (given + wanted) if given + wanted else 0.0


def _scores_by_threshold(
    articles: Sequence[Labelled], options: DecisionOptions, features: Sequence[str]
) -> dict[float, float]:
    order = np.random.default_rng(options.seed).permutation(len(articles))
    fold = np.empty(len(articles), dtype=np.int64)
    fold[order] = np.arange(len(articles)) % options.folds
    sums = dict.fromkeys(THRESHOLDS, 0.0)
    for number in range(options.folds):
        model = _fitted([a for a, own in zip(articles, fold, strict=True) if own != number], options, features, 0.5, {})
        held = [a for a, own in zip(articles, fold, strict=True) if own == number]
        for threshold in THRESHOLDS:
            sums[threshold] += strict_f(held, model, threshold) / options.folds
    return sums


def _fitted(
    articles: Sequence[Labelled],
    options: DecisionOptions,
    features: Sequence[str],
    threshold: float,
    facts: dict[str, Any],
) -> Trees:
    from sklearn.ensemble import HistGradientBoostingClassifier  # type: ignore[import-untyped]

    columns = [FEATURES.index(name) for name in features]
    values = np.concatenate([article.values for article in articles])[:, columns]
    model = HistGradientBoostingClassifier(
        max_iter=options.trees,
        learning_rate=options.rate,
        max_leaf_nodes=options.leaves,
        min_samples_leaf=40 if len(values) > 4000 else 5,
        l2_regularization=1.0,
        monotonic_cst=[MONOTONE.get(name, 0) for name in features],
        early_stopping=False,
        random_state=options.seed,
    )
    model.fit(values, np.concatenate([article.right for article in articles]))
    trees = tuple(_tree(predictors[0].nodes) for predictors in model._predictors)
    base = float(np.ravel(model._baseline_prediction)[0])
    return Trees(tuple(features), round(base, 6), threshold, options.floor, trees, facts)


def _tree(nodes: NDArray[Any]) -> Tree:
    """A tree of scikit-learn, with rounded numbers."""
    tree = tree_from(nodes)
    return replace(
        tree,
        threshold=tuple(float(f"{at:.8g}") for at in tree.threshold),
        value=tuple(round(value, 5) for value in tree.value),
    )
