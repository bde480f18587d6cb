"""Options of taggers that several commands and steps have."""

from __future__ import annotations

from dataclasses import dataclass

from corpora.commands.options import COMMON, option
from nlmchem.tagging.models.folders import DEFAULT


@dataclass(frozen=True)
class TaggerOption:
    """The tagger."""

    tagger: str = option(
        DEFAULT,
        "Tagger: default (the embedded model), lexicon, or the folder of a model. Several, joined by commas, give one "
        "result together.",
        metavar="NAME,...",
        flags=("--tagger", "--taggers"),
        by_content=True,
        panel=COMMON,
    )


@dataclass(frozen=True)
class TrainingDevice:
    """Where a training computes."""

    device: str = option("cpu", "Where models are trained: cpu, cuda or cuda:N.")
