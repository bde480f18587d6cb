"""Scores of all word pieces of all passages: windows, batches across articles, averages in overlaps.

`Model` is what a tagger needs of a model. Two kinds are in this file: token classifiers, and models of the spans that
the tagger of another package finds. A sequence of roles is decoded by Viterbi's algorithm. It is legal if the scheme
allows it (no I after O) and no mention begins or ends inside a word. All legal transitions have the same weight.
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
from nlmchem.tagging.inference.labels import BEGIN, INSIDE, OUTSIDE, OWN_LABELS, LabelSet, Scheme, legal, roles_of_spans
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

_FORBIDDEN = -1e4
"""The weight of a first or last role that is not legal. No sum of scores compensates for it."""
_UNREACHED = -1e300
"""The score of a role that no legal transition reaches."""


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
    """The pieces of a passage, the probabilities of their roles (pieces x roles), and the best legal roles."""

    encoded: Encoded
    probabilities: NDArray[np.float32]
    roles: NDArray[np.int64]

    def support(self, start: int, end: int) -> float:
        """The mean probability, over the pieces in characters start..end, of being in a mention."""
        return self.support_of_pieces(*self.encoded.pieces(start, end))

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

    `window`: the largest number of pieces in a window, with special pieces. `outside_bias`: is subtracted from the
    log-odds of O, so that the model finds more.
    """

    name: str
    version: str
    cutter: PieceCutter
    network: Network
    labels: LabelSet
    window: int
    device: str
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
        every = [window for of_article in windows for window in of_article]
        by_number: dict[int, NDArray[np.float32]] = {}
        for batch in batches([len(window) for window in every], budget):
            by_number.update(zip(batch.windows, self._logits(every, batch), strict=True))
        logits = iter(by_number[number] for number in range(len(every)))
        coverage = Coverage(articles=len(articles))
        scored = [
            self._passages(pieces, shown, [next(logits) for _ in shown], coverage)
            for pieces, shown in zip(encoded, windows, strict=True)
        ]
        return scored, coverage

    def _logits(self, windows: Sequence[Window], batch: Batch) -> Iterator[NDArray[np.float32]]:
        """The logits (pieces x labels) of each window of a batch. A batch is halved until it fits into memory."""
        members = [windows[number] for number in batch.windows]
        ids = np.full((len(members), batch.length), self.cutter.padding, dtype=np.int64)
        mask = np.zeros((len(members), batch.length), dtype=np.int64)
        for row, window in enumerate(members):
            ids[row, : len(window)] = window.ids
            mask[row, : len(window)] = 1
        try:
            logits = self.network(ids, mask)
        except MemoryError as error:
            if len(members) == 1:
                raise ArticleError(
                    f"there is not enough memory on {self.device} for one window of {batch.length} pieces; "
                    "use fewer workers, a smaller model, or ",
                    Argument("device", "cpu"),
                ) from error
            logits = None
        if logits is None:
            middle = len(members) // 2
            yield from self._logits(windows, Batch(batch.length, batch.windows[:middle]))
            yield from self._logits(windows, Batch(batch.length, batch.windows[middle:]))
            return
        for window, rows in zip(members, logits, strict=True):
            rows = rows[: len(window)]
            if not np.isfinite(rows).all():
                raise ArticleError(
                    f"the model {self.name} gives scores that are no numbers: its weights are damaged, or too large "
                    "for half precision; get the model again, or use ",
                    Argument("device", "cpu"),
                )
            yield rows

    def _passages(
        self,
        encoded: Sequence[Encoded],
        windows: Sequence[Window],
        logits: Sequence[NDArray[np.float32]],
        coverage: Coverage,
    ) -> list[ScoredPassage]:
        """The scored passages of an article. Pieces in several windows have the mean of their probabilities."""
        scheme = self.labels.scheme
        sums = [np.zeros((len(pieces), scheme.size), dtype=np.float32) for pieces in encoded]
        counts = [np.zeros(len(pieces), dtype=np.int32) for pieces in encoded]
        for window, rows in zip(windows, logits, strict=True):
            weights = np.exp(rows - rows.max(axis=-1, keepdims=True))
            scores = self.labels.reduce(weights / weights.sum(axis=-1, keepdims=True))
            if self.outside_bias:
                scores[:, OUTSIDE] *= np.float32(np.exp(-self.outside_bias))
                scores /= scores.sum(axis=-1, keepdims=True)
            for part in window.parts:
                sums[part.passage][part.first : part.last] += scores[part.at : part.at + part.last - part.first]
                counts[part.passage][part.first : part.last] += 1
        scored: list[ScoredPassage] = []
        for pieces, total, number in zip(encoded, sums, counts, strict=True):
            unseen = int((number == 0).sum())
            coverage.add(Coverage(0, len(number), int(number.sum()), unseen))
            if unseen:
                raise ArticleError(
                    f"{unseen} word pieces have no scores; this is an error in nlmchem, please report it"
                )
            mean: NDArray[np.float32] = np.divide(total, number[:, None], dtype=np.float32)
            scored.append(ScoredPassage(pieces, mean, best_roles(mean, pieces.glued, scheme)))
        return scored


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
        return cls(name, hashlib.sha256(version.encode()).hexdigest(), find, OWN_LABELS)

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
        # A span of blanks has no piece.
        pieces = [(first, last, score) for first, last, score in pieces if first < last]
        for first, last, score in pieces:
            probabilities[first:last] = (1 - score, 0, score)
            probabilities[first, [BEGIN, INSIDE]] = (score, 0)
        return ScoredPassage(encoded, probabilities, roles_of_spans([span[:2] for span in pieces], len(cuts)))

    def _wrong(self, what: str) -> ArticleError:
        return ArticleError(f"the tagger {self.name!r} gives {what}; correct the package that has it")


