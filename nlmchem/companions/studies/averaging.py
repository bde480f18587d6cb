"""The mean of the weights of models with the same first stage (Wortsman et al. 2022, model soups and WiSE-FT).

It is as fast as one model and varies less with the order and choice of training articles.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from corpora.errors import ConfigurationError, ResourceError
from corpora.storage.owned_files import RECORD, OwnedFolder, replacing_owned
from corpora.words.quantities import quantity
from nlmchem.tagging.models.folders import check_folder, version_of
from nlmchem.tagging.training.folders import CARD_FILE

WEIGHTS = "model.safetensors"


def average(models: Sequence[Path], out: Path) -> None:
    """Write the mean of `models` into the new folder `out`. All other files are those of the first model.

    A folder that has this mean already stays: the command may have been killed at its end. Raises `ResourceError` for a
    folder without float32 weights, and `ConfigurationError` for fewer than two models, models of different form, and a
    folder `out` that has something else.
    """
    if len(models) < 2:
        raise ConfigurationError("a mean needs two models or more; name their folders")
    for model in models:
        check_folder(model)
        if not (model / WEIGHTS).is_file():
            raise ResourceError(f"the model {model} has no {WEIGHTS}; give a model with float32 weights in one file")
    files: list[Any] = [safe_open(model / WEIGHTS, "pt") for model in models]
    shapes = [{name: file.get_slice(name).get_shape() for name in file.keys()} for file in files]  # noqa: SIM118
    for model, shape in zip(models, shapes, strict=True):
        if shape != shapes[0]:
            raise ConfigurationError(
                f"{model} has other weights than {models[0]}; give models that were trained from one base in one way"
            )
    # In double precision, the members of one tensor in memory at a time.
    mean = {name: torch.stack([file.get_tensor(name).double() for file in files]).mean(0).float() for name in shapes[0]}
    if out.exists():
        if _has(out, mean):
            return
        raise ConfigurationError(f"{out} exists already; name a new folder, or remove it")
    with replacing_owned(out) as part:
        shutil.copytree(models[0], part, dirs_exist_ok=True)
        save_file(mean, part / WEIGHTS, {"format": "pt"})
        if (part / CARD_FILE).is_file():
            _update_card(part / CARD_FILE, models)


def _has(folder: Path, mean: dict[str, Tensor]) -> bool:
    """Whether a folder of ours has these weights, as they were written."""
    if not (folder / RECORD).is_file() or not (folder / WEIGHTS).is_file():
        return False
    with OwnedFolder(folder) as files:
        if files.first_foreign() is not None:
            return False
    there = load_file(folder / WEIGHTS)
    return there.keys() == mean.keys() and all(torch.equal(there[name], mean[name]) for name in mean)


def _update_card(card: Path, models: Sequence[Path]) -> None:
    """Add the averaged models to the card, and replace the hash of the weights."""
    text = card.read_text("utf-8")
    text = re.sub(r"(- sha256 of weights[^`]*`)[0-9a-f]+", rf"\g<1>{version_of(card.parent)}", text)
    averaged = f"\n## Averaged\n\nThe mean of the weights of {quantity(len(models), 'model')}:\n\n"
    averaged += "\n".join(f"- {model.parent.name}: `{version_of(model)}`" for model in models)
    card.write_text(text.replace("\n## Settings", f"{averaged}\n\n## Settings", 1), "utf-8")
