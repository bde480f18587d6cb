"""The weights of BERT token classifiers by their names, and which configurations are implemented."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.errors import ResourceError

_KNOWN = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
EMBEDDINGS = "bert.embeddings."
WORDS = f"{EMBEDDINGS}word_embeddings.weight"


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
