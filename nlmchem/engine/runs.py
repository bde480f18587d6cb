"""A run for each of several taggers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from corpora.errors import Argument, ConfigurationError, OptionError
from corpora.run_names import run_names
from nlmchem.engine.account import ArticleCounts
from nlmchem.engine.options import RunOptions
from nlmchem.engine.runner import annotate_folder, check_outputs
from nlmchem.run.plan import Configuration, Plan
from nlmchem.steps.shared import CPU, without_use
from nlmchem.steps.tag import TagOptions, without_models
from nlmchem.tagging.models.folders import LEXICON

MODEL = "model"
"""The last folder of a trained model's path. The folder above it identifies the model."""


def plan_runs(configuration: Configuration) -> dict[str, Plan]:
    """A plan for each tagger of a configuration, by the name of its folder. Raises as `Configuration.parse` does."""
    plan = configuration.parse()
    tag = plan.options(TagOptions)
    if tag is None:
        what = "makes one run for each tagger, but the steps do not contain tag; add tag to "
        raise OptionError("runs", what, Argument("steps"))
    names = tag.tagger.split(",")
    others = [chosen for chosen in plan.chosen if chosen.options is not tag]
    device = CPU if without_use(tag.device, others) else tag.device
    plans = {
        name: _of_one(configuration, tagger, device).parse()
        for name, tagger in zip(folder_names(names), names, strict=True)
    }
    for run in plans.values():
        run.resources()
    return plans


def _of_one(configuration: Configuration, tagger: str, device: str) -> Configuration:
    """The configuration for one of several taggers: the lexicon tagger gets no options of models.

    `device`: that of the steps without the tagger.
    """
    if tagger != LEXICON:
        return configuration.but(tagger=tagger)
    return configuration.but(tagger=tagger, device=device, **without_models())


def annotate_runs(
    inputs: Sequence[str], out: Path, plans: Mapping[str, Plan], options: RunOptions | None = None
) -> dict[str, ArticleCounts]:
    """Annotate the same inputs by each plan, one after another, into OUT/NAME.

    Returns the counts by name. Raises the errors of `annotate_folder`; those of all runs before the first one begins.
    """
    options = options or RunOptions()
    for name, plan in plans.items():
        check_outputs(inputs, out / name, plan, options)
    return {name: annotate_folder(inputs, out / name, plan, options, exclude=out) for name, plan in plans.items()}


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
