"""Int8 products in networks of `transformers` that have no forward pass of our own."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from nlmchem.tagging.kernel import layers
from nlmchem.tagging.models.arithmetic import required_kernel
from nlmchem.tagging.models.quantization import SCALE, quantise


class IntegerLinearModule(torch.nn.Module):
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
            setattr(module, name, IntegerLinearModule(layers.IntegerLinear(required_kernel(), _weights(child))))
        else:
            replace_linears(child)


def _weights(linear: torch.nn.Linear) -> layers.LinearWeights:
    stored = quantise({"own": linear.weight.detach().float().numpy()})
    bias = np.zeros(linear.out_features, np.float32) if linear.bias is None else linear.bias.detach().float().numpy()
    return layers.LinearWeights(stored["own"], stored["own" + SCALE], bias)
