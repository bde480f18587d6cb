"""`nlmchem annotate --tagger a,b,c --runs`: each tagger's result as a run of its own, for `nlmchem ensemble`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from corpora.errors import ConfigurationError
from nlmchem.batch.ledger import Counts
from nlmchem.batch.runner import RunOptions, annotate_folder
from nlmchem.configuration import Configuration
from nlmchem.pipeline import resources
from nlmchem.tagging.models.embedded import DEFAULT, LEXICON

__all__ = ["annotate_runs", "run_names"]

MODEL = "model"
"""Where a training puts a model, under the folder that says which one it is."""


def annotate_runs(
    inputs: Sequence[str], out: Path, configuration: Configuration, options: RunOptions | None = None
) -> dict[str, Counts]:
    """Annotate the same inputs by each tagger of a configuration, one after another, into OUT/NAME; counts by name.

    All taggers are looked at before the first run begins. Raises as `annotate_folder` does.
    """
    if "tag" not in configuration.steps:
        raise ConfigurationError("--runs makes one run a tagger, and the steps have no tag; add it to --steps")
    taggers = (configuration.checked().tagger or "").split(",")
    single = {
        name: replace(configuration, tagger=tagger)
        for name, tagger in zip(run_names(taggers), taggers, strict=True)
    }  # fmt: skip
    for own in single.values():
        resources(own.checked())
    return {name: annotate_folder(inputs, out / name, own, options, exclude=out) for name, own in single.items()}


def run_names(taggers: Sequence[str]) -> list[str]:
    """A folder's name for each tagger: the end of its path that tells it from the others (`seed-1-fold-0`)."""
    parts = [_parts(tagger) for tagger in taggers]
    names = []
    for own in parts:
        others = [other for other in parts if other is not own]
        length = next(
            (n for n in range(1, len(own) + 1) if all(own[-n:] != other[-n:] for other in others)),
            len(own),
        )
        names.append("-".join(own[-length:]))
    if len(set(names)) < len(names):
        raise ConfigurationError("two taggers would have one run's name; rename the folder of one")
    return names


def _parts(tagger: str) -> list[str]:
    if tagger in (LEXICON, DEFAULT):
        return [tagger]
    parts = [part for part in Path(tagger).absolute().parts if part != Path(tagger).absolute().anchor]
    return parts[:-1] if len(parts) > 1 and parts[-1] == MODEL else parts
