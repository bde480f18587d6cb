"""The contents of a run: totals, concepts, pairs of concepts, sections and years, as text, tables and JSON."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from corpora.words.quantities import quantity
from nlmchem.search import queries
from nlmchem.search.pairs import ConceptPairs, PairCount
from nlmchem.search.queries import ConceptCount, SectionCount, Totals, YearCount

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
