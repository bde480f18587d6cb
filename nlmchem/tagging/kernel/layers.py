"""Layers that the kernel computes, from numpy arrays. All shapes and types are checked here, because the library checks
none.

Weights are int8 with a scale for each output. A row of activations is rounded to 8 bits with a scale
of its own: Yao et al. 2022 (ZeroQuant), section 4.1, token-wise quantization. Arrays are padded with zeros to what
the library needs: widths and heads to multiples of 16 numbers.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmchem.tagging.kernel.arithmetic import Kernel

LANES = 16
LONGEST_HEAD = 128
"""Products of longer heads may overflow."""
LONGEST_ROW = 1 << 16
"""Sums of more products of int8 may overflow (2^31 / 127^2 is 133,000)."""

Floats = NDArray[np.float32]
Integers = NDArray[np.int8]
Pair = tuple[Floats, Floats]


class _Weights(ctypes.Structure):
    _fields_ = (
        ("panels", ctypes.c_void_p),
        ("scale", ctypes.c_void_p),
        ("bias", ctypes.c_void_p),
        ("inputs", ctypes.c_int64),
        ("outputs", ctypes.c_int64),
    )


class _Norm(ctypes.Structure):
    _fields_ = (("weight", ctypes.c_void_p), ("bias", ctypes.c_void_p))


class _Layer(ctypes.Structure):
    _fields_ = (
        ("inputs", _Weights),
        ("output", _Weights),
        ("up", _Weights),
        ("down", _Weights),
        ("first", _Norm),
        ("last", _Norm),
    )


class _Shape(ctypes.Structure):
    _fields_ = (
        ("width", ctypes.c_int64),
        ("count", ctypes.c_int64),
        ("heads", ctypes.c_int64),
        ("head", ctypes.c_int64),
        ("factor", ctypes.c_float),
        ("epsilon", ctypes.c_float),
    )


class _Tables(ctypes.Structure):
    _fields_ = (
        ("words", ctypes.c_void_p),
        ("scale", ctypes.c_void_p),
        ("places", ctypes.c_void_p),
        ("cases", ctypes.c_void_p),
        ("norm", _Norm),
    )


@dataclass(frozen=True, slots=True)
class LinearWeights:
    """The weights of a linear layer: outputs x inputs, int8; a scale and a bias for each output."""

    weight: Integers
    scale: Floats
    bias: Floats

    def __post_init__(self) -> None:
        _require_int8(self.weight)
        outputs, inputs = self.weight.shape
        if self.scale.shape != (outputs,) or self.bias.shape != (outputs,):
            raise ValueError(f"{outputs} outputs have {self.scale.shape} scales and {self.bias.shape} biases")
        if not 0 < inputs <= LONGEST_ROW:
            raise ValueError(f"a linear layer has {inputs} inputs; 1 to {LONGEST_ROW} are supported")

    def padded(self, split: tuple[int, int], by_input: bool) -> LinearWeights:
        """With inputs or outputs in groups of `split` (number, size), each padded to a multiple of 16."""
        number, size = split
        outputs, inputs = self.weight.shape
        if by_input:
            weight = _padded(self.weight.reshape(outputs, number, size), 2).reshape(outputs, -1)
            return LinearWeights(weight, self.scale, self.bias)
        return LinearWeights(
            _padded(self.weight.reshape(number, size, inputs), 1).reshape(-1, inputs),
            _padded(self.scale.reshape(number, size), 1).reshape(-1),
            _padded(self.bias.reshape(number, size), 1).reshape(-1),
        )


@dataclass(frozen=True, slots=True)
class EncoderLayer:
    """The weights of a BERT layer. `inputs`: query, key and value, joined. Norms: weight and bias."""

    inputs: LinearWeights
    output: LinearWeights
    up: LinearWeights
    down: LinearWeights
    first_norm: Pair
    last_norm: Pair


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Their sum is the embedding of a word piece. Words are int8 with a scale each, places and cases float32."""

    words: Integers
    scale: Floats
    places: Floats
    cases: Floats
    norm: Pair

    def __post_init__(self) -> None:
        _require_int8(self.words)


