"""`nlmchem silver`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from nlmchem.cli.ensemble import (
    JsonOption,
    MissingOption,
    OutOption,
    OverlapsOption,
    PerMentionOption,
    RestartOption,
    RunsArgument,
    WeightsOption,
    WorkersOption,
    opened,
    provenance,
)

EXAMPLE = "Example: nlmchem silver runs/*/ --threshold 0.35 -o silver/"


def silver(
    runs: RunsArgument,
    out: OutOption,
    threshold: Annotated[float, typer.Option(help="Least share of the runs that hold a mention, 0 to 1.")] = 0.35,
    shard_size: Annotated[int, typer.Option(help="Documents in each file of the corpus.", min=1)] = 500,
    overlaps: OverlapsOption = "merge",
    per_mention: PerMentionOption = False,
    weights: WeightsOption = "",
    missing: MissingOption = "error",
    format: Annotated[str, typer.Option(help="biocxml, biocjson or jsonl.")] = "biocxml",
    workers: WorkersOption = "auto",
    restart: RestartOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make a silver-standard corpus: what enough runs agree on, as training data, with a manifest and a data card."""
    from ensemble.combine import TASKS, Rule
    from ensemble.folder import whole_folder
    from ensemble.silver import SILVER, write_silver
    from nlmchem.report.ensemble_summary import summarize

    rule = Rule(TASKS, threshold, overlaps, per_mention)
    poll_options = (None, weights, missing, workers)
    with whole_folder(out, SILVER, restart) as folder, opened(runs, poll_options, folder) as poll:
        written = write_silver(poll, rule, folder, shard_size=shard_size, format=format, extra=provenance())
    summary = summarize(written, rule, None, None, None, Path(out))
    print(json.dumps(summary.fields) if as_json else summary.text)