def best_roles(scores: NDArray[np.float32], glued: NDArray[np.bool_], scheme: Scheme) -> NDArray[np.int64]:
    """The best legal roles of a passage's pieces, by their probabilities (pieces x roles).

    `glued[i]`: piece i is in the word of piece i - 1. Of sequences with equal scores, the one with the lower roles at
    its end is returned.
    """
    if not len(scores):
        return np.zeros(0, dtype=np.int64)
    likely: NDArray[np.int64] = np.argmax(scores, axis=1)
    # The best role of each piece gives the best sequence if this sequence is legal.
    between, within, start, end = legal(scheme)
    steps = np.where(glued[1:], within[likely[:-1], likely[1:]], between[likely[:-1], likely[1:]])
    if start[likely[0]] and end[likely[-1]] and steps.all():
        return likely.astype(np.int64)
    emissions = np.log(np.maximum(scores.astype(np.float64), 1e-12))
    # Viterbi's algorithm. Plain lists: with three or five roles they are several times as fast as arrays.
    sources_of = [[np.flatnonzero(column).tolist() for column in steps.T] for steps in (between, within)]
    best = (np.where(start, 0.0, _FORBIDDEN) + emissions[0]).tolist()
    came_from: list[list[int]] = []
    for row, inside in zip(emissions[1:].tolist(), glued[1:].tolist(), strict=True):
        following: list[float] = []
        chosen_sources: list[int] = []
        for emission, sources in zip(row, sources_of[inside], strict=True):
            top, chosen = _UNREACHED, 0
            for source in sources:
                if best[source] > top:
                    top, chosen = best[source], source
            following.append(top + emission)
            chosen_sources.append(chosen)
        best = following
        came_from.append(chosen_sources)
    role = int((np.array(best) + np.where(end, 0.0, _FORBIDDEN)).argmax())
    roles = [role]
    for chosen_sources in reversed(came_from):
        role = chosen_sources[role]
        roles.append(role)
    return np.array(roles[::-1], dtype=np.int64)
