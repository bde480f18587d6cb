"""`nlmchem annotate` and `nlmchem replay`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

if TYPE_CHECKING:
    from nlmchem.batch.ledger import Counts

EXAMPLE = "Example: nlmchem annotate articles/ -o annotated/ --workers 4"
REPLAY_EXAMPLE = "Example: nlmchem replay annotated/quarantine"


def annotate(
    context: typer.Context,
    inputs: Annotated[
        list[str],
        typer.Argument(metavar="INPUT...", help="Files, folders, globs, archives, or - for standard input."),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="A folder, one file (by its suffix), or - for standard output.")
    ],
    steps: Annotated[str, typer.Option(help="Steps to do, joined by commas.")] = "abbreviate,tag,normalize,index",
    format: Annotated[
        str | None,
        typer.Option(
            help="biocxml, biocjson, jsonl, pubtator, tsv, brat, parquet or conll. "
            "[default: by the suffix of OUT, else biocxml]"
        ),
    ] = None,
    tagger: Annotated[
        str | None,
        typer.Option(help="lexicon, default, paths of models; joined by commas: as one. [default: the embedded model]"),
    ] = None,
    device: Annotated[str, typer.Option(help="Where models are computed: cpu, cuda or cuda:N.")] = "cpu",
    arithmetic: Annotated[
        str,
        typer.Option(help="Arithmetic of models on a CPU: int8, float32, or auto (int8 where the processor has it)."),
    ] = "auto",
    min_score: Annotated[float, typer.Option(help="Mentions of models that are less sure are left out.")] = 0.0,
    rules: Annotated[
        str,
        typer.Option(
            help="Rules after a model: default, all, none, or some of them, joined by commas (docs/tagger.md)."
        ),
    ] = "default",
    runs: Annotated[
        bool, typer.Option("--runs", help="Each tagger's result as a run of its own, in OUT/NAME, not as one.")
    ] = False,
    lexicon: Annotated[
        str | None, typer.Option(help="A lexicon (.sqlite or .tsv) in place of the starter lexicon.")
    ] = None,
    as_of: Annotated[
        int | None, typer.Option(help="A MeSH year: identifiers as they were then, if the lexicon has a history.")
    ] = None,
    dense: Annotated[
        str,
        typer.Option(help="Encoder of the dense fallback: default, the path of a model, or off."),
    ] = "off",
    dense_threshold: Annotated[
        float | None, typer.Option(help="Least cosine at which the dense fallback answers. [default: 0.85]")
    ] = None,
    indexer: Annotated[
        str | None,
        typer.Option(
            help="default, title-abstract, rules, tfidf, or the path of a model (.json). [default: the embedded model]"
        ),
    ] = None,
    index_threshold: Annotated[
        float | None, typer.Option(help="Least score of an index term. [default: the indexer's own]")
    ] = None,
    skip_sections: Annotated[
        str, typer.Option(help="Section types that are not tagged, joined by commas, as in REF,SUPPL.")
    ] = "",
    existing: Annotated[
        str | None,
        typer.Option(
            help="Mentions and index terms on input: keep, replace or error. "
            "[default: error for mentions when tagging, else keep]"
        ),
    ] = None,
    timeout: Annotated[float | None, typer.Option(help="Seconds an article may take.", min=0.1)] = None,
    workers: Annotated[str, typer.Option(help="Worker processes, or auto: one a processor.")] = "auto",
    shard: Annotated[str, typer.Option(help="I/N: do part I of N of the files, for job arrays.")] = "1/1",
    dask: Annotated[str | None, typer.Option(help="Address of a Dask scheduler to work on.")] = None,
    config: Annotated[
        Path | None,
        typer.Option(help="TOML file with these options in a table [annotate]; the command line wins."),
    ] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Forget earlier runs in the output folder.")] = False,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Try failed articles again.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the closing account as JSON.")] = False,
) -> None:
    """Annotate articles: chemical mentions, linked to MeSH, and index terms.

    A killed run goes on when the same command is called again.
    """
    from corpora.errors import ConfigurationError
    from nlmchem.batch.one_output import annotate_one, select_output
    from nlmchem.batch.plan import Shard
    from nlmchem.batch.runner import RunOptions, annotate_folder
    from nlmchem.configuration import Configuration

    given: dict[str, Any] = {
        "steps": steps, "format": format, "tagger": tagger, "lexicon": lexicon, "as-of": as_of,
        "skip-sections": skip_sections, "device": device, "arithmetic": arithmetic, "min-score": min_score,
        "rules": rules,
        "dense": dense, "dense-threshold": dense_threshold, "indexer": indexer, "index-threshold": index_threshold,
        "existing": existing, "timeout": timeout, "workers": workers, "shard": shard, "dask": dask,
    }  # fmt: skip
    options = given if config is None else _with_file(context, given, config)
    output = select_output(out, options["format"])
    configuration = Configuration(
        steps=_names(options["steps"]),
        format=output.format,
        tagger=options["tagger"],
        device=str(options["device"]),
        arithmetic=str(options["arithmetic"]),
        min_score=float(options["min-score"]),
        rules=_joined(options["rules"]),
        lexicon=options["lexicon"],
        as_of=options["as-of"],
        skip_sections=_names(options["skip-sections"]),
        existing=options["existing"],
        dense=options["dense"],
        dense_threshold=_number(options, "dense-threshold"),
        indexer=options["indexer"],
        index_threshold=_number(options, "index-threshold"),
    )
    run = RunOptions(
        workers=_workers(options["workers"]),
        timeout=options["timeout"],
        shard=Shard.parse(str(options["shard"])),
        dask=options["dask"],
        restart=restart,
        retry_failed=retry_failed,
    )
    if output.is_one:
        if runs:
            raise ConfigurationError("--runs writes a folder for each tagger; name a folder with --out")
        counts = annotate_one(inputs, output, configuration, run)
        _finish(counts, out, as_json, output.run_folder, sys.stderr if output.path is None else sys.stdout)
        return
    if not runs:
        _finish(annotate_folder(inputs, out, configuration, run), out, as_json)
        return
    from nlmchem.batch.runs import annotate_runs

    made = annotate_runs(inputs, out, configuration, run)
    for name, counts in made.items():
        _tell(counts, out / name, as_json)
    if any(counts.failed for counts in made.values()):
        raise typer.Exit(3)


def replay(
    quarantine: Annotated[Path, typer.Argument(help="A run's quarantine, or its output folder.")],
    workers: Annotated[str, typer.Option(help="Worker processes, or auto: one a processor.")] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print the closing account as JSON.")] = False,
) -> None:
    """Try quarantined articles again (mended by hand, perhaps); what succeeds takes its place in the output."""
    from nlmchem.batch.runner import replay as replay_quarantine

    out = quarantine.parent if quarantine.name == "quarantine" else quarantine
    _finish(replay_quarantine(quarantine, _workers(workers)), out, as_json)


def _with_file(context: typer.Context, given: dict[str, Any], path: Path) -> dict[str, Any]:
    from corpora.errors import ConfigurationError
    from nlmchem.configuration import read_config_file

    from_file = read_config_file(path)
    unknown = sorted(from_file.keys() - given.keys())
    if unknown:
        raise ConfigurationError(f"{path} has the option {unknown[0]!r}, which annotate does not; take it out")
    on_command_line = {
        name for name in given if str(context.get_parameter_source(name.replace("-", "_"))).endswith("COMMANDLINE")
    }
    return {**given, **{name: value for name, value in from_file.items() if name not in on_command_line}}


def _names(value: str | list[str]) -> tuple[str, ...]:
    names = value.split(",") if isinstance(value, str) else value
    return tuple(name.strip() for name in names if name.strip())


def _joined(value: str | list[str]) -> str:
    return value if isinstance(value, str) else ",".join(value)


def _number(options: dict[str, Any], name: str) -> float | None:
    from corpora.errors import ConfigurationError

    try:
        return None if options[name] is None else float(options[name])
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"{name} is {options[name]!r} in the configuration; write a number") from error


def _workers(value: str | int) -> int:
    from corpora.errors import ConfigurationError
    from nlmchem.batch.runner import default_workers

    if value == "auto":
        return default_workers()
    if not str(value).isdecimal() or int(value) < 1:
        raise ConfigurationError(f"--workers is {value!r}; write a number from 1, or auto")
    return int(value)


def _finish(counts: Counts, out: Path, as_json: bool, kept: Path | None = None, stream: TextIO | None = None) -> None:
    """Print the closing account, and set the exit code. `kept`: the folder of the quarantine, if it is not `out`."""
    _tell(counts, out, as_json, kept, stream)
    if counts.failed:
        raise typer.Exit(3)


def _tell(counts: Counts, out: Path, as_json: bool, kept: Path | None = None, stream: TextIO | None = None) -> None:
    """Print the closing account to `stream` (None: stdout), and what to do about failures to stderr."""
    if as_json:
        print(json.dumps({**_numbers(counts), "out": str(out)}), file=stream)
    else:
        print(
            f"done {counts.done} + failed {counts.failed} + skipped {counts.skipped} = {counts.articles} articles; "
            f"{counts.mentions} mentions; results in {out}",
            file=stream,
        )
    if counts.failed and str(out) == "-":
        print(f"{counts.failed} articles failed; annotate into a file or folder to keep them", file=sys.stderr)
    elif counts.failed and kept is not None:
        print(
            f"{counts.failed} articles failed: each has its reason in {kept / 'quarantine'}; correct the input and run "
            "the same command again with --retry-failed",
            file=sys.stderr,
        )
    elif counts.failed:
        earlier = f" ({counts.failed_earlier} of them in earlier runs)" if counts.failed_earlier else ""
        print(
            f"{counts.failed} articles failed{earlier}: each has its reason in {out / 'quarantine'}; mend what is "
            "wrong there and call `nlmchem replay`, or mend the input and run again with --retry-failed",
            file=sys.stderr,
        )


def _numbers(counts: Counts) -> dict[str, int]:
    return {
        "input": counts.articles,
        "done": counts.done,
        "failed": counts.failed,
        "failed_earlier": counts.failed_earlier,
        "skipped": counts.skipped,
        "mentions": counts.mentions,
    }
