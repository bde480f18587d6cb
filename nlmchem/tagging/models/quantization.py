"""Weights stored as 8-bit integers with one scale a row; arithmetic stays float32.

Row r of a matrix is stored as round(w / s[r]) with s[r] = max|w[r]| / 127: per-channel symmetric quantisation
(Jacob et al. 2018, section 2, without zero points). Vectors are stored as they are. Dynamic int8 arithmetic would
not be deterministic (DESIGN.md, 6.1); storage is.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.errors import ResourceError
from corpora.storage import atomic

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["FILE", "dequantise", "quantise", "read_quantised", "write_quantised"]

FILE = "model.int8.safetensors"
SCALE = ".scale"
LIMIT = 127


def quantise(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Matrices as int8 with their scales (rows; float32) under `NAME.scale`; other tensors as float32."""
    import torch

    stored: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        tensor = tensor.detach().to("cpu", torch.float32)
        if tensor.dim() != 2:
            stored[name] = tensor.clone()
            continue
        scale = tensor.abs().amax(dim=1).clamp_min(torch.finfo(torch.float32).tiny) / LIMIT
        stored[name] = (tensor / scale[:, None]).round().clamp(-LIMIT, LIMIT).to(torch.int8)
        stored[name + SCALE] = scale
    return stored


def dequantise(stored: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The float32 tensors of what `quantise` gave. Raises `ResourceError` where a scale is missing."""
    import torch

    tensors: dict[str, Tensor] = {}
    for name, tensor in stored.items():
        if name.endswith(SCALE):
            continue
        if tensor.dtype is torch.int8:
            scale = stored.get(name + SCALE)
            if scale is None or scale.shape != tensor.shape[:1]:
                raise ResourceError(f"its weights lack the scales of {name}; get the model again")
            tensors[name] = tensor.to(torch.float32) * scale[:, None]
        else:
            tensors[name] = tensor.to(torch.float32)
    return tensors


def write_quantised(tensors: Mapping[str, Tensor], folder: Path) -> int:
    """Write float tensors as `FILE` into a folder; says how many bytes it has."""
    from safetensors.torch import save

    content = save(quantise(tensors))
    with atomic.replacing(folder / FILE) as stream:
        stream.write(content)
    return len(content)


def read_quantised(folder: Path) -> dict[str, Tensor]:
    """The float32 tensors of a folder's `FILE`. Raises `ResourceError` where it is torn."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return dequantise(load_file(folder / FILE))
    except (SafetensorError, OSError) as error:
        raise ResourceError(f"its weights {folder / FILE} cannot be read ({error}); get the model again") from error
