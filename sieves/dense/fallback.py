"""The dense fallback: a mention without an answer takes the concept of the nearest name by cosine."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from corpora.errors import OptionError
from corpora.reporting import Report, log
from corpora.words.short_texts import LONGEST
from sieves.dense.encoders import Encoder, open_encoder
from sieves.dense.vectors import NameVectors, Nearest
from sieves.lexicon.keys import relaxed
from sieves.lexicon.lexicon import Lexicon
from sieves.sieve import SieveCandidate

SIEVE = "dense"
THRESHOLD = 0.85
"""The lowest cosine that counts; docs/measurements/normalization.md has the figures that chose it."""
CACHED_ANSWERS = 65_536


class DenseFallback:
    """Answers for many texts at once. An answer depends only on its text, and is cached."""

    def __init__(self, lexicon: Lexicon, vectors: NameVectors, encoder: Encoder, threshold: float = THRESHOLD) -> None:
        """`threshold`: the lowest cosine (0..1) that counts. Raises `ConfigurationError` for other numbers."""
        if not 0 <= threshold <= 1:
            raise OptionError("dense_threshold", f"is {threshold:g}; give a number from 0 to 1")
        self._lexicon = lexicon
        self._vectors = vectors
        self._encoder = encoder
        self.threshold = threshold
        self._cache: dict[str, SieveCandidate | None] = {}

    def __call__(self, texts: Iterable[str]) -> dict[str, SieveCandidate]:
        """The concepts of the texts with a name above the threshold."""
        wanted = sorted({text for text in texts if relaxed(text).isalnum()})
        answers = {text: self._cache[text] for text in wanted if text in self._cache}
        fresh = [text for text in wanted if text not in answers]
        for text, ranked in zip(fresh, self._ranked(fresh, 1), strict=True):
            answers[text] = next((self._candidate(near) for near in ranked if near.cosine >= self.threshold), None)
        if len(self._cache) + len(fresh) > CACHED_ANSWERS:
            self._cache.clear()
        self._cache.update((text, answers[text]) for text in fresh if len(text) <= LONGEST)
        return {text: candidate for text, candidate in sorted(answers.items()) if candidate is not None}

    def nearest(self, text: str, number: int = 5) -> list[SieveCandidate]:
        """The nearest names of a text, with concepts and cosines, including those below the threshold."""
        ranked = self._ranked([text] if relaxed(text).isalnum() else [], number)
        return [candidate for of_text in ranked for near in of_text if (candidate := self._candidate(near)) is not None]

    def _ranked(self, texts: list[str], number: int) -> list[list[Nearest]]:
        return self._vectors.ranked(self._encoder.encode(texts), number) if texts else []

    def _candidate(self, near: Nearest) -> SieveCandidate | None:
        """None if the year of the lexicon has no concept of that name."""
        score = min(1.0, max(0.0, near.cosine))
        for match in self._lexicon.with_key(near.key)[:1]:
            return SieveCandidate(match.identifiers, SIEVE, match.name, match.layer, score=score)
        return None


def open_fallback(
    lexicon: Lexicon,
    path: Path | None,
    encoder: str | None = None,
    threshold: float | None = None,
    device: str = "cpu",
    report: Report = log,
) -> DenseFallback:
    """Open the fallback for the lexicon at `path` (None: one of the package), with an encoder (`open_encoder`).

    `threshold`: the lowest cosine that counts, None for the default. Raises `ResourceError` if there is no such encoder
    or the vectors cannot be written, `ConfigurationError` for a threshold outside 0..1.
    """
    opened = open_encoder(encoder, device)
    vectors = NameVectors.of(lexicon, path, opened, report)
    return DenseFallback(lexicon, vectors, opened, THRESHOLD if threshold is None else threshold)
