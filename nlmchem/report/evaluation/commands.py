"""`nlmchem evaluate spans|identifiers|indexing`: the tasks of the NLM-Chem track."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.commands.command import JSON, TSV, Call, Command, Progress, Result
from corpora.commands.options import argument, group, option
from corpora.errors import Argument, Text

if TYPE_CHECKING:
    from corpora.model.hierarchy import Hierarchy

SPANS, IDENTIFIERS, INDEXING = "spans", "identifiers", "indexing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """What is compared."""

    gold: str = argument("The gold standard: a file, folder, glob pattern or archive.")
    runs: tuple[str, ...] = argument("Runs. Each one is a file, folder, glob pattern or archive.", metavar="PRED...")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """How runs are scored."""

    approximate: bool = option(False, "Print the approximate scores as well.")
    samples: int = option(10_000, "Number of bootstrap samples; 0: no bootstrap.", minimum=0)
    seed: int = option(7, "Random seed of the bootstrap.", minimum=0)
    no_verify: bool = option(False, "Score even if documents, passages or texts differ from the gold standard.")
    report: Path | None = option(None, "Folder for a report: index.html, and figures as SVG and PNG.", metavar="FOLDER")


def type_option() -> str | None:
    """Which annotations are mentions."""
    return option(None, "Annotation type to score.", metavar="TYPE", default_text="Chemical")


def parents_option() -> Path | None:
    """The hierarchy of MeSH."""
    return option(
        None,
        "JSON file of MeSH ids and their parents, for approximate scores and distances.",
        metavar="FILE",
        default_text="the hierarchy of MeSH that comes with nlmchem, for approximate scores",
    )


def train_option() -> str | None:
    """The articles that the runs learnt from."""
    return option(
        None, "Training corpus. The report then separates names that occur in it from new names.", metavar="PATH"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanScoringOptions:
    """The options of `nlmchem evaluate spans`."""

    sides: Sides = group(Sides)
    scoring: Scoring = group(Scoring)
    type: str | None = type_option()
    train: str | None = train_option()


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifierScoringOptions:
    """The options of `nlmchem evaluate identifiers`."""

    sides: Sides = group(Sides)
    scoring: Scoring = group(Scoring)
    type: str | None = type_option()
    parents: Path | None = parents_option()
    train: str | None = train_option()


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexingScoringOptions:
    """The options of `nlmchem evaluate indexing`."""

    sides: Sides = group(Sides)
    scoring: Scoring = group(Scoring)
    type: str | None = option(None, "Annotation type to score.", metavar="TYPE", default_text="MeSH_Indexing_Chemical")
    parents: Path | None = parents_option()


def evaluate_spans(options: SpanScoringOptions, progress: Progress) -> Result:
    """Score the spans of mentions."""
    return _evaluated(SPANS, options.sides, options.scoring, options.type, progress, train=options.train)


def evaluate_identifiers(options: IdentifierScoringOptions, progress: Progress) -> Result:
    """Score the concepts of each document."""
    return _evaluated(
        IDENTIFIERS, options.sides, options.scoring, options.type, progress, options.parents,
        options.train,
    )  # fmt: skip


def evaluate_indexing(options: IndexingScoringOptions, progress: Progress) -> Result:
    """Score the index terms of each document."""
    return _evaluated(INDEXING, options.sides, options.scoring, options.type, progress, options.parents)


def _shipped_hierarchy(progress: Progress) -> Hierarchy:
    """The hierarchy of the lexicon that comes with nlmchem. The track was scored with that of MeSH 2021."""
    from corpora.model.hierarchy import Hierarchy
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(report=progress) as lexicon:
        year = lexicon.meta.get("year")
        used = (
            f"the approximate scores use the hierarchy of MeSH {year}, as it comes with nlmchem; for another year give "
        )
        progress(Text(used, Argument("parents")))
        return Hierarchy(lexicon.concepts.every_parent())


def _evaluated(
    task: str,
    sides: Sides,
    scoring: Scoring,
    type: str | None,
    progress: Progress,
    parents: Path | None = None,
    train: str | None = None,
) -> Result:
    from corpora.extras import require
    from corpora.model.hierarchy import Hierarchy as Parents
    from corpora.output_names import run_names
    from nlmchem.evaluation import tables
    from nlmchem.evaluation.articles import read_side
    from nlmchem.evaluation.comparison import ScoringOptions, TrackTask, compare, require_same_texts

    if scoring.report is not None:
        require("matplotlib", extra="report", purpose=Argument("report"))
    hierarchy = None if parents is None else Parents.read(parents)
    if scoring.approximate and task != SPANS and hierarchy is None:
        hierarchy = _shipped_hierarchy(progress)
    standard = read_side(sides.gold, "the gold standard", progress)
    names = run_names(list(sides.runs))
    runs = [read_side(source, name, progress) for source, name in zip(sides.runs, names, strict=True)]
    if not scoring.no_verify:
        require_same_texts(standard, runs, progress)
    settings = ScoringOptions(type, scoring.approximate, hierarchy, scoring.samples, scoring.seed)
    comparison = compare(TrackTask(task), standard, runs, settings, progress)
    result = Result(
        objects=tables.as_objects(comparison),
        table=tables.as_table(comparison),
        lines=tables.as_text(comparison),
        value=comparison,
    )
    if scoring.report is not None:
        from nlmchem.report.evaluation.report import write_report

        training = None if train is None else read_side(train, "the training corpus", progress)
        write_report(comparison, scoring.report, hierarchy, training, progress)
        result.notes.append(f"report in {scoring.report / 'index.html'}")
        result.files = (scoring.report,)
    return result


EVALUATE_SPANS = Command(
    "evaluate spans", SpanScoringOptions, evaluate_spans,
    Call({"gold": "gold/", "runs": ["run1/", "run2.xml"], "approximate": True, "report": "report/"}), (JSON, TSV),
)  # fmt: skip
EVALUATE_IDENTIFIERS = Command(
    "evaluate identifiers", IdentifierScoringOptions, evaluate_identifiers,
    Call({"gold": "gold/", "runs": ["run/"], "approximate": True, "parents": "parents_2021.json.gz"}), (JSON, TSV),
)  # fmt: skip
EVALUATE_INDEXING = Command(
    "evaluate indexing",
    IndexingScoringOptions,
    evaluate_indexing,
    Call({"gold": "gold/", "runs": ["run/"]}, "json"),
    (JSON, TSV),
)
