"""Questions to the index of a run: which articles are about concepts, and what a run contains."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

from nlmchem.search.facts import Use, sentence_of, uses_of

TITLE, REFERENCES = "TITLE", "REF"


class Place(StrEnum):
    """Where a concept is looked for."""

    ANYWHERE = "anywhere"
    MENTIONS = "mentions"
    INDEX_TERMS = "index-terms"


@dataclass(frozen=True, slots=True)
class Least:
    """The lowest probabilities of the mentions that count. With a limit above 0, those without probability do not."""

    probability: float = 0.0
    identifier_probability: float = 0.0

    def is_reached(self, use: Use) -> bool:
        """Whether a mention counts."""
        return (use.probability or 0.0) >= self.probability and (
            use.identifier_probability or 0.0
        ) >= self.identifier_probability


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for: concepts, where they must be, and how probable their mentions must be."""

    identifiers: Collection[str]
    place: Place = Place.ANYWHERE
    least: Least = Least()


@dataclass(frozen=True, slots=True)
class Hit:
    """An article with the wanted concepts.

    `is_term`: whether one of them is an index term. `concepts`: their names in the article, the most frequent first.
    `sections`: number of mentions by section, the most frequent first. `sentence`: an example; empty without mention.
    """

    document: str
    file: str
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


def search(database: sqlite3.Connection, wanted: Wanted, most: int | None = None) -> tuple[int, list[Hit]]:
    """The number of articles with any of the concepts, and the first `most` of them (None: all).

    First those with an index term, then by the number of mentions.
    """
    with _chosen(database, wanted.identifiers):
        articles: dict[int, _Article] = {}
        if wanted.place is not Place.INDEX_TERMS:
            rows = database.execute("SELECT article, concept, mentions, uses FROM used JOIN chosen USING (concept)")
            for article, concept, mentions, uses in rows:
                # Without limits, only the articles that are returned need the mentions one by one.
                if wanted.least != Least():
                    uses = list(filter(wanted.least.is_reached, uses_of(uses)))
                    mentions = len(uses)
                if mentions:
                    articles.setdefault(article, _Article()).add(concept, mentions, uses)
        if wanted.place is not Place.MENTIONS:
            for article, concept in database.execute("SELECT article, concept FROM term JOIN chosen USING (concept)"):
                articles.setdefault(article, _Article()).add_term(concept)
        names = dict(database.execute("SELECT id, coalesce(name, identifier) FROM concept JOIN chosen ON id = concept"))
    order = sorted(articles, key=lambda article: (not articles[article].is_term, -articles[article].mentions, article))
    return len(order), [_hit(database, article, articles[article], names) for article in order[:most]]


class _Article:
    """What an article has of the wanted concepts. `counts`: mentions of each; `uses`: these, or their text."""

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}
        self.uses: dict[int, list[Use] | str] = {}
        self.is_term = False
        self.mentions = 0

    def add(self, concept: int, mentions: int, uses: list[Use] | str) -> None:
        self.counts[concept] = mentions
        self.uses[concept] = uses
        self.mentions += mentions

    def add_term(self, concept: int) -> None:
        self.counts.setdefault(concept, 0)
        self.is_term = True


def _hit(database: sqlite3.Connection, id: int, article: _Article, names: dict[int, str]) -> Hit:
    document, path, member, pmid, pmcid, year, title, sentences = database.execute(
        """SELECT document, path, member, pmid, pmcid, year, title, texts FROM article
        JOIN source ON source.id = source JOIN sentences ON article = article.id WHERE article.id = ?""",
        (id,),
    ).fetchone()
    uses = {concept: uses_of(of) if isinstance(of, str) else of for concept, of in article.uses.items()}
    by_count = sorted(article.counts, key=lambda concept: (-article.counts[concept], names[concept]))
    names_of_sections = dict(database.execute("SELECT number, section FROM section WHERE article = ?", (id,)))
    sections = Counter(names_of_sections[use.section] for of_concept in uses.values() for use in of_concept)
    most = uses.get(by_count[0], [])
    best = max(most, key=lambda use: _rank(use, names_of_sections[use.section]), default=None)
    return Hit(
        document, path if member is None else f"{path}/{member}", pmid, pmcid, year, title, article.is_term,
        article.mentions, tuple(dict.fromkeys(names[concept] for concept in by_count)),
        tuple(sorted(sections.items(), key=lambda item: (-item[1], item[0]))),
        "" if best is None else sentence_of(sentences, best.sentence),
    )  # fmt: skip


def _rank(use: Use, section: str) -> tuple[int, float]:
    """How good a mention is as an example: titles are shown anyway, and references are titles of other articles."""
    return int(section not in (TITLE, REFERENCES)) + int(section != REFERENCES), use.identifier_probability or 0.0


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
        LEFT JOIN (SELECT concept, count(*) AS articles, sum(mentions) AS mentions
                   FROM used GROUP BY concept) AS of_mentions ON of_mentions.concept = concept.id
        LEFT JOIN (SELECT concept, count(*) AS indexed FROM term GROUP BY concept) AS of_terms
            ON of_terms.concept = concept.id
        ORDER BY 3 DESC, 4 DESC, 5 DESC, identifier"""
    )
    return [ConceptCount(*row) for row in rows]


def section_counts(database: sqlite3.Connection) -> list[SectionCount]:
    """The sections with mentions, those of most mentions first."""
    rows = database.execute(
        "SELECT section, count(*), sum(mentions) FROM section GROUP BY section ORDER BY 3 DESC, section"
    )
    return [SectionCount(*row) for row in rows]


def year_counts(database: sqlite3.Connection) -> list[YearCount]:
    """The years of publication that the files state, in order."""
    rows = database.execute(
        "SELECT year, count(*), sum(mentions) FROM article WHERE year IS NOT NULL GROUP BY year ORDER BY year"
    )
    return [YearCount(*row) for row in rows]
