"""`nlmchem submit`."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from corpora.commands.options import option
from corpora.errors import OptionError
from corpora.reporting import ignore
from nlmchem.cli.old_expand_options import expand_options
from nlmchem.cli.shared import JsonOption
from nlmchem.commands.progress import warn
from nlmchem.engine.options import AUTO, RunOptions, parse_workers
from nlmchem.run.plan import Configuration
from nlmchem.steps.shared import EXISTING

EXAMPLE = "Example: nlmchem submit test.xml --task identification --team 999 --run 1 -o submission/"


@dataclass(frozen=True, slots=True)
class Annotating:
    """How the articles are annotated, as `nlmchem annotate` does. None: not given."""

    tagger: str | None = option(
        None, "Tagger or taggers.", flags=("--tagger", "--taggers"), metavar="NAME,...", default_text="default"
    )
    lexicon: str | None = option(None, "Lexicon file (.sqlite or .tsv), or starter.", default_text="MeSH, as it comes")
    as_of: int | None = option(None, "Use the MeSH identifiers of this year.", metavar="YEAR")
    existing: str | None = option(None, "Mentions that the articles already contain.", choices=EXISTING)
    workers: int | None = option(
        None,
        "Worker processes; auto: one a processor.",
        metavar="N|auto",
        parse=parse_workers,
        default_text=AUTO,
    )


def _refuse_annotated(articles: str, existing: str | None) -> None:
    """Raise `OptionError` where an article is annotated already, and nothing states what to do with that."""
    from corpora.model.document import mentions
    from corpora.reading import read
    from corpora.storage.inputs import is_pipe

    if existing is not None or is_pipe(articles):
        return
    first = next((document for document in read(articles, report=ignore) if any(mentions(document))), None)
    if first is not None:
        raise OptionError(
            "reference",
            f"must be given: article {first.id!r} in {articles} is annotated already. Name the articles as the "
            "organisers published them",
        )


@expand_options
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
    annotating: Annotating,
    reference: Annotated[
        str | None,
        typer.Option(
            help="The articles as the organisers published them; ARTICLES are annotated already. "
            "[default: annotate ARTICLES]"
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Annotate the articles of the NLM-Chem challenge, write a submission file, and check that the scorer accepts it.

    With --reference the articles are annotated already, and only the file is made.
    """
    from corpora.submission.files import write_submission

    if reference is not None:
        ignored = next((name for name, value in asdict(annotating).items() if value is not None), None)
        if ignored is not None:
            raise OptionError(ignored, "has no effect with --reference, because ARTICLES are annotated already")
        submission = write_submission(articles, reference, task, team, run, out, warn)
    else:
        from nlmchem.engine.submitting import submit_articles

        _refuse_annotated(articles, annotating.existing)
        given = {name: value for name, value in asdict(annotating).items() if value is not None and name != "workers"}
        options = RunOptions(workers=annotating.workers)
        submission = submit_articles(articles, Configuration.of(**given).parse(), options, task, team, run, out, warn)
    values = submission.as_dict()
    if as_json:
        print(json.dumps(values))
        return
    print("\n".join(f"{name.replace('_', ' ')}: {value}" for name, value in values.items()))
    print("checked: the scorer accepts the file")
