"""Optional evidence for a sense: how near the sentences with a short form are to each long form, by an encoder.

The cosine of sentence and long form is the method that did best without training in single sentences of other fields
(docs/measurements/senses.md). It is off by default, because an encoder is large and slow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from corpora.model.passages import passage_text
from nlmchem.abbreviations.senses.undefined import Place

WEIGHT = 10.0
"""What a cosine of 1 adds to the logarithm of a probability. Chosen on the training part of GLADIS."""
MOST_PLACES = 3
"""The places of a short form whose sentences are read: the first ones."""
AROUND = 300
"""Characters that are read before and behind a short form, at most."""
_BORDER = re.compile(r"[.!?]\s+(?=[A-Z(\[])|\n")

Floats = NDArray[np.float64]


class TextEncoder(Protocol):
    """Turns texts into rows of unit length (float32). The row of a text does not depend on the other texts."""

    @property
    def version(self) -> str:
        """The sha256 of the weights, in hex."""
        ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


class SentenceEvidence:
    """Changes the probabilities of senses by the cosines of sentences and long forms."""

    def __init__(self, encoder: TextEncoder, weight: float = WEIGHT) -> None:
        """`weight`: what a cosine of 1 adds to the logarithm of a probability, before all are scaled."""
        self._encoder = encoder
        self._weight = weight
        # Long forms occur in many articles, sentences in one.
        self._long = lru_cache(maxsize=1 << 14)(lambda text: encoder.encode([text])[0].astype(np.float64))

    @property
    def version(self) -> str:
        """The sha256 of the encoder, and the weight."""
        return f"{self._encoder.version}:weight={self._weight:g}"

    def cosines(self, sentences: Sequence[str], long_forms: Sequence[str]) -> Floats:
        """The mean cosine of each long form with the sentences, of which there is at least one."""
        middle = self._encoder.encode(sentences).astype(np.float64).mean(axis=0)
        return np.array([float(self._long(long) @ middle) for long in long_forms])

    def changed(self, scores: Floats, sentences: Sequence[str], long_forms: Sequence[str]) -> Floats:
        """The probabilities of senses with the evidence of sentences.

        Their sum stays: that none of the senses is meant is as probable as before. With one sense or no sentence,
        nothing changes.
        """
        if len(scores) < 2 or not sentences:
            return scores
        cosines = self.cosines(sentences, long_forms)
        values = scores * np.exp(self._weight * (cosines - cosines.max()))
        total = float(values.sum())
        return values * (float(scores.sum()) / total) if total > 0 else scores

    def at_places(self, scores: Floats, places: Sequence[Place], long_forms: Sequence[str]) -> Floats:
        """The same for the first places of a short form in an article."""
        read = places[:MOST_PLACES] if len(scores) > 1 else ()
        return self.changed(scores, list(dict.fromkeys(map(sentence_at, read))), long_forms)


def sentence_at(place: Place) -> str:
    """The sentence around a place, as single blanks divide its words; at most `AROUND` characters on each side."""
    passage, (start, end) = place
    text = passage_text(passage)
    start, end = start - passage.offset, end - passage.offset
    before, behind = text[max(0, start - AROUND) : start], text[end : end + AROUND]
    borders = [match.end() for match in _BORDER.finditer(before)]
    border = _BORDER.search(behind)
    # The mark at the end of the sentence belongs to it.
    last = len(behind) if border is None else border.start() + 1
    return " ".join((before[borders[-1] if borders else 0 :] + text[start:end] + behind[:last]).split())
