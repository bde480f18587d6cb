"""Models in float32 arithmetic on a CPU, in numpy.

Windows are computed one at a time, without padding and on one thread, so the bytes of a window depend neither on its
batch nor on the number of threads. This module does not import torch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.one_thread import one_thread
from nlmchem.tagging.models.bert_weights import (
    EMBEDDINGS,
    WORDS,
    checked_sizes,
    encoder_layers,
    readable_weights,
    require_known,
)
from nlmchem.tagging.models.early_exit import INNER, PROBE, EarlyExit, staying
from nlmchem.tagging.models.quantization import Arrays, dequantise
from nlmchem.tagging.tokenization.word_pieces import taken_apart

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]

ERF_SCALE = np.float32(0.3275911)
ERF = tuple(map(np.float32, (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)))
"""Abramowitz and Stegun 1964, formula 7.1.26: the error function with an error below 1.5e-7, that of float32."""


class FloatBert:
    """Logits of word pieces, as `integers.IntegerBert` gives them, in float32.

    `stored`: tensors under the names of `BertForTokenClassification`, as `quantization.quantise` returns them or
    float32. `cased`: ids contain the case of each piece (`letter_case`); its embedding is among those of segments.
    `early`: when pieces leave before the last layer (None: never).

    Raises `ResourceError` for a missing tensor and for a configuration that is not implemented.
    """

    def __init__(
        self, config: Mapping[str, Any], stored: Arrays, cased: bool = False, early: EarlyExit | None = None
    ) -> None:
        require_known(config)
        self._cased = cased
        epsilon = float(config["layer_norm_eps"])
        with readable_weights():
            arrays = dequantise(stored)
            self._words = arrays[WORDS]
            self._places, self._cases = checked_sizes(config, arrays, len(self._words))
            self._norm = _FloatNorm(arrays, f"{EMBEDDINGS}LayerNorm", epsilon)
            heads = int(config["num_attention_heads"])
            self._layers = [_FloatLayer(arrays, name, heads, epsilon) for name in encoder_layers(config)]
            self._classify = _FloatLinear(arrays, "classifier")
        self._early = early
        if early is not None:
            self._inner, self._probe = (_FloatLinear(early.weights, part) for part in (INNER, PROBE))

    def __call__(self, ids: Ids, mask: Ids) -> Floats:
        """Logits (windows x pieces x labels) of `ids` (windows x pieces); those of padding (`mask` 0) are 0."""
        return _by_window(self._logits, ids, mask, self._classify.outputs)

    def _logits(self, ids: Ids) -> Floats:
        """The logits of one window."""
        if self._early is None:
            return self._classify(self._states(ids, len(self._layers)))
        states = self._states(ids, self._early.layers)
        logits = self._probe(np.maximum(self._inner(states), 0))
        stays = staying(logits, [len(logits)], self._early.margin)
        states = states[stays]
        for layer in self._layers[self._early.layers :]:
            states = layer(states)
        logits[stays] = self._classify(states)
        return logits

    def states(self, ids: Ids, mask: Ids, number: int) -> Floats:
        """The states (windows x pieces x width) after this number of layers; those of padding are 0."""
        return _by_window(lambda ids: self._states(ids, number), ids, mask, self._words.shape[1])

    def _states(self, ids: Ids, layers: int) -> Floats:
        cases = None
        if self._cased:
            ids, cases = taken_apart(ids, len(self._words))
        hidden = self._words[ids]
        if cases is not None:
            hidden += self._cases[cases]
        hidden = self._norm(hidden + self._places[: len(ids)])
        for layer in self._layers[:layers]:
            hidden = layer(hidden)
        return hidden


def _by_window(compute: Callable[[Ids], Floats], ids: Ids, mask: Ids, width: int) -> Floats:
    """What `compute` returns for the pieces of each window, padded with zeros. Padding follows the pieces."""
    results = np.zeros((*ids.shape, width), dtype=np.float32)
    # Damaged weights can give values that are not finite; whoever asked for the scores reports them.
    with one_thread(), np.errstate(over="ignore", invalid="ignore"):
        for row, length in enumerate(np.count_nonzero(mask, axis=1).tolist()):
            if length:
                results[row, :length] = compute(ids[row, :length])
    return results


class _FloatLayer:
    """A layer of the encoder."""

    def __init__(self, arrays: Arrays, name: str, heads: int, epsilon: float) -> None:
        self._heads = heads
        self._inputs = _FloatLinear(arrays, *(f"{name}.attention.self.{part}" for part in ("query", "key", "value")))
        self._output = _FloatLinear(arrays, f"{name}.attention.output.dense")
        self._first_norm = _FloatNorm(arrays, f"{name}.attention.output.LayerNorm", epsilon)
        self._up = _FloatLinear(arrays, f"{name}.intermediate.dense")
        self._down = _FloatLinear(arrays, f"{name}.output.dense")
        self._last_norm = _FloatNorm(arrays, f"{name}.output.LayerNorm", epsilon)

    def __call__(self, hidden: Floats) -> Floats:
        hidden = self._first_norm(hidden + self._output(self._context(hidden)))
        return self._last_norm(hidden + self._down(gelu(self._up(hidden))))

    def _context(self, hidden: Floats) -> Floats:
        """Attention: for each piece the mean of the values of all pieces, weighted by query and keys."""
        length, width = hidden.shape
        head = width // self._heads
        query, key, value = self._inputs(hidden).reshape(length, 3, self._heads, head).transpose(1, 2, 0, 3)
        weights = np.matmul(query / math.sqrt(head), key.transpose(0, 2, 1))
        weights -= weights.max(axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=-1, keepdims=True)
        context: Floats = np.matmul(weights, value).transpose(1, 0, 2).reshape(length, width)
        return context


class _FloatLinear:
    """A linear layer, or several that share an input. Raises `KeyError` for a missing tensor."""

    def __init__(self, arrays: Arrays, *names: str) -> None:
        self._weight = np.concatenate([arrays[f"{name}.weight"] for name in names]).astype(np.float32)
        self._bias = np.concatenate([arrays[f"{name}.bias"] for name in names]).astype(np.float32)
        self.outputs = len(self._weight)

    def __call__(self, values: Floats) -> Floats:
        results: Floats = values @ self._weight.T
        results += self._bias
        return results


class _FloatNorm:
    """Layer normalization over the last axis."""

    def __init__(self, arrays: Arrays, name: str, epsilon: float) -> None:
        self._scale, self._shift = arrays[f"{name}.weight"], arrays[f"{name}.bias"]
        self._epsilon = epsilon

    def __call__(self, values: Floats) -> Floats:
        centred: Floats = values - values.mean(axis=-1, keepdims=True)
        variance = np.square(centred).mean(axis=-1, keepdims=True)
        centred /= np.sqrt(variance + self._epsilon)
        centred *= self._scale
        centred += self._shift
        return centred


def gelu(values: Floats) -> Floats:
    """x * P(X <= x) for a standard normal X (Hendrycks and Gimpel 2016), of each value."""
    magnitude = np.abs(values)
    scaled = magnitude * np.float32(math.sqrt(0.5))
    fraction = 1 / (1 + ERF_SCALE * scaled)
    tail = fraction * ERF[-1]
    for coefficient in reversed(ERF[:-1]):
        tail += coefficient
        tail *= fraction
    np.square(scaled, out=scaled)
    np.negative(scaled, out=scaled)
    # The tail of the normal distribution beyond the magnitude, twice.
    tail *= np.exp(scaled, out=scaled)
    tail *= magnitude
    tail *= np.float32(0.5)
    results: Floats = np.subtract(np.maximum(values, 0), tail)
    return results
