"""Optional evidence for a sense: how near the sentences with a short form are to each long form, by an encoder.

The cosine of sentence and long form is the method that did best without training in single sentences of other fields
(docs/measurements/senses.md). It is off by default, because an encoder is large and slow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from corpora.model.passages import passage_text
from indexing.learning.linear import Floats, Linear

if TYPE_CHECKING:
    from nlmchem.companions.senses.resolver import Place

LEAST = 0.01
"""Senses with a smaller share of the probability of the best one are not compared: they do not win
(docs/measurements/senses.md)."""
KEPT = 1 << 14
"""Texts whose rows are kept: long forms occur in many articles."""
MOST_PLACES = 3
"""The places of a short form whose sentences are read: the first ones."""
AROUND = 300
"""Characters that are read before and behind a short form, at most."""
_BORDER = re.compile(r"[.!?]\s+(?=[A-Z(\[])|\n")

Row = NDArray[np.float32]


class TextEncoder(Protocol):
    """Turns texts into rows of unit length (float32). The row of a text does not depend on the other texts."""

    @property
    def version(self) -> str:
        """The sha256 of the weights, in hex."""
        ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


Doubt = tuple[Floats, Sequence[str], Sequence[str], Linear | None]
"""A short form: the probabilities of its senses, its sentences, the long forms of the senses, and the weight of the
cosine, if it was fitted with the probabilities."""


class SentenceEvidence:
    """Changes the probabilities of senses by the cosines of sentences and long forms."""

    def __init__(self, encoder: TextEncoder, weight: Linear) -> None:
        """`weight`: of the cosine, for probabilities that were not fitted with an encoder."""
        self.version = f"{encoder.version}:weight={(weight.weights / weight.scales).item():g}"
        self._encoder = encoder
        self._weight = weight
        self._rows: dict[str, Row] = {}

    def decided(self, doubts: Sequence[Doubt]) -> list[Floats]:
        """The probabilities of the senses of short forms. All texts are encoded together, each once."""
        # The senses that can win; none if there is no choice, or no sentence.
        compared: list[list[int]] = []
        for scores, sentences, _, _ in doubts:
            likely = np.flatnonzero(scores >= LEAST * scores.max(initial=0)).tolist()
            compared.append(likely if len(likely) > 1 and sentences and scores.any() else [])
        texts = [
            text
            for (_, sentences, long_forms, _), senses in zip(doubts, compared, strict=True)
            if senses
            for text in (*sentences, *(long_forms[at] for at in senses))
        ]
        rows = self._encoded(texts)
        results = []
        for (scores, sentences, long_forms, fitted), senses in zip(doubts, compared, strict=True):
            if senses:
                middle = np.mean([rows[sentence] for sentence in sentences], axis=0, dtype=np.float64)
                cosines = np.array([rows[long_forms[at]].astype(np.float64) @ middle for at in senses])
                before, scores = float(scores.sum()), scores.copy()
                scores[senses] *= np.exp((fitted or self._weight).log_odds(cosines[:, None]))
                whole = float(scores.sum())
                # If no weight was fitted with them, their sum stays: "another sense" is as probable as before.
                scores = scores * (before / whole) if fitted is None else scores / (whole + 1 - before)
            results.append(scores)
        return results

    def _encoded(self, texts: Sequence[str]) -> dict[str, Row]:
        """The row of each text."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._rows]
        rows = self._encoder.encode(missing) if missing else ()
        new = {text: row.copy() for text, row in zip(missing, rows, strict=True)}
        encoded = {text: new[text] if text in new else self._rows.pop(text) for text in dict.fromkeys(texts)}
        # The texts that were used last are at the end.
        self._rows |= encoded
        for text in list(self._rows)[: max(0, len(self._rows) - KEPT)]:
            del self._rows[text]
        return encoded


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
