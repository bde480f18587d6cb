"""Vectors of terms in their sentences: what a layer of a tagging model computes for the pieces of the term."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpora.errors import ResourceError
from corpora.model.document import Span
from nlmchem.tagging.inference.scoring import TokenClassifier
from nlmchem.tagging.models.folders import DEFAULT, folder_of
from nlmchem.tagging.models.loading import load_model
from nlmchem.tagging.tokenization.word_pieces import Encoded

LAYER = 3
"""Layers that are computed: half of the embedded model. More of them did not help (docs/measurements/pairs.md)."""


class TermVectors:
    """Computes vectors with a tagging model, each sentence alone, so that a vector depends on nothing else."""

    def __init__(self, name: str = DEFAULT) -> None:
        """`name`: `default` for the embedded model, or the folder of one. Raises as `load_model` does."""
        self._model: TokenClassifier = load_model(folder_of(name) if name == DEFAULT else Path(name))
        if not hasattr(self._model.network, "states"):
            raise ResourceError(f"the model {name} has no states of its layers; use {DEFAULT}, or a model of its kind")

    @property
    def version(self) -> str:
        """The sha256 of the model, and the layer."""
        return f"{self._model.version}:layer={LAYER}"

    def of(self, sentences: Sequence[str], spans: Sequence[Span]) -> NDArray[np.float32]:
        """The mean over the pieces of each term in its sentence, one row each.

        Of a long sentence, the pieces around the term are read. A term without pieces has the vector of the whole
        sentence.
        """
        encoded = self._model.cutter(list(sentences))
        rows = [self._vector(pieces, span) for pieces, span in zip(encoded, spans, strict=True)]
        return np.stack(rows) if rows else np.zeros((0, 0), dtype=np.float32)

    def _vector(self, encoded: Encoded, span: Span) -> NDArray[np.float32]:
        cutter, room = self._model.cutter, self._model.window - 2
        first, last = encoded.pieces(*span)
        begin = min(max(0, (first + last - room) // 2), max(0, len(encoded) - room))
        inner = encoded.ids[begin : begin + room]
        ids = np.concatenate([[cutter.first], inner, [cutter.separator]]).astype(np.int64)
        states: NDArray[np.float32] = self._model.network.states(  # type: ignore[attr-defined]
            ids[None], np.ones((1, len(ids)), dtype=np.int64), LAYER
        )
        hidden = states[0, 1:-1]
        of_term = hidden[first - begin : last - begin]
        if not len(of_term):
            of_term = hidden if len(hidden) else np.zeros((1, states.shape[-1]), dtype=np.float32)
        return np.asarray(of_term.mean(axis=0), dtype=np.float32)
