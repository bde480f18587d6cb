"""`nlmchem bench` and `nlmchem doctor`: the speed and the state of an installation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from corpora.commands.options import with_flags
from nlmchem.bench.options import BenchOptions
from nlmchem.cli.exit_codes import FAILED
from nlmchem.cli.old_expand_options import expand_options
from nlmchem.cli.shared import JsonOption

BENCH_EXAMPLE = "Example: nlmchem bench articles/ --lexicon mesh.sqlite"
DOCTOR_EXAMPLE = "Example: nlmchem doctor --out annotated/"


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


def doctor(
    out: Annotated[Path, typer.Option("--out", "-o", help="Check that a run can write to this folder.")] = Path(),
    lexicon: Annotated[str | None, typer.Option(help="Check this lexicon, besides the default lexicon.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Check the installation: versions, models, lexicons, the output folder, and one annotated example.

    The exit code is 1 if a check fails.
    """
    from nlmchem.bench.selfcheck import examine

    findings = examine(out, lexicon)
    if as_json:
        print(json.dumps([{"check": f.check, "ok": f.ok, "finding": with_flags(f.text)} for f in findings], indent=1))
    else:
        for finding in findings:
            print(f"{'ok  ' if finding.ok else 'FAIL'}  {finding.check}: {with_flags(finding.text)}")
    if not all(finding.ok for finding in findings):
        raise typer.Exit(FAILED)
