"""What torch computes for arrays of numpy, on a CPU or a GPU: networks of `transformers`, and BERT without it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from nlmchem.tagging.kernel import layers
from nlmchem.tagging.kernel.arithmetic import required_kernel
from nlmchem.tagging.models.weights import (
    EMBEDDINGS,
    SCALE,
    WORDS,
    Arrays,
    checked_sizes,
    dequantise,
    encoder_layers,
    quantise,
    readable_weights,
    require_known,
)
from nlmchem.tagging.tokenization.word_pieces import taken_apart


def computed(device: str, function: Callable[..., Tensor], *given: NDArray[Any]) -> NDArray[np.float32]:
    """What a function of tensors returns for arrays. It computes on `device`, on a GPU in half precision.

    Raises `MemoryError` if there is not enough memory.
    """
    kind = torch.device(device).type
    half = torch.bfloat16 if kind == "cpu" or torch.cuda.is_bf16_supported() else torch.float16
    try:
        with torch.inference_mode(), torch.autocast(kind, dtype=half, enabled=kind == "cuda"):
            result: NDArray[np.float32] = (
                function(*(torch.from_numpy(array).to(device) for array in given)).float().cpu().numpy()
            )
            return result
    except RuntimeError as error:
        if not isinstance(error, torch.OutOfMemoryError) and "can't allocate memory" not in str(error):
            raise
        reason = str(error)
    # Outside of the handler: the error keeps the tensors of the batch in memory.
    if kind == "cuda":
        torch.cuda.empty_cache()
    raise MemoryError(reason)


def network_of(classifier: Any, cased: int) -> Callable[[Tensor, Tensor], Tensor]:
    """A token classifier of `transformers` as a function of ids and mask. `cased`: 0 if ids do not contain the case."""

    def network(ids: Tensor, mask: Tensor) -> Tensor:
        segments = {}
        if cased:
            ids, segments["token_type_ids"] = taken_apart(ids, cased)
        logits: Tensor = classifier(input_ids=ids, attention_mask=mask, **segments).logits
        return logits

    return network


class Bert:
    """Logits of word pieces, in float32, as `bert.FloatBert` gives them with numpy. It is used on GPUs.

    They are those of `transformers.BertForTokenClassification` (a test compares them). Importing that class takes
    2.7 s, more than the whole start of a worker may take. `stored`, `cased`: as for `FloatBert`.

    Raises `ResourceError` for a missing tensor and for a configuration that is not implemented.
    """

    def __init__(self, config: Mapping[str, Any], stored: Arrays, device: str = "cpu", cased: bool = False) -> None:
        require_known(config)
        self._device, self._cased = device, cased
        self._epsilon = float(config["layer_norm_eps"])
        with readable_weights():
            arrays = dequantise(stored)
            tensors = {name: torch.from_numpy(array).to(device) for name, array in arrays.items()}
            self._words = tensors[WORDS]
            places, cases = checked_sizes(config, arrays, len(self._words))
            self._places, self._cases = (torch.from_numpy(array).to(device) for array in (places, cases))
            self._first_norm = _pair(tensors, f"{EMBEDDINGS}LayerNorm")
            self._classify = _pair(tensors, "classifier")
            heads = int(config["num_attention_heads"])
            self._layers = [_BertLayer(tensors, name, heads, self._epsilon) for name in encoder_layers(config)]

    def __call__(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """Logits (windows x pieces x labels) of `ids` (windows x pieces); `mask` is 1 on pieces, 0 on padding."""
        return computed(self._device, self._logits, ids, mask)

    def states(self, ids: NDArray[np.int64], mask: NDArray[np.int64], layers: int) -> NDArray[np.float32]:
        """The states (windows x pieces x width) after this number of layers."""
        return computed(self._device, lambda ids, mask: self._states(ids, mask, layers), ids, mask)

    def _logits(self, ids: Tensor, mask: Tensor) -> Tensor:
        return functional.linear(self._states(ids, mask, len(self._layers)), *self._classify)

    def _states(self, ids: Tensor, mask: Tensor, layers: int) -> Tensor:
        words, cases = taken_apart(ids, len(self._words)) if self._cased else (ids, None)
        hidden = functional.embedding(words, self._words)
        if cases is not None:
            hidden = hidden + functional.embedding(cases, self._cases)
        hidden = hidden + self._places[: ids.shape[1]]
        hidden = functional.layer_norm(hidden, hidden.shape[-1:], *self._first_norm, self._epsilon)
        shown = mask.bool()[:, None, None, :]
        for layer in self._layers[:layers]:
            hidden = layer(hidden, shown)
        return hidden


class _BertLayer:
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


# Int8 products in networks of `transformers` that have no forward pass of our own.


class _IntegerLinear(torch.nn.Module):
    """A linear layer in int8 arithmetic: takes and returns float32, in any number of dimensions."""

    def __init__(self, linear: layers.IntegerLinear) -> None:
        super().__init__()
        self._linear = linear

    def forward(self, values: Tensor) -> Tensor:
        rows = self._linear(values.reshape(-1, values.shape[-1]).numpy())
        return torch.from_numpy(rows).view(*values.shape[:-1], -1)


def replace_linears(module: torch.nn.Module) -> None:
    """Give every linear layer in `module` integer products."""
    for name, child in module.named_children():
        if type(child) is torch.nn.Linear:
            stored = quantise({"own": child.weight.detach().float().numpy()})
            none = child.bias is None
            bias = np.zeros(child.out_features, np.float32) if none else child.bias.detach().float().numpy()
            weights = layers.LinearWeights(stored["own"], stored["own" + SCALE], bias)
            setattr(module, name, _IntegerLinear(layers.IntegerLinear(required_kernel(), weights)))
        else:
            replace_linears(child)
