"""`nlmchem ensemble`: one command a task, and one for where runs differ."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ensemble.runs import Poll

app = typer.Typer(
    help="Make one run of many, by vote; see how much runs differ.", no_args_is_help=True, rich_markup_mode=None
)

SPANS_EXAMPLE = "Example: nlmchem ensemble spans runs/*/ -o ensemble/ --threshold 0.35"
IDENTIFIERS_EXAMPLE = "Example: nlmchem ensemble identifiers runs/*/ -o ensemble/ --gold dev.xml --threshold best"
INDEXING_EXAMPLE = "Example: nlmchem ensemble indexing runs/*/ -o test/ --threshold dev/"
AGREEMENT_EXAMPLE = "Example: nlmchem ensemble agreement runs/*/ -o agreement/"

RunsArgument = Annotated[
    list[str], typer.Argument(metavar="RUN...", help="Runs over the same documents, each a file, folder or archive.")
]
OutOption = Annotated[Path, typer.Option("--out", "-o", help="Output folder.")]
ThresholdOption = Annotated[
    str,
    typer.Option(help="Least share of the runs, 0 to 1; `best` (needs --gold); or a curve.json that holds the best."),
]
GoldOption = Annotated[
    str | None, typer.Option(help="Gold standard: adds curves and the best threshold, under OUT/report.")
]
OverlapsOption = Annotated[
    str, typer.Option(help="Spans that overlap: merge into one, or keep the best of them (merge or best).")
]
WeightsOption = Annotated[str, typer.Option(help="Weights of the runs, in their order, as in 2,1,1. [default: equal]")]
PerMentionOption = Annotated[
    bool, typer.Option("--per-mention", help="Vote on identifiers by mention, not by mention text.")
]
MissingOption = Annotated[
    str, typer.Option(help="Documents that a run lacks: error, or abstain (the others vote without it).")
]
FormatOption = Annotated[str, typer.Option(help="biocxml, biocjson or jsonl.")]
WorkersOption = Annotated[str, typer.Option(help="Runs that are read at the same time, or auto: one a processor.")]
SamplesOption = Annotated[int, typer.Option(help="Bootstrap samples for intervals.", min=1)]
RestartOption = Annotated[bool, typer.Option("--restart", help="Replace what an earlier call left in OUT.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the account as JSON.")]


@app.command("spans", epilog=SPANS_EXAMPLE)
def spans(
    runs: RunsArgument,
    out: OutOption,
    threshold: ThresholdOption = "0.5",
    gold: GoldOption = None,
    overlaps: OverlapsOption = "merge",
    weights: WeightsOption = "",
    missing: MissingOption = "error",
    format: FormatOption = "biocxml",
    samples: SamplesOption = 10_000,
    workers: WorkersOption = "auto",
    restart: RestartOption = False,
    as_json: JsonOption = False,
) -> None:
    """Mentions by vote: each span has as its score the share of the runs that hold it."""
    poll_options = (gold, weights, missing, workers)
    _ensemble("spans", runs, out, threshold, overlaps, False, poll_options, format, samples, restart, as_json)


@app.command("identifiers", epilog=IDENTIFIERS_EXAMPLE)
def identifiers(
    runs: RunsArgument,
    out: OutOption,
    threshold: ThresholdOption = "0.5",
    gold: GoldOption = None,
    overlaps: OverlapsOption = "merge",
    per_mention: PerMentionOption = False,
    weights: WeightsOption = "",
    missing: MissingOption = "error",
    format: FormatOption = "biocxml",
    samples: SamplesOption = 10_000,
    workers: WorkersOption = "auto",
    restart: RestartOption = False,
    as_json: JsonOption = False,
) -> None:
    """Mentions and their identifiers by vote: for each mention text of a document the set that most mentions have."""
    poll_options = (gold, weights, missing, workers)
    _ensemble(
        "identifiers", runs, out, threshold, overlaps, per_mention, poll_options, format, samples, restart, as_json
    )


@app.command("indexing", epilog=INDEXING_EXAMPLE)
def indexing(
    runs: RunsArgument,
    out: OutOption,
    threshold: ThresholdOption = "0.5",
    gold: GoldOption = None,
    weights: WeightsOption = "",
    missing: MissingOption = "error",
    format: FormatOption = "biocxml",
    samples: SamplesOption = 10_000,
    workers: WorkersOption = "auto",
    restart: RestartOption = False,
    as_json: JsonOption = False,
) -> None:
    """Index terms by vote: each has as its score the share of the runs that give it to the document."""
    poll_options = (gold, weights, missing, workers)
    _ensemble("indexing", runs, out, threshold, "merge", False, poll_options, format, samples, restart, as_json)


@app.command("agreement", epilog=AGREEMENT_EXAMPLE)
def agreement(
    runs: RunsArgument,
    out: OutOption,
    task: Annotated[str, typer.Option(help="What is compared: spans, identifiers or indexing.")] = "spans",
    missing: MissingOption = "error",
    workers: WorkersOption = "auto",
    restart: RestartOption = False,
    as_json: JsonOption = False,
) -> None:
    """How much runs agree, and the articles that divide them most: what a curator should look at first."""
    from ensemble.folder import whole_folder, write_manifest
    from nlmchem.evaluation.agreement import measure_agreement
    from nlmchem.report.agreement_files import agreement_as_json, agreement_as_text, write_agreement

    made_by = "nlmchem ensemble agreement"
    with whole_folder(out, made_by, restart) as folder, opened(runs, (None, "", missing, workers), folder) as poll:
        found = measure_agreement(poll, task)
        write_agreement(found, folder / "report", warn)
        write_manifest(folder, poll, made_by, {"task": task, **provenance()})
    print(json.dumps(agreement_as_json(found)) if as_json else agreement_as_text(found, out))


def _ensemble(
    task: str,
    runs: list[str],
    out: Path,
    threshold: str,
    overlaps: str,
    per_mention: bool,
    poll_options: tuple[str | None, str, str, str],
    format: str,
    samples: int,
    restart: bool,
    as_json: bool,
) -> None:
    from ensemble.combine import Rule
    from ensemble.folder import whole_folder
    from ensemble.output import ENSEMBLE, write_ensemble
    from nlmchem.evaluation.ensemble_curves import measure
    from nlmchem.report.curve_files import choose_threshold, write_curve
    from nlmchem.report.ensemble_summary import summarize

    gold = poll_options[0]
    # A wrong threshold is found before the runs are read; with `best` it is known only after.
    value = choose_threshold(threshold, task, gold is not None)
    rule = Rule((task,), value or 0.0, overlaps, per_mention)
    with whole_folder(out, ENSEMBLE, restart) as folder, opened(runs, poll_options, folder) as poll:
        curve = None if gold is None else measure(poll, rule)
        best = None if curve is None else curve.choose(samples)
        if value is None:
            rule = Rule((task,), best.threshold if best else 1.0, overlaps, per_mention)
        extra: dict[str, Any] = {"threshold_from": threshold, "gold": gold, **provenance()}
        written = write_ensemble(poll, rule, folder, format, extra)
        gain = None if curve is None else curve.gain(samples)
        if curve is not None:
            write_curve(curve, best, gain, folder / "report", warn)
    summary = summarize(written, rule, curve, best, gain, out)
    print(json.dumps(summary.fields) if as_json else summary.text)


@contextmanager
def opened(runs: list[str], options: tuple[str | None, str, str, str], folder: Path) -> Iterator[Poll]:
    """The runs, opened with (gold, weights, missing, workers); temporary files lie in the output folder."""
    from ensemble.runs import open_poll

    gold, weights, missing, workers = options
    shares = [weight.strip() for weight in weights.split(",")] if weights else []
    number = how_many(workers)
    with open_poll(
        runs, gold=gold, weights=shares, missing=missing, workers=number, scratch=folder, report=warn
    ) as poll:
        yield poll


def how_many(workers: str) -> int:
    """The number that `--workers` stands for."""
    import os

    from corpora.errors import ConfigurationError

    if workers == "auto":
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not workers.isdecimal() or int(workers) < 1:
        raise ConfigurationError(f"--workers is {workers!r}; write a number from 1, or auto")
    return int(workers)


def provenance() -> dict[str, Any]:
    """When and with what something was made, for a manifest: the one place with a clock time."""
    from datetime import UTC, datetime

    from nlmchem.batch.manifest import environment

    return {"made": datetime.now(UTC).isoformat(timespec="seconds"), "environment": environment()}


def warn(sentence: str) -> None:
    """Say something on stderr."""
    print(f"nlmchem: {sentence}", file=sys.stderr)
