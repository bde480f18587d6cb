"""Scores of all word pieces of all passages: windows, batches across articles, averages in overlaps.

`Model` is what a tagger needs of a model. Two kinds are in this file: token classifiers, and models of the spans that
the tagger of another package finds. A sequence of roles is decoded by Viterbi's algorithm. It is legal if the scheme
allows it (no I after O) and no mention begins or ends inside a word. The learned transitions of a CRF (Lafferty et al.
2001) are added to the scores. Without a CRF, all legal transitions have the same weight.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from corpora.errors import Argument, ArticleError
from corpora.words.quantities import quantity
from nlmchem.tagging.inference.labels import BEGIN, INSIDE, OUTSIDE, LabelSet, Scheme, legal, roles_of_spans
from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan
from nlmchem.tagging.tokenization.tokens import token_places
from nlmchem.tagging.tokenization.windows import Batch, Window, batches, pack
from nlmchem.tagging.tokenization.word_pieces import Encoded, PieceCutter

BUDGET = 512
"""Padded word pieces in a batch on a CPU: few enough that what a layer computes stays in the caches of the processor.

It is as fast as 4,096 in float32, faster in int8, and takes an eighth of the memory (docs/measurements/speed.md)."""
GPU_BUDGET = 65536

Network = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float32]]
"""Ids and mask (windows x pieces) to logits (windows x pieces x labels). Raises `MemoryError`."""

FORBIDDEN = -1e4
"""The weight of a transition that is not legal. No sum of scores compensates for it."""

_TINY = 1e-12
_DEAD = -1e300
"""The score of a role that no legal transition reaches."""

Transitions = NDArray[np.float32]
"""Learned weights of a CRF (role before x role after). The role before and after a passage is O."""


@dataclass(slots=True)
class Coverage:
    """Counts that prove that all pieces were scored: `unseen` is the number of pieces in no window, and must be 0.

    `pieces` counts each piece once, `computed` once for each window.
    """

    articles: int = 0
    pieces: int = 0
    computed: int = 0
    unseen: int = 0

    def add(self, other: Coverage) -> None:
        """Add other counts."""
        for count in fields(self):
            setattr(self, count.name, getattr(self, count.name) + getattr(other, count.name))


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """The pieces of a passage and the probabilities of their roles (pieces x roles).

    `roles`: the best legal sequence. The probabilities of a CRF are its marginals.
    """

    encoded: Encoded
    probabilities: NDArray[np.float32]
    roles: NDArray[np.int64]

    def support(self, start: int, end: int) -> float:
        """The mean probability, over the pieces in characters start..end, of being in a mention."""
        first, last = self.encoded.pieces(start, end)
        return self.support_of_pieces(first, last)

    def support_of_pieces(self, first: int, last: int) -> float:
        """The mean probability of pieces `first` to `last` (exclusive) of being in a mention; 0 of none."""
        if first >= last:
            return 0.0
        return float(1.0 - self.probabilities[first:last, 0].astype(np.float64).mean())


class Pieces(Protocol):
    """How texts are divided. Models whose pieces have the same version can be averaged piece by piece."""

    @property
    def version(self) -> str: ...


class Model(Protocol):
    """A loaded model. `version`: the sha256 of all its files that can change scores."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def cutter(self) -> Pieces: ...

    @property
    def labels(self) -> LabelSet: ...

    def score(
        self, articles: Sequence[Sequence[str]], budget: int | None = None
    ) -> tuple[list[list[ScoredPassage]], Coverage]:
        """The scored passages of each article, and the counts of pieces. `articles`: the texts of their passages.

        `budget`: padded pieces in a batch (None: depends on the device); it affects only the speed. Raises
        `ArticleError` if a score is not a number, or if a single window does not fit into memory.
        """
        ...


@dataclass(frozen=True, slots=True)
class TokenClassifier:
    """A `Model` that gives each piece of a window a label.

    `window`: the largest number of pieces in a window, with special pieces. `transitions` (roles x roles): those of a
    CRF head, if there is one. `outside_bias`: is subtracted from the log-odds of O, so that the model finds more.
    """

    name: str
    version: str
    cutter: PieceCutter
    network: Network
    labels: LabelSet
    window: int
    device: str
    transitions: Transitions | None = None
    outside_bias: float = 0.0

    def score(
        self, articles: Sequence[Sequence[str]], budget: int | None = None
    ) -> tuple[list[list[ScoredPassage]], Coverage]:
        """As `Model.score`."""
        budget = budget or (BUDGET if self.device == "cpu" else GPU_BUDGET)
        flat = self.cutter([text for texts in articles for text in texts])
        encoded: list[list[Encoded]] = []
        windows: list[list[Window]] = []
        for texts in articles:
            pieces, flat = flat[: len(texts)], flat[len(texts) :]
            encoded.append(pieces)
            windows.append(pack(texts, pieces, self.cutter, self.window))
        logits = iter(forward(self, [window for pieces in windows for window in pieces], budget))
        coverage = Coverage(articles=len(articles))
        scored = [
            _average(self, pieces, shown, [next(logits) for _ in shown], coverage)
            for pieces, shown in zip(encoded, windows, strict=True)
        ]
        return scored, coverage


