"""`nlmchem annotate` and `nlmchem replay`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from corpora.commands.options import COMMON, RUNS
from corpora.errors import Argument, ConfigurationError, OptionError
from nlmchem.cli.config_file import ConfigFileOption
from nlmchem.cli.exit_codes import INCOMPLETE
from nlmchem.cli.expand_options import expand_options
from nlmchem.cli.shared import JsonOption
from nlmchem.commands.progress import warn
from nlmchem.engine.options import RunOptions, parse_workers
from nlmchem.run.plan import Configuration, Plan
from nlmchem.steps.shared import DECISION_RULES
from nlmchem.steps.tag import TagOptions

if TYPE_CHECKING:
    from nlmchem.engine.account import Counts

EXAMPLE = "Example: nlmchem annotate articles/ -o annotated/ --workers 4"
REPLAY_EXAMPLE = "Example: nlmchem replay annotated/quarantine"


@expand_options
def annotate(
    *,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(metavar="INPUT...", help="Files, folders, glob patterns, archives, or - for standard input."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="A folder, one file (by the suffix of a format), or - for standard output.",
            rich_help_panel=COMMON,
        ),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option("--text", help="Annotate this text, and print a table.", rich_help_panel=COMMON),
    ] = None,
    configuration: Configuration,
    run: RunOptions,
    runs: Annotated[
        bool,
        typer.Option("--runs", help="Write a run for each tagger, into OUT/NAME.", rich_help_panel=RUNS),
    ] = False,
    config: ConfigFileOption = None,
    as_json: JsonOption = False,
) -> None:
    """Mark chemicals in articles, link them to MeSH, and add index terms.

    If the command is stopped, run it again: it continues where it stopped.
    """
    from nlmchem.engine.runner import annotate_folder
    from nlmchem.engine.runs import annotate_one, annotate_runs, plan_runs, select_output

    if text is not None:
        given: dict[str, object] = {"out": out, "format": configuration.format, "runs": runs}
        if inputs:
            raise ConfigurationError("articles are named, and a text is given with --text; leave out one")
        _refuse_run(given, run if config is None else RunOptions())
        _annotate_text(text, configuration.parse(), as_json)
        return
    if not inputs:
        raise ConfigurationError("name the articles (files, folders, - for standard input), or give a --text")
    if out is None:
        raise OptionError("out", "must be given: a folder, a file such as all.json, or - for standard output")
    output = select_output(out, configuration.format)
    configuration = configuration.but(format=output.format)
    if output.is_one and runs:
        raise ConfigurationError("--runs writes a folder for each tagger; name a folder with --out")
    if output.is_one:
        counts_of_one = annotate_one(inputs, output, configuration.parse(), run)
        stream = sys.stderr if output.path is None else sys.stdout
        _finish({out: counts_of_one}, as_json, run.quiet, output.run_folder, stream)
    elif not runs:
        _finish({out: annotate_folder(inputs, out, configuration.parse(), run)}, as_json, run.quiet)
    else:
        counts = annotate_runs(inputs, out, plan_runs(configuration), run)
        _finish({out / name: of_run for name, of_run in counts.items()}, as_json, run.quiet)


def _refuse_run(given: dict[str, object], run: RunOptions) -> None:
    """Raise `OptionError` for what has no effect on one text: no option is ignored."""
    defaults = asdict(RunOptions(quiet=run.quiet))
    given |= {name: value for name, value in asdict(run).items() if value != defaults[name]}
    for name, value in given.items():
        if value:
            rest = ", which prints a table of one text; for a file, pipe the text: `... | nlmchem annotate - -o OUT`"
            raise OptionError(name, "cannot be used with ", Argument("text"), rest)


def _annotate_text(text: str, plan: Plan, as_json: bool) -> None:
    """Print the mentions of a text, each once; or its article as JSON."""
    from nlmchem.api.building import build_pipeline

    pipe = build_pipeline(plan, warn)
    article = pipe(text)
    if as_json:
        print(json.dumps(article.to_dict(), ensure_ascii=False))
        return
    tag = plan.options(TagOptions)
    has_reasons = tag is not None and tag.decision != DECISION_RULES
    reasons = {row.text: row.why for row in pipe.explain(text)} if has_reasons else {}
    print("mention\tidentifier\tname\twhy")
    for text, identifiers, sieve in dict.fromkeys((one.text, one.identifiers, one.sieve) for one in article.mentions):
        preferred = " | ".join(article.name_of(one) or "-" for one in identifiers)
        cells = (text, ",".join(identifiers), preferred, reasons.get(text) or sieve)
        print("\t".join(" ".join((cell or "-").split()) for cell in cells))
    if not article.mentions:
        warn("no chemical was found")


def replay(
    quarantine: Annotated[
        Path, typer.Argument(metavar="QUARANTINE", help="The quarantine of a run, or its output folder.")
    ],
    workers: Annotated[str, typer.Option(metavar="N|auto", help="Worker processes; auto: one for each processor.")] = (
        "auto"
    ),
    as_json: JsonOption = False,
) -> None:
    """Annotate failed articles again, from their copies in the quarantine.

    You can correct the copies first. Articles that succeed are added to the output.
    """
    from nlmchem.engine.runner import replay as replay_quarantine

    out = quarantine.parent if quarantine.name == "quarantine" else quarantine
    _finish({out: replay_quarantine(quarantine, parse_workers(workers))}, as_json)


def _finish(
    runs: dict[Path, Counts],
    as_json: bool,
    quiet: bool = False,
    run_folder: Path | None = None,
    stream: TextIO | None = None,
) -> None:
    """Print the counts of each run to `stream` (None: standard output). Exit with `INCOMPLETE` if articles failed.

    `run_folder`: the folder with the quarantine of a run into one file.
    """
    for out, counts in runs.items():
        if as_json or not quiet:
            _print_counts(counts, out, as_json, stream)
        if counts.failed:
            warn(_remedy(counts, out, run_folder))
    if any(counts.failed for counts in runs.values()):
        raise typer.Exit(INCOMPLETE)


def _print_counts(counts: Counts, out: Path, as_json: bool, stream: TextIO | None) -> None:
    if as_json:
        print(json.dumps({**_numbers(counts), "out": str(out)}), file=stream)
    else:
        print(
            f"done {counts.done} + failed {counts.failed} + skipped {counts.skipped} = {counts.articles} articles; "
            f"{_unindexed(counts)}{counts.mentions} mentions; results in {out}",
            file=stream,
        )


def _unindexed(counts: Counts) -> str:
    """How many of the annotated articles have no index term; empty if all have one."""
    return f"{counts.without_terms} without index terms; " if counts.without_terms else ""


def _remedy(counts: Counts, out: Path, run_folder: Path | None) -> str:
    """What to do about failed articles."""
    earlier = f" ({counts.failed_earlier} of them in earlier runs)" if counts.failed_earlier else ""
    failed = f"{counts.failed} articles failed{earlier}"
    if str(out) == "-":
        return f"{failed}; annotate into a file or folder to keep copies of them with the reasons"
    folder = (run_folder or out) / "quarantine"
    if not folder.is_dir():
        return f"{failed}, and their copies in {folder} are gone; run `nlmchem annotate` again with --retry-failed"
    kept = f"{failed}; {folder} contains the reason for each, and a copy if it could be read; "
    if run_folder is not None:
        return f"{kept}correct the input and run again with --retry-failed"
    return f"{kept}correct the copies and run `nlmchem replay`, or correct the input and run again with --retry-failed"


def _numbers(counts: Counts) -> dict[str, int]:
    return {
        "input": counts.articles,
        "done": counts.done,
        "failed": counts.failed,
        "failed_earlier": counts.failed_earlier,
        "skipped": counts.skipped,
        "mentions": counts.mentions,
        "without_index_terms": counts.without_terms,
        "files_skipped": counts.files_skipped,
    }
