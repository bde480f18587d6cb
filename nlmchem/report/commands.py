"""TODO."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.commands.command import JSON, TSV, Call, Command, Progress, Result, ResultTable, record
from corpora.commands.options import FILE, REQUIRED, argument, group, option
from corpora.commands.shared import overwrite_option
from corpora.errors import Argument, OptionError, Text
from corpora.extras import require
from corpora.words.quantities import quantity
from nlmchem.search.options import indexed_argument
from sieves.lexicon.options import LexiconOptions

if TYPE_CHECKING:
    from corpora.model.hierarchy import Hierarchy
    from nlmchem.report.summary_page import RunContents


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewOptions:
    """The options of `nlmchem view`."""

    source: str = argument(
        "Annotated articles: a file, or a folder, glob pattern or archive of files.", metavar="ANNOTATED"
    )
    out: Path = option(
        REQUIRED,
        "HTML file. For several articles it is the index of one page for each.",
        short="o",
        metavar="FILE",
    )
    overwrite: bool = overwrite_option()
    gold: str | None = option(None, "Gold standard of the same articles, shown beside the annotations.", metavar="PATH")
    names: LexiconOptions = group(LexiconOptions)


def view(options: ViewOptions, progress: Progress) -> Result:
    """Show annotated articles in a browser: mentions, concepts, abbreviations and index terms.

    The JSON output has the pages with the counts and scores of their articles.
    """
    from corpora.model.mention_infons import DATABASES
    from nlmchem.report.articles import write_views
    from nlmchem.report.pages import Link
    from sieves.lexicon.looking_up import ADDRESSES, TITLES, CrossReferences

    with options.names.open(progress) as lexicon:

        def preferred(identifier: str, name: str) -> str | None:
            known = any(match.identifier == identifier for match in lexicon.lookup(name))
            return lexicon.preferred_name(identifier) if known else None

        references = CrossReferences(lexicon)

        def links(identifier: str) -> list[Link]:
            return [
                Link(f"{TITLES[database]} {other.removeprefix('CHEBI:')}", ADDRESSES[database].format(other))
                for database in DATABASES
                for other in references.of(identifier, database)
            ]

        written = write_views(options.source, options.out, options.gold, preferred, progress, links)
    others = f" and {quantity(len(written), 'page')} in {written.folder}, which belong together"
    pages = others if written.folder else ""
    return record(
        written.as_dict(), f"wrote {written.index}{pages}; open {written.index} in a browser", files=(written.index,)
    )


VIEW = Command("view", ViewOptions, view, Call({"source": "annotated/", "out": "report.html", "gold": "gold/"}))


_PAGES = (".html", ".htm")
_TABLES = {".csv": "CSV", ".tsv": "TSV"}
_SUFFIXES = (*_PAGES, *_TABLES, ".json")


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryOptions:
    """The options of `nlmchem summary`."""

    articles: str = indexed_argument()
    out: Path | None = option(
        None,
        "Write a page with charts (.html), the table of concepts (.csv, .tsv), or all figures (.json).",
        flags=("--out", "-o"),
        metavar="FILE",
        place=FILE,
    )
    overwrite: bool = overwrite_option()
    number: int = option(20, "Concepts and pairs that are printed; 0: all.", flags=("--number", "-n"), minimum=0)
    pairs: int = option(200, "Pairs of concepts in each table of the page and in JSON.", minimum=0, advanced=True)


def summary(options: SummaryOptions, progress: Progress) -> Result:
    """Show what a run contains: concepts by articles and mentions, pairs of concepts, sections, and years.

    It uses the index of `nlmchem search`. As TSV it prints the table of all concepts.
    """
    from nlmchem.report import summary_page
    from nlmchem.search.store import open_index

    out, suffix = options.out, "" if options.out is None else options.out.suffix.lower()
    if out is not None and suffix not in _SUFFIXES:
        raise OptionError("out", f"must end in one of {', '.join(_SUFFIXES)}, not {out.name!r}")
    if suffix in _PAGES:
        require("matplotlib", extra="report", purpose=Argument("out"))
    most = max(options.pairs, options.number)
    with open_index(options.articles, progress) as database:
        contents = summary_page.contents(database, most)
    if out is None:
        lines = contents.lines(options.number or len(contents.concepts))
        table = ResultTable(summary_page.COLUMNS, contents.rows())
        return Result((contents.as_dict(),), table, lines, value=contents)
    _write(out, suffix, contents, options.articles)
    return Result(
        (contents.as_dict(),), lines=[*summary_page.totals_lines(contents.totals), f"wrote {out}"], files=(out,),
        value=contents,
    )  # fmt: skip


def _write(out: Path, suffix: str, contents: RunContents, name: str) -> None:
    from corpora.formats.tsv import table
    from corpora.storage.owned_files import write_text
    from nlmchem.report.summary_page import COLUMNS

    if suffix in _PAGES:
        from nlmchem.report.summary_page import render

        write_text(out, render(contents, name))
    elif suffix in _TABLES:
        write_text(out, table(COLUMNS, contents.rows(), _TABLES[suffix]))
    else:
        write_text(out, json.dumps(contents.as_dict(), ensure_ascii=False, indent=1) + "\n")


SUMMARY = Command(
    "summary", SummaryOptions, summary, Call({"articles": "annotated/", "out": "summary.html"}), (JSON, TSV)
)


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
    from nlmchem.evaluation import comparison as comparisons
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
        objects=comparisons.as_objects(comparison),
        table=comparisons.as_table(comparison),
        lines=comparisons.as_text(comparison),
        value=comparison,
    )
    if scoring.report is not None:
        from nlmchem.report.evaluation_report import write_report

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
