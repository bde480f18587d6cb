"""The model of keyphrases, in one JSON file, and the ranker that chooses and explains keyphrases with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from bioc import BioCDocument
from numpy.typing import NDArray

from corpora.errors import ConfigurationError
from corpora.model.document import Span
from corpora.model.passages import passage_text
from indexing.learning import model_file
from indexing.learning.forest import Forest
from indexing.learning.linear import Columns, Floats, Linear, matrix_of, sigmoid
from indexing.terms.indexer import Contribution, by_strength
from nlmchem.companions.keyphrases.candidates import Candidates, candidates_of, starts_of, words_of
from nlmchem.companions.keyphrases.features import FEATURES, SECOND, best, columns, relations
from nlmchem.companions.keyphrases.frequencies import Frequencies, KeyphrasePrior, plain_prior, prior_of
from nlmchem.companions.keyphrases.frequencies import read as read_frequencies
from nlmchem.companions.keyphrases.keyphrase import Keyphrase

KIND = "keyphrases"
"""The kind of the model files."""
DEFAULT = Path(__file__).with_name("default.json")
"""The embedded model; its card is nlmchem/companions/keyphrases/default.md."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Scored:
    """The candidates that reached the second stage, best first.

    `numbers`: their numbers in `Candidates`. `scores`: 0..1. `values`: the features of the trees, (candidates,
    features).
    """

    numbers: Ints
    scores: Floats
    values: Floats


@dataclass(frozen=True, slots=True)
class KeyphraseModel:
    """`first` ranks all candidates, `second` the best of them. `threshold` (0..1): the lowest score that is chosen."""

    first: Linear
    second: Forest
    prior: KeyphrasePrior
    threshold: float
    table: Frequencies
    version: str = ""
    card: Mapping[str, Any] = field(default_factory=dict)

    def score(self, candidates: Candidates) -> Scored:
        """Score the candidates of an article; equal scores are ordered by first place, then length."""
        values = columns(candidates, self.table, self.prior, self.first.features)
        log_odds = self.first.log_odds(matrix_of(values, self.first.features))
        order = best(log_odds)
        second = matrix_of(second_columns(candidates, values, order, log_odds), self.second.features)
        scores = sigmoid(self.second.log_odds(second))
        ranks = np.lexsort((candidates.lengths[order], candidates.first[order], -scores))
        return Scored(order[ranks], scores[ranks], second[ranks])


def second_columns(candidates: Candidates, values: Columns, order: Ints, log_odds: Floats) -> Columns:
    """The features of the second stage for the candidates `order`: those of the first, and how they relate."""
    return {**{name: column[order] for name, column in values.items()}, **relations(candidates, order, log_odds)}


def open_model(given: str | None) -> KeyphraseModel:
    """The model of a path; None and `default` mean the embedded one. Raises `ResourceError`."""
    return read(DEFAULT if given in (None, "default") else Path(str(given)))


def read(path: Path, table: Frequencies | None = None) -> KeyphraseModel:
    """Read a model and the embedded table of phrases (or `table`). Raises `ResourceError`."""
    file = model_file.read(path, KIND)
    first = file.linear("first", FEATURES)
    return KeyphraseModel(
        first,
        file.forest("second", (*first.features, *SECOND)),
        file.value("prior", prior_of),
        file.share("threshold"),
        table or read_frequencies(),
        file.version,
        file.card,
    )


def write(path: Path, model: KeyphraseModel) -> None:
    """Write a model atomically. The same model gives the same bytes."""
    values = {"threshold": round(model.threshold, 6), "prior": plain_prior(model.prior)}
    model_file.write(path, KIND, model.card, {"first": model.first}, {"second": model.second}, values)


@dataclass(frozen=True, slots=True)
class ExplainedPhrase:
    """A candidate with its score, and what each feature adds to its log-odds, the strongest first."""

    phrase: str
    stem: str
    score: float
    chosen: bool
    contributions: tuple[Contribution, ...]


@dataclass(frozen=True, slots=True)
class PhraseExplanation:
    """The candidates of the second stage, best first. `base`: the log-odds without any feature."""

    document: str
    version: str
    threshold: float
    number: int | None
    base: float
    candidates: tuple[ExplainedPhrase, ...]


