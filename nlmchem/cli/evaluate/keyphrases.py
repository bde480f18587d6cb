"""`nlmchem evaluate keyphrases`."""

from __future__ import annotations

from typing import Annotated

import typer

from nlmchem.cli.shared import JsonOption
from nlmchem.commands.progress import warn

EXAMPLE = "Example: nlmchem evaluate keyphrases articles/ keyphrases.jsonl"


def keyphrases(
    gold: Annotated[
        str,
        typer.Argument(
            metavar="GOLD",
            help="Keys of people: JATS articles with keywords, a JSON file {id: [[variant, ...], ...]}, or a folder of "
            "such files with author, reader or combined in their names.",
        ),
    ],
    predicted: Annotated[
        str,
        typer.Argument(
            metavar="PRED", help="Output of `nlmchem keyphrases --json`, annotated articles, or JSON of keys."
        ),
    ],
    as_json: JsonOption = False,
) -> None:
    """Score keyphrases by stemmed match with the first 5, 10, 15 and with all predictions.

    A key may have several accepted variants; it counts once. F of `macro` is that of mean precision and mean recall.
    """
    from nlmchem.companions.keyphrases import evaluation as scoring

    standard, predictions = scoring.read_standard(gold, warn), scoring.read_predictions(predicted, warn)
    scoring.check(standard, predictions, warn)
    scores = scoring.score(standard, predictions, (*scoring.CUTOFFS, None))
    for line in [scoring.as_json(scores)] if as_json else scoring.as_text(scores):
        print(line)
