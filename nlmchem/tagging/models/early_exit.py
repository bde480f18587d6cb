"""Early exit: most word pieces are outside of mentions, and a few layers are enough to see that.

After these layers, a probe with one inner layer (ReLU) gives each piece its labels. A piece that is certainly outside
leaves: the logits of the probe are its result, and the other layers compute the rest of the window without it. Pieces
near one that is not certain stay, because mentions end there. Li et al. 2021, "Accelerating BERT Inference for Sequence
Labeling via Early-Exit", ACL; there, too, pieces leave one by one.

The probe is fitted to the logits of all layers on unlabelled articles (`benchmarks.retrain.early_exit`). A copy of a
model without the file computes all layers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.errors import ResourceError
from corpora.storage.atomic import sha256_of
from nlmchem.tagging.models.folders import FILE as WEIGHTS

FILE = "early_exit.safetensors"
LAYERS, MARGIN, MODEL = "layers", "margin", "model"
"""Facts in the file. `MODEL`: the sha256 of the weights that the probe was fitted to."""
INNER, PROBE = "inner", "probe"
OUTSIDE = 0
"""The label O of the models that are trained here."""
BESIDE = 4
"""Pieces on each side of one that is not certain that stay with it."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EarlyExit:
    """When pieces leave a model. `weights`: of the inner layer and the probe, with a bias each, by their names.

    `layers`: those that all pieces pass. `margin`: a piece leaves if the logit of O is at least this much above all
    others.
    """

    layers: int
    margin: float
    weights: Mapping[str, Floats]


def read_early_exit(folder: Path, config: Mapping[str, Any]) -> EarlyExit | None:
    """The early exit of a model, if its folder has one. Raises `ResourceError` if it does not fit the model."""
    from safetensors import SafetensorError, safe_open

    file = folder / FILE
    if not file.is_file():
        return None
    try:
        with safe_open(file, "np") as stored:
            facts = stored.metadata() or {}
            weights = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118 - no mapping
        early = EarlyExit(int(facts[LAYERS]), float(facts[MARGIN]), weights)
    except (SafetensorError, OSError, KeyError, ValueError) as error:
        raise ResourceError(f"its {FILE} cannot be read ({error}); get the model again") from error
    labels, width = len(config["id2label"]), int(config["hidden_size"])
    inner = len(weights.get(f"{INNER}.bias", ()))
    shapes: dict[str, tuple[int, ...]] = {}
    for part, outputs, inputs in ((INNER, inner, width), (PROBE, labels, inner)):
        shapes |= {f"{part}.weight": (outputs, inputs), f"{part}.bias": (outputs,)}
    fitting = {name: array.shape for name, array in weights.items()} == shapes
    fitting = fitting and facts.get(MODEL) == sha256_of(folder / WEIGHTS)
    if not inner or not fitting or not 0 < early.layers < int(config["num_hidden_layers"]):
        raise ResourceError(f"its {FILE} is that of another model; get the model again")
    return early


def staying(logits: Floats, lengths: Sequence[int], margin: float) -> NDArray[np.bool_]:
    """Which pieces do not leave, by the logits of the probe (pieces x labels). `lengths`: pieces of each window.

    The first and the last piece of a window, which stand for no text, stay as well.

    """
    # A score that is no number stays, so that it is reported.
    unsure = ~(logits[:, OUTSIDE] - logits[:, OUTSIDE + 1 :].max(axis=1) >= margin)
    ends = np.cumsum(lengths, dtype=np.int64)
    edge = np.zeros(len(logits), dtype=bool)
    edge[ends - 1] = edge[ends[:-1]] = True
    edge[:1] = True
    stays: NDArray[np.bool_] = unsure | edge
    window = np.repeat(np.arange(len(ends)), lengths)
    for distance in range(1, BESIDE + 1):
        together = window[distance:] == window[:-distance]
        stays[distance:] |= unsure[:-distance] & together
        stays[:-distance] |= unsure[distance:] & together
    return stays


def left(stays: NDArray[np.bool_], lengths: Sequence[int]) -> list[int]:
    """The number of pieces of each window that stay."""
    window = np.repeat(np.arange(len(lengths)), lengths)
    numbers: list[int] = np.bincount(window[stays], minlength=len(lengths)).tolist()
    return numbers
