"""Models in int8 arithmetic, which the compiled kernel computes (`nlmchem.tagging.kernel`).

This module does not import torch: that takes 1.5 s and 250 MB, more than all else that a worker needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmchem.tagging.kernel import layers
from nlmchem.tagging.models.arithmetic import required_kernel
from nlmchem.tagging.models.bert_weights import (
    EMBEDDINGS,
    WORDS,
    checked_sizes,
    encoder_layers,
    readable_weights,
    require_known,
)
from nlmchem.tagging.models.early_exit import INNER, PROBE, EarlyExit, left, staying
from nlmchem.tagging.models.quantization import SCALE, Arrays, dequantise, quantise
from nlmchem.tagging.tokenization.word_pieces import taken_apart


class IntegerBert:
    """Logits of word pieces, as `bert.Bert` gives them, in int8 arithmetic on a CPU.

    `stored`: tensors under the names of `BertForTokenClassification`, as `quantization.quantise` returns them.
    `cased`: as for `Bert`. `early`: when pieces leave before the last layer (None: never). Raises `ResourceError`
    as `Bert`, `ValueError` for shapes that the kernel does not support, and `ConfigurationError` where there is no
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
                [_layer(stored, name) for name in encoder_layers(config)],
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

    def __call__(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """As `Bert`: logits (windows x pieces x labels); those of padding are 0."""
        shown = mask.astype(bool)
        if self._early is None:
            return _spread(self._classify(self._states(ids, shown, None)), shown)
        return _spread(self._early_logits(self._early, ids, shown), shown)

    def _early_logits(self, early: EarlyExit, ids: NDArray[np.int64], shown: NDArray[np.bool_]) -> NDArray[np.float32]:
        states, lengths = self._states(ids, shown, early.layers), _lengths(shown)
        logits = np.ascontiguousarray(self._probe(np.maximum(self._inner(states), 0)))
        stays = staying(logits, lengths, early.margin)
        logits[stays] = self._classify(self._encoder.encoded(states[stays], left(stays, lengths), early.layers))
        return logits

    def states(self, ids: NDArray[np.int64], mask: NDArray[np.int64], number: int) -> NDArray[np.float32]:
        """The states (windows x pieces x width) after this number of layers; those of padding are 0."""
        shown = mask.astype(bool)
        return _spread(self._states(ids, shown, number), shown)

    def products(self, rows: int) -> None:
        """As `layers.BertEncoder.products`."""
        self._encoder.products(rows)

    def _states(self, ids: NDArray[np.int64], shown: NDArray[np.bool_], number: int | None) -> NDArray[np.float32]:
        words = ids[shown]
        words, cases = taken_apart(words, self._words) if self._cased else (words, np.zeros_like(words))
        return self._encoder(words, np.nonzero(shown)[1], cases, _lengths(shown), number)


def _lengths(shown: NDArray[np.bool_]) -> list[int]:
    """The number of pieces of each window that has any."""
    lengths: list[int] = shown.sum(axis=1).tolist()
    return [length for length in lengths if length]


def _layer(arrays: Arrays, name: str) -> layers.EncoderLayer:
    return layers.EncoderLayer(
        _weights(arrays, *(f"{name}.attention.self.{part}" for part in ("query", "key", "value"))),
        _weights(arrays, f"{name}.attention.output.dense"),
        _weights(arrays, f"{name}.intermediate.dense"),
        _weights(arrays, f"{name}.output.dense"),
        _norm(arrays, f"{name}.attention.output.LayerNorm"),
        _norm(arrays, f"{name}.output.LayerNorm"),
    )


def _weights(arrays: Arrays, *names: str) -> layers.LinearWeights:
    """The weights of one stored layer, or of several that share an input. Raises `KeyError` for a missing one."""
    parts = (".weight", f".weight{SCALE}", ".bias")
    return layers.LinearWeights(*(np.concatenate([arrays[name + part] for name in names]) for part in parts))


def _norm(arrays: Arrays, name: str) -> layers.Pair:
    return arrays[f"{name}.weight"], arrays[f"{name}.bias"]


def _spread(rows: NDArray[np.float32], shown: NDArray[np.bool_]) -> NDArray[np.float32]:
    """The rows of shown pieces at their places in windows x pieces."""
    spread = np.zeros((*shown.shape, rows.shape[1]), dtype=np.float32)
    spread[shown] = rows
    return spread
