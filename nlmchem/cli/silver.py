"""`nlmchem silver` and `nlmchem silver build`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from nlmchem.cli.ensemble import (
    OverlapsOption,
    PerMentionOption,
    Reading,
    RunsArgument,
    Weighting,
    Writing,
    opened,
    provenance,
)
from nlmchem.cli.exit_codes import INCOMPLETE
from nlmchem.cli.old_expand_options import expand_options
from nlmchem.cli.old_groups import group
from nlmchem.cli.shared import InputsArgument, JsonOption, LexiconOption, OutFolderOption
from nlmchem.commands.progress import warn
from nlmchem.engine.options import RunOptions, parse_workers
from nlmchem.run.plan import Configuration

EXAMPLE = "Example: nlmchem silver runs/*/ --threshold 0.35 -o silver/"
BUILD_EXAMPLE = "Example: nlmchem silver build articles/ --taggers default,lexicon -o silver/"

app = group("Make a silver-standard corpus for training, from runs or from articles.", default="vote", epilog=EXAMPLE)


@app.command("vote", epilog=EXAMPLE)
@expand_options
def vote(
    runs: RunsArgument,
    out: OutFolderOption,
    weighting: Weighting,
    reading: Reading,
    writing: Writing,
    threshold: Annotated[
        float, typer.Option(help="Lowest share of the runs that must contain an annotation, 0 to 1.")
    ] = 0.35,
    shard_size: Annotated[int, typer.Option(help="Number of documents in each file of the corpus.", min=1)] = 500,
    overlaps: OverlapsOption = "merge",
    per_mention: PerMentionOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make a silver-standard corpus for training: the annotations that enough runs agree on.

    The output folder also contains a manifest and a data card.
    """
    from ensemble.combine import TASKS, Rule
    from ensemble.output import whole_folder
    from ensemble.silver import SILVER, write_silver
    from nlmchem.report.evaluation.ensemble import summarize

    rule = Rule(TASKS, threshold, overlaps, per_mention)
    with (
        whole_folder(out, SILVER, writing.restart) as folder,
        opened(runs, reading, folder, weighting.weights) as poll,
    ):
        written = write_silver(poll, rule, folder, shard_size=shard_size, format=writing.format, extra=provenance())
    summary = summarize(written, rule, None, None, None, Path(out))
    print(json.dumps(summary.fields) if as_json else summary.text)


@app.command("build", epilog=BUILD_EXAMPLE)
def build(
    articles: InputsArgument,
    out: OutFolderOption,
    taggers: Annotated[
        str,
        typer.Option(
            "--taggers",
            "--tagger",
            metavar="NAME,...",
            help="Two taggers or more: default, lexicon, folders of models.",
        ),
    ],
    threshold: Annotated[
        float, typer.Option(help="Lowest share of the taggers that must find a mention, 0 to 1.")
    ] = 0.6,
    lexicon: LexiconOption = None,
    existing: Annotated[
        str | None, typer.Option(metavar="keep|replace|error", help="Mentions that the articles already contain.")
    ] = None,
    workers: Annotated[str, typer.Option(metavar="N|auto", help="Worker processes; auto: one for each processor.")] = (
        "auto"
    ),
    restart: Annotated[bool, typer.Option("--restart", help="Delete the runs of an earlier command.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Annotate articles with several taggers, vote, and write a silver corpus for training.

    OUT contains runs/ and corpus/. If the command is stopped, run it again: the runs continue where they stopped.
    """
    from ensemble.combine import TASKS, Rule
    from nlmchem.engine.silver import build_silver
    from nlmchem.report.evaluation.ensemble import summarize

    rule = Rule(TASKS, threshold, "merge", False)
    configuration = Configuration.of(tagger=taggers, lexicon=lexicon, existing=existing)
    options = RunOptions(workers=parse_workers(workers), restart=restart)
    made = build_silver(articles, out, configuration, options, rule, provenance(), warn)
    if made.written is None:
        warn(
            f"{made.failed} articles failed, so there is no vote: all runs must contain the same articles; "
            f"the folders quarantine/ in {out / 'runs'} have the reasons; correct the articles or leave them out"
        )
        raise typer.Exit(INCOMPLETE)
    summary = summarize(made.written, rule, None, None, None, made.folder)
    command = f"nlmchem train tagger --base default --corpus GOLD --silver {made.folder} -o MODEL"
    if as_json:
        print(json.dumps({**summary.fields, "train": command}))
    else:
        print(f"{summary.text}\nto train on it: {command}")
