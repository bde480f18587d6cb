"""`nlmchem ensemble`: one command for each task, and one for the agreement of runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corpora.commands.options import option
from corpora.formats.registry import aliases_of, collection_names
from nlmchem.cli.old_expand_options import expand_options
from nlmchem.cli.old_groups import group
from nlmchem.cli.shared import JsonOption, OutFolderOption, require_folder
from nlmchem.commands.progress import warn
from nlmchem.run.workers import AUTO, default_workers, parse_workers

if TYPE_CHECKING:
    from ensemble.combine import Rule
    from ensemble.runs import Poll

app = group("Combine several runs into one by voting, or measure their agreement.", default="spans")

SPANS_EXAMPLE = "Example: nlmchem ensemble spans runs/*/ -o ensemble/ --threshold 0.35"
IDENTIFIERS_EXAMPLE = "Example: nlmchem ensemble identifiers runs/*/ -o ensemble/ --gold dev.xml --threshold best"
INDEXING_EXAMPLE = "Example: nlmchem ensemble indexing runs/*/ -o test/ --threshold dev/"
AGREEMENT_EXAMPLE = "Example: nlmchem ensemble agreement runs/*/"

RunsArgument = Annotated[
    list[str],
    typer.Argument(metavar="RUN...", help="Runs over the same documents. Each one is a file, folder or archive."),
]
OverlapsOption = Annotated[
    str,
    typer.Option(metavar="merge|best", help="Overlapping spans: merge them into one span, or keep the best of them."),
]
PerMentionOption = Annotated[
    bool, typer.Option("--per-mention", help="Vote on the identifiers of each mention, not of each mention text.")
]


@dataclass(frozen=True, slots=True)
class Reading:
    """How runs are read."""

    missing: str = option(
        "error",
        "Documents that a run does not contain: error stops, abstain lets the other runs vote.",
        choices=("error", "abstain"),
    )
    workers: int | None = option(
        None,
        "Runs that are read at the same time; auto: one for each processor.",
        metavar="N|auto",
        parse=parse_workers,
        default_text=AUTO,
    )


@dataclass(frozen=True, slots=True)
class Weighting:
    """How runs count."""

    weights: tuple[str, ...] = option(
        (), "Weights of the runs in their order, joined by commas, for example 2,1,1.", metavar="W,W,...",
        default_text="equal",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Choice:
    """Which votes win."""

    threshold: str = option(
        "0.5",
        "Lowest share of the runs, 0 to 1; best (with --gold); or the curve.json of an ensemble, or its folder.",
        metavar="SHARE|best|FILE",
    )
    gold: str | None = option(
        None, "Gold standard. OUT/report then contains curves and the best threshold.", metavar="PATH"
    )
    samples: int = option(10_000, "Number of bootstrap samples for the confidence intervals.", minimum=1)


@dataclass(frozen=True, slots=True)
class Writing:
    """How the result is written."""

    format: str = option(
        "biocxml",
        "Output format.",
        choices=(*collection_names(), *aliases_of(collection_names())),
    )
    restart: bool = option(False, "Replace the results of an earlier command in OUT.")


@app.command("spans", epilog=SPANS_EXAMPLE)
@expand_options
def spans(
    runs: RunsArgument,
    out: OutFolderOption,
    choice: Choice,
    weighting: Weighting,
    reading: Reading,
    writing: Writing,
    overlaps: OverlapsOption = "merge",
    as_json: JsonOption = False,
) -> None:
    """Combine mentions by voting. The score of a span is the share of the runs that contain it."""
    _ensemble("spans", runs, out, _Vote(choice, weighting, reading, overlaps), writing, as_json)


@app.command("identifiers", epilog=IDENTIFIERS_EXAMPLE)
@expand_options
def identifiers(
    runs: RunsArgument,
    out: OutFolderOption,
    choice: Choice,
    weighting: Weighting,
    reading: Reading,
    writing: Writing,
    overlaps: OverlapsOption = "merge",
    per_mention: PerMentionOption = False,
    as_json: JsonOption = False,
) -> None:
    """Combine mentions and their identifiers by voting.

    Each mention text of a document gets the set of identifiers that most of its mentions have.
    """
    vote = _Vote(choice, weighting, reading, overlaps, per_mention)
    _ensemble("identifiers", runs, out, vote, writing, as_json)


@app.command("indexing", epilog=INDEXING_EXAMPLE)
@expand_options
def indexing(
    runs: RunsArgument,
    out: OutFolderOption,
    choice: Choice,
    weighting: Weighting,
    reading: Reading,
    writing: Writing,
    as_json: JsonOption = False,
) -> None:
    """Combine index terms by voting. The score of a term is the share of the runs that give it to the document."""
    _ensemble("indexing", runs, out, _Vote(choice, weighting, reading), writing, as_json)


@app.command("agreement", epilog=AGREEMENT_EXAMPLE)
@expand_options
def agreement(
    runs: RunsArgument,
    reading: Reading,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder for tables and charts. [default: none]"),
    ] = None,
    task: Annotated[
        str, typer.Option(metavar="spans|identifiers|indexing", help="The annotations that are compared.")
    ] = "spans",
    restart: Annotated[
        bool, typer.Option("--restart", help="Replace the results of an earlier command in OUT.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Print how much runs agree, and list the articles on which they agree least. A curator can start with these."""
    from ensemble.output import whole_folder, write_manifest
    from nlmchem.evaluation.ensembles import measure_agreement
    from nlmchem.report.ensemble.results import agreement_as_json, agreement_as_text, write_agreement

    made_by = "nlmchem ensemble agreement"
    with ExitStack() as stack:
        folder = None if out is None else stack.enter_context(whole_folder(require_folder(out), made_by, restart))
        poll = stack.enter_context(opened(runs, reading, folder))
        found = measure_agreement(poll, task)
        if folder is not None:
            write_agreement(found, folder / "report", warn)
            write_manifest(folder, poll, made_by, {"task": task, **provenance()})
    print(json.dumps(agreement_as_json(found)) if as_json else agreement_as_text(found, out))


