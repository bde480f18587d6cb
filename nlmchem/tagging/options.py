"""Options of taggers that several commands and steps have."""

from __future__ import annotations

from corpora.commands.options import option
from nlmchem.tagging.models.folders import DEFAULT


def tagger_option() -> str:
    """The tagger."""
    return option(
        DEFAULT,
        "Tagger: default (the embedded model), lexicon, or the folder of a model. Several, joined by commas, give one "
        "result together.",
        metavar="NAME,...",
        flags=("--tagger", "--taggers"),
        by_content=True,
    )


def training_device() -> str:
    """Where a training computes."""
    return option("cpu", "Where models are trained: cpu, cuda or cuda:N.")
