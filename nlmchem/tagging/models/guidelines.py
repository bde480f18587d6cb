"""Annotation guidelines that a model can follow.

Corpora mark different things as chemicals. A model that was trained with `--styles` receives the corpus of each
training text as an input (`styles` in its `nlmchem.json`), so it can tag by the guidelines of any of them. Without a
choice it follows those of its target, number 0.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from corpora.errors import ConfigurationError
from nlmchem.tagging.models.loading import FACTS_FILE, Model, check_folder, read_json, readable

__all__ = ["following", "number_of"]


def number_of(folder: Path, name: str) -> int:
    """The number of guidelines in the input of a model. Does not import torch.

    Raises `ConfigurationError` if the model was not trained with them, `ResourceError` if it is missing or damaged.
    """
    check_folder(folder)
    with readable(folder):
        styles = read_json(folder / FACTS_FILE).get("styles") if (folder / FACTS_FILE).is_file() else None
    known = [str(style) for style in styles or [""]]
    if not name or name not in known:
        others = ", ".join(known[1:])
        remedy = f"choose {others}, or leave the option out" if others else "leave the option out"
        raise ConfigurationError(f"the model {folder} was not trained with the guidelines {name!r}; {remedy}")
    return known.index(name)


def following(model: Model, number: int) -> Model:
    """The same model, which tags by the guidelines of this number."""
    return replace(model, cutter=replace(model.cutter, style=number))
