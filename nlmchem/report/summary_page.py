"""The contents of a run: totals, concepts, pairs of concepts, sections and years, as text, tables and JSON.

`render` shows them as an HTML page with charts.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from corpora.words.quantities import quantity
from nlmchem.report.charts import Chart, bar_chart
from nlmchem.report.marks import mesh_address
from nlmchem.report.pages import Link, PageTable, render_page
from nlmchem.search import queries
from nlmchem.search.queries import ConceptCount, ConceptPairs, PairCount, SectionCount, Totals, YearCount

NO_SECTION = "no section"
COLUMNS = tuple(field.name for field in fields(ConceptCount))
"""The columns of the table of concepts."""


@dataclass(frozen=True, slots=True)
class RunContents:
    """What a run contains. Pairs: only the most frequent ones."""

    totals: Totals
    concepts: tuple[ConceptCount, ...]
    pairs_in_article: tuple[PairCount, ...]
    pairs_in_sentence: tuple[PairCount, ...]
    sections: tuple[SectionCount, ...]
    years: tuple[YearCount, ...]

    def as_dict(self) -> dict[str, Any]:
        """The contents as JSON values."""
        return asdict(self)

    def rows(self) -> list[tuple[Any, ...]]:
        """The table of all concepts."""
        return [tuple(getattr(concept, name) for name in COLUMNS) for concept in self.concepts]

    def lines(self, most: int) -> Iterator[str]:
        """The contents as text for people. `most`: rows of each list."""
        yield from totals_lines(self.totals)
        concepts = [
            (
                concept.name or "-",
                concept.identifier,
                str(concept.articles),
                str(concept.mentions),
                str(concept.indexed),
            )
            for concept in self.concepts[:most]
        ]
        yield from _listed(
            f"Concepts ({len(concepts)} of {len(self.concepts)})",
            ("name", "identifier", "articles", "mentions", "as index term"), concepts,
        )  # fmt: skip
        for title, pairs in (
            ("Pairs in the same article", self.pairs_in_article),
            ("Pairs in the same sentence", self.pairs_in_sentence),
        ):
            yield from _listed(title, ("first", "second", "articles", "sentences"), pair_rows(pairs[:most]))
        sections = [(item.section or NO_SECTION, str(item.articles), str(item.mentions)) for item in self.sections]
        yield from _listed("Sections", ("section", "articles", "mentions"), sections)
        years = [(str(item.year), str(item.articles), str(item.mentions)) for item in self.years]
        yield from _listed("Years of publication", ("year", "articles", "mentions"), years)


def pair_rows(pairs: Iterable[PairCount]) -> list[tuple[str, ...]]:
    """Pairs as rows of a table for people."""
    return [
        (pair.first_name or pair.first, pair.second_name or pair.second, str(pair.articles), str(pair.sentences))
        for pair in pairs
    ]


def contents(database: sqlite3.Connection, most_pairs: int) -> RunContents:
    """The contents of a run from its index."""
    pairs = ConceptPairs(database)
    return RunContents(
        queries.totals(database),
        tuple(queries.concept_counts(database)),
        tuple(pairs.in_articles(most_pairs)),
        tuple(pairs.in_sentences(most_pairs)),
        tuple(queries.section_counts(database)),
        tuple(queries.year_counts(database)),
    )


def totals_lines(totals: Totals) -> Iterator[str]:
    """The size of a run in words."""
    articles = quantity(totals.articles, "article")
    yield f"{articles}, {totals.with_mentions} with mentions, {totals.indexed} with index terms"
    without = f", {totals.without_concept} without concept" if totals.without_concept else ""
    yield f"{quantity(totals.mentions, 'mention')} of {quantity(totals.concepts, 'concept')}{without}"


def _listed(title: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """A table for people: columns as wide as their cells, numbers at the right."""
    if not rows:
        return
    short = [tuple(cell if len(cell) <= _WIDEST else f"{cell[: _WIDEST - 1]}…" for cell in row) for row in rows]
    widths = [max(len(row[column]) for row in [head, *short]) for column in range(len(head))]
    numeric = [all(row[column].isdecimal() for row in rows) for column in range(len(head))]
    yield f"\n{title}"
    for row in [head, *short]:
        cells = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        )
        yield f"  {'  '.join(cells)}".rstrip()


_WIDEST = 40


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
    return render_page("summary.html", context)


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