class SpanTagger(Protocol):
    """Finds chemicals in texts: what another package writes to add a tagger (docs/howto/add-a-tagger.md)."""

    def __call__(self, texts: Sequence[str]) -> Iterable[Iterable[tuple[int, int, float]]]:
        """For each text: start, end (exclusive, code points) and score (0 to 1) of each chemical, in any order.

        The texts are the passages of one article, so that an answer does not depend on other articles. Soft hyphens
        are there for markup, and titles in capitals have small letters: a text has the length of its passage.
        """
        ...


@dataclass(frozen=True, slots=True)
class SpanModel:
    """A `Model` made of a `SpanTagger`: the pieces of a span have its score, all others 0.

    Pieces are tokens, cut where a span begins or ends inside one. Of spans that overlap the one with the highest score
    stays, then the longest, then the first.
    """

    name: str
    version: str
    find: SpanTagger
    labels: LabelSet

    @classmethod
    def of(cls, name: str, version: str, find: SpanTagger) -> SpanModel:
        """The model of a tagger with a name. `version`: what its spans depend on, as words."""
        return cls(name, hashlib.sha256(version.encode()).hexdigest(), find, LabelSet.of(Scheme.BIO))

    @property
    def cutter(self) -> Pieces:
        """No other model has its pieces."""
        return self

    def score(
        self, articles: Sequence[Sequence[str]], budget: int | None = None
    ) -> tuple[list[list[ScoredPassage]], Coverage]:
        """As `Model.score`. Raises `ArticleError` for spans that cannot be."""
        coverage, scored = Coverage(articles=len(articles)), []
        for texts in articles:
            found = [
                sorted(spans, key=lambda span: (-span[2], span[0] - span[1], span[0])) for spans in self.find(texts)
            ]
            if len(found) != len(texts):
                raise self._wrong(f"{len(found)} lists of spans for {quantity(len(texts), 'text')}")
            scored.append([self._passage(text, spans) for text, spans in zip(texts, found, strict=True)])
            number = sum(len(passage.encoded) for passage in scored[-1])
            coverage.add(Coverage(pieces=number, computed=number))
        return scored, coverage

    def _passage(self, text: str, spans: Sequence[tuple[int, int, float]]) -> ScoredPassage:
        kept = PassageSpans(text, ())
        for start, end, score in spans:
            if not (0 <= start < end <= len(text) and 0 <= score <= 1):
                raise self._wrong(
                    f"the span ({start}, {end}) with the score {score:g} in a text of {len(text)} characters"
                )
            kept.add([ScoredSpan(start, end, score)])
        bounds = sorted({bound for span in kept.spans for bound in (span.start, span.end)})
        cuts: list[tuple[int, int]] = []
        for start, end in zip(*(places.tolist() for places in token_places(text)), strict=True):
            inside = bounds[bisect_right(bounds, start) : bisect_left(bounds, end)]
            cuts += pairwise([start, *inside, end])
        starts, ends = np.array(cuts, dtype=np.int32).reshape(-1, 2).T.copy()
        nothing = np.zeros(len(cuts), dtype=np.int32)
        encoded = Encoded(nothing, starts, ends, nothing.astype(bool))
        probabilities = np.zeros((len(cuts), 3), dtype=np.float32)
        probabilities[:, OUTSIDE] = 1
        pieces = [(*encoded.pieces(span.start, span.end), span.score) for span in kept.spans]
        for first, last, score in pieces:
            probabilities[first:last] = (1 - score, 0, score)
            probabilities[first : first + 1, [BEGIN, INSIDE]] = (score, 0)
        return ScoredPassage(
            encoded, probabilities, roles_of_spans([span[:2] for span in pieces], len(cuts), Scheme.BIO)
        )

    def _wrong(self, what: str) -> ArticleError:
        return ArticleError(f"the tagger {self.name!r} gives {what}; correct the package that has it")


