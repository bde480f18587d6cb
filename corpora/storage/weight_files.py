"""Checks of a model folder before a library reads it: all weights are safetensors inside of the folder, and they can
have the layers that the configuration states.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from corpora.errors import DAMAGE, ResourceError, damage

WEIGHTS, INDEX = "*.safetensors", "*.safetensors.index.json"
USUAL_LAYERS = 1000
"""No model has more; for up to so many the weights are not read."""
LARGEST_HEADER = 100_000_000
"""Bytes of the header of a file, as safetensors limits it."""


def require_safe_weights(folder: Path) -> None:
    """Raise `ResourceError` if a folder leads to weights that are not safetensors, or not in the folder.

    `transformers` reads whatever file an index names, with pickle if its suffix is not .safetensors.
    """
    if (folder / "adapter_config.json").exists():
        raise ResourceError(
            f"the model {folder} is an adapter of another model (adapter_config.json); save the merged model"
        )
    config = _object(folder / "config.json") if (folder / "config.json").is_file() else {}
    if config.get("transformers_weights") is not None:
        raise ResourceError(f"{folder / 'config.json'} names a file of weights (transformers_weights); remove that key")
    for index in sorted(folder.glob(INDEX)):
        parts = _object(index).get("weight_map")
        if not isinstance(parts, dict) or not parts:
            raise ResourceError(f"{index} has no weight_map; get the model again")
        for name in sorted(set(map(str, parts.values()))):
            if Path(name).name != name or "\\" in name or not name.endswith(".safetensors"):
                raise ResourceError(
                    f"{index} names the weights {name!r}, which are not a .safetensors file in the same folder and "
                    "could run any program when they are read; get the model again, or save it as model.safetensors"
                )
            if not (folder / name).is_file():
                raise ResourceError(f"{index} names the weights {name}, which are missing; get the model again")
    # A library would make all layers first, also where the weights have fewer.
    layers = {key: value for key, value in config.items() if "layer" in key and isinstance(value, int)}
    key = max(layers, key=layers.__getitem__, default="")
    if key and layers[key] > USUAL_LAYERS and layers[key] > (tensors := sum(map(_tensors, folder.glob(WEIGHTS)))):
        raise ResourceError(
            f"{folder / 'config.json'} has {key} {layers[key]}, but the weights have {tensors} tensors; "
            "get the model again"
        )


def _tensors(weights: Path) -> int:
    """The number of entries in the header of a file of weights; 0 for a damaged file, which a library refuses."""
    try:
        with weights.open("rb") as stream:
            size = int.from_bytes(stream.read(8), "little")
            return len(json.loads(stream.read(size))) if size <= LARGEST_HEADER else 0
    except (OSError, *DAMAGE):
        return 0


def _object(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, *DAMAGE) as error:
        raise ResourceError(f"{path} cannot be read ({damage(error)}); get the model again") from error
    if not isinstance(value, dict):
        raise ResourceError(f"{path} is not a JSON object; get the model again")
    return value
