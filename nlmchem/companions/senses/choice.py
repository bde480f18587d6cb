"""The choice among senses: a conditional logistic regression (McFadden 1974) whose last alternative is "another sense".

The probability of a sense is the softmax of the weighted features of all senses, and of the features of the short form
that speak for a sense outside the dictionary. So an answer can be uncertain although one sense is the best of all.
There are weights for articles, and others for texts as short as a sentence, which tell less about their field: for the
senses of this dictionary, and for those of another one, of which less is known. For a sentence that an encoder reads,
both have further weights, which were fitted together with that of its cosine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.model.mesh_ids import is_descriptor
from corpora.words.english import long_form_words
from corpora.words.short_texts import cached
from indexing.learning import model_file
from indexing.learning.crossfit import cross_fitted, folds
from indexing.learning.linear import Columns, Floats, Linear, fit_choice, matrix_of, standards
from nlmchem.abbreviations.inventory import InventorySense
from nlmchem.companions.senses.names import ALL_WORDS, MAIN_WORDS
from nlmchem.companions.senses.vectors import ContextIndex, PieceVectors, Query, row_products

CUT_OFF = 64
"""The number of senses that are considered."""
MOST_ARTICLES = 60
"""The number of articles of a sense that are compared."""

BEST = ("nearest", "vector nearest", "vector mean", "words present", "long form vector")
"""Features of the alternative that are the highest value among the senses."""
BELOW = (
    "nearest", "kernel", "vector nearest", "vector mean", "vector kernel", "long form vector", "word frequency",
    "sentence cosine",
)  # fmt: skip
"""Features that also count as the difference to the best sense."""
FEATURES = (
    "log defining", "log containing", "share of defining", "share of containing", "defining by containing", "single",
    "defined", "name", "descriptor", "all initials", "main initials",
    "nearest", "nearest three", "mean", "kernel", "vector nearest", "vector nearest three", "vector mean",
    "vector kernel", "words present", "word frequency", "long form vector", "words", "sentence cosine",
    *(f"{name} below best" for name in BELOW),
)  # fmt: skip
SENTENCE_FEATURES = ("sentence cosine", "sentence cosine below best")
"""Features of sentences alone. In whole articles they add nothing."""
ARTICLE_FEATURES = tuple(name for name in FEATURES if name not in SENTENCE_FEATURES)
OTHER_FEATURES = (
    "bias", "log defining", "log containing", "singletons", "log singletons", "log senses", "letters", "two letters",
    *BEST,
)  # fmt: skip
WIDTH, VECTOR_WIDTH = 0.03, 0.07
"""The widths of the kernels."""
LEAST = 1e-12
"""What is added to a sum of kernels before its logarithm."""
MOST_TIMES = 10
SAME = 0.6
"""The least cosine by words of an article of the dictionary that is the article itself. Others are that near once in a
thousand times (docs/measurements/senses.md)."""

Indices = NDArray[np.int64]


AmbiguousForm = tuple[str, Sequence[InventorySense], Sequence[Indices]]
"""A short form without a definition: its senses, most frequent first, and the numbers of the articles of each."""


@dataclass(frozen=True, slots=True)
class SenseFeatures:
    """The features of F short forms of an article, with S senses together.

    `candidates`: the senses of each short form, at most `CUT_OFF`. `senses`: S values of each of `FEATURES`; the senses
    of form f are the rows from `starts[f]` to `starts[f + 1]` (exclusive). `other`: F values of each of
    `OTHER_FEATURES`, about all senses of a form together.
    """

    candidates: tuple[tuple[InventorySense, ...], ...]
    senses: Columns
    other: Columns
    starts: Indices


def ambiguous_form(short_form: str, candidates: Sequence[InventorySense], context: ContextIndex) -> AmbiguousForm:
    """The senses of a short form of the dictionary of the context, with their articles."""
    return short_form, candidates, [context.of_sense(candidate.row) for candidate in candidates[:CUT_OFF]]


def features_of(
    forms: Sequence[AmbiguousForm],
    query: Query,
    counts: Mapping[str, int],
    context: ContextIndex,
    vectors: PieceVectors | None = None,
) -> SenseFeatures:
    """The features of the most frequent senses of short forms. `counts`: the words of the text, as in the query.

    `vectors`: for a sentence; without them its features are missing (NaN). Each short form has at least one sense.
    """
    candidates = tuple(tuple(senses[:CUT_OFF]) for _, senses, _ in forms)
    starts = np.cumsum([0, *map(len, candidates)])
    senses = [candidate for form_candidates in candidates for candidate in form_candidates]
    if not senses:
        none = np.zeros(0)
        return SenseFeatures((), dict.fromkeys(FEATURES, none), dict.fromkeys(OTHER_FEATURES, none), starts)
    lists = [articles[:MOST_ARTICLES] for _, _, of_senses in forms for articles in of_senses[:CUT_OFF]]
    sizes = np.array([len(articles) for articles in lists])
    by_words, by_vectors = context.similarities(query, np.concatenate(lists))
    # An article is no evidence about itself: a name that it contains need not be what its short form means.
    others = by_words < SAME
    identical = np.bincount(np.repeat(np.arange(len(senses)), sizes)[~others], minlength=len(senses))
    by_words, by_vectors, sizes = by_words[others], by_vectors[others], sizes - identical
    columns = _frequencies(senses, starts, identical)
    long_forms = [sense.long_form for sense in senses]
    containing = np.maximum(1, np.expm1(columns["log containing"]).round())
    columns |= _summary("", by_words, sizes, WIDTH, containing)
    columns |= _summary("vector ", by_vectors, sizes, VECTOR_WIDTH, containing)
    columns |= _words(long_forms, query, counts, context)
    columns["sentence cosine"] = (
        np.full(len(senses), np.nan) if vectors is None else vectors.cosines(counts, long_forms)
    )
    best = {name: np.maximum.reduceat(columns[name], starts[:-1]) for name in {*BEST, *BELOW}}
    columns |= {f"{name} below best": columns[name] - np.repeat(best[name], np.diff(starts)) for name in BELOW}
    defining, contained, singles = (
        np.add.reduceat(values, starts[:-1])
        for values in (np.expm1(columns["log defining"]), np.expm1(columns["log containing"]), columns["single"])
    )
    letters = np.array([len(short_form) for short_form, _, _ in forms], dtype=np.float64)
    other = {
        "bias": np.ones(len(forms)),
        "log defining": np.log1p(defining),
        "log containing": np.log1p(contained),
        "singletons": singles / np.maximum(defining, 1),
        "log singletons": np.log1p(singles),
        "log senses": np.log(np.diff(starts)),
        "letters": letters,
        "two letters": (letters == 2).astype(np.float64),
        **{name: best[name] for name in BEST},
    }
    return SenseFeatures(candidates, columns, other, starts)


def _frequencies(senses: Sequence[InventorySense], starts: Indices, identical: Indices) -> dict[str, Floats]:
    """How many articles define and contain each sense, and what kind of name it is.

    `identical`: how many of the articles that contain it are the article itself.
    """
    facts = [
        (sense.articles, sense.containing, sense.grade, bool(sense.identifier), is_descriptor(sense.identifier))
        for sense in senses
    ]
    defining, contained, grade, name, descriptor = np.array(facts, dtype=np.float64).T
    containing = np.maximum(defining, contained - identical)
    return {
        "log defining": np.log1p(defining),
        "log containing": np.log1p(containing),
        "share of defining": _shares(defining, starts),
        "share of containing": _shares(containing, starts),
        "defining by containing": np.log1p(defining) - np.log1p(containing),
        "single": (defining == 1).astype(np.float64),
        "defined": (defining > 0).astype(np.float64),
        "name": name,
        "descriptor": descriptor,
        "all initials": (grade == ALL_WORDS).astype(np.float64),
        "main initials": (grade == MAIN_WORDS).astype(np.float64),
    }


def _shares(values: Floats, starts: Indices) -> Floats:
    whole = np.maximum(np.add.reduceat(values, starts[:-1]), 1)
    shares: Floats = values / np.repeat(whole, np.diff(starts))
    return shares


def _summary(
    prefix: str, cosines: NDArray[np.float32], sizes: Indices, width: float, articles: Floats
) -> dict[str, Floats]:
    """For each sense: nearest, mean of the nearest three, mean of all, and the logarithm of the sum of kernels.

    `prefix`: of the names. `cosines`: those of the articles of all senses, one sense after the other. `sizes`: how many
    of them each has.
    """
    nearest, three, mean = np.zeros((3, len(sizes)))
    # A sense without articles (of a dictionary of one's own) is as far as one whose articles have no word in common.
    kernels = np.log(articles * np.exp(-1 / width) + LEAST)
    some = sizes > 0
    columns = {"nearest": nearest, "nearest three": three, "mean": mean, "kernel": kernels}
    named = {f"{prefix}{name}": column for name, column in columns.items()}
    if not some.any():
        return named
    some_sizes = sizes[some]
    starts = np.cumsum(some_sizes) - some_sizes
    exact = cosines.astype(np.float64)
    # By sense, and in each by falling cosine, which is at most 1.
    ordered = exact[np.argsort(np.repeat(np.arange(0, 4 * len(some_sizes), 4), some_sizes) - exact)]
    nearest[some] = ordered[starts]
    sums = ordered[starts]
    for place in (1, 2):
        sums += np.where(some_sizes > place, ordered[np.minimum(starts + place, len(ordered) - 1)], 0.0)
    three[some] = sums / np.minimum(some_sizes, 3)
    mean[some] = np.add.reduceat(ordered, starts) / some_sizes
    summed = np.add.reduceat(np.exp((ordered - 1) / width), starts) * articles[some] / some_sizes
    kernels[some] = np.log(summed + LEAST)
    return named


def _words(
    long_forms: Sequence[str], query: Query, counts: Mapping[str, int], context: ContextIndex
) -> dict[str, Floats]:
    """How much of each long form the article contains, how often, how near its vector is, and its number of words."""
    forms = [_words_of(long_form) for long_form in long_forms]
    lengths = np.fromiter(map(len, forms), dtype=np.int64, count=len(forms))
    words = list(chain.from_iterable(forms))
    numbers = context.numbers_of(words)
    idf = np.where(numbers >= 0, context.idf[numbers].astype(np.float64), context.unknown)
    times = np.maximum(np.fromiter(map(counts.get, words, repeat(0)), dtype=np.float64, count=len(words)), 0)
    owner = np.repeat(np.arange(len(forms)), lengths)
    whole = np.bincount(owner, idf, len(forms))
    whole[whole == 0] = 1.0
    present = np.bincount(owner, idf * (times > 0), len(forms)) / whole
    frequency = np.bincount(owner, idf * np.sqrt(np.minimum(times, MOST_TIMES)), len(forms)) / whole
    near = row_products(context.text_vectors(numbers, lengths), query.vector).astype(np.float64)
    return {
        "words present": present,
        "word frequency": frequency,
        "long form vector": near,
        "words": lengths.astype(np.float64),
    }


# Kept, because the senses of an article occur in the next ones.
_words_of = cached(1 << 14)(lambda long_form: tuple(long_form_words(long_form)))


KIND = "senses"
"""The kind of the model files."""
PENALTY = 30.0
FOLDS = 5
FEWEST_WORDS = 100
"""A text of fewer words counts as a sentence."""


Sample = tuple[SenseFeatures, int]
"""The features of one short form and the position of its right sense; -1: none of the candidates."""


ARTICLE, SENTENCE, FOREIGN = "article", "sentence", "sentence, other dictionary"
PARTS = (ARTICLE, SENTENCE, FOREIGN, *(READ := (f"{SENTENCE}, encoder", f"{FOREIGN}, encoder")))
"""Which weights a model can have. `READ`: for sentences that an encoder reads."""
COSINE = "encoder cosine"
"""The feature that an encoder gives: the cosine of a sentence and a long form."""
OTHER = "another sense"


@dataclass(frozen=True, slots=True)
class SenseWeights:
    """Weights for the features of senses, of the alternative "another sense", and for the cosine of an encoder."""

    senses: Linear
    other: Linear
    encoder: Linear | None = None

    def probabilities(self, features: SenseFeatures) -> Floats:
        """The probability of each sense, in the order of the rows of `found.senses`.

        Those of a short form sum to less than 1; the rest is that of another sense. Each form has at least one sense.
        Without a column of cosines, these count as their mean.
        """
        begins, sizes = features.starts[:-1], np.diff(features.starts)
        utility, rest = self.log_odds(features)
        most = np.maximum(np.maximum.reduceat(utility, begins), rest)
        values = np.exp(utility - np.repeat(most, sizes))
        whole = np.add.reduceat(values, begins) + np.exp(rest - most)
        result: Floats = values / np.repeat(whole, sizes)
        return result

    def log_odds(self, features: SenseFeatures) -> tuple[Floats, Floats]:
        """The log-odds of each sense, and of another sense of each short form."""
        utility = self.senses.log_odds(matrix_of(features.senses, self.senses.features))
        if self.encoder is not None and COSINE in features.senses:
            utility = utility + self.encoder.log_odds(matrix_of(features.senses, self.encoder.features))
        # Column by column: another order of the memory changes the last digits of the product.
        return utility, self.other.log_odds(np.asfortranarray(matrix_of(features.other, self.other.features)))


@dataclass(frozen=True, slots=True)
class ChoiceModel:
    """Weights by the names of `PARTS`. Those of articles are always there."""

    parts: Mapping[str, SenseWeights]
    card: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""

    def weights(self, short: bool, foreign: bool = False, read: bool = False) -> SenseWeights:
        """The weights of a text, or those that are nearest to them.

        `short`: of a sentence. `foreign`: the senses are of another dictionary. `read`: by an encoder.
        """
        names = [FOREIGN] * foreign + [SENTENCE] if short else []
        wanted = [f"{name}, encoder" for name in names] * read + [*names, ARTICLE]
        return next(self.parts[name] for name in wanted if name in self.parts)

    @property
    def reads_sentences(self) -> bool:
        """Whether sentences have features of their own."""
        return not set(SENTENCE_FEATURES).isdisjoint(self.weights(short=True).senses.features)


def fit(samples: Sequence[Sample], names: Sequence[str] = ARTICLE_FEATURES, penalty: float = PENALTY) -> SenseWeights:
    """The weights that make the samples most probable. A sample whose sense is unknown has "another sense" as gold.

    `names`: of the features of senses. `COSINE` can be the last one; its weight becomes that of the encoder.
    """
    senses = np.concatenate([matrix_of(features.senses, names) for features, _ in samples])
    other = np.concatenate([matrix_of(features.other, OTHER_FEATURES) for features, _ in samples])
    sizes = np.array([len(features.candidates[0]) for features, _ in samples])
    gold = np.array([position for _, position in samples])
    rest = standards(other, OTHER_FEATURES)
    # The bias is constant: without its mean.
    rest = replace(rest, means=np.where(np.array(OTHER_FEATURES) == "bias", 0.0, rest.means))
    parts = standards(senses, names), rest
    fitted, rest = fit_choice(senses, other, np.cumsum(sizes) - sizes, gold, parts, penalty)
    if names[-1] != COSINE:
        return SenseWeights(fitted, rest)
    of_senses, of_encoder = (
        Linear(fitted.features[chosen], fitted.means[chosen], fitted.scales[chosen], fitted.weights[chosen])
        for chosen in (slice(-1), slice(-1, None))
    )
    return SenseWeights(of_senses, rest, of_encoder)


def crossfitted(samples: Sequence[Sample], groups: Sequence[Any]) -> list[Floats]:
    """The probabilities of the senses of each sample, by weights that were fitted on other groups."""
    return cross_fitted(
        folds(groups, FOLDS, 0),
        lambda rest: fit([samples[at] for at in rest]),
        lambda weights, held: (weights.probabilities(samples[at][0]) for at in held),
    )


def read_choice(path: Path) -> ChoiceModel:
    """Read a model. Raises `ResourceError` if the file is missing or damaged, or has other features."""
    file = model_file.read(path, KIND)
    parts = {
        name: SenseWeights(
            file.linear(name, FEATURES),
            file.linear(f"{name}, {OTHER}", OTHER_FEATURES),
            file.linear(f"{name}, {COSINE}", (COSINE,)) if name in READ else None,
        )
        for name in PARTS
        if name == ARTICLE or name in file.content["linear"]
    }
    return ChoiceModel(parts, file.card, file.version)


def write_choice(path: Path, model: ChoiceModel) -> None:
    """Write the model. No partial file is left after an error."""
    parts: dict[str, Linear] = {}
    for name, weights in model.parts.items():
        parts |= {name: weights.senses, f"{name}, {OTHER}": weights.other}
        if weights.encoder is not None:
            parts[f"{name}, {COSINE}"] = weights.encoder
    model_file.write(path, KIND, model.card, parts)
