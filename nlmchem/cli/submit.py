"""`nlmchem submit`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from corpora.reporting import warn
from nlmchem.cli.shared import JsonOption

EXAMPLE = (
    "Example: nlmchem submit annotated/ --reference test.xml --task identification --team 999 --run 1 "
    "-o Track2-Team-999-Subtask1-Run-1.xml"
)


def submit(
    annotated: Annotated[
        str,
        typer.Argument(metavar="ANNOTATED", help="The annotated articles: a file, folder, glob pattern or archive."),
    ],
    reference: Annotated[str, typer.Option(help="The articles as the organisers of the challenge published them.")],
    task: Annotated[str, typer.Option(metavar="identification|indexing", help="The task of the challenge.")],
    team: Annotated[str, typer.Option(help="The number of the team.")],
    run: Annotated[int, typer.Option(help="The number of the run, from 1.", min=1)],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", help="Output file (.xml or .json), or a folder: the file then gets the track's name."
        ),
    ],
    as_json: JsonOption = False,
) -> None:
    """Write a submission file for the NLM-Chem challenge, and check that the scorer accepts it."""
    from corpora.submission.files import write_submission

    submission = write_submission(annotated, reference, task, team, run, out, warn)
    values = submission.as_dict()
    if as_json:
        print(json.dumps(values))
        return
    print("\n".join(f"{name.replace('_', ' ')}: {value}" for name, value in values.items()))
    print("checked: the scorer accepts the file")
