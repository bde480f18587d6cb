"""Questions to the index of a run: which articles are about concepts, and what a run contains."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Place(StrEnum):
    """Where a concept is looked for."""

    ANYWHERE = "anywhere"
    MENTIONS = "mentions"
    INDEX_TERMS = "index-terms"


@dataclass(frozen=True, slots=True)
class Hit:
    """An article with the wanted concepts.

    `is_term`: whether one of them is an index term. `concepts`: their names in the article, the most frequent first.
    `sections`: number of mentions by section, the most frequent first. `sentence`: an example; empty without mention.
    """

    document: str
    file: str | None
    pmid: str | None
    pmcid: str | None
    year: int | None
    title: str
    is_term: bool
    mentions: int
    concepts: tuple[str, ...]
    sections: tuple[tuple[str, int], ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class ConceptCount:
    """A concept of a run: in how many articles it is mentioned, how often, and of how many it is an index term."""

    identifier: str
    name: str
    articles: int
    mentions: int
    indexed: int


@dataclass(frozen=True, slots=True)
class PairCount:
    """Two concepts of a run: in how many articles and in how many sentences they stand together."""

    first: str
    first_name: str
    second: str
    second_name: str
    articles: int
    sentences: int


@dataclass(frozen=True, slots=True)
class SectionCount:
    """A section: number of articles with mentions in it, and of mentions."""

    section: str
    articles: int
    mentions: int


@dataclass(frozen=True, slots=True)
class YearCount:
    """A year of publication: number of articles, and of mentions."""

    year: int
    articles: int
    mentions: int


@dataclass(frozen=True, slots=True)
class Totals:
    """The size of a run. `without_concept`: mentions without identifier. `indexed`: articles with index terms."""

    articles: int
    with_mentions: int
    mentions: int
    without_concept: int
    concepts: int
    indexed: int


def concepts(database: sqlite3.Connection) -> list[tuple[str, str | None]]:
    """The identifiers and names of all concepts of a run, sorted."""
    return list(database.execute("SELECT identifier, name FROM concept ORDER BY identifier"))


def search(database: sqlite3.Connection, identifiers: Iterable[str], place: Place) -> list[Hit]:
    """The articles with any of the concepts: first those with an index term, then by the number of mentions."""
    with _chosen(database, identifiers):
        found: dict[int, _Found] = {}
        if place is not Place.INDEX_TERMS:
            for article, concept, section, mentions in database.execute(
                "SELECT article, concept, section, mentions FROM used JOIN chosen USING (concept)"
            ):
                found.setdefault(article, _Found()).add(concept, section, mentions)
        if place is not Place.MENTIONS:
            for article, concept in database.execute("SELECT article, concept FROM term JOIN chosen USING (concept)"):
                found.setdefault(article, _Found()).add_term(concept)
        names = dict(database.execute("SELECT id, coalesce(name, identifier) FROM concept JOIN chosen ON id = concept"))
        order = sorted(found, key=lambda article: (not found[article].is_term, -found[article].mentions, article))
        return [_hit(database, article, found[article], names) for article in order]


class _Found:
    """What an article has of the wanted concepts."""

    def __init__(self) -> None:
        self.concepts: dict[int, int] = {}
        self.sections: dict[str, int] = {}
        self.is_term = False

    def add(self, concept: int, section: str, mentions: int) -> None:
        self.concepts[concept] = self.concepts.get(concept, 0) + mentions
        self.sections[section] = self.sections.get(section, 0) + mentions

    def add_term(self, concept: int) -> None:
        self.concepts.setdefault(concept, 0)
        self.is_term = True

    @property
    def mentions(self) -> int:
        return sum(self.concepts.values())


def _hit(database: sqlite3.Connection, article: int, found: _Found, names: dict[int, str]) -> Hit:
    document, file, pmid, pmcid, year, title = database.execute(
        "SELECT document, file, pmid, pmcid, year, title FROM article WHERE id = ?", (article,)
    ).fetchone()
    by_count = sorted(found.concepts, key=lambda concept: (-found.concepts[concept], names[concept]))
    sentence = ""
    if found.mentions:
        row = database.execute(
            "SELECT sentence FROM example WHERE concept = ? AND article = ?", (by_count[0], article)
        ).fetchone()
        sentence = row[0] if row else ""
    sections = tuple(sorted(found.sections.items(), key=lambda item: (-item[1], item[0])))
    concepts = tuple(dict.fromkeys(names[concept] for concept in by_count))
    return Hit(document, file, pmid, pmcid, year, title, found.is_term, found.mentions, concepts, sections, sentence)


@contextmanager
def _chosen(database: sqlite3.Connection, identifiers: Iterable[str]) -> Iterator[None]:
    """A temporary table with the numbers of concepts."""
    database.execute("CREATE TEMP TABLE chosen (concept INTEGER PRIMARY KEY)")
    try:
        database.executemany(
            "INSERT INTO chosen SELECT id FROM concept WHERE identifier = ?", ((id,) for id in set(identifiers))
        )
        yield
    finally:
        database.execute("DROP TABLE chosen")


# -- the whole run ------------------------------------------------------------------------------


def totals(database: sqlite3.Connection) -> Totals:
    """The size of a run."""
    articles, with_mentions, mentions, unlinked = database.execute(
        "SELECT count(*), sum(mentions > 0), sum(mentions), sum(unlinked) FROM article"
    ).fetchone()
    concepts = database.execute("SELECT count(*) FROM concept").fetchone()[0]
    indexed = database.execute("SELECT count(DISTINCT article) FROM term").fetchone()[0]
    return Totals(articles, with_mentions, mentions, unlinked, concepts, indexed)


def concept_counts(database: sqlite3.Connection) -> list[ConceptCount]:
    """All concepts, those of most articles first."""
    rows = database.execute(
        """SELECT identifier, coalesce(name, ''), coalesce(articles, 0), coalesce(mentions, 0), coalesce(indexed, 0)
        FROM concept
        LEFT JOIN (SELECT concept, count(DISTINCT article) AS articles, sum(mentions) AS mentions
                   FROM used GROUP BY concept) AS of_mentions ON of_mentions.concept = concept.id
        LEFT JOIN (SELECT concept, count(*) AS indexed FROM term GROUP BY concept) AS of_terms
            ON of_terms.concept = concept.id
        ORDER BY 3 DESC, 4 DESC, 5 DESC, identifier"""
    )
    return [ConceptCount(*row) for row in rows]


def pair_counts(database: sqlite3.Connection, most: int) -> list[PairCount]:
    """The `most` pairs of concepts that stand together in the sentences of most articles, then in most sentences.

    `articles` of a pair counts those with both concepts anywhere.
    """
    rows: Sequence[tuple[Any, ...]] = database.execute(
        """SELECT first, second, sum(sentences) FROM together GROUP BY first, second
        ORDER BY count(*) DESC, 3 DESC, first, second LIMIT ?""",
        (most,),
    ).fetchall()
    of_concepts = database.execute("SELECT id, identifier, name FROM concept")
    names = {id: (identifier, name or "") for id, identifier, name in of_concepts}
    both = """SELECT count(*) FROM (SELECT DISTINCT article FROM used WHERE concept = ?
        INTERSECT SELECT DISTINCT article FROM used WHERE concept = ?)"""
    return [
        PairCount(*names[first], *names[second], database.execute(both, (first, second)).fetchone()[0], sentences)
        for first, second, sentences in rows
    ]


def section_counts(database: sqlite3.Connection) -> list[SectionCount]:
    """The sections with mentions, those of most mentions first."""
    rows = database.execute(
        "SELECT section, count(DISTINCT article), sum(mentions) FROM used GROUP BY section ORDER BY 3 DESC, section"
    )
    return [SectionCount(*row) for row in rows]


def year_counts(database: sqlite3.Connection) -> list[YearCount]:
    """The years of publication that the files state, in order."""
    rows = database.execute(
        "SELECT year, count(*), sum(mentions) FROM article WHERE year IS NOT NULL GROUP BY year ORDER BY year"
    )
    return [YearCount(*row) for row in rows]
