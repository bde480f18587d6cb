"""`nlmchem summary`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.commands.command import JSON, TSV, Call, Command, Progress, Result, ResultTable
from corpora.commands.options import FILE, option
from corpora.commands.shared import overwrite_option
from corpora.errors import Argument, OptionError
from corpora.extras import require
from nlmchem.search.options import indexed_argument

if TYPE_CHECKING:
    from nlmchem.report.summary.contents import RunContents

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
    from nlmchem.report.summary import contents as run_contents
    from nlmchem.search.store import open_index

    out, suffix = options.out, "" if options.out is None else options.out.suffix.lower()
    if out is not None and suffix not in _SUFFIXES:
        raise OptionError("out", f"must end in one of {', '.join(_SUFFIXES)}, not {out.name!r}")
    if suffix in _PAGES:
        require("matplotlib", extra="report", purpose=Argument("out"))
    most = max(options.pairs, options.number)
    with open_index(options.articles, progress) as database:
        contents = run_contents.contents(database, most)
    if out is None:
        lines = contents.lines(options.number or len(contents.concepts))
        table = ResultTable(run_contents.COLUMNS, contents.rows())
        return Result((contents.as_dict(),), table, lines, value=contents)
    _write(out, suffix, contents, options.articles)
    return Result(
        (contents.as_dict(),), lines=[*run_contents.totals_lines(contents.totals), f"wrote {out}"], files=(out,),
        value=contents,
    )  # fmt: skip


def _write(out: Path, suffix: str, contents: RunContents, name: str) -> None:
    from corpora.formats.tsv import table
    from corpora.storage.owned_files import write_text
    from nlmchem.report.summary.contents import COLUMNS

    if suffix in _PAGES:
        from nlmchem.report.summary.page import render

        write_text(out, render(contents, name))
    elif suffix in _TABLES:
        write_text(out, table(COLUMNS, contents.rows(), _TABLES[suffix]))
    else:
        write_text(out, json.dumps(contents.as_dict(), ensure_ascii=False, indent=1) + "\n")


SUMMARY = Command(
    "summary", SummaryOptions, summary, Call({"articles": "annotated/", "out": "summary.html"}), (JSON, TSV)
)
