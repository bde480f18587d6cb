"""`nlmchem bench`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated

import typer

from nlmchem.batch.options import AUTO, default_workers, parse_workers
from nlmchem.cli.expand_options import expand_options
from nlmchem.cli.shared import JsonOption
from nlmchem.options import option

EXAMPLE = "Example: nlmchem bench articles/ --lexicon mesh.sqlite"


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """What is measured, and for how long."""

    lexicon: str | None = option(
        None, "Lexicon file (.sqlite or .tsv), or starter.", default_text="MeSH, as it comes with nlmchem"
    )
    tagger: str = option("default", "Tagger: default (the embedded model), lexicon, or the folder of a model.")
    workers: int | None = option(
        None,
        "Worker processes; auto: one for each processor.",
        metavar="N|auto",
        parse=parse_workers,
        default_text=AUTO,
    )
    seconds: float = option(100, "Duration of the measurement, without the start of the workers.", minimum=1)


@expand_options
def bench(
    options: BenchOptions,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[INPUT...]", help="Articles to measure with. [default: generated articles]"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure the speed and memory of this installation, and estimate the time of a large run.

    Other programs that run at the same time make the figures worse.
    """
    from nlmchem.bench.run import measure

    workers = options.workers or default_workers()
    figures = measure(inputs or [], options.lexicon, options.tagger, workers, options.seconds)
    if as_json:
        print(json.dumps(figures.as_json(), indent=1))
    else:
        print("\n".join(figures.lines()))