@dataclass(frozen=True, slots=True)
class _Vote:
    """All options of a vote."""

    choice: Choice
    weighting: Weighting
    reading: Reading
    overlaps: str = "merge"
    per_mention: bool = False

    def rule(self, task: str, threshold: float) -> Rule:
        from ensemble.combine import Rule

        return Rule((task,), threshold, self.overlaps, self.per_mention)


def _ensemble(task: str, runs: list[str], out: Path, vote: _Vote, writing: Writing, as_json: bool) -> None:
    from ensemble.output import ENSEMBLE, whole_folder, write_ensemble
    from nlmchem.evaluation.ensembles import measure
    from nlmchem.report.ensemble.results import choose_threshold, summarize, write_curve

    gold, samples = vote.choice.gold, vote.choice.samples
    # A wrong threshold is reported before the runs are read. The best one is known only after they are scored.
    value = choose_threshold(vote.choice.threshold, task, gold is not None)
    rule = vote.rule(task, value or 0.0)
    with (
        whole_folder(out, ENSEMBLE, writing.restart) as folder,
        opened(runs, vote.reading, folder, vote.weighting.weights, gold) as poll,
    ):
        curve = None if gold is None else measure(poll, rule)
        best = None if curve is None else curve.choose(samples)
        if value is None:
            rule = vote.rule(task, best.threshold if best else 1.0)
        extra: dict[str, Any] = {"threshold_from": vote.choice.threshold, "gold": gold, **provenance()}
        written = write_ensemble(poll, rule, folder, writing.format, extra)
        gain = None if curve is None else curve.gain(samples)
        if curve is not None:
            write_curve(curve, best, gain, folder / "report", warn)
    summary = summarize(written, rule, curve, best, gain, out)
    print(json.dumps(summary.fields) if as_json else summary.text)


@contextmanager
def opened(
    runs: list[str], reading: Reading, folder: Path | None, weights: tuple[str, ...] = (), gold: str | None = None
) -> Iterator[Poll]:
    """The runs, open for reading. Temporary files are in the output folder (None: in that of the system)."""
    from ensemble.runs import open_poll

    with open_poll(
        runs, gold=gold, weights=list(weights), missing=reading.missing,
        workers=reading.workers or default_workers(), scratch=folder, report=warn,
    ) as poll:  # fmt: skip
        yield poll


def provenance() -> dict[str, Any]:
    """Time and versions, for a manifest. No other output file contains clock times."""
    from datetime import UTC, datetime

    from nlmchem.run.environment import environment

    return {"made": datetime.now(UTC).isoformat(timespec="seconds"), "environment": environment()}
