"""A base with some layers of a model: what a smaller and faster model starts from.

A student that starts from layers of its teacher needs little training (Sanh et al. 2019, "DistilBERT").
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.errors import OptionError, ResourceError
from nlmchem.tagging.models.folders import read_json
from nlmchem.tagging.training.base import copied

if TYPE_CHECKING:
    from torch import Tensor

LAYER = re.compile(r"\.layers?\.(\d+)\.")
"""The number of a layer in the name of a weight."""
_NUMBER = "num_hidden_layers"
_WEIGHTS = "model.safetensors"


def with_layers(base: Path, out: Path, layers: Sequence[int]) -> Path:
    """A copy of a base under `out` that has only these layers, numbered from 0 and in ascending order.

    Raises `OptionError` if the base lacks one of them, `ResourceError` if its layers cannot be told apart.
    """
    number = read_json(base / "config.json").get(_NUMBER)
    if not isinstance(number, int) or not (base / _WEIGHTS).is_file():
        raise ResourceError(
            f"the layers of {base} are not known: config.json has no {_NUMBER}, or there is no {_WEIGHTS}; "
            "give a BERT model whose weights are one file"
        )
    if list(layers) != sorted(set(layers)) or layers[0] < 0 or layers[-1] >= number:
        given = ",".join(map(str, layers))
        raise OptionError("layers", f"is {given}; give different numbers from 0 to {number - 1}, in ascending order")
    return copied(base, out, partial(_keep, tuple(layers)), "-layers-" + "-".join(map(str, layers)))


def _keep(layers: tuple[int, ...], folder: Path, part: Path) -> None:
    from safetensors.torch import load_file, save_file

    for file in folder.iterdir():
        if file.is_file() and file.name != _WEIGHTS:
            shutil.copyfile(file, part / file.name)
    config = read_json(folder / "config.json") | {_NUMBER: len(layers)}
    (part / "config.json").write_text(json.dumps(config, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    kept: dict[str, Tensor] = {}
    for name, weight in load_file(folder / _WEIGHTS).items():
        match = LAYER.search(name)
        if match is None:
            kept[name] = weight
        elif int(match[1]) in layers:
            kept[name[: match.start(1)] + str(layers.index(int(match[1]))) + name[match.end(1) :]] = weight
    save_file(kept, part / _WEIGHTS, {"format": "pt"})
