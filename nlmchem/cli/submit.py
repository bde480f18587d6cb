"""`nlmchem submit`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

EXAMPLE = (
    "Example: nlmchem submit annotated/ --reference test.xml --task identification --team 999 --run 1 "
    "-o Track2-Team-999-Subtask1-Run-1.xml"
)


def submit(
    annotated: Annotated[str, typer.Argument(metavar="ANNOTATED", help="The run: a file, folder, glob or archive.")],
    reference: Annotated[str, typer.Option(help="The documents as the challenge gave them out.")],
    task: Annotated[str, typer.Option(help="identification or indexing.")],
    team: Annotated[str, typer.Option(help="The team's number.")],
    run: Annotated[int, typer.Option(help="The run's number, from 1.", min=1)],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="A file (.xml or .json), or a folder: the file gets the track's name.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Make a challenge submission of a run, and check that a scorer would accept it."""
    from corpora.submission.files import write_submission

    submission = write_submission(annotated, reference, task, team, run, out, _warn)
    values = submission.as_dict()
    if as_json:
        print(json.dumps(values))
        return
    print("\n".join(f"{name.replace('_', ' ')}: {value}" for name, value in values.items()))
    print("checked: a scorer would accept it")


def _warn(sentence: str) -> None:
    print(f"nlmchem: {sentence}", file=sys.stderr)