class RoleSums:
    """The scores of the pieces of one passage (pieces x roles), added up over the windows that have them."""

    def __init__(self, encoded: Encoded, roles: int) -> None:
        self.encoded = encoded
        self._sums = np.zeros((len(encoded), roles), dtype=np.float32)
        self._counts = np.zeros(len(encoded), dtype=np.int32)

    def add(self, first: int, scores: NDArray[np.float32]) -> None:
        """Add the scores of a window, which begins with piece `first`."""
        self._sums[first : first + len(scores)] += scores
        self._counts[first : first + len(scores)] += 1

    def mean(self, coverage: Coverage) -> NDArray[np.float32]:
        """The mean scores. The pieces are counted. Raises `ArticleError` if no window has a piece."""
        unseen = int((self._counts == 0).sum())
        coverage.add(Coverage(0, len(self._counts), int(self._counts.sum()), unseen))
        if unseen:
            raise ArticleError(f"{unseen} word pieces have no scores; this is an error in nlmchem, please report it")
        mean: NDArray[np.float32] = np.divide(self._sums, self._counts[:, None], dtype=np.float32)
        return mean


def forward(model: TokenClassifier, windows: Sequence[Window], budget: int) -> list[NDArray[np.float32]]:
    """The logits (pieces x labels, special pieces included) of each window, in the order given."""
    results: list[NDArray[np.float32] | None] = [None] * len(windows)
    for batch in batches([len(window) for window in windows], budget):
        for number, logits in zip(batch.windows, _compute(model, windows, batch), strict=True):
            results[number] = logits
    return [logits for logits in results if logits is not None]


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Probabilities over the last axis."""
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares: NDArray[np.float32] = weights / weights.sum(axis=-1, keepdims=True)
    return shares


def _compute(model: TokenClassifier, windows: Sequence[Window], batch: Batch) -> Iterator[NDArray[np.float32]]:
    """The logits of a batch. A batch that does not fit into memory is halved until it does."""
    members = [windows[number] for number in batch.windows]
    ids = np.full((len(members), batch.length), model.cutter.padding, dtype=np.int64)
    mask = np.zeros((len(members), batch.length), dtype=np.int64)
    for row, window in enumerate(members):
        ids[row, : len(window)] = window.ids
        mask[row, : len(window)] = 1
    try:
        logits = model.network(ids, mask)
    except MemoryError as error:
        if len(members) == 1:
            raise ArticleError(
                f"there is not enough memory on {model.device} for one window of {batch.length} pieces; "
                "use fewer workers, a smaller model, or ",
                Argument("device", "cpu"),
            ) from error
        logits = None
    if logits is None:
        middle = len(members) // 2
        yield from _compute(model, windows, Batch(batch.length, batch.windows[:middle]))
        yield from _compute(model, windows, Batch(batch.length, batch.windows[middle:]))
        return
    for window, rows in zip(members, logits, strict=True):
        rows = rows[: len(window)]
        if not np.isfinite(rows).all():
            raise ArticleError(
                f"the model {model.name} gives scores that are no numbers: its weights are damaged, or too large for "
                "half precision; get the model again, or use ",
                Argument("device", "cpu"),
            )
        yield rows


def _average(
    model: TokenClassifier,
    encoded: Sequence[Encoded],
    windows: Sequence[Window],
    logits: Sequence[NDArray[np.float32]],
    coverage: Coverage,
) -> list[ScoredPassage]:
    """The scores of each passage. For pieces in several windows they are averages (of the emissions of a CRF)."""
    sums = [RoleSums(pieces, model.labels.scheme.size) for pieces in encoded]
    for window, rows in zip(windows, logits, strict=True):
        scores = _role_scores(model, rows)
        for part in window.parts:
            sums[part.passage].add(part.first, scores[part.at : part.at + part.last - part.first])
    scored: list[ScoredPassage] = []
    for of_text in sums:
        scheme, pieces, mean = model.labels.scheme, of_text.encoded, of_text.mean(coverage)
        roles = best_roles(mean, pieces.glued, scheme, model.transitions)
        if model.transitions is not None:
            mean = marginals(mean, pieces.glued, scheme, model.transitions)
        scored.append(ScoredPassage(pieces, mean, roles))
    return scored


def _role_scores(model: TokenClassifier, logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Probabilities of roles, or the emissions of a CRF, after subtraction of the outside bias."""
    if model.transitions is not None:
        scores = logits.copy()
        scores[:, OUTSIDE] -= np.float32(model.outside_bias)
        return scores
    scores = model.labels.reduce(softmax(logits))
    if model.outside_bias:
        scores[:, OUTSIDE] *= np.float32(np.exp(-model.outside_bias))
        scores /= scores.sum(axis=-1, keepdims=True)
    return scores


