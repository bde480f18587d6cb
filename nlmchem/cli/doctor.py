"""`nlmchem doctor`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

EXAMPLE = "Example: nlmchem doctor --out annotated/"


def doctor(
    out: Annotated[Path, typer.Option("--out", "-o", help="A folder that a run would write to.")] = Path(),
    lexicon: Annotated[str | None, typer.Option(help="A lexicon to look at besides the starter lexicon.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """What is installed, what is found, whether it works: a self-test on one example."""
    from nlmchem.selfcheck import examine

    findings = examine(out, lexicon)
    if as_json:
        print(json.dumps([{"check": f.check, "ok": f.ok, "finding": f.text} for f in findings], indent=1))
    else:
        for finding in findings:
            print(f"{'ok  ' if finding.ok else 'FAIL'}  {finding.check}: {finding.text}")
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)
