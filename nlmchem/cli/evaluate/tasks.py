"""`nlmchem evaluate spans|identifiers|indexing`: the tasks of the NLM-Chem track."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corpora.commands.options import option
from nlmchem.cli.old_expand_options import expand_options
from nlmchem.cli.shared import check_one_format
from nlmchem.commands.progress import warn

if TYPE_CHECKING:
    from nlmchem.evaluation.comparison import Comparison

SPANS_EXAMPLE = "Example: nlmchem evaluate spans gold/ run1/ run2.xml --approximate --report report/"
IDENTIFIERS_EXAMPLE = "Example: nlmchem evaluate identifiers gold/ run/ --approximate --parents parents_2021.json.gz"
INDEXING_EXAMPLE = "Example: nlmchem evaluate indexing gold/ run/ --json"

GoldArgument = Annotated[
    str, typer.Argument(metavar="GOLD", help="The gold standard: a file, folder, glob pattern or archive.")
]
RunsArgument = Annotated[
    list[str], typer.Argument(metavar="PRED...", help="Runs. Each one is a file, folder, glob pattern or archive.")
]
TypeOption = Annotated[str | None, typer.Option("--type", help="Annotation type to score. [default: Chemical]")]
IndexTypeOption = Annotated[
    str | None, typer.Option("--type", help="Annotation type to score. [default: MeSH_Indexing_Chemical]")
]
ParentsOption = Annotated[
    Path | None,
    typer.Option("--parents", help="JSON file of MeSH ids and their parents, for approximate scores and distances."),
]
TrainOption = Annotated[
    str | None,
    typer.Option("--train", help="Training corpus. The report then separates names that occur in it from new names."),
]


@dataclass(frozen=True, slots=True)
class Scoring:
    """How runs are scored, and how the scores are printed."""

    approximate: bool = option(False, "Print the approximate scores as well.")
    samples: int = option(10_000, "Number of bootstrap samples; 0: no bootstrap.", minimum=0)
    seed: int = option(7, "Random seed of the bootstrap.", minimum=0)
    no_verify: bool = option(False, "Score even if documents, passages or texts differ from the gold standard.")
    report: Path | None = option(None, "Folder for a report: index.html, and figures as SVG and PNG.", metavar="FOLDER")
    as_json: bool = option(False, "Print one JSON object for each run, one in a line.", flags=("--json",))
    as_tsv: bool = option(False, "Print a TSV table of all runs and documents.", flags=("--tsv",))


@expand_options
def spans(
    gold: GoldArgument,
    runs: RunsArgument,
    scoring: Scoring,
    type: TypeOption = None,
    train: TrainOption = None,
) -> None:
    """Score the spans of mentions."""
    _evaluate("spans", gold, runs, type, scoring, train=train)


@expand_options
def identifiers(
    gold: GoldArgument,
    runs: RunsArgument,
    scoring: Scoring,
    type: TypeOption = None,
    parents: ParentsOption = None,
    train: TrainOption = None,
) -> None:
    """Score the concepts of each document."""
    _evaluate("identifiers", gold, runs, type, scoring, parents, train)


@expand_options
def indexing(
    gold: GoldArgument,
    runs: RunsArgument,
    scoring: Scoring,
    type: IndexTypeOption = None,
    parents: ParentsOption = None,
) -> None:
    """Score the index terms of each document."""
    _evaluate("indexing", gold, runs, type, scoring, parents)


def _evaluate(
    task: str,
    gold: str,
    runs: list[str],
    type: str | None,
    scoring: Scoring,
    parents: Path | None = None,
    train: str | None = None,
) -> None:
    from corpora.errors import ConfigurationError
    from corpora.extras import require
    from corpora.model.hierarchy import Hierarchy
    from corpora.run_names import run_names
    from nlmchem.evaluation.articles import read_side
    from nlmchem.evaluation.comparison import ScoringOptions, TrackTask, compare, require_same_texts

    check_one_format(scoring.as_json, scoring.as_tsv)
    if scoring.approximate and task != "spans" and parents is None:
        raise ConfigurationError("approximate scores need the MeSH hierarchy; give it with --parents FILE")
    if scoring.report is not None:
        require("matplotlib", extra="report", purpose="--report")
    names = run_names(runs)
    hierarchy = None if parents is None else Hierarchy.read(parents)
    standard = read_side(gold, "the gold standard", warn)
    sides = [read_side(source, name, warn) for source, name in zip(runs, names, strict=True)]
    if not scoring.no_verify:
        require_same_texts(standard, sides, warn)
    options = ScoringOptions(type, scoring.approximate, hierarchy, scoring.samples, scoring.seed)
    comparison = compare(TrackTask(task), standard, sides, options, warn)
    _print(comparison, scoring.as_json, scoring.as_tsv)
    if scoring.report is not None:
        from nlmchem.report.evaluation.report import write_report

        training = None if train is None else read_side(train, "the training corpus", warn)
        write_report(comparison, scoring.report, hierarchy, training, warn)
        warn(f"report in {scoring.report / 'index.html'}")


def _print(comparison: Comparison, as_json: bool, as_tsv: bool) -> None:
    from nlmchem.evaluation import tables

    lines = tables.as_json if as_json else tables.as_tsv if as_tsv else tables.as_text
    for line in lines(comparison):
        print(line)