class _Kept:
    """Arrays in the form that the library reads. They live as long as this object."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._arrays: list[NDArray[Any]] = []

    def address(self, array: NDArray[Any]) -> int:
        """The address of a copy, or of the array itself if it is contiguous."""
        self._arrays.append(np.ascontiguousarray(array))
        return int(self._arrays[-1].ctypes.data)

    def weights(self, given: LinearWeights) -> _Weights:
        weight = _padded(_padded(given.weight, 0), 1)
        outputs, inputs = weight.shape
        group = self._kernel.group
        panels = weight.reshape(outputs // LANES, LANES, inputs // group, group).transpose(0, 2, 1, 3)
        scale, bias = _padded(given.scale.astype(np.float32), 0), _padded(given.bias.astype(np.float32), 0)
        return _Weights(self.address(panels), self.address(scale), self.address(bias), inputs, outputs)

    def norm(self, pair: Pair, count: int) -> _Norm:
        weight, bias = pair
        if weight.shape != (count,) or bias.shape != (count,):
            raise ValueError(f"a norm has {weight.shape} weights for states of {count} numbers")
        return _Norm(*(self.address(_padded(part.astype(np.float32), 0)) for part in pair))


class IntegerLinear:
    """x W^T + b for rows of float32, which are rounded first."""

    def __init__(self, kernel: Kernel, weights: LinearWeights) -> None:
        self._kernel, self._kept = kernel, _Kept(kernel)
        self._outputs, self._inputs = weights.weight.shape
        self._weights = self._kept.weights(weights)

    def __call__(self, rows: Floats) -> Floats:
        """The products (rows x outputs) of `rows` (rows x inputs)."""
        if rows.ndim != 2 or rows.shape[1] != self._inputs:
            raise ValueError(f"rows of shape {rows.shape} for {self._inputs} inputs")
        rows = np.ascontiguousarray(_padded(rows.astype(np.float32, copy=False), 1))
        out = np.empty((len(rows), self._weights.outputs), dtype=np.float32)
        self._kernel.call("linear", self._weights, rows.ctypes.data, len(rows), out.ctypes.data)
        return out[:, : self._outputs]


class BertEncoder:
    """The embeddings and layers of a BERT model.

    Raises `ValueError` for shapes that do not match or are not supported.
    """

    def __init__(
        self, kernel: Kernel, embeddings: Embeddings, layers: Sequence[EncoderLayer], heads: int, epsilon: float
    ) -> None:
        self._kernel, kept = kernel, _Kept(kernel)
        self._kept = kept
        self._words, self._count = embeddings.words.shape
        self._places, self._cases = len(embeddings.places), len(embeddings.cases)
        count = self._count
        if heads < 1 or count % heads or count // heads > LONGEST_HEAD:
            raise ValueError(f"{heads} heads for states of {count} numbers; heads have at most {LONGEST_HEAD}")
        head = count // heads
        if embeddings.scale.shape != (self._words,):
            raise ValueError(f"{self._words} words have {embeddings.scale.shape} scales")
        if embeddings.places.shape[1:] != (count,) or embeddings.cases.shape[1:] != (count,):
            raise ValueError(f"places {embeddings.places.shape} and cases {embeddings.cases.shape} of {count} numbers")
        self._width, padded_head = _up(count), _up(head)
        factor = math.log2(math.e) / math.sqrt(head)
        self._shape = _Shape(self._width, count, heads, padded_head, factor, epsilon)
        self._tables = _Tables(
            kept.address(_padded(embeddings.words, 1)),
            kept.address(embeddings.scale.astype(np.float32)),
            kept.address(_padded(embeddings.places.astype(np.float32), 1)),
            kept.address(_padded(embeddings.cases.astype(np.float32), 1)),
            kept.norm(embeddings.norm, count),
        )
        self._layers = (_Layer * len(layers))(*(self._layer(layer, heads, head) for layer in layers))

    def _layer(self, layer: EncoderLayer, heads: int, head: int) -> _Layer:
        count, inner = self._count, len(layer.up.weight)
        shapes = [part.weight.shape for part in (layer.inputs, layer.output, layer.up, layer.down)]
        if shapes != [(3 * count, count), (count, count), (inner, count), (count, inner)]:
            raise ValueError(f"the products of a layer have the shapes {shapes} for states of {count} numbers")
        kept = self._kept
        return _Layer(
            kept.weights(layer.inputs.padded((3 * heads, head), by_input=False)),
            kept.weights(layer.output.padded((heads, head), by_input=True)),
            kept.weights(layer.up),
            kept.weights(layer.down),
            kept.norm(layer.first_norm, count),
            kept.norm(layer.last_norm, count),
        )

    def __call__(
        self,
        words: NDArray[np.integer],
        places: NDArray[np.integer],
        cases: NDArray[np.integer],
        lengths: Sequence[int],
        layers: int | None = None,
    ) -> Floats:
        """The states (pieces x numbers) after some layers (None: all of them).

        `words`, `places`, `cases`: of all pieces of all windows, without padding. `lengths`: pieces of each window.
        """
        return self.encoded(self.embedded(words, places, cases), lengths, 0, layers)

    def embedded(self, words: NDArray[np.integer], places: NDArray[np.integer], cases: NDArray[np.integer]) -> Floats:
        """The states (pieces x numbers) before the first layer."""
        ids = np.stack([words, places, cases], axis=1).astype(np.int32)
        if ids.size and (ids.min() < 0 or (ids.max(axis=0) >= (self._words, self._places, self._cases)).any()):
            raise IndexError(f"a piece has no embedding: the largest are {ids.max(axis=0).tolist()}")
        states = np.empty((len(ids), self._width), dtype=np.float32)
        self._kernel.call("embed", self._shape, self._tables, ids.ctypes.data, len(ids), states.ctypes.data)
        return states[:, : self._count]

    def encoded(self, states: Floats, lengths: Sequence[int], first: int = 0, last: int | None = None) -> Floats:
        """The states after the layers `first` to `last` (exclusive; None: to the end), from those before them.

        `lengths`: pieces of each window. A layer does not know places, so windows may lack some of their pieces.
        """
        last = len(self._layers) if last is None else last
        if not 0 <= first <= last <= len(self._layers):
            raise ValueError(f"the layers {first} to {last} of {len(self._layers)}")
        sizes = np.array(lengths, dtype=np.int64)
        if (sizes < 1).any() or sizes.sum() != len(states):
            raise ValueError(f"windows of {sizes.tolist()} pieces for {len(states)} pieces")
        rows = np.zeros((len(states), self._width), dtype=np.float32)
        rows[:, : self._count] = states
        if first < last:
            layers = (_Layer * (last - first))(*self._layers[first:last])
            self._kernel.call(
                "encode", self._shape, layers, last - first, sizes.ctypes.data, len(sizes), rows.ctypes.data
            )
        return rows[:, : self._count]

    def products(self, rows: int) -> None:
        """Compute the linear layers of the encoder alone, on zeros: the limit of the speed of the encoder."""
        for layer in self._layers:
            for weights in (layer.inputs, layer.output, layer.up, layer.down):
                values = np.zeros((rows, weights.inputs), dtype=np.float32)
                out = np.empty((rows, weights.outputs), dtype=np.float32)
                self._kernel.call("linear", weights, values.ctypes.data, rows, out.ctypes.data)


def _require_int8(weights: NDArray[Any]) -> None:
    """Raise `ValueError` for weights of another type: the library would read their bytes as numbers."""
    if weights.dtype != np.int8:
        raise ValueError(f"the weights of a layer are {weights.dtype}, not int8")


def _up(number: int) -> int:
    return -(-number // LANES) * LANES


def _padded(array: NDArray[Any], axis: int) -> NDArray[Any]:
    """The array with zeros behind it, up to a multiple of 16 along an axis."""
    missing = -array.shape[axis] % LANES
    return np.pad(array, [(0, missing if at == axis else 0) for at in range(array.ndim)]) if missing else array
