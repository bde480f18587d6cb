"""The registry of architectures: kinds of models besides token classifiers.

Installed packages add to it by the entry point `nlmchem.architectures`. `nlmchem.tagging.training.kinds` has a second
registry, with what trains the models of an architecture.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora.plugins import Registry
from nlmchem.tagging.inference.scoring import Model
from nlmchem.tagging.models.folders import read_json

TOKEN_CLASSIFIERS = ("bert", "roberta", "xlm-roberta", "camembert", "deberta", "deberta-v2", "electra")
"""The values of `model_type` in the config.json of token classifiers."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """A kind of models without labels of their own.

    `title`: its name in sentences. `model_types`: the values of `model_type` in config.json by which a folder is
    recognised; those of token classifiers cannot be taken. `open(folder, device)`: the model. It raises
    `ResourceError` and `ConfigurationError` with the folder in the message.
    """

    title: str
    model_types: tuple[str, ...]
    open: Callable[[Path, str], Model]


ARCHITECTURES = Registry("nlmchem.architectures", Architecture, {})


def architecture_of(folder: Path) -> tuple[str, Architecture] | None:
    """The name and the architecture of the model in a folder; None for token classifiers and unknown models.

    No plugin is imported for a token classifier. Raises `ResourceError` if config.json is damaged.
    """
    type: Any = read_json(folder / "config.json").get("model_type")
    if type in TOKEN_CLASSIFIERS:
        return None
    return next((entry for entry in ARCHITECTURES.items() if type in entry[1].model_types), None)
