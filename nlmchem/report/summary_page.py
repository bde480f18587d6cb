"""The contents of a run: totals, concepts, pairs of concepts, sections and years, as text, tables and JSON.

`render` shows them as an HTML page with charts.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from corpora.words.quantities import quantity
from nlmchem.report.marks import mesh_address
from nlmchem.report.pages import Link, PageTable, render_page
from nlmchem.search import queries
from nlmchem.search.queries import ConceptCount, ConceptPairs, PairCount, SectionCount, Totals, YearCount

NO_SECTION = "no section"
COLUMNS = tuple(field.name for field in fields(ConceptCount))
"""The columns of the table of concepts."""
WIDEST = 40
"""Characters of a cell of a table for people."""
BARS = 20
"""Rows of a chart."""
ROWS = 1000
"""Rows of a table of the page; the table of `--out FILE.csv` has all."""

Rows = list[tuple[str, ...]]


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
        return asdict(self)

    def rows(self) -> list[tuple[Any, ...]]:
        """The table of all concepts."""
        return [tuple(getattr(concept, name) for name in COLUMNS) for concept in self.concepts]

    def lines(self, most: int) -> Iterator[str]:
        """The contents as text for people. `most`: rows of each list."""
        yield from totals_lines(self.totals)
        rows = self.cells(most, most)
        title = f"Concepts ({len(rows['concepts'])} of {len(self.concepts)})"
        yield from _listed(title, ("name", "identifier", "articles", "mentions", "as index term"), rows["concepts"])
        head = ("first", "second", "articles", "sentences")
        yield from _listed("Pairs in the same article", head, rows["article"])
        yield from _listed("Pairs in the same sentence", head, rows["sentence"])
        yield from _listed("Sections", ("section", "articles", "mentions"), rows["sections"])
        yield from _listed("Years of publication", ("year", "articles", "mentions"), rows["years"])

    def cells(self, concepts: int | None = None, pairs: int | None = None) -> dict[str, Rows]:
        """The rows of all tables for people, at most so many concepts and pairs."""
        return {
            "concepts": [
                (each.name or "-", each.identifier, str(each.articles), str(each.mentions), str(each.indexed))
                for each in self.concepts[:concepts]
            ],
            "article": [_pair_row(pair) for pair in self.pairs_in_article[:pairs]],
            "sentence": [_pair_row(pair) for pair in self.pairs_in_sentence[:pairs]],
            "sections": [
                (each.section or NO_SECTION, str(each.articles), str(each.mentions)) for each in self.sections
            ],
            "years": [(str(each.year), str(each.articles), str(each.mentions)) for each in self.years],
        }


def _pair_row(pair: PairCount) -> tuple[str, ...]:
    return pair.first_name or pair.first, pair.second_name or pair.second, str(pair.articles), str(pair.sentences)


def contents(database: sqlite3.Connection, most_pairs: int) -> RunContents:
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
    short = [tuple(cell if len(cell) <= WIDEST else f"{cell[: WIDEST - 1]}…" for cell in row) for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *short, strict=True)]
    numeric = [all(map(str.isdecimal, column)) for column in zip(*rows, strict=True)]
    yield f"\n{title}"
    for row in [head, *short]:
        cells = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        )
        yield f"  {'  '.join(cells)}".rstrip()


def render(contents: RunContents, name: str) -> str:
    """The page. `name`: what the user named the run."""
    rows = contents.cells(ROWS)
    links = {
        (number, 1): (Link(concept.identifier, address),)
        for number, concept in enumerate(contents.concepts[:ROWS])
        if (address := mesh_address(concept.identifier))
    }
    concepts = PageTable(
        quantity(len(contents.concepts), "concept"),
        ("Concept", "Identifier", "Articles", "Mentions", "As index term"),
        tuple(rows["concepts"]), 2, "concepts", links=links, sortable=True, cards=True,
    )  # fmt: skip
    pairs = ("First", "Second", "Articles with both", "Sentences with both")
    context = {
        "name": name,
        "lines": list(totals_lines(contents.totals)),
        "figures": list(_charts(contents)),
        "concepts": concepts,
        "pairs": [
            _table(f"Pairs of concepts in the same {unit}", pairs, rows[unit], 2)
            for unit in ("article", "sentence")
            if rows[unit]
        ],
        "sections": rows["sections"] and _table("Sections", ("Section", "Articles", "Mentions"), rows["sections"]),
        "years": rows["years"] and _table("Years of publication", ("Year", "Articles", "Mentions"), rows["years"]),
        "left_out": max(0, len(contents.concepts) - ROWS),
    }
    return render_page("summary.html", context)


def _table(caption: str, head: tuple[str, ...], rows: Rows, texts: int = 1) -> PageTable:
    return PageTable(caption, head, tuple(rows), texts, sortable=True, cards=True)


def _charts(contents: RunContents) -> Iterator[str]:
    """The charts of which there is something to show, as SVG elements."""
    # Text and tables need no matplotlib.
    from nlmchem.report.charts import bar_chart

    concepts, pairs = contents.concepts, contents.pairs_in_sentence
    by_mentions = sorted(concepts, key=lambda concept: -concept.mentions)
    by_sentences = sorted(pairs, key=lambda pair: -pair.sentences)
    sections, years = (each if len(each) > 1 else () for each in (contents.sections, contents.years))
    charts = (
        ("by-articles", "Concepts in most articles", concepts, "articles"),
        ("by-mentions", "Concepts with most mentions", by_mentions, "mentions"),
        ("in-articles", "Concepts in the same article", contents.pairs_in_article, "articles"),
        ("in-sentences", "Concepts in the same sentence", by_sentences, "sentences"),
        ("by-section", "Mentions by section", sections, "mentions"),
        ("by-year", "Articles by year of publication", years[-BARS:], "articles"),
    )
    for prefix, title, items, unit in charts:
        numbers = [(_bar_name(item), getattr(item, unit)) for item in items[:BARS]]
        if numbers:
            rows = [(name, float(number), f"{number:,}") for name, number in numbers]
            yield bar_chart(title, unit.capitalize(), rows).inline_svg(prefix)


def _bar_name(item: ConceptCount | PairCount | SectionCount | YearCount) -> str:
    match item:
        case ConceptCount():
            return item.name or item.identifier
        case PairCount():
            return " + ".join(_pair_row(item)[:2])
        case SectionCount():
            return item.section or NO_SECTION
        case YearCount():
            return str(item.year)
