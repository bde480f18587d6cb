"""`nlmchem bench`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from nlmchem.bench.options import BenchOptions
from nlmchem.cli.expand_options import expand_options
from nlmchem.cli.shared import JsonOption

EXAMPLE = "Example: nlmchem bench articles/ --lexicon mesh.sqlite"


@expand_options
def bench(
    options: BenchOptions,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[INPUT...]", help="Articles to measure with. [default: generated articles]"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure the speed and the memory of this installation, and estimate the time of a large run.

    Other programs that run at the same time make the figures worse.
    """
    from nlmchem.bench.run import measure

    figures = measure(inputs or [], options)
    if as_json:
        print(json.dumps(figures.as_json(), indent=1))
    else:
        print("\n".join(figures.lines()))
