"""The forward pass of BERT token classifiers on a CPU: in float32 by numpy, or in int8 by the compiled kernel.

This module does not import torch: that takes 1.5 s and 250 MB, more than all else that a worker needs.

Early exit: most word pieces are outside of mentions, and a few layers are enough to see that. After these layers, a
probe with one inner layer (ReLU) gives each piece its labels. A piece that is certainly outside leaves: the logits of
the probe are its result, and the other layers compute the rest of the window without it. Pieces near one that is not
certain stay, because mentions end there. Li et al. 2021, "Accelerating BERT Inference for Sequence Labeling via
Early-Exit", ACL; there, too, pieces leave one by one. The probe is fitted to the logits of all layers on unlabelled
articles (`benchmarks.retrain.early_exit`). A copy of a model without the file computes all layers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.arrays import one_thread
from nlmchem.tagging.inference.labels import OUTSIDE
from nlmchem.tagging.kernel import layers
from nlmchem.tagging.kernel.arithmetic import required_kernel
from nlmchem.tagging.models.weights import (
    EMBEDDINGS,
    INNER,
    PROBE,
    SCALE,
    WORDS,
    Arrays,
    EarlyExit,
    checked_sizes,
    dequantise,
    encoder_layers,
    quantise,
    readable_weights,
    require_known,
)
from nlmchem.tagging.tokenization.word_pieces import taken_apart

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]
BESIDE = 4
"""Pieces on each side of one that is not certain that stay with it."""

ERF_SCALE = np.float32(0.3275911)
ERF = tuple(map(np.float32, (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)))
"""Abramowitz and Stegun 1964, formula 7.1.26: the error function with an error below 1.5e-7, that of float32."""


class FloatBert:
    """Logits of word pieces, in float32, by numpy.

    Windows are computed one at a time, without padding and on one thread, so the bytes of a window depend neither on
    its batch nor on the number of threads.

    `stored`: tensors under the names of `BertForTokenClassification`, as `quantise` returns them or float32. `cased`:
    ids contain the case of each piece (`letter_case`); its embedding is among those of segments. `early`: when pieces
    leave before the last layer (None: never).

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
        words, cases = taken_apart(ids, len(self._words)) if self._cased else (ids, None)
        hidden = self._words[words]
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


