"""`nlmchem ensemble vote|spans|identifiers|indexing|agreement`, and the options that silver corpora have too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.commands.command import Call, Command, Progress, Result, record
from corpora.commands.options import FOLDER, argument, group, option
from corpora.commands.shared import out_folder
from corpora.formats.registry import aliases_of, collection_names
from corpora.reporting import Report
from ensemble import MISSING, OVERLAPS, TASKS
from nlmchem.run.options import AUTO, default_workers, parse_workers

if TYPE_CHECKING:
    from ensemble.runs import Poll

_AGREEMENT = "nlmchem ensemble agreement"


# -- options ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    runs: tuple[str, ...] = argument(
        "Runs over the same documents. Each one is a file, folder or archive.", metavar="RUN..."
    )
    missing: str = option(
        "error",
        "Documents that a run does not contain: error stops, abstain lets the other runs vote.",
        choices=MISSING,
    )
    workers: int | None = option(
        None,
        "Runs that are read at the same time; auto: one for each processor.",
        metavar="N|auto",
        parse=parse_workers,
        default_text=AUTO,
    )

    @contextmanager
    def open(
        self, scratch: Path | None, report: Report, weights: tuple[str, ...] = (), gold: str | None = None
    ) -> Iterator[Poll]:
        """The runs, open for reading. Temporary files are in the folder `scratch` (None: in that of the system)."""
        from ensemble.runs import open_poll
        from ensemble.weighting import AUTO as ESTIMATED
        from ensemble.weighting import reweighted

        are_estimated = weights == (ESTIMATED,)
        with open_poll(
            list(self.runs), gold=gold, weights=[] if are_estimated else list(weights), missing=self.missing,
            workers=self.workers or default_workers(), scratch=scratch, report=report,
        ) as poll:  # fmt: skip
            if are_estimated:
                poll, sentences = reweighted(poll)
                for sentence in sentences:
                    report(sentence)
            yield poll


def weights_option() -> tuple[str, ...]:
    """How runs count."""
    return option(
        (),
        "Weights of the runs in their order, joined by commas, for example 2,1,1; or auto: by the share of right "
        "spans, measured with the gold standard, or without one estimated from the agreement of three runs or more.",
        metavar="W,W,...|auto",
        default_text="equal",
    )


def overlaps_option() -> str:
    return option("merge", "Overlapping spans: merge them into one span, or keep the best of them.", choices=OVERLAPS)


def per_mention_option() -> bool:
    """What the identifiers are voted on for."""
    return option(False, "Vote on the identifiers of each mention, not of each mention text.")


def restart_option() -> bool:
    """What happens to earlier results."""
    return option(False, "Replace the results of an earlier command in OUT.")


def collection_format() -> str:
    names = (*collection_names(), *aliases_of(collection_names()))
    return option("biocxml", "Output format.", choices=names, short="f")


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexingVoteOptions:
    runs: Runs = group(Runs)
    out: Path = out_folder()
    threshold: str = option(
        "0.5",
        "Lowest share of the runs, 0 to 1; best (with `gold`); or the curve.json of an ensemble, or its folder.",
        metavar="SHARE|best|FILE",
    )
    gold: str | None = option(
        None, "Gold standard. OUT/report then contains curves and the best threshold.", metavar="PATH"
    )
    samples: int = option(10_000, "Number of bootstrap samples for the confidence intervals.", minimum=1)
    weights: tuple[str, ...] = weights_option()
    format: str = collection_format()
    restart: bool = restart_option()


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanVoteOptions(IndexingVoteOptions):
    overlaps: str = overlaps_option()


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifierVoteOptions(SpanVoteOptions):
    """The options of `nlmchem ensemble vote` and `nlmchem ensemble identifiers`."""

    per_mention: bool = per_mention_option()


# -- votes --------------------------------------------------------------------------------------


def _vote_command(
    name: str, tasks: tuple[str, ...], options_type: type[IndexingVoteOptions], help: str, **example: Any
) -> Command[IndexingVoteOptions]:
    """The command `ensemble NAME`. The scores and the best threshold are those of the first task."""

    def run(options: IndexingVoteOptions, progress: Progress) -> Result:
        from ensemble.combine import ENSEMBLE, Rule, whole_folder, write_ensemble
        from nlmchem.evaluation.ensembles import measure
        from nlmchem.voting.results import choose_threshold, summarize, write_curve

        out, gold = options.out, options.gold
        # A wrong threshold is reported before the runs are read. The best one is known only after they are scored.
        threshold = choose_threshold(options.threshold, tasks[0], gold is not None)
        overlaps = options.overlaps if isinstance(options, SpanVoteOptions) else OVERLAPS[0]
        per_mention = isinstance(options, IdentifierVoteOptions) and options.per_mention
        rule = Rule(tasks, threshold or 0.0, overlaps, per_mention)
        with (
            whole_folder(out, ENSEMBLE, options.restart) as folder,
            options.runs.open(folder, progress, options.weights, gold) as poll,
        ):
            curve = None if gold is None else measure(poll, replace(rule, tasks=tasks[:1]))
            best = None if curve is None else curve.choose(options.samples)
            if threshold is None:
                rule = replace(rule, threshold=best.threshold if best else 1.0)
            extra = {"threshold_from": options.threshold, "gold": gold, **_provenance()}
            written = write_ensemble(poll, rule, folder, options.format, extra)
            if curve is not None:
                write_curve(curve, best, folder / "report", progress)
        text, fields = summarize(written, rule, out, curve, best)
        return record(fields, text, files=(out,), value=written)

    run.__doc__ = help
    return Command(f"ensemble {name}", options_type, run, Call({"runs": ["runs/*/"], **example}))


VOTE = _vote_command(
    "vote",
    TASKS,
    IdentifierVoteOptions,
    """Combine runs by voting: mentions, their identifiers, and index terms.

    The score of a span or index term is the share of the runs that contain it. With `gold`, the spans are scored, and
    the best threshold is that of the spans.
    """,
    out="ensemble/",
    threshold="0.35",
)
SPANS = _vote_command(
    "spans",
    ("spans",),
    SpanVoteOptions,
    "Combine only the spans of mentions. The score of a span is the share of the runs that contain it.",
    out="ensemble/",
    threshold="0.35",
)
IDENTIFIERS = _vote_command(
    "identifiers",
    ("identifiers",),
    IdentifierVoteOptions,
    """Combine only mentions and their identifiers.

    Each mention text of a document gets the set of identifiers that most of its mentions have.
    """,
    out="ensemble/",
    threshold="best",
    gold="dev.xml",
)
INDEXING = _vote_command(
    "indexing",
    ("indexing",),
    IndexingVoteOptions,
    "Combine only index terms. The score of a term is the share of the runs that give it to the document.",
    out="test/",
    threshold="dev/",
)


# -- agreement ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementOptions:
    runs: Runs = group(Runs)
    out: Path | None = option(
        None, "Folder for tables.", short="o", metavar="FOLDER", place=FOLDER, default_text="none"
    )
    task: str = option("spans", "The annotations that are compared.", choices=TASKS)
    restart: bool = restart_option()


def ensemble_agreement(options: AgreementOptions, progress: Progress) -> Result:
    """Print how much runs agree, and list the articles on which they agree least. A curator can start with these."""
    from ensemble.combine import whole_folder, write_manifest
    from nlmchem.evaluation.ensembles import measure_agreement
    from nlmchem.voting.results import agreement_as_json, agreement_as_text, write_agreement

    out = options.out
    with ExitStack() as stack:
        folder = None if out is None else stack.enter_context(whole_folder(out, _AGREEMENT, options.restart))
        poll = stack.enter_context(options.runs.open(folder, progress))
        agreement = measure_agreement(poll, options.task)
        if folder is not None:
            write_agreement(agreement, folder / "report")
            write_manifest(folder, poll, _AGREEMENT, {"task": options.task, **_provenance()})
    files = () if out is None else (out,)
    return record(agreement_as_json(agreement), agreement_as_text(agreement, out), files=files, value=agreement)


AGREEMENT = Command("ensemble agreement", AgreementOptions, ensemble_agreement, Call({"runs": ["runs/*/"]}))


def _provenance() -> dict[str, Any]:
    """Time and versions, for a manifest. No other output file contains clock times."""
    from datetime import UTC, datetime

    from nlmchem.run.plan import environment

    return {"made": datetime.now(UTC).isoformat(timespec="seconds"), "environment": environment()}