class KeyphraseRanker:
    """Chooses the candidates whose score reaches the threshold, or a fixed number of them."""

    def __init__(self, model: KeyphraseModel, threshold: float | None = None, number: int | None = None) -> None:
        """`threshold`: replaces that of the model. `number`: choose so many, whatever their scores.

        Raises `ConfigurationError` if both are given, for a threshold outside 0..1 and for a number below 1.
        """
        if threshold is not None and number is not None:
            raise ConfigurationError("a number and a threshold of keyphrases cannot be used together; give one of them")
        if threshold is not None and not 0 <= threshold <= 1:
            raise ConfigurationError(f"the threshold of keyphrases is {threshold:g}; give a number from 0 to 1")
        if number is not None and number < 1:
            raise ConfigurationError(f"the number of keyphrases is {number}; give 1 or more")
        self.model = model
        self.threshold = 0.0 if number is not None else model.threshold if threshold is None else threshold
        self.number = number

    @property
    def version(self) -> str:
        """The sha256 of the model, with the choice of the user."""
        chosen = f":n={self.number}" if self.number is not None else ""
        changed = f":threshold={self.threshold:g}" if self.number is None else ""
        return f"{self.model.version}{chosen}{changed if self.threshold != self.model.threshold else ''}"

    def __call__(self, document: BioCDocument) -> list[Keyphrase]:
        """The keyphrases of an article, best first."""
        words = words_of(document)
        candidates = candidates_of(words)
        scored = self.model.score(candidates)
        numbers = scored.numbers[: self._chosen(scored)].tolist()
        places = _places(document, candidates, numbers)
        return [
            Keyphrase(candidates.surface(number), candidates.stem(number), rank, float(score), spans)
            for rank, (number, score, spans) in enumerate(zip(numbers, scored.scores, places, strict=False), 1)
        ]

    def explain(self, document: BioCDocument) -> PhraseExplanation:
        """Every candidate of the second stage with the reasons."""
        candidates = candidates_of(words_of(document))
        scored = self.model.score(candidates)
        trees = self.model.second
        chosen = self._chosen(scored)
        explained = []
        contributions = trees.contributions(scored.values).tolist()
        for row, (number, added) in enumerate(zip(scored.numbers.tolist(), contributions, strict=True)):
            items = zip(trees.features, scored.values[row].tolist(), added, strict=True)
            reasons = by_strength([Contribution(*item) for item in items if item[2]])
            phrase, stem = candidates.surface(number), candidates.stem(number)
            explained.append(ExplainedPhrase(phrase, stem, float(scored.scores[row]), row < chosen, reasons))
        return PhraseExplanation(
            str(document.id), self.version, self.threshold, self.number, trees.start, tuple(explained)
        )

    def _chosen(self, scored: Scored) -> int:
        """The number of candidates that are chosen; they are the first ones."""
        reached = int(np.count_nonzero(scored.scores >= self.threshold))
        return reached if self.number is None else min(self.number, reached)


def open_ranker(model: str | None = None, threshold: float | None = None, number: int | None = None) -> KeyphraseRanker:
    """A ranker with the model of a path; None and `default` mean the embedded model.

    Raises `ConfigurationError` for a wrong threshold or number, `ResourceError` for a file that is not a model.
    """
    return KeyphraseRanker(open_model(model), threshold, number)


def _places(document: BioCDocument, candidates: Candidates, numbers: Sequence[int]) -> list[tuple[Span, ...]]:
    words = candidates.words
    places = [candidates.places(number) for number in numbers]
    starts = np.zeros(len(words.tokens), dtype=np.int64)
    # Only of passages that contain one of the candidates.
    for number in np.unique(words.passages[np.concatenate(places)]).tolist() if places else ():
        begin, end = np.searchsorted(words.passages, [number, number + 1]).tolist()
        passage = document.passages[number]
        # The last token is the break behind the passage.
        tokens = words.tokens[begin : end - 1]
        starts[begin : end - 1] = starts_of(passage_text(passage), tokens) + int(passage.offset)
    ends = starts + np.fromiter(map(len, words.tokens), dtype=np.int64, count=len(starts))
    lengths = candidates.lengths[np.array(numbers, dtype=np.int64)].tolist()
    return [
        tuple(zip(starts[first].tolist(), ends[first + length - 1].tolist(), strict=True))
        for first, length in zip(places, lengths, strict=True)
    ]
