"""`nlmchem view`, `nlmchem summary`, and `nlmchem evaluate` for the tasks of the NLM-Chem track."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora.commands.command import JSON, LOOKING, TSV, Call, Command, Progress, Result, ResultTable, record
from corpora.commands.options import FILE, argument, group, option
from corpora.commands.shared import indexed_argument, overwrite_option
from corpora.errors import Argument, OptionError, Text
from corpora.extras import require
from corpora.words.quantities import quantity
from sieves.lexicon.options import LexiconOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewOptions:
    source: str = argument(
        "Annotated articles: a file, or a folder, glob pattern or archive of files.", metavar="ANNOTATED"
    )
    out: Path | None = option(
        None,
        "HTML file. For several articles it is the index of one page for each.",
        short="o",
        metavar="FILE",
        default_text="a temporary file",
    )
    open: bool = option(False, "Open the page in a browser.")
    overwrite: bool = overwrite_option()
    gold: str | None = option(None, "Gold standard of the same articles, shown beside the annotations.", metavar="PATH")
    names: LexiconOptions = group(LexiconOptions)


def view(options: ViewOptions, progress: Progress) -> Result:
    """Show annotated articles in a browser: mentions, concepts, abbreviations and index terms.

    The JSON output has the pages with the counts and scores of their articles.
    """
    import tempfile
    import webbrowser

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

        out = options.out or Path(tempfile.mkdtemp(prefix="nlmchem-view-")) / "view.html"
        written = write_views(options.source, out, options.gold, preferred, progress, links)
    others = f" and {quantity(len(written), 'page')} in {written.folder}, which belong together"
    pages = others if written.folder else ""
    is_open = options.open and webbrowser.open(written.index.absolute().as_uri())
    opened = "opened in a browser" if is_open else f"open {written.index} in a browser"
    notes = ["no browser was found on this machine"] if options.open and not is_open else []
    return record(written.as_dict(), f"wrote {written.index}{pages}; {opened}", notes=notes, files=(written.index,))


VIEW = Command(
    "view", ViewOptions, view, Call({"source": "annotated/", "out": "report.html", "gold": "gold/"}), heading=LOOKING
)


_PAGES = (".html", ".htm")
_TABLES = {".csv": "CSV", ".tsv": "TSV"}
_SUFFIXES = (*_PAGES, *_TABLES, ".json")


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryOptions:
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
    from corpora.formats.columns import table
    from corpora.storage.owned_files import write_text
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
        rows = ResultTable(summary_page.COLUMNS, contents.rows())
        return Result((contents.as_dict(),), rows, lines, value=contents)
    if suffix in _PAGES:
        write_text(out, summary_page.render(contents, options.articles))
    elif suffix in _TABLES:
        write_text(out, table(summary_page.COLUMNS, contents.rows(), _TABLES[suffix]))
    else:
        write_text(out, json.dumps(contents.as_dict(), ensure_ascii=False, indent=1) + "\n")
    return Result(
        (contents.as_dict(),), lines=[*summary_page.totals_lines(contents.totals), f"wrote {out}"], files=(out,),
        value=contents,
    )  # fmt: skip


SUMMARY = Command(
    "summary",
    SummaryOptions,
    summary,
    Call({"articles": "annotated/", "out": "summary.html"}),
    (JSON, TSV),
    heading=LOOKING,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """What is compared, and how it is scored."""

    gold: str = argument("The gold standard: a file, folder, glob pattern or archive.")
    runs: tuple[str, ...] = argument("Runs. Each one is a file, folder, glob pattern or archive.", metavar="PRED...")
    approximate: bool = option(False, "Print the approximate scores as well.")
    samples: int = option(10_000, "Number of bootstrap samples; 0: no bootstrap.", minimum=0)
    seed: int = option(7, "Random seed of the bootstrap.", minimum=0)
    no_verify: bool = option(False, "Score even if documents, passages or texts differ from the gold standard.")
    report: Path | None = option(None, "Folder for a report: index.html, and figures as SVG and PNG.", metavar="FOLDER")


def type_option(default: str) -> str | None:
    """Which annotations are scored."""
    return option(None, "Annotation type to score.", metavar="TYPE", default_text=default)


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
class SpanScoring(Scoring):
    type: str | None = type_option("Chemical")
    train: str | None = train_option()


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifierScoring(Scoring):
    type: str | None = type_option("Chemical")
    parents: Path | None = parents_option()
    train: str | None = train_option()


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexingScoring(Scoring):
    type: str | None = type_option("MeSH_Indexing_Chemical")
    parents: Path | None = parents_option()


def _evaluate_command(
    task: str, options: type[SpanScoring | IdentifierScoring | IndexingScoring], help: str, example: Call
) -> Command[Any]:
    """The command `evaluate TASK`."""

    def run(given: SpanScoring | IdentifierScoring | IndexingScoring, progress: Progress) -> Result:
        return _evaluated(task, given, progress)

    run.__doc__ = help
    return Command(f"evaluate {task}", options, run, example, (JSON, TSV))


def _evaluated(task: str, given: SpanScoring | IdentifierScoring | IndexingScoring, progress: Progress) -> Result:
    from corpora.model.hierarchy import Hierarchy
    from corpora.output_names import run_names
    from nlmchem.evaluation import comparison
    from nlmchem.evaluation.articles import read_side
    from sieves.lexicon.lexicon import Lexicon

    if given.report is not None:
        require("matplotlib", extra="report", purpose=Argument("report"))
    parents = None if isinstance(given, SpanScoring) else given.parents
    hierarchy = None if parents is None else Hierarchy.read(parents)
    if given.approximate and not isinstance(given, SpanScoring) and hierarchy is None:
        # The track was scored with the hierarchy of MeSH 2021.
        with Lexicon.open(report=progress) as lexicon:
            used = (
                f"the approximate scores use the hierarchy of MeSH {lexicon.meta.get('year')}, as it comes with nlmchem"
            )
            progress(Text(f"{used}; for another year give ", Argument("parents")))
            hierarchy = Hierarchy(lexicon.concepts.every_parent())
    standard = read_side(given.gold, "the gold standard", progress)
    names = run_names(list(given.runs))
    runs = [read_side(source, name, progress) for source, name in zip(given.runs, names, strict=True)]
    if not given.no_verify:
        comparison.require_same_texts(standard, runs, progress)
    settings = comparison.ScoringOptions(given.type, given.approximate, hierarchy, given.samples, given.seed)
    compared = comparison.compare(comparison.TrackTask(task), standard, runs, settings, progress)
    result = Result(
        objects=comparison.as_objects(compared),
        table=comparison.as_table(compared),
        lines=comparison.as_text(compared),
        value=compared,
    )
    if given.report is not None:
        from nlmchem.report.evaluation_report import write_report

        train = None if isinstance(given, IndexingScoring) else given.train
        training = None if train is None else read_side(train, "the training corpus", progress)
        write_report(compared, given.report, hierarchy, training, progress)
        result.notes.append(f"report in {given.report / 'index.html'}")
        result.files = (given.report,)
    return result


EVALUATE_SPANS = _evaluate_command(
    "spans",
    SpanScoring,
    "Score the spans of mentions.",
    Call({"gold": "gold/", "runs": ["run1/", "run2.xml"], "approximate": True, "report": "report/"}),
)
EVALUATE_IDENTIFIERS = _evaluate_command(
    "identifiers",
    IdentifierScoring,
    "Score the concepts of each document.",
    Call({"gold": "gold/", "runs": ["run/"], "approximate": True, "parents": "parents_2021.json.gz"}),
)
EVALUATE_INDEXING = _evaluate_command(
    "indexing",
    IndexingScoring,
    "Score the index terms of each document.",
    Call({"gold": "gold/", "runs": ["run/"]}, "json"),
)
