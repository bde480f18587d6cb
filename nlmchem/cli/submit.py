"""`nlmchem submit`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from corpora.errors import OptionError
from corpora.reporting import warn
from nlmchem.batch.options import RunOptions, parse_workers
from nlmchem.cli.shared import AsOfOption, JsonOption, LexiconOption
from nlmchem.configuration import Configuration

EXAMPLE = "Example: nlmchem submit test.xml --task identification --team 999 --run 1 -o submission/"


def submit(
    articles: Annotated[
        str,
        typer.Argument(
            metavar="ARTICLES",
            help="The articles of the challenge; with --reference, these articles as you have annotated them. "
            "A file, folder, glob pattern or archive.",
        ),
    ],
    task: Annotated[str, typer.Option(metavar="identification|indexing", help="The task of the challenge.")],
    team: Annotated[str, typer.Option(help="The number of the team.")],
    run: Annotated[int, typer.Option(help="The number of the run, from 1.", min=1)],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", help="Output file (.xml or .json), or a folder: the file then gets the track's name."
        ),
    ],
    reference: Annotated[
        str | None,
        typer.Option(
            help="The articles as the organisers published them; ARTICLES are annotated already. "
            "[default: annotate ARTICLES]"
        ),
    ] = None,
    tagger: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="Tagger or taggers, as in annotate. [default: default]")
    ] = None,
    lexicon: LexiconOption = None,
    as_of: AsOfOption = None,
    existing: Annotated[
        str | None, typer.Option(metavar="keep|replace|error", help="Mentions that the articles already contain.")
    ] = None,
    workers: Annotated[
        str | None, typer.Option(metavar="N|auto", help="Worker processes; auto: one for each processor.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Annotate the articles of the NLM-Chem challenge, write a submission file, and check that the scorer accepts it.

    With --reference the articles are annotated already, and only the file is made.
    """
    from corpora.submission.files import write_submission

    given = {"tagger": tagger, "lexicon": lexicon, "as_of": as_of, "existing": existing, "workers": workers}
    if reference is not None:
        if ignored := next((name for name, value in given.items() if value is not None), None):
            raise OptionError(ignored, "has no effect with --reference, because ARTICLES are annotated already")
        submission = write_submission(articles, reference, task, team, run, out, warn)
    else:
        from nlmchem.submitting import submit_articles

        options = RunOptions(workers=parse_workers(workers or "auto"))
        configuration = Configuration.of(tagger=tagger or "default", lexicon=lexicon, as_of=as_of, existing=existing)
        submission = submit_articles(articles, configuration, options, task, team, run, out, warn)
    values = submission.as_dict()
    if as_json:
        print(json.dumps(values))
        return
    print("\n".join(f"{name.replace('_', ' ')}: {value}" for name, value in values.items()))
    print("checked: the scorer accepts the file")
