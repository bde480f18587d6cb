"""The options of `nlmchem bench`."""

from __future__ import annotations

from dataclasses import dataclass

from corpora.commands.options import option
from nlmchem.run.options import WorkerOptions
from nlmchem.tagging.options import tagger_option
from sieves.lexicon.options import LexiconOptions


@dataclass(frozen=True)
class BenchOptions(LexiconOptions, WorkerOptions):
    """What is measured, and for how long."""

    tagger: str = tagger_option()
    seconds: float = option(100.0, "Time of the measurement, without starting.", minimum=1)
