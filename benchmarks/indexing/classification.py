"""Indexing as classification of articles: a linear classifier for each identifier, on TF-IDF of the whole text.

After team 157 of the NLM-Chem track. Only identifiers of the training articles can be chosen.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from crossvalidation import Fold, Scores

from indexing.features import Floats
from indexing.training import LabelledArticle, Table, best_threshold, folds

RIDGES = (0.03, 0.1, 0.3, 1.0)
"""Penalties to choose from."""
LEAST = 2
"""Training articles that have the identifier."""


def by_classification(fold: Fold) -> tuple[Callable[[LabelledArticle, Table], Scores], float]:
    """Ridge regressions on TF-IDF; penalty and threshold by F on held-out training articles."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    counts: dict[str, int] = {}
    for article in fold.rest:
        for identifier in article.gold:
            counts[identifier] = counts.get(identifier, 0) + 1
    names = sorted(identifier for identifier, number in counts.items() if number >= LEAST)
    labels = np.array([[float(name in article.gold) for name in names] for article in fold.rest])
    reader = TfidfVectorizer(sublinear_tf=True, min_df=2, stop_words="english")
    values = reader.fit_transform([text_of(article) for article in fold.rest])
    kernel = (values @ values.T).toarray()
    ridge, threshold = _chosen(kernel, labels, fold.gold)
    weights = np.linalg.solve(kernel + ridge * np.eye(len(kernel)), labels)
    tests = [article for article, _ in fold.held]
    scores = (reader.transform([text_of(article) for article in tests]) @ values.T).toarray() @ weights
    of = {
        id(article): dict(zip(names, map(float, row), strict=True)) for article, row in zip(tests, scores, strict=True)
    }
    return lambda article, _: of[id(article)], threshold


def _chosen(kernel: Floats, labels: Floats, gold: int) -> tuple[float, float]:
    best = (-1.0, 0.0, 0.0)
    for ridge in RIDGES:
        scores = np.zeros(labels.shape)
        for held in folds([str(number) for number in range(len(labels))], 5, 2):
            mask = np.isin(np.arange(len(labels)), [int(number) for number in held])
            inner = kernel[np.ix_(~mask, ~mask)] + ridge * np.eye(int((~mask).sum()))
            scores[mask] = kernel[np.ix_(mask, ~mask)] @ np.linalg.solve(inner, labels[~mask])
        threshold, f = best_threshold(scores.ravel(), labels.ravel().astype(bool), gold)
        best = max(best, (f, ridge, threshold))
    return best[1], best[2]


def text_of(article: LabelledArticle) -> str:
    return " ".join(article.found.texts)
