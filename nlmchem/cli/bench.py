"""`nlmchem bench`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

EXAMPLE = "Example: nlmchem bench articles/ --lexicon mesh.sqlite"


def bench(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[INPUT...]", help="Articles to measure with. [default: generated articles]"),
    ] = None,
    lexicon: Annotated[str | None, typer.Option(help="A lexicon in place of the starter lexicon.")] = None,
    tagger: Annotated[str | None, typer.Option(help="A tagger in place of the embedded model.")] = None,
    workers: Annotated[str, typer.Option(help="Worker processes, or auto: one a processor.")] = "auto",
    seconds: Annotated[float, typer.Option(help="Time to measure for, start-up not included.", min=1)] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Measure the speed and memory of this installation, and estimate the time of a large run.

    Other programs that run at the same time make the figures worse.
    """
    from nlmchem.bench.run import measure
    from nlmchem.cli.annotate import worker_number

    figures = measure(inputs or [], lexicon, tagger, worker_number(workers), seconds)
    if as_json:
        print(json.dumps(figures.as_json(), indent=1))
    else:
        print("\n".join(figures.lines()))
