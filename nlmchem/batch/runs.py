"""`nlmchem annotate --tagger a,b,c --runs`: a separate run for each tagger, as input of `nlmchem ensemble`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from corpora.errors import ConfigurationError
from corpora.run_names import run_names
from nlmchem.batch.account import Counts
from nlmchem.batch.runner import RunOptions, annotate_folder
from nlmchem.configuration import Configuration
from nlmchem.pipeline import resources
from nlmchem.tagging.models.folders import LEXICON

__all__ = ["annotate_runs", "folder_names"]

MODEL = "model"
"""The last folder of a trained model's path. The folder above it identifies the model."""


def annotate_runs(
    inputs: Sequence[str], out: Path, configuration: Configuration, options: RunOptions | None = None
) -> dict[str, Counts]:
    """Annotate the same inputs with each tagger of a configuration, one after another, into OUT/NAME.

    Returns the counts by name. All taggers are checked before the first run begins. Raises the errors of
    `annotate_folder`.
    """
    if "tag" not in configuration.steps:
        raise ConfigurationError(
            "--runs makes one run for each tagger, but the steps do not contain tag; add tag to --steps"
        )
    taggers = configuration.checked().tagger.split(",")
    single = {
        name: _of_one(configuration, tagger)
        for name, tagger in zip(folder_names(taggers), taggers, strict=True)
    }  # fmt: skip
    for own in single.values():
        resources(own.checked())
    return {name: annotate_folder(inputs, out / name, own, options, exclude=out) for name, own in single.items()}


def _of_one(configuration: Configuration, tagger: str) -> Configuration:
    """The configuration for one of several taggers: the lexicon tagger gets no options of models."""
    if tagger.strip() != LEXICON:
        return replace(configuration, tagger=tagger)
    plain = Configuration()
    return replace(
        configuration,
        tagger=tagger,
        rules=plain.rules,
        guidelines=plain.guidelines,
        min_score=plain.min_score,
        arithmetic=plain.arithmetic,
        device=configuration.device if configuration.dense else plain.device,
    )


def folder_names(taggers: Sequence[str]) -> list[str]:
    """The name of the output folder of each tagger, such as `seed-1-fold-0` (see `corpora.run_names`).

    Raises `ConfigurationError` if a tagger is given twice or two would have the same folder.
    """
    names = [name.replace("/", "-") for name in run_names([_model_folder(tagger) for tagger in taggers])]
    if len(set(names)) < len(names):
        raise ConfigurationError("two taggers would write to the same folder; rename the folder of one")
    return names


def _model_folder(tagger: str) -> str:
    path = Path(tagger)
    return str(path.parent) if path.name == MODEL and len(path.parts) > 1 else tagger
