"""The forward pass of a BERT token classifier, in plain torch, from its tensors by name.

It gives what `transformers.BertForTokenClassification` gives (a test compares them). Importing that class takes 2.7 s,
which is more than the whole start of a worker may take.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from corpora.errors import ResourceError
from nlmchem.tagging.models import integers
from nlmchem.tagging.models.arithmetic import FLOAT32, INT8, has_bfloat16_tiles
from nlmchem.tagging.models.quantization import SCALE, dequantise
from nlmchem.tagging.tokenization.word_pieces import taken_apart

_KNOWN = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
_WORDS = "bert.embeddings.word_embeddings.weight"


class Bert:
    """Logits of word pieces.

    `stored`: tensors under the names of `BertForTokenClassification`, as `quantization.quantise` returns them or
    float32. `arithmetic`: `float32`, or `int8` (on a CPU only, all matrices must be int8).
    `cased`: ids contain the case of each piece (`letter_case`); its embedding is among those of segments.

    Raises `ResourceError` for a missing tensor and for a configuration that is not implemented.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        stored: Mapping[str, Tensor],
        device: str = "cpu",
        cased: bool = False,
        arithmetic: str = FLOAT32,
    ) -> None:
        _require_known(config)
        self._cased = cased
        self._epsilon = float(config["layer_norm_eps"])
        try:
            self._read(config, {name: tensor.to(device) for name, tensor in stored.items()}, arithmetic)
        except KeyError as error:
            raise ResourceError(f"its weights lack {error.args[0]}; get the model again") from error

    def _read(self, config: Mapping[str, Any], stored: Mapping[str, Tensor], arithmetic: str) -> None:
        heads, names = int(config["num_attention_heads"]), range(config["num_hidden_layers"])
        # With integers, the table of words stays int8 as well: it is most of a small model.
        kept = {_WORDS, _WORDS + SCALE} if arithmetic == INT8 else set()
        tensors = dequantise({name: stored[name] for name in stored.keys() - kept if _is_around(name, arithmetic)})
        self._words = stored[_WORDS] if kept else tensors[_WORDS]
        self._scale: Tensor | None = stored[_WORDS + SCALE][:, None] if kept else None
        segments = tensors["bert.embeddings.token_type_embeddings.weight"]
        # A piece without capitals is in the first segment. Its embedding is added to those of positions once.
        self._places = tensors["bert.embeddings.position_embeddings.weight"] + segments[0]
        positions = int(config.get("max_position_embeddings") or 512)
        if len(self._places) < positions:
            raise ResourceError(
                f"its weights have {len(self._places)} positions, its config.json {positions}; get the model again"
            )
        pieces = config.get("vocab_size", len(self._words))
        if pieces != len(self._words):
            raise ResourceError(
                f"its weights have {len(self._words)} word pieces, its config.json {pieces}; get the model again"
            )
        self._cases = segments - segments[0]
        self._first_norm = _pair(tensors, "bert.embeddings.LayerNorm")
        self._layers: list[_FloatLayer | integers.IntegerLayer]
        if arithmetic == INT8:
            integers.require_exact_products()
            attention = torch.bfloat16 if has_bfloat16_tiles() else torch.float32
            self._classify: Callable[[Tensor], Tensor] = integers.Linear(integers.Product.of(stored, "classifier"))
            self._layers = [
                integers.IntegerLayer(stored, f"bert.encoder.layer.{number}", heads, self._epsilon, attention)
                for number in names
            ]
        else:
            self._classify = partial(_linear, _pair(tensors, "classifier"))
            self._layers = [
                _FloatLayer(tensors, f"bert.encoder.layer.{number}", heads, self._epsilon) for number in names
            ]

    @torch.inference_mode()
    def __call__(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Logits (windows x pieces x labels) of `ids` (windows x pieces); `mask` is 1 on pieces, 0 on padding."""
        return self._classify(self._states(ids, mask, len(self._layers)))

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
        if self._scale is not None:
            hidden = hidden.float().mul_(functional.embedding(ids, self._scale))
        if cases is not None:
            hidden = hidden + functional.embedding(cases, self._cases)
        hidden = hidden + self._places[:length]
        return functional.layer_norm(hidden, hidden.shape[-1:], *self._first_norm, self._epsilon)


class _FloatLayer:
    """A layer of the encoder in float32."""

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


def _linear(layer: _Pair, hidden: Tensor) -> Tensor:
    return functional.linear(hidden, *layer)


def _is_around(name: str, arithmetic: str) -> bool:
    """Whether a tensor is computed with in float32: all of them, or with integers those outside of the encoder."""
    return arithmetic == FLOAT32 or ".encoder." not in name


def computes(config: Mapping[str, Any]) -> bool:
    """Whether a model of this configuration has its forward pass here."""
    return all(config.get(key, value) == value for key, value in _KNOWN.items())


def _require_known(config: Mapping[str, Any]) -> None:
    for key, value in _KNOWN.items():
        if config.get(key, value) != value:
            raise ResourceError(
                f"its config.json has {key} {config[key]!r}; int8 weights are supported for {value!r} only: "
                "use the model with model.safetensors"
            )
