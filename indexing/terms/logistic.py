"""The logistic indexer: a regression on counts by section and other features, computed in numpy from a JSON file.

After the benchmark of the NLM-Chem track (Leaman et al. 2023, Database 2023:baad005), which counts a concept's mentions
by section. Here the model has further features of the concept and of the article (`indexing.terms.features`). It may
have boosted trees on the same features besides the regression; then the log-odds of both are averaged.

A chosen supplementary record brings the headings that it maps to. A record is a substance without a heading of its own
in MeSH; it names the headings that it maps to (`Heading Mapped To`). When indexers of MEDLINE choose a record, these
headings are added to the article (NLM, "Supplementary Concept Records"). The article itself need not mention them, so
they are no candidates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from bioc import BioCDocument

from corpora.model.mesh_ids import is_descriptor
from indexing.learning import model_file
from indexing.learning.forest import Forest
from indexing.learning.linear import Floats, Linear, sigmoid
from indexing.terms.candidates import ArticleCandidates, candidates_of, is_chemical
from indexing.terms.features import FEATURES, matrix
from indexing.terms.indexer import (
    NO_CONCEPTS,
    ChosenTerm,
    Concepts,
    Contribution,
    ExplainedTerm,
    TermExplanation,
    by_strength,
    entry_term,
    ranked,
)
from indexing.terms.statistics import Background, Prior

METHOD = "logistic"
KIND = "index terms"
"""The kind of the model files."""
DEFAULT = Path(__file__).with_name("default.json")
"""The embedded model; default.md beside it is its card."""
TERMS = "terms"
"""The name of the regression and of the trees in the file."""
Records = Mapping[str, tuple[int, ...]]
"""A heading -> the numbers of the candidates that are supplementary records and map to it."""


@dataclass(frozen=True, slots=True)
class LogisticModel:
    """A regression on the features of candidates, and boosted trees on the same features.

    The log-odds are (1 - share) * those of the regression + share * those of the trees. An unknown value counts as the
    mean.
    """

    linear: Linear
    threshold: float
    """The lowest score that is chosen, in 0..1."""
    tfidf_threshold: float
    """The same for the indexer `tfidf`, which uses the same file."""
    prior: Prior
    background: Background
    card: Mapping[str, Any] = field(default_factory=dict)
    trees: Forest | None = None
    share: float = 0.0
    headings: bool = False
    """Whether a heading has at least the score of the supplementary records that map to it."""
    version: str = ""
    """The sha256 of the file; empty for a model that was not read from one."""

    @property
    def features(self) -> tuple[str, ...]:
        """The features, in the order of the columns of `values`."""
        return self.linear.features

    @property
    def base(self) -> float:
        """The log-odds without any feature."""
        return (1 - self.share) * self.linear.intercept + self.share * (self.trees.start if self.trees else 0.0)

    def contributions(self, values: Floats) -> Floats:
        """What each feature adds to the log-odds; of the shape of `values`, (candidates, features)."""
        product = self.linear.contributions(values)
        if self.trees is None:
            return product
        known = self.linear.known(values)
        added: Floats = (1 - self.share) * product + self.share * self.trees.contributions(known)
        return added

    def scores(self, contributions: Floats) -> Floats:
        """The score of each candidate, in 0..1, from what its features add."""
        return sigmoid(contributions.sum(axis=1) + self.base)


class LogisticIndexer:
    """Chooses the concepts whose score reaches the threshold."""

    def __init__(
        self,
        model: LogisticModel,
        concepts: Concepts = NO_CONCEPTS,
        threshold: float | None = None,
        name: str = METHOD,
    ) -> None:
        """`threshold`: replaces that of the model."""
        self.name = name
        self.model = model
        self.threshold = model.threshold if threshold is None else threshold
        self.version = model.version if threshold is None else f"{model.version}:threshold={threshold:g}"
        self._concepts = concepts

    def __call__(self, document: BioCDocument) -> list[ChosenTerm]:
        return self._explained(document, with_contributions=False).choices()

    def explain(self, document: BioCDocument) -> TermExplanation:
        """Every candidate with what each feature adds to its log-odds."""
        return self._explained(document, with_contributions=True)

    def _explained(self, document: BioCDocument, *, with_contributions: bool) -> TermExplanation:
        article = candidates_of(document, self._concepts)
        explained = self._by_features(article, with_contributions=with_contributions) if article.candidates else []
        terms = {term.identifier: term for term in explained}
        if self.model.headings:
            for heading, rows in records_of(article, self._concepts).items():
                terms[heading] = self._raised(heading, terms.get(heading), [explained[row] for row in rows])
        candidates = ranked(terms.values())
        return TermExplanation(str(document.id), self.name, self.version, self.threshold, self.model.base, candidates)

    def _by_features(self, article: ArticleCandidates, *, with_contributions: bool) -> list[ExplainedTerm]:
        """The candidates by their own features, in their order."""
        model = self.model
        values = matrix(article, model.features, model.prior, model.background, self._concepts)
        known, unknown = model.linear.known(values), np.isnan(values)
        added = model.contributions(values)
        scores = model.scores(added)
        terms = []
        for row, candidate in enumerate(article.candidates):
            contributions = [
                Contribution(name, float(known[row, column]), float(added[row, column]))
                for column, name in enumerate(model.features if with_contributions else ())
                # An unknown value adds nothing to the regression; trees may add something for the mean.
                if added[row, column] or not unknown[row, column]
            ]
            name = entry_term(candidate.identifier, candidate.surfaces, self._concepts)
            score, chosen = float(scores[row]), bool(scores[row] >= self.threshold)
            terms.append(ExplainedTerm(candidate.identifier, name, score, chosen, by_strength(contributions)))
        return terms

    def _raised(self, heading: str, term: ExplainedTerm | None, records: Sequence[ExplainedTerm]) -> ExplainedTerm:
        """A heading with the score of the best of its records, if its own score is lower or it has none."""
        best = ranked(records)[0]
        if term is not None and term.score >= best.score:
            return term
        before = self.model.base if term is None else _log_odds(term.score)
        added = Contribution(f"record:{best.identifier}", best.score, _log_odds(best.score) - before)
        return ExplainedTerm(
            heading,
            entry_term(heading, (), self._concepts) if term is None else term.entry_term,
            best.score,
            best.chosen,
            by_strength([*(term.contributions if term else ()), added]),
        )


def _log_odds(score: float) -> float:
    # A score of a saturated model can be exactly 0 or 1.
    clipped = min(max(score, 1e-15), 1 - 1e-15)
    return log(clipped / (1 - clipped))


def records_of(article: ArticleCandidates, concepts: Concepts) -> Records:
    """The headings that the article's supplementary records map to, sorted by identifier.

    Headings are those of the lexicon's year in use. Headings that are no chemicals, or that the lexicon does not have,
    are left out.
    """
    rows: dict[str, list[int]] = {}
    for number, candidate in enumerate(article.candidates):
        if not is_descriptor(candidate.identifier):
            translated = {concepts.translate(parent) for parent in concepts.parents(candidate.identifier)}
            for heading in translated - {None, candidate.identifier}:
                rows.setdefault(str(heading), []).append(number)
    return {
        heading: tuple(numbers)
        for heading, numbers in sorted(rows.items())
        if concepts.preferred_name(heading) is not None and is_chemical(heading, concepts)
    }


# -- the file -----------------------------------------------------------------------------------


def read_model(path: Path) -> LogisticModel:
    """Read a model. Raises `ResourceError` if the file is missing or damaged, or has other features."""
    file = model_file.read(path, KIND)
    linear = file.linear(TERMS, FEATURES)
    share = file.share("share")
    trees = file.forest(TERMS, linear.features) if share else None
    if trees is not None and trees.features != linear.features:
        raise file.broken("has trees with other features than its regression")
    return LogisticModel(
        linear,
        file.share("threshold"),
        file.share("tfidf_threshold"),
        file.value("prior", Prior.from_plain),
        file.value("background", Background.from_plain),
        file.card,
        trees,
        share,
        file.value("headings", _flag),
        file.version,
    )


def write_model(path: Path, model: LogisticModel) -> None:
    """Write a model atomically. Numbers are rounded; the same model gives the same bytes."""
    values = {
        "threshold": round(model.threshold, 6),
        "tfidf_threshold": round(model.tfidf_threshold, 6),
        "share": model.share,
        "headings": model.headings,
        "prior": model.prior.plain(),
        "background": model.background.plain(),
    }
    forests = {} if model.trees is None else {TERMS: model.trees}
    model_file.write(path, KIND, model.card, {TERMS: model.linear}, forests, values)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is neither true nor false")
    return value
