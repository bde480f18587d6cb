"""Trains a decision on gold articles and the spans that a tagger found there.

The tagger must not have been trained on these articles. Otherwise its spans are better than in new articles, and the
decision trusts them too much. scikit-learn trains the trees; the model is plain numbers.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from bioc import BioCDocument

from corpora.errors import ConfigurationError
from corpora.model.document import Span, mentions, remove_mentions
from corpora.model.metadata import join_key
from corpora.reporting import Report, log
from corpora.words.quantities import quantity
from indexing.learning.crossfit import Examples, folds, held_out_scores, models_by_part
from indexing.learning.forest import ForestOptions, fit_forest
from indexing.learning.linear import Flags, Floats, Linear, fit_linear, matrix_of
from nlmchem.abbreviations import AbbreviationStage
from nlmchem.deciding.calibration import OF_ARTICLES, OF_SHORT_TEXTS, Calibration, calibration_columns
from nlmchem.deciding.decision import DecisionModel, SpanFeatureMaker
from nlmchem.deciding.features import FEATURES, MONOTONE, SpanFeatures
from nlmchem.deciding.knowledge import Knowledge
from nlmchem.tagging.inference.spans import PassageSpans
from nlmchem.tagging.registry import TaggerChoice
from nlmchem.tagging.training.data import read_corpus
from sieves.lexicon.lexicon import Lexicon

CHUNK = 8
Tagged = tuple[BioCDocument, Sequence[PassageSpans], set[tuple[Span, ...]]]
"""An article with its definitions, its passages with the spans of the tagger, its gold spans (document offsets)."""
DIVISIONS = 3
"""Divisions of the articles into folds, for a calibration that depends less on one of them."""
FEWEST = 20
"""Right mentions, and wrong ones, that a calibration is measured on."""
THRESHOLDS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
PENALTY = 100.0
"""Of the regressions of a calibration."""
FOLDS = 5
"""Of the articles in which a calibration is scored."""


def read_tagged(
    corpora: Sequence[str],
    leave_out: Sequence[str],
    choice: TaggerChoice,
    lexicon: Lexicon,
    number: int = 0,
    seed: int = 0,
    report: Report = log,
) -> Iterator[Tagged]:
    """The articles of corpora, tagged. `number`: of a sample (0: all).

    Raises `ConfigurationError` if no article is left, and the errors of the readers.
    """
    hidden = {join_key(document) for name in leave_out for document in read_corpus(name, report=report).documents}
    documents = [document for name in corpora for document in read_corpus(name, report=report).documents]
    kept = [document for document in documents if join_key(document) not in hidden]
    report(f"used: {len(kept)} of {quantity(len(documents), 'article')}; left out: {len(documents) - len(kept)}")
    if not kept:
        raise ConfigurationError("no article is left to train on; give other corpora")
    if 0 < number < len(kept):
        kept = random.Random(seed).sample(kept, number)
    yield from tagged(kept, choice, lexicon)


def tagged(documents: Sequence[BioCDocument], choice: TaggerChoice, lexicon: Lexicon) -> Iterator[Tagged]:
    """The documents with the spans of a tagger and their gold spans. Gold mentions are removed, in place."""
    spans: list[Sequence[PassageSpans]] = []
    stage = choice.stage(lexicon, lambda _, passages: spans.append(passages))
    abbreviate = AbbreviationStage()
    for at in range(0, len(documents), CHUNK):
        chunk = documents[at : at + CHUNK]
        gold = [{tuple(sorted(mention.spans)) for mention in mentions(document)} for document in chunk]
        for document in chunk:
            remove_mentions(document)
        abbreviate(chunk)
        spans.clear()
        stage(chunk)
        yield from zip(chunk, list(spans), gold, strict=True)


@dataclass(frozen=True, slots=True)
class DecisionOptions:
    """`trees`, `leaves`, `rate`: of the boosting."""

    trees: int = 60
    leaves: int = 16
    rate: float = 0.12
    folds: int = 5
    """Of the cross-validation that chooses the threshold."""
    floor: float = 0.7
    """As in `DecisionModel`."""
    threshold: float | None = None
    """Fixed (None: chosen)."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Labelled:
    """The candidates of one article."""

    features: SpanFeatures
    right: Flags
    """Whether each is a gold span."""
    gold: int
    """The number of gold spans."""


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
    calibrated: bool = True,
) -> DecisionModel:
    """Train a decision. The threshold is the one with the best strict F in cross-validation by article.

    `calibrated`: whether the calibration is measured, which takes as long again (`calibration`).

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
    chosen, facts = options.threshold, {**(card or {}), "articles": len(articles), "candidates": number, "right": right}
    if chosen is None:
        scores = _scores_by_threshold(articles, options, features)
        chosen = max(scores, key=lambda threshold: (scores[threshold], threshold))
        facts["cross-validated F"] = round(scores[chosen], 4)
        report(f"threshold {chosen:g}: strict F {scores[chosen]:.4f} in {options.folds}-fold cross-validation")
    model = _fitted(articles, options, features, chosen, facts)
    if not calibrated:
        return model
    model = replace(model, calibration=calibration(articles, model, options))
    if model.calibration is None:
        report(f"no calibration: fewer than {FEWEST} mentions are wrong, or right; mentions get no probability")
    return model


def calibration(
    articles: Sequence[Labelled],
    model: DecisionModel,
    options: DecisionOptions,
    measured_on: Sequence[Labelled] | None = None,
    short_texts: Sequence[Sequence[Labelled]] | None = None,
    others: Sequence[Examples] = (),
) -> Calibration | None:
    """The calibration of a decision of these articles (`unseen_mentions`); None if too few are right or wrong.

    `others`: mentions of other sources of short texts (`short_mentions`).
    """
    whole, short = unseen_mentions(articles, model, options, measured_on, short_texts)
    right = np.concatenate([examples.labels for examples in whole])
    if min(right.sum(), (~right).sum()) < FEWEST:
        return None
    sizes = (_size(short, 0.9), _size(whole, 0.1)) if short else (1.0, 2.0)
    sources = [Examples.joined(short), *others] if short else others
    of_short_texts = fitted(sources, OF_SHORT_TEXTS) if sources else None
    return Calibration(fitted([Examples.joined(whole)], OF_ARTICLES), of_short_texts, *sizes)


def unseen_mentions(
    articles: Sequence[Labelled],
    model: DecisionModel,
    options: DecisionOptions,
    measured_on: Sequence[Labelled] | None = None,
    short_texts: Sequence[Sequence[Labelled]] | None = None,
) -> tuple[list[Examples], list[Examples]]:
    """The mentions of each article and of each short text, by models of the recipe that did not see the article.

    The articles are divided into folds `DIVISIONS` times. `measured_on`: the same articles with the spans of other
    rules (None: with the same). `short_texts`: of each article, short parts of it as texts of their own.
    """

    def without(rest: Sequence[int]) -> DecisionModel:
        return _fitted([articles[at] for at in rest], options, model.trees.features, model.threshold, {})

    whole, short = list[Examples](), list[Examples]()
    for division in range(DIVISIONS):
        parts = folds(range(len(articles)), options.folds, options.seed + division)
        for other, held in models_by_part(parts, without):
            for at in held:
                whole.append(_mentions((measured_on or articles)[at], other, OF_ARTICLES, at))
                if short_texts is not None:
                    short += [_mentions(text, other, OF_SHORT_TEXTS, at) for text in short_texts[at]]
    return whole, short


def short_mentions(texts: Sequence[Labelled], model: DecisionModel) -> Examples:
    """What a model chooses in short texts that it did not see. Each text is a group."""
    return Examples.joined([_mentions(text, model, OF_SHORT_TEXTS, at) for at, text in enumerate(texts)])


def _mentions(article: Labelled, model: DecisionModel, features: Sequence[str], group: int) -> Examples:
    """What a model chooses in an article, and whether it is right."""
    choice = model.choose(article.features)
    columns = calibration_columns(article.features.columns, choice.without_floor, choice.log_odds)
    rows = matrix_of(columns, features)[choice.chosen]
    return Examples.of(rows, article.right[choice.chosen].tolist(), group)


def _size(texts: Sequence[Examples], share: float) -> float:
    """The number of mentions that this share of the texts with mentions does not exceed."""
    return round(float(np.quantile([len(text.labels) for text in texts if len(text.labels)], share)), 1)


def strict_f(articles: Sequence[Labelled], model: DecisionModel, threshold: float | None = None) -> float:
    """The strict F of the spans that a decision chooses."""
    correct = given = wanted = 0
    for article in articles:
        chosen = model.choose(article.features, threshold).chosen
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
