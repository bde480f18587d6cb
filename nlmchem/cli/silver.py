"""`nlmchem silver`."""

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
from nlmchem.cli.expand_options import expand_options
from nlmchem.cli.shared import JsonOption, OutFolderOption

EXAMPLE = "Example: nlmchem silver runs/*/ --threshold 0.35 -o silver/"


@expand_options
def silver(
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
    from ensemble.folder import whole_folder
    from ensemble.silver import SILVER, write_silver
    from nlmchem.report.ensemble_summary import summarize

    rule = Rule(TASKS, threshold, overlaps, per_mention)
    with (
        whole_folder(out, SILVER, writing.restart) as folder,
        opened(runs, reading, folder, weighting.weights) as poll,
    ):
        written = write_silver(poll, rule, folder, shard_size=shard_size, format=writing.format, extra=provenance())
    summary = summarize(written, rule, None, None, None, Path(out))
    print(json.dumps(summary.fields) if as_json else summary.text)
