"""Weights stored as 8-bit integers with one scale a row.

Row r of a matrix is stored as round(w / s[r]) with s[r] = max|w[r]| / 127: per-channel symmetric quantisation
(Jacob et al. 2018, section 2, without zero points). Vectors are stored as they are. A model computes with these
integers (`integers`), or with the float32 values that they stand for.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.errors import ResourceError
from corpora.storage import atomic
from nlmchem.tagging.models.folders import FILE

Arrays = Mapping[str, NDArray[Any]]

SCALE = ".scale"
"""What follows a matrix' name in the name of its scales."""
LIMIT = 127
"""The largest stored integer; the smallest is -127."""


def quantise(tensors: Arrays) -> dict[str, NDArray[Any]]:
    """Matrices as int8 with their scales (rows; float32) under `NAME.scale`; other tensors as float32."""
    stored: dict[str, NDArray[Any]] = {}
    for name, tensor in tensors.items():
        tensor = tensor.astype(np.float32)
        if tensor.ndim != 2:
            stored[name] = tensor
            continue
        scale = np.maximum(np.abs(tensor).max(axis=1), np.finfo(np.float32).tiny) / np.float32(LIMIT)
        stored[name] = np.clip(np.rint(tensor / scale[:, None]), -LIMIT, LIMIT).astype(np.int8)
        stored[name + SCALE] = scale
    return stored


def dequantise(stored: Arrays) -> dict[str, NDArray[np.float32]]:
    """The float32 tensors of what `quantise` returned."""
    return {
        name: tensor.astype(np.float32) * stored[name + SCALE][:, None]
        if tensor.dtype == np.int8
        else tensor.astype(np.float32)
        for name, tensor in stored.items()
        if not name.endswith(SCALE)
    }


def write_quantised(tensors: Arrays, folder: Path) -> int:
    """Write float tensors as `FILE` into a folder; returns the number of bytes."""
    from safetensors.numpy import save

    content = save(quantise(tensors))
    with atomic.replacing(folder / FILE) as stream:
        stream.write(content)
    return len(content)


def read_quantised(folder: Path) -> dict[str, NDArray[Any]]:
    """The tensors of a folder's `FILE`, as `quantise` returned them.

    Raises `ResourceError` for a damaged file, for a matrix without its scales, and for numbers of another kind.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        # Not `load_file`: its tensors are views of the mapped file, so keeping one of them keeps all in memory.
        stored: dict[str, NDArray[Any]] = load((folder / FILE).read_bytes())
    except (SafetensorError, OSError) as error:
        raise ResourceError(f"its weights {folder / FILE} cannot be read ({error}); get the model again") from error
    for name, tensor in stored.items():
        expected = "int8" if tensor.ndim == 2 else "float32"
        if tensor.dtype != expected:
            raise ResourceError(f"its weights {name} are {tensor.dtype}, not {expected}; get the model again")
        scale = stored.get(name + SCALE)
        if tensor.ndim == 2 and (scale is None or scale.shape != tensor.shape[:1]):
            raise ResourceError(f"its weights lack the scales of {name}; get the model again")
    return stored
