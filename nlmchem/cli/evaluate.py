"""`nlmchem evaluate`: one command a task."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from nlmchem.evaluation.articles import Side
    from nlmchem.evaluation.comparison import Comparison

app = typer.Typer(
    help="Score runs as the NLM-Chem track does, say whether differences are real, show where the errors are.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

SPANS_EXAMPLE = "Example: nlmchem evaluate spans gold/ run1/ run2.xml --approximate --report report/"
IDENTIFIERS_EXAMPLE = "Example: nlmchem evaluate identifiers gold/ run/ --approximate --parents parents_2021.json.gz"
INDEXING_EXAMPLE = "Example: nlmchem evaluate indexing gold/ run/ --json"

GoldArgument = Annotated[
    str, typer.Argument(metavar="GOLD", help="The gold standard: a file, folder, glob or archive.")
]
RunsArgument = Annotated[
    list[str], typer.Argument(metavar="PRED...", help="Runs, each a file, folder, glob or archive.")
]
TypeOption = Annotated[str | None, typer.Option("--type", help="Annotation type to score. [default: Chemical]")]
IndexTypeOption = Annotated[
    str | None, typer.Option("--type", help="Annotation type to score. [default: MeSH_Indexing_Chemical]")
]
ApproximateOption = Annotated[bool, typer.Option("--approximate", help="Give the approximate scores as well.")]
ParentsOption = Annotated[
    Path | None,
    typer.Option("--parents", help="JSON file of MeSH ids and their parents, for approximate scores and distances."),
]
SamplesOption = Annotated[int, typer.Option("--samples", help="Bootstrap samples; 0: none.", min=0)]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of the bootstrap.", min=0)]
NoVerifyOption = Annotated[
    bool, typer.Option("--no-verify", help="Score although documents, passages or texts are not the same.")
]
TrainOption = Annotated[
    str | None,
    typer.Option("--train", help="Training corpus: the report tells names seen in it from unseen ones."),
]
ReportOption = Annotated[
    Path | None, typer.Option("--report", help="Folder for a report: index.html, and figures as SVG and PNG.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object a run, one a line.")]
TsvOption = Annotated[bool, typer.Option("--tsv", help="Print a TSV table of every run and document.")]


@app.command("spans", epilog=SPANS_EXAMPLE)
def spans(
    gold: GoldArgument,
    runs: RunsArgument,
    type: TypeOption = None,
    approximate: ApproximateOption = False,
    samples: SamplesOption = 10_000,
    seed: SeedOption = 7,
    no_verify: NoVerifyOption = False,
    train: TrainOption = None,
    report: ReportOption = None,
    as_json: JsonOption = False,
    as_tsv: TsvOption = False,
) -> None:
    """Score where mentions were found."""
    _evaluate("spans", gold, runs, type, approximate, None, samples, seed, no_verify, train, report, as_json, as_tsv)


@app.command("identifiers", epilog=IDENTIFIERS_EXAMPLE)
def identifiers(
    gold: GoldArgument,
    runs: RunsArgument,
    type: TypeOption = None,
    approximate: ApproximateOption = False,
    parents: ParentsOption = None,
    samples: SamplesOption = 10_000,
    seed: SeedOption = 7,
    no_verify: NoVerifyOption = False,
    train: TrainOption = None,
    report: ReportOption = None,
    as_json: JsonOption = False,
    as_tsv: TsvOption = False,
) -> None:
    """Score which concepts were found, document by document."""
    _evaluate(
        "identifiers", gold, runs, type, approximate, parents, samples, seed, no_verify, train, report, as_json, as_tsv
    )


@app.command("indexing", epilog=INDEXING_EXAMPLE)
def indexing(
    gold: GoldArgument,
    runs: RunsArgument,
    type: IndexTypeOption = None,
    approximate: ApproximateOption = False,
    parents: ParentsOption = None,
    samples: SamplesOption = 10_000,
    seed: SeedOption = 7,
    no_verify: NoVerifyOption = False,
    report: ReportOption = None,
    as_json: JsonOption = False,
    as_tsv: TsvOption = False,
) -> None:
    """Score the index terms of documents."""
    _evaluate(
        "indexing", gold, runs, type, approximate, parents, samples, seed, no_verify, None, report, as_json, as_tsv
    )


def _evaluate(
    task: str,
    gold: str,
    runs: list[str],
    type: str | None,
    approximate: bool,
    parents: Path | None,
    samples: int,
    seed: int,
    no_verify: bool,
    train: str | None,
    report: Path | None,
    as_json: bool,
    as_tsv: bool,
) -> None:
    from corpora.errors import ConfigurationError
    from corpora.extras import require
    from corpora.model.hierarchy import Hierarchy
    from corpora.run_names import run_names
    from nlmchem.evaluation.articles import read_side
    from nlmchem.evaluation.comparison import Options, Task, compare

    if as_json and as_tsv:
        raise ConfigurationError("--json and --tsv exclude each other; give one of them")
    if approximate and task != "spans" and parents is None:
        raise ConfigurationError("approximate identifier scores need a hierarchy; give it with --parents FILE")
    if report is not None:
        require("matplotlib", extra="report", purpose="--report")
    names = run_names(runs)
    hierarchy = None if parents is None else Hierarchy.read(parents)
    standard = read_side(gold, "the gold standard", _warn)
    sides = [read_side(source, name, _warn) for source, name in zip(runs, names, strict=True)]
    if not no_verify:
        _verify(standard, sides)
    comparison = compare(Task(task), standard, sides, Options(type, approximate, hierarchy, samples, seed), _warn)
    _print(comparison, as_json, as_tsv)
    if report is not None:
        from nlmchem.report.evaluation import write_report

        training = None if train is None else read_side(train, "the training corpus", _warn)
        write_report(comparison, report, hierarchy, training)
        print(f"report in {report / 'index.html'}", file=sys.stderr)


def _verify(gold: Side, runs: list[Side]) -> None:
    from corpora.errors import ConfigurationError
    from nlmchem.evaluation.comparison import verify

    # What is wrong with the gold standard alone is found again with every run.
    found = dict.fromkeys(difference for run in runs for difference in verify(gold, run))
    for difference in found:
        _warn(str(difference))
    if found:
        raise ConfigurationError(
            f"gold standard and predictions are not the same text: {len(found)} differences, listed above; nothing was "
            "scored; give the runs that were made from these documents, or add --no-verify to score all the same"
        )


def _print(comparison: Comparison, as_json: bool, as_tsv: bool) -> None:
    from nlmchem.evaluation import tables

    lines = tables.as_json if as_json else tables.as_tsv if as_tsv else tables.as_text
    for line in lines(comparison):
        print(line)


def _warn(sentence: str) -> None:
    print(f"nlmchem: {sentence}", file=sys.stderr)
