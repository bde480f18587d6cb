"""`nlmchem evaluate abbreviations`."""

from __future__ import annotations

from typing import Annotated

import typer

from nlmchem.cli.shared import JsonOption, check_one_format
from nlmchem.commands.progress import warn

EXAMPLE = "Example: nlmchem evaluate abbreviations gold.xml annotated/"


def abbreviations(
    gold: Annotated[
        str,
        typer.Argument(
            metavar="GOLD",
            help="Gold standard: BioC with short and long forms, JSON lines of pairs, or tagged sentences (SciAI).",
        ),
    ],
    predicted: Annotated[
        str,
        typer.Argument(
            metavar="PRED", help="Run in one of these forms, or the output of `nlmchem abbreviations --json`."
        ),
    ],
    as_json: JsonOption = False,
    as_tsv: Annotated[bool, typer.Option("--tsv", help="Print a TSV table with one line for each document.")] = False,
) -> None:
    """Score abbreviation definitions by exact pairs, and list missed and false pairs.

    For tagged sentences the acronyms are scored.
    """
    from nlmchem.evaluation import abbreviations as scoring

    check_one_format(as_json, as_tsv)
    if scoring.is_tagged(gold):
        score = scoring.score_identification(scoring.read_tagged(gold, warn), scoring.read_tagged(predicted, warn))
        lines = [scoring.identification_as_json(score)] if as_json else scoring.identification_as_text(score)
    else:
        standard, run = scoring.read_pairs(gold, warn), scoring.read_pairs(predicted, warn)
        scoring.check(standard, run, warn)
        documents = scoring.compare_pairs(standard, run)
        if as_json:
            lines = [scoring.pairs_as_json(documents)]
        else:
            lines = scoring.pairs_as_tsv(documents) if as_tsv else scoring.pairs_as_text(documents)
    for line in lines:
        print(line)