def _weights(scheme: Scheme, transitions: Transitions | None) -> tuple[NDArray[np.float64], ...]:
    """The weights of the transitions between words and inside a word, and of the first and the last role."""
    between, inside, start, end = legal(scheme)
    learned = np.zeros(between.shape) if transitions is None else np.asarray(transitions, dtype=np.float64)
    return (
        np.where(between, learned, FORBIDDEN),
        np.where(inside, learned, FORBIDDEN),
        np.where(start, learned[OUTSIDE], FORBIDDEN),
        np.where(end, learned[:, OUTSIDE], FORBIDDEN),
    )


def best_roles(
    scores: NDArray[np.float32],
    glued: NDArray[np.bool_],
    scheme: Scheme,
    transitions: Transitions | None = None,
) -> NDArray[np.int64]:
    """The best legal roles of a passage's pieces.

    `scores` (pieces x roles): probabilities, or with `transitions` the emissions of a CRF. `glued[i]`: piece i is in
    the word of piece i - 1. Of sequences with equal scores, the one with the lower roles at its end is returned.
    """
    if not len(scores):
        return np.zeros(0, dtype=np.int64)
    if transitions is None:
        likely: NDArray[np.int64] = np.argmax(scores, axis=1)
        # With equal weights, the best role of each piece gives the best sequence if this sequence is legal.
        between, inside, start, end = legal(scheme)
        steps = np.where(glued[1:], inside[likely[:-1], likely[1:]], between[likely[:-1], likely[1:]])
        if start[likely[0]] and end[likely[-1]] and steps.all():
            return likely.astype(np.int64)
        emissions = np.log(np.maximum(scores.astype(np.float64), _TINY))
    else:
        emissions = scores.astype(np.float64)
    return _viterbi(emissions, glued, *_weights(scheme, transitions))


def marginals(
    emissions: NDArray[np.float32], glued: NDArray[np.bool_], scheme: Scheme, transitions: Transitions
) -> NDArray[np.float32]:
    """Probabilities of the roles (pieces x roles) under a CRF, over all legal sequences (forward-backward)."""
    length, size = emissions.shape
    if not length:
        return np.zeros((0, size), dtype=np.float32)
    between, inside, start, end = _weights(scheme, transitions)
    scores = emissions.astype(np.float64)
    forward, backward = np.zeros((length, size)), np.zeros((length, size))
    forward[0] = start + scores[0]
    for at in range(1, length):
        forward[at] = scores[at] + _log_sum(forward[at - 1][:, None] + (inside if glued[at] else between), 0)
    backward[-1] = end
    for at in range(length - 2, -1, -1):
        backward[at] = _log_sum(
            (inside if glued[at + 1] else between) + (scores[at + 1] + backward[at + 1])[None, :], 1
        )
    joint = forward + backward
    weights = np.exp(joint - joint.max(axis=1, keepdims=True))
    shares: NDArray[np.float32] = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
    return shares


def _viterbi(
    emissions: NDArray[np.float64],
    glued: NDArray[np.bool_],
    between: NDArray[np.float64],
    within: NDArray[np.float64],
    start: NDArray[np.float64],
    end: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Plain lists: with three or five roles they are several times as fast as arrays."""
    arrows = (_arrows(between), _arrows(within))
    rows: list[list[float]] = emissions.tolist()
    best = (start + emissions[0]).tolist()
    came_from: list[list[int]] = []
    for row, inside in zip(rows[1:], glued[1:].tolist(), strict=True):
        following: list[float] = []
        sources: list[int] = []
        for emission, leading in zip(row, arrows[inside], strict=True):
            top, chosen = _DEAD, 0
            for source, weight in leading:
                value = best[source] + weight
                if value > top:
                    top, chosen = value, source
            following.append(top + emission)
            sources.append(chosen)
        best = following
        came_from.append(sources)
    role = int((np.array(best) + end).argmax())
    roles = [role]
    for sources in reversed(came_from):
        role = sources[role]
        roles.append(role)
    return np.array(roles[::-1], dtype=np.int64)


def _arrows(weights: NDArray[np.float64]) -> list[list[tuple[int, float]]]:
    """For each role, the roles that may precede it, with their weights."""
    return [
        [(source, float(weight)) for source, weight in enumerate(column) if weight > FORBIDDEN] for column in weights.T
    ]


def _log_sum(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    top = values.max(axis=axis)
    summed: NDArray[np.float64] = top + np.log(np.exp(values - np.expand_dims(top, axis)).sum(axis=axis))
    return summed
