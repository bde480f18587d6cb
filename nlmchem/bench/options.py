"""The options of `nlmchem bench`."""

from __future__ import annotations

from dataclasses import dataclass

from corpora.commands.options import option
from nlmchem.engine.options import AUTO, parse_workers


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """What is measured, and for how long. `workers` None: one for each processor."""

    tagger: str = option(
        "default",
        "Tagger: default (the embedded model), lexicon, or the folder of a model.",
        metavar="NAME,...",
        flags=("--tagger", "--taggers"),
    )
    lexicon: str | None = option(None, "Lexicon file (.sqlite or .tsv).", default_text="MeSH, as it comes with nlmchem")
    workers: int | None = option(
        None,
        "Worker processes; auto: one for each processor.",
        metavar="N|auto",
        parse=parse_workers,
        default_text=AUTO,
    )
    seconds: float = option(100.0, "Time of the measurement, without starting.", minimum=1)
