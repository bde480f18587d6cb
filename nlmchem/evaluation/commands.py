"""`nlmchem evaluate abbreviations`."""

from __future__ import annotations

from dataclasses import dataclass

from corpora.commands.command import JSON, TSV, Call, Command, Progress, Result
from corpora.commands.options import argument


@dataclass(frozen=True, slots=True, kw_only=True)
class AbbreviationScoringOptions:
    gold: str = argument(
        "Gold standard: BioC with short and long forms, JSON lines of pairs, or tagged sentences (SciAI)."
    )
    predicted: str = argument(
        "Run in one of these forms, or the JSON output of `nlmchem abbreviations`.", metavar="PRED"
    )


def evaluate_abbreviations(options: AbbreviationScoringOptions, progress: Progress) -> Result:
    """Score abbreviation definitions by exact pairs, and list missed and false pairs.

    For tagged sentences the acronyms are scored.
    """
    from nlmchem.evaluation import abbreviations as scoring

    gold, predicted = options.gold, options.predicted
    if scoring.is_tagged(gold):
        score = scoring.score_identification(
            scoring.read_tagged(gold, progress), scoring.read_tagged(predicted, progress)
        )
        return Result(
            objects=(scoring.identification_fields(score),), lines=scoring.identification_as_text(score), value=score
        )
    standard, run = scoring.read_pairs(gold, progress), scoring.read_pairs(predicted, progress)
    scoring.check(standard, run, progress)
    documents = scoring.compare_pairs(standard, run)
    return Result(
        objects=(scoring.pair_fields(documents),),
        table=scoring.pairs_as_table(documents),
        lines=scoring.pairs_as_text(documents),
        value=documents,
    )


EVALUATE_ABBREVIATIONS = Command(
    "evaluate abbreviations", AbbreviationScoringOptions, evaluate_abbreviations,
    Call({"gold": "gold.xml", "predicted": "annotated/"}), (JSON, TSV),
)  # fmt: skip
