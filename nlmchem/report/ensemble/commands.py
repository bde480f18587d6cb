"""`nlmchem ensemble spans|identifiers|indexing`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from corpora.commands.call import Call
from corpora.commands.command import Command
from corpora.commands.options import group, option
from corpora.commands.progress import Progress
from corpora.commands.result import Result, record
from corpora.commands.shared import out_folder
from nlmchem.report.ensemble.options import (
    Runs,
    collection_format,
    overlaps_option,
    per_mention_option,
    provenance,
    restart_option,
    weights_option,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Winning:
    """Which votes win."""

    threshold: str = option(
        "0.5",
        "Lowest share of the runs, 0 to 1; best (with `gold`); or the curve.json of an ensemble, or its folder.",
        metavar="SHARE|best|FILE",
    )
    gold: str | None = option(
        None, "Gold standard. OUT/report then contains curves and the best threshold.", metavar="PATH"
    )
    samples: int = option(10_000, "Number of bootstrap samples for the confidence intervals.", minimum=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexingVoteOptions:
    """The options of `nlmchem ensemble indexing`."""

    runs: Runs = group(Runs)
    out: Path = out_folder()
    winning: Winning = group(Winning)
    weights: tuple[str, ...] = weights_option()
    format: str = collection_format()
    restart: bool = restart_option()


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanVoteOptions(IndexingVoteOptions):
    """The options of `nlmchem ensemble spans`."""

    overlaps: str = overlaps_option()


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifierVoteOptions(SpanVoteOptions):
    """The options of `nlmchem ensemble identifiers`."""

    per_mention: bool = per_mention_option()


def ensemble_spans(options: SpanVoteOptions, progress: Progress) -> Result:
    """Combine mentions by voting. The score of a span is the share of the runs that contain it."""
    return _voted("spans", options, progress, options.overlaps)


def ensemble_identifiers(options: IdentifierVoteOptions, progress: Progress) -> Result:
    """Combine mentions and their identifiers by voting.

    Each mention text of a document gets the set of identifiers that most of its mentions have.
    """
    return _voted("identifiers", options, progress, options.overlaps, options.per_mention)


def ensemble_indexing(options: IndexingVoteOptions, progress: Progress) -> Result:
    """Combine index terms by voting. The score of a term is the share of the runs that give it to the document."""
    return _voted("indexing", options, progress)


def _voted(
    task: str, options: IndexingVoteOptions, progress: Progress, overlaps: str = "merge", per_mention: bool = False
) -> Result:
    from dataclasses import replace

    from ensemble.combine import Rule
    from ensemble.output import ENSEMBLE, whole_folder, write_ensemble
    from nlmchem.evaluation.ensembles import measure
    from nlmchem.report.ensemble.results import choose_threshold, summarize, write_curve

    winning, out = options.winning, options.out
    # A wrong threshold is reported before the runs are read. The best one is known only after they are scored.
    threshold = choose_threshold(winning.threshold, task, winning.gold is not None)
    rule = Rule((task,), threshold or 0.0, overlaps, per_mention)
    with (
        whole_folder(out, ENSEMBLE, options.restart) as folder,
        options.runs.open(folder, progress, options.weights, winning.gold) as poll,
    ):
        curve = None if winning.gold is None else measure(poll, rule)
        best = None if curve is None else curve.choose(winning.samples)
        if threshold is None:
            rule = replace(rule, threshold=best.threshold if best else 1.0)
        extra = {"threshold_from": winning.threshold, "gold": winning.gold, **provenance()}
        written = write_ensemble(poll, rule, folder, options.format, extra)
        gain = None if curve is None else curve.gain(winning.samples)
        if curve is not None:
            write_curve(curve, best, gain, folder / "report", progress)
    summary = summarize(written, rule, curve, best, gain, out)
    return record(summary.fields, summary.text, files=(out,), value=written)


SPANS = Command(
    "ensemble spans",
    SpanVoteOptions,
    ensemble_spans,
    Call({"runs": ["runs/*/"], "out": "ensemble/", "threshold": "0.35"}),
)
IDENTIFIERS = Command(
    "ensemble identifiers", IdentifierVoteOptions, ensemble_identifiers,
    Call({"runs": ["runs/*/"], "out": "ensemble/", "threshold": "best", "gold": "dev.xml"}),
)  # fmt: skip
INDEXING = Command(
    "ensemble indexing",
    IndexingVoteOptions,
    ensemble_indexing,
    Call({"runs": ["runs/*/"], "out": "test/", "threshold": "dev/"}),
)
