"""`nlmchem evaluate pairs`."""

from __future__ import annotations

from itertools import combinations
from typing import Annotated

import typer

from nlmchem.cli.shared import JsonLinesOption
from nlmchem.commands.progress import warn

EXAMPLE = "Example: nlmchem evaluate pairs pairs.jsonl answers.jsonl"


def pairs(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="File of pairs with answers.")],
    predicted: Annotated[
        list[str],
        typer.Argument(metavar="PRED...", help="Runs: outputs of `nlmchem pairs --json`, or pairs with label."),
    ],
    samples: Annotated[int, typer.Option(help="Number of bootstrap samples; 0: no bootstrap.", min=0)] = 10_000,
    seed: Annotated[int, typer.Option(help="Random seed of the bootstrap.", min=0)] = 7,
    as_json: JsonLinesOption = False,
) -> None:
    """Score answers to word-in-context pairs: accuracy by group, and a paired test of each two runs."""
    from corpora.run_names import run_names
    from nlmchem.companions.pairs import evaluation as scoring
    from nlmchem.companions.pairs.files import read_pairs

    standard = read_pairs(gold)
    runs = [scoring.read_answers(source, name) for source, name in zip(predicted, run_names(predicted), strict=True)]
    scores = {run.name: scoring.score(standard, run, samples, seed, warn) for run in runs}
    comparisons = [scoring.compare(standard, one, other, samples, seed) for one, other in combinations(runs, 2)]
    for line in (scoring.as_json if as_json else scoring.as_text)(scores, comparisons):
        print(line)
