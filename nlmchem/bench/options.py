"""The options of `nlmchem bench`."""

from __future__ import annotations

from dataclasses import dataclass

from corpora.commands.options import COMMON, option
from nlmchem.engine.options import WorkerOptions
from nlmchem.run.lexicon import LexiconOptions
from nlmchem.steps.tag import TaggerOptions


@dataclass(frozen=True)
class BenchOptions(WorkerOptions, LexiconOptions, TaggerOptions):
    """What is measured, and for how long. `workers` None: one for each processor."""

    seconds: float = option(100.0, "Time of the measurement, without starting.", minimum=1, panel=COMMON)
