"""What the folder of a BERT token classifier stores: its weights by their names, as int8, and its early exit.

Row r of a matrix is stored as round(w / s[r]) with s[r] = max|w[r]| / 127: per-channel symmetric quantisation
(Jacob et al. 2018, section 2, without zero points). Vectors are stored as they are. A model computes with these
integers, or with the float32 values that they stand for (`nlmchem.tagging.models.bert`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.errors import ResourceError
from corpora.storage import atomic
from corpora.storage.atomic import sha256_of
from nlmchem.tagging.models.folders import FILE

Arrays = Mapping[str, NDArray[Any]]

SCALE = ".scale"
"""What follows a matrix' name in the name of its scales."""
LIMIT = 127
"""The largest stored integer; the smallest is -127."""

_KNOWN = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
EMBEDDINGS = "bert.embeddings."
WORDS = f"{EMBEDDINGS}word_embeddings.weight"

EARLY_EXIT_FILE = "early_exit.safetensors"
LAYERS, MARGIN, MODEL = "layers", "margin", "model"
"""Facts in the file. `MODEL`: the sha256 of the weights that the probe was fitted to."""
INNER, PROBE = "inner", "probe"


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


def checked_sizes(
    config: Mapping[str, Any], tensors: Mapping[str, NDArray[np.float32]], words: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The embeddings of places and of cases, from those of positions and segments (float32).

    A piece without capitals is in the first segment. Its embedding is added to those of positions once. Raises
    `ResourceError` if the weights have fewer positions, or other word pieces (`words`), than the configuration.
    """
    segments = tensors[f"{EMBEDDINGS}token_type_embeddings.weight"]
    places = tensors[f"{EMBEDDINGS}position_embeddings.weight"] + segments[0]
    positions, pieces = int(config.get("max_position_embeddings") or 512), config.get("vocab_size", words)
    if len(places) < positions:
        raise ResourceError(
            f"its weights have {len(places)} positions, its config.json {positions}; get the model again"
        )
    if pieces != words:
        raise ResourceError(f"its weights have {words} word pieces, its config.json {pieces}; get the model again")
    return places, segments - segments[0]


def encoder_layers(config: Mapping[str, Any]) -> Iterator[str]:
    """The names of the layers among the tensors."""
    return (f"bert.encoder.layer.{number}" for number in range(config["num_hidden_layers"]))


@contextmanager
def readable_weights() -> Iterator[None]:
    """A missing tensor becomes a `ResourceError`."""
    try:
        yield
    except KeyError as error:
        raise ResourceError(f"its weights lack {error.args[0]}; get the model again") from error


def computes(config: Mapping[str, Any]) -> bool:
    """Whether a model of this configuration has its forward pass here."""
    return all(config.get(key, value) == value for key, value in _KNOWN.items())


def require_known(config: Mapping[str, Any]) -> None:
    """Raise `ResourceError` for a configuration whose forward pass is not implemented."""
    for key, value in _KNOWN.items():
        if config.get(key, value) != value:
            raise ResourceError(
                f"its config.json has {key} {config[key]!r}; int8 weights are supported for {value!r} only: "
                "use the model with model.safetensors"
            )


@dataclass(frozen=True, slots=True)
class EarlyExit:
    """When pieces leave a model. `weights`: of the inner layer and the probe, with a bias each, by their names.

    `layers`: those that all pieces pass. `margin`: a piece leaves if the logit of O is at least this much above all
    others.
    """

    layers: int
    margin: float
    weights: Mapping[str, NDArray[np.float32]]


def read_early_exit(folder: Path, config: Mapping[str, Any]) -> EarlyExit | None:
    """The early exit of a model, if its folder has one. Raises `ResourceError` if it does not fit the model."""
    from safetensors import SafetensorError, safe_open

    file = folder / EARLY_EXIT_FILE
    if not file.is_file():
        return None
    try:
        with safe_open(file, "np") as stored:
            facts = stored.metadata() or {}
            weights = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118 - no mapping
        early = EarlyExit(int(facts[LAYERS]), float(facts[MARGIN]), weights)
    except (SafetensorError, OSError, KeyError, ValueError) as error:
        raise ResourceError(f"its {EARLY_EXIT_FILE} cannot be read ({error}); get the model again") from error
    labels, width = len(config["id2label"]), int(config["hidden_size"])
    inner = len(weights.get(f"{INNER}.bias", ()))
    shapes: dict[str, tuple[int, ...]] = {}
    for part, outputs, inputs in ((INNER, inner, width), (PROBE, labels, inner)):
        shapes |= {f"{part}.weight": (outputs, inputs), f"{part}.bias": (outputs,)}
    fitting = {name: array.shape for name, array in weights.items()} == shapes
    fitting = fitting and facts.get(MODEL) == sha256_of(folder / FILE)
    if not inner or not fitting or not 0 < early.layers < int(config["num_hidden_layers"]):
        raise ResourceError(f"its {EARLY_EXIT_FILE} is that of another model; get the model again")
    return early
