"""`nlmchem evaluate abbreviations`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from nlmchem.evaluation.abbreviations import Pairs

EXAMPLE = "Example: nlmchem evaluate abbreviations gold.xml annotated/"


def abbreviations(
    gold: Annotated[
        str,
        typer.Argument(
            metavar="GOLD", help="BioC with short and long forms, JSON lines of pairs, or tagged sentences (SciAI)."
        ),
    ],
    predicted: Annotated[
        str, typer.Argument(metavar="PRED", help="The same of a run, or what `nlmchem abbreviations --json` prints.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    as_tsv: Annotated[bool, typer.Option("--tsv", help="Print a TSV table, one line a document.")] = False,
) -> None:
    """Score definitions (exact pairs), listing what was missed and what is false; or acronyms in tagged sentences."""
    from corpora.errors import ConfigurationError
    from nlmchem.evaluation import abbreviations as scoring

    if as_json and as_tsv:
        raise ConfigurationError("--json and --tsv exclude each other; give one of them")
    if scoring.is_tagged(gold):
        score = scoring.score_identification(scoring.read_tagged(gold, _warn), scoring.read_tagged(predicted, _warn))
        lines = [scoring.identification_as_json(score)] if as_json else scoring.identification_as_text(score)
    else:
        standard, run = scoring.read_pairs(gold, _warn), scoring.read_pairs(predicted, _warn)
        _check(standard, run)
        documents = scoring.compare_pairs(standard, run)
        if as_json:
            lines = [scoring.pairs_as_json(documents)]
        else:
            lines = scoring.pairs_as_tsv(documents) if as_tsv else scoring.pairs_as_text(documents)
    for line in lines:
        print(line)


def _check(gold: Pairs, predicted: Pairs) -> None:
    """Documents are joined by id: those of the run alone are told, and a run of other documents is refused."""
    from corpora.errors import ConfigurationError

    unknown = [name for name in predicted if name not in gold]
    if predicted and len(unknown) == len(predicted):
        raise ConfigurationError(
            "gold standard and prediction have no document in common (ids are compared); give a run on these documents"
        )
    if unknown:
        _warn(
            f"{len(unknown)} documents of the prediction are not in the gold standard and do not count: {unknown[0]}..."
        )


def _warn(sentence: str) -> None:
    print(f"nlmchem: {sentence}", file=sys.stderr)
