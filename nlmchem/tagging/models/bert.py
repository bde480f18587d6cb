"""The forward pass of a BERT token classifier, in plain torch, from its tensors by name.

It gives what `transformers.BertForTokenClassification` gives (tests hold them side by side). It exists because
importing that class takes 2.7 s on the machines this was made on, more than the embedded model may take to load.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from corpora.errors import ResourceError
from nlmchem.tagging.tokenization.letter_case import taken_apart

__all__ = ["Bert"]


class Bert:
    """Logits of word pieces. `tensors` are float32, under the names of `BertForTokenClassification`.

    `cased`: ids hold the case of each piece (`letter_case`), whose embedding stands among those of segments.

    Raises `ResourceError` where a tensor is missing or the configuration is of a kind that is not computed here.
    """

    def __init__(
        self, config: Mapping[str, Any], tensors: Mapping[str, Tensor], device: str = "cpu", cased: bool = False
    ) -> None:
        _require_known(config)
        self._cased = cased
        try:
            self._read(config, {name: tensor.to(device) for name, tensor in tensors.items()})
        except KeyError as error:
            raise ResourceError(f"its weights lack {error.args[0]}; get the model again") from error

    def _read(self, config: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> None:
        self._heads = int(config["num_attention_heads"])
        self._epsilon = float(config["layer_norm_eps"])
        words = tensors["bert.embeddings.word_embeddings.weight"]
        self._words = words
        segments = tensors["bert.embeddings.token_type_embeddings.weight"]
        # A piece without capitals is of the first segment: its embedding is added once, not for each piece.
        self._places = tensors["bert.embeddings.position_embeddings.weight"] + segments[0]
        self._cases = segments - segments[0]
        self._first_norm = _pair(tensors, "bert.embeddings.LayerNorm")
        self._layers = [
            _layer(tensors, f"bert.encoder.layer.{number}") for number in range(config["num_hidden_layers"])
        ]
        self._classifier = _pair(tensors, "classifier")

    @torch.inference_mode()
    def __call__(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Logits (windows x pieces x labels) of `ids` (windows x pieces); `mask` is 1 on pieces, 0 on padding."""
        windows, length = ids.shape
        width = self._words.shape[1]
        if self._cased:
            ids, cases = taken_apart(ids, len(self._words))
            hidden = functional.embedding(ids, self._words) + functional.embedding(cases, self._cases)
        else:
            hidden = functional.embedding(ids, self._words)
        hidden = hidden + self._places[:length]
        hidden = functional.layer_norm(hidden, (width,), *self._first_norm, self._epsilon)
        shown = mask.bool()[:, None, None, :]
        split = (windows, length, 3, self._heads, width // self._heads)
        for attention_in, attention_out, norm, up, down, last_norm in self._layers:
            query, key, value = functional.linear(hidden, *attention_in).view(split).permute(2, 0, 3, 1, 4)
            context = functional.scaled_dot_product_attention(query, key, value, attn_mask=shown)
            context = context.transpose(1, 2).reshape(windows, length, width)
            hidden = functional.layer_norm(
                hidden + functional.linear(context, *attention_out), (width,), *norm, self._epsilon
            )
            grown = functional.gelu(functional.linear(hidden, *up))
            hidden = functional.layer_norm(
                hidden + functional.linear(grown, *down), (width,), *last_norm, self._epsilon
            )
        return functional.linear(hidden, *self._classifier)


_Pair = tuple[Tensor, Tensor]


def _pair(tensors: Mapping[str, Tensor], name: str) -> _Pair:
    return tensors[f"{name}.weight"], tensors[f"{name}.bias"]


def _layer(tensors: Mapping[str, Tensor], name: str) -> tuple[_Pair, _Pair, _Pair, _Pair, _Pair, _Pair]:
    inputs = [_pair(tensors, f"{name}.attention.self.{part}") for part in ("query", "key", "value")]
    joined = (torch.cat([weight for weight, _ in inputs]), torch.cat([bias for _, bias in inputs]))
    return (
        joined,
        _pair(tensors, f"{name}.attention.output.dense"),
        _pair(tensors, f"{name}.attention.output.LayerNorm"),
        _pair(tensors, f"{name}.intermediate.dense"),
        _pair(tensors, f"{name}.output.dense"),
        _pair(tensors, f"{name}.output.LayerNorm"),
    )


def _require_known(config: Mapping[str, Any]) -> None:
    wanted = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
    for key, value in wanted.items():
        if config.get(key, value) != value:
            raise ResourceError(
                f"its config.json has {key} {config[key]!r}, stored weights are computed for {value!r} only; "
                "give the model as model.safetensors"
            )