class IntegerBert:
    """Logits of word pieces, as `FloatBert` gives them, in int8 arithmetic on a CPU, by the compiled kernel.

    `stored`: tensors under the names of `BertForTokenClassification`, as `quantise` returns them.
    `cased`: as for `FloatBert`. `early`: when pieces leave before the last layer (None: never). Raises `ResourceError`
    as `FloatBert`, `ValueError` for shapes that the kernel does not support, and `ConfigurationError` where there is no
    kernel.
    """

    def __init__(
        self, config: Mapping[str, Any], stored: Arrays, cased: bool = False, early: EarlyExit | None = None
    ) -> None:
        require_known(config)
        self._cased = cased
        with readable_weights():
            around = {
                name: array for name, array in stored.items() if name.startswith(EMBEDDINGS) and WORDS not in name
            }
            self._words = len(stored[WORDS])
            places, cases = checked_sizes(config, dequantise(around), self._words)
            embeddings = layers.Embeddings(
                stored[WORDS], stored[WORDS + SCALE], places, cases, _norm(stored, f"{EMBEDDINGS}LayerNorm")
            )
            self._encoder = layers.BertEncoder(
                required_kernel(),
                embeddings,
                [
                    layers.EncoderLayer(
                        _weights(stored, *(f"{name}.attention.self.{part}" for part in ("query", "key", "value"))),
                        _weights(stored, f"{name}.attention.output.dense"),
                        _weights(stored, f"{name}.intermediate.dense"),
                        _weights(stored, f"{name}.output.dense"),
                        _norm(stored, f"{name}.attention.output.LayerNorm"),
                        _norm(stored, f"{name}.output.LayerNorm"),
                    )
                    for name in encoder_layers(config)
                ],
                int(config["num_attention_heads"]),
                float(config["layer_norm_eps"]),
            )
            self._classify = layers.IntegerLinear(required_kernel(), _weights(stored, "classifier"))
        self._early = early
        if early is not None:
            rounded = quantise(early.weights)
            self._inner, self._probe = (
                layers.IntegerLinear(required_kernel(), _weights(rounded, part)) for part in (INNER, PROBE)
            )

    def __call__(self, ids: Ids, mask: Ids) -> Floats:
        """Logits (windows x pieces x labels); those of padding are 0."""
        shown = mask.astype(bool)
        early = self._early
        if early is None:
            return _spread(self._classify(self._states(ids, shown, None)), shown)
        states, lengths = self._states(ids, shown, early.layers), _lengths(shown)
        logits = np.ascontiguousarray(self._probe(np.maximum(self._inner(states), 0)))
        stays = staying(logits, lengths, early.margin)
        left = np.bincount(np.repeat(np.arange(len(lengths)), lengths)[stays], minlength=len(lengths))
        logits[stays] = self._classify(self._encoder.encoded(states[stays], left.tolist(), early.layers))
        return _spread(logits, shown)

    def states(self, ids: Ids, mask: Ids, number: int) -> Floats:
        """The states (windows x pieces x width) after this number of layers; those of padding are 0."""
        shown = mask.astype(bool)
        return _spread(self._states(ids, shown, number), shown)

    def products(self, rows: int) -> None:
        """As `layers.BertEncoder.products`."""
        self._encoder.products(rows)

    def _states(self, ids: Ids, shown: NDArray[np.bool_], number: int | None) -> Floats:
        words = ids[shown]
        words, cases = taken_apart(words, self._words) if self._cased else (words, np.zeros_like(words))
        return self._encoder(words, np.nonzero(shown)[1], cases, _lengths(shown), number)


def _lengths(shown: NDArray[np.bool_]) -> list[int]:
    """The number of pieces of each window that has any."""
    lengths: list[int] = shown.sum(axis=1).tolist()
    return [length for length in lengths if length]


def _weights(arrays: Arrays, *names: str) -> layers.LinearWeights:
    """The weights of one stored layer, or of several that share an input. Raises `KeyError` for a missing one."""
    parts = (".weight", f".weight{SCALE}", ".bias")
    return layers.LinearWeights(*(np.concatenate([arrays[name + part] for name in names]) for part in parts))


def _norm(arrays: Arrays, name: str) -> layers.Pair:
    return arrays[f"{name}.weight"], arrays[f"{name}.bias"]


def _spread(rows: Floats, shown: NDArray[np.bool_]) -> Floats:
    """The rows of shown pieces at their places in windows x pieces."""
    spread = np.zeros((*shown.shape, rows.shape[1]), dtype=np.float32)
    spread[shown] = rows
    return spread


def staying(logits: Floats, lengths: Sequence[int], margin: float) -> NDArray[np.bool_]:
    """Which pieces do not leave, by the logits of the probe (pieces x labels). `lengths`: pieces of each window.

    The first and the last piece of a window, which stand for no text, stay as well.
    """
    # A score that is no number stays, so that it is reported.
    unsure = ~(logits[:, OUTSIDE] - logits[:, OUTSIDE + 1 :].max(axis=1) >= margin)
    ends = np.cumsum(lengths, dtype=np.int64)
    edge = np.zeros(len(logits), dtype=bool)
    edge[ends - 1] = edge[ends[:-1]] = True
    edge[:1] = True
    stays: NDArray[np.bool_] = unsure | edge
    window = np.repeat(np.arange(len(ends)), lengths)
    for distance in range(1, BESIDE + 1):
        together = window[distance:] == window[:-distance]
        stays[distance:] |= unsure[:-distance] & together
        stays[:-distance] |= unsure[distance:] & together
    return stays
