"""Weights stored as 8-bit integers with one scale a row.

Row r of a matrix is stored as round(w / s[r]) with s[r] = max|w[r]| / 127: per-channel symmetric quantisation
(Jacob et al. 2018, section 2, without zero points). Vectors are stored as they are. A model computes with these
integers (`integers`), or with the float32 values that they stand for.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.errors import ResourceError
from corpora.storage import atomic

if TYPE_CHECKING:
    from torch import Tensor


FILE = "model.int8.safetensors"
SCALE = ".scale"
"""What follows a matrix' name in the name of its scales."""
LIMIT = 127
"""The largest stored integer; the smallest is -127."""


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
    """The float32 tensors of what `quantise` returned."""
    import torch

    return {
        name: tensor.to(torch.float32) * stored[name + SCALE][:, None]
        if tensor.dtype is torch.int8
        else tensor.to(torch.float32)
        for name, tensor in stored.items()
        if not name.endswith(SCALE)
    }


def write_quantised(tensors: Mapping[str, Tensor], folder: Path) -> int:
    """Write float tensors as `FILE` into a folder; returns the number of bytes."""
    from safetensors.torch import save

    content = save(quantise(tensors))
    with atomic.replacing(folder / FILE) as stream:
        stream.write(content)
    return len(content)


def read_quantised(folder: Path) -> dict[str, Tensor]:
    """The tensors of a folder's `FILE`, as `quantise` returned them.

    Raises `ResourceError` for a damaged file and for a matrix without its scales.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        # Not `load_file`: its tensors are views of the mapped file, so keeping one of them keeps all in memory.
        stored: dict[str, Tensor] = load((folder / FILE).read_bytes())
    except (SafetensorError, OSError) as error:
        raise ResourceError(f"its weights {folder / FILE} cannot be read ({error}); get the model again") from error
    for name, tensor in stored.items():
        scale = stored.get(name + SCALE)
        if not tensor.is_floating_point() and (scale is None or scale.shape != tensor.shape[:1]):
            raise ResourceError(f"its weights lack the scales of {name}; get the model again")
    return stored
