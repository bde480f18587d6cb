"""The forward pass of a BERT token classifier, in plain torch, from its tensors by name.

It gives what `transformers.BertForTokenClassification` gives (a test compares them). Importing that class takes 2.7 s,
which is more than the whole start of a worker may take.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from corpora.errors import ResourceError
from nlmchem.tagging.models.quantization import dequantise
from nlmchem.tagging.tokenization.word_pieces import taken_apart

_KNOWN = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
EMBEDDINGS = "bert.embeddings."
WORDS = f"{EMBEDDINGS}word_embeddings.weight"


class Bert:
    """Logits of word pieces, in float32 (`integers.IntegerBert` computes with int8).

    `stored`: tensors under the names of `BertForTokenClassification`, as `quantization.quantise` returns them or
    float32. `cased`: ids contain the case of each piece (`letter_case`); its embedding is among those of segments.

    Raises `ResourceError` for a missing tensor and for a configuration that is not implemented.
    """

    def __init__(
        self, config: Mapping[str, Any], stored: Mapping[str, Tensor], device: str = "cpu", cased: bool = False
    ) -> None:
        require_known(config)
        self._cased = cased
        self._epsilon = float(config["layer_norm_eps"])
        with readable_weights():
            tensors = dequantise({name: tensor.to(device) for name, tensor in stored.items()})
            self._words = tensors[WORDS]
            self._places, self._cases = checked_sizes(config, tensors, len(self._words))
            self._first_norm = _pair(tensors, f"{EMBEDDINGS}LayerNorm")
            self._classify = _pair(tensors, "classifier")
            heads = int(config["num_attention_heads"])
            self._layers = [_Layer(tensors, name, heads, self._epsilon) for name in encoder_layers(config)]

    @torch.inference_mode()
    def __call__(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Logits (windows x pieces x labels) of `ids` (windows x pieces); `mask` is 1 on pieces, 0 on padding."""
        return functional.linear(self._states(ids, mask, len(self._layers)), *self._classify)

    @torch.inference_mode()
    def states(self, ids: Tensor, mask: Tensor, layers: int) -> Tensor:
        """The states (windows x pieces x width) after this number of layers."""
        return self._states(ids, mask, layers)

    def _states(self, ids: Tensor, mask: Tensor, layers: int) -> Tensor:
        hidden = self._embedded(ids)
        shown = mask.bool()[:, None, None, :]
        for layer in self._layers[:layers]:
            hidden = layer(hidden, shown)
        return hidden

    def _embedded(self, ids: Tensor) -> Tensor:
        length, cases = ids.shape[1], None
        if self._cased:
            ids, cases = taken_apart(ids, len(self._words))
        hidden = functional.embedding(ids, self._words)
        if cases is not None:
            hidden = hidden + functional.embedding(cases, self._cases)
        hidden = hidden + self._places[:length]
        return functional.layer_norm(hidden, hidden.shape[-1:], *self._first_norm, self._epsilon)


class _Layer:
    """A layer of the encoder."""

    def __init__(self, tensors: Mapping[str, Tensor], name: str, heads: int, epsilon: float) -> None:
        self._heads, self._epsilon = heads, epsilon
        inputs = [_pair(tensors, f"{name}.attention.self.{part}") for part in ("query", "key", "value")]
        self._inputs = (torch.cat([weight for weight, _ in inputs]), torch.cat([bias for _, bias in inputs]))
        self._output = _pair(tensors, f"{name}.attention.output.dense")
        self._first_norm = _pair(tensors, f"{name}.attention.output.LayerNorm")
        self._up = _pair(tensors, f"{name}.intermediate.dense")
        self._down = _pair(tensors, f"{name}.output.dense")
        self._last_norm = _pair(tensors, f"{name}.output.LayerNorm")

    def __call__(self, hidden: Tensor, shown: Tensor) -> Tensor:
        windows, length, width = hidden.shape
        split = (windows, length, 3, self._heads, width // self._heads)
        query, key, value = functional.linear(hidden, *self._inputs).view(split).permute(2, 0, 3, 1, 4)
        context = functional.scaled_dot_product_attention(query, key, value, attn_mask=shown)
        context = context.transpose(1, 2).reshape(windows, length, width)
        hidden = functional.layer_norm(
            hidden + functional.linear(context, *self._output), (width,), *self._first_norm, self._epsilon
        )
        grown = functional.gelu(functional.linear(hidden, *self._up))
        return functional.layer_norm(
            hidden + functional.linear(grown, *self._down), (width,), *self._last_norm, self._epsilon
        )


_Pair = tuple[Tensor, Tensor]


def _pair(tensors: Mapping[str, Tensor], name: str) -> _Pair:
    return tensors[f"{name}.weight"], tensors[f"{name}.bias"]


_Rows = TypeVar("_Rows", Tensor, NDArray[np.float32])


def checked_sizes(config: Mapping[str, Any], tensors: Mapping[str, _Rows], words: int) -> tuple[_Rows, _Rows]:
    """The embeddings of places and of cases, from those of positions and segments (float32).

    A piece without capitals is in the first segment. Its embedding is added to those of positions once. Raises
    `ResourceError` if the weights have fewer positions, or other word pieces (`words`), than the configuration.
    """
    segments = tensors[f"{EMBEDDINGS}token_type_embeddings.weight"]
    places = tensors[f"{EMBEDDINGS}position_embeddings.weight"] + segments[0]
    positions, pieces = int(config.get("max_position_embeddings") or 512), config.get("vocab_size", words)
    if len(places) < positions:
        raise ResourceError(
            f"its weights have {len(places)} positions, its config.json {positions}; get the model again"
        )
    if pieces != words:
        raise ResourceError(f"its weights have {words} word pieces, its config.json {pieces}; get the model again")
    return places, segments - segments[0]


def encoder_layers(config: Mapping[str, Any]) -> list[str]:
    """The names of the layers among the tensors."""
    return [f"bert.encoder.layer.{number}" for number in range(config["num_hidden_layers"])]


@contextmanager
def readable_weights() -> Iterator[None]:
    """A missing tensor becomes a `ResourceError`."""
    try:
        yield
    except KeyError as error:
        raise ResourceError(f"its weights lack {error.args[0]}; get the model again") from error


def computes(config: Mapping[str, Any]) -> bool:
    """Whether a model of this configuration has its forward pass here."""
    return all(config.get(key, value) == value for key, value in _KNOWN.items())


def require_known(config: Mapping[str, Any]) -> None:
    """Raise `ResourceError` for a configuration whose forward pass is not implemented."""
    for key, value in _KNOWN.items():
        if config.get(key, value) != value:
            raise ResourceError(
                f"its config.json has {key} {config[key]!r}; int8 weights are supported for {value!r} only: "
                "use the model with model.safetensors"
            )
