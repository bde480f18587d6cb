"""The pages of the articles in the report of an evaluation: each run beside the gold standard."""

from __future__ import annotations

from collections.abc import Mapping
from os.path import relpath
from pathlib import Path

from corpora.errors import command
from corpora.reporting import Report
from corpora.storage.atomic import write_text
from nlmchem.evaluation.articles import Side
from nlmchem.evaluation.comparison import Comparison, Result
from nlmchem.report.article import View, render, terms_of
from nlmchem.report.article_scores import Scorer
from nlmchem.report.error_contexts import Places
from nlmchem.report.page_names import PageNames
from nlmchem.report.tables import Link

__all__ = ["PAGES", "write_pages"]

PAGES = 1000
"""A report with more pages has none: they could need gigabytes."""


def write_pages(comparison: Comparison, folder: Path, report: Report) -> list[Mapping[str, Places]]:
    """Write a page for each article of each run below a folder; return the places by document, for each run.

    More than `PAGES` pages are not written; `report` receives a sentence.
    """
    number = sum(len(result.pairs) for result in comparison.results)
    if number > PAGES:
        report(
            f"the report has no pages of articles, because there would be {number}; "
            f"make those of a run with {command('view RUN --gold GOLD -o FOLDER')}"
        )
        return [{} for _ in comparison.results]
    several = len(comparison.results) > 1
    return [
        _pages_of(result, folder, Path("articles", str(at)) if several else Path("articles"))
        for at, result in enumerate(comparison.results, 1)
    ]


def _pages_of(result: Result, folder: Path, below: Path) -> dict[str, Places]:
    scorer = Scorer.of(Side("the gold standard", tuple(pair.gold for pair in result.pairs)))
    names = PageNames(below)
    home = Link("Evaluation", relpath("index.html", below))
    places = {}
    for pair in result.pairs:
        path = names.next(pair.document)
        view = View(pair.predicted, terms_of(pair.predicted), pair.gold, scorer(pair.gold, pair.predicted))
        # No lexicon is open here: concepts have the name that was matched most often.
        write_text(folder / path, render(view, lambda identifier, name: None, home))
        places[pair.document] = Places(pair, path.as_posix())
    return places
