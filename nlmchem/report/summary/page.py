"""The HTML page of the contents of a run, with charts."""

from __future__ import annotations

from collections.abc import Iterator

from corpora.words.quantities import quantity
from nlmchem.report.charts import Chart, bar_chart
from nlmchem.report.pages import Link, PageTable, render_page
from nlmchem.report.summary.contents import NO_SECTION, RunContents, pair_rows, totals_lines
from nlmchem.report.view.panel import mesh_address
from nlmchem.search.pairs import PairCount

BARS = 20
"""Rows of a chart."""
ROWS = 1000
"""Rows of a table of the page; the table of `--out FILE.csv` has all."""


def render(contents: RunContents, name: str) -> str:
    """The page. `name`: what the user named the run."""
    charts = dict(_charts(contents))
    context = {
        "name": name,
        "lines": list(totals_lines(contents.totals)),
        "figures": [(chart.title, chart.inline_svg(prefix)) for prefix, chart in charts.items()],
        "concepts": _concepts(contents),
        "pairs": _pairs(contents),
        "sections": _sections(contents),
        "years": _years(contents),
        "left_out": max(0, len(contents.concepts) - ROWS),
    }
    return render_page("summary.html", "evaluation.css", "filter.js", context)


def _charts(contents: RunContents) -> Iterator[tuple[str, Chart]]:
    if contents.concepts:
        rows = [
            (concept.name or concept.identifier, float(concept.articles), f"{concept.articles:,}")
            for concept in contents.concepts[:BARS]
        ]
        yield "by-articles", bar_chart("Concepts in most articles", "Articles", rows)
        by_mentions = sorted(contents.concepts, key=lambda concept: -concept.mentions)[:BARS]
        rows = [
            (concept.name or concept.identifier, float(concept.mentions), f"{concept.mentions:,}")
            for concept in by_mentions
        ]
        yield "by-mentions", bar_chart("Concepts with most mentions", "Mentions", rows)
    if contents.pairs_in_article:
        rows = [(_both(pair), float(pair.articles), f"{pair.articles:,}") for pair in contents.pairs_in_article[:BARS]]
        yield "in-articles", bar_chart("Concepts in the same article", "Articles", rows)
    if contents.pairs_in_sentence:
        by_sentences = sorted(contents.pairs_in_sentence, key=lambda pair: -pair.sentences)[:BARS]
        rows = [(_both(pair), float(pair.sentences), f"{pair.sentences:,}") for pair in by_sentences]
        yield "in-sentences", bar_chart("Concepts in the same sentence", "Sentences", rows)
    if len(contents.sections) > 1:
        rows = [(item.section or NO_SECTION, float(item.mentions), f"{item.mentions:,}") for item in contents.sections]
        yield "by-section", bar_chart("Mentions by section", "Mentions", rows[:BARS])
    if len(contents.years) > 1:
        rows = [(str(item.year), float(item.articles), f"{item.articles:,}") for item in contents.years[-BARS:]]
        yield "by-year", bar_chart("Articles by year of publication", "Articles", rows)


def _concepts(contents: RunContents) -> PageTable:
    shown = contents.concepts[:ROWS]
    rows = tuple(
        (concept.name or "-", concept.identifier, *map(str, (concept.articles, concept.mentions, concept.indexed)))
        for concept in shown
    )
    links = {
        (number, 1): (Link(concept.identifier, address),)
        for number, concept in enumerate(shown)
        if (address := mesh_address(concept.identifier))
    }
    head = ("Concept", "Identifier", "Articles", "Mentions", "As index term")
    caption = quantity(len(contents.concepts), "concept")
    return PageTable(caption, head, rows, 2, "concepts", links=links, sortable=True, cards=True)


def _both(pair: PairCount) -> str:
    return f"{pair.first_name or pair.first} + {pair.second_name or pair.second}"


def _pairs(contents: RunContents) -> list[PageTable]:
    head = ("First", "Second", "Articles with both", "Sentences with both")
    return [
        PageTable(f"Pairs of concepts in the same {unit}", head, tuple(pair_rows(pairs)), 2, sortable=True, cards=True)
        for unit, pairs in (("article", contents.pairs_in_article), ("sentence", contents.pairs_in_sentence))
        if pairs
    ]


def _sections(contents: RunContents) -> PageTable | None:
    rows = tuple((item.section or NO_SECTION, str(item.articles), str(item.mentions)) for item in contents.sections)
    return PageTable("Sections", ("Section", "Articles", "Mentions"), rows, sortable=True, cards=True) if rows else None


def _years(contents: RunContents) -> PageTable | None:
    rows = tuple((str(item.year), str(item.articles), str(item.mentions)) for item in contents.years)
    head = ("Year", "Articles", "Mentions")
    return PageTable("Years of publication", head, rows, sortable=True, cards=True) if rows else None
