"""Questions to the index of a run: which articles are about concepts, and what a run contains."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from heapq import heappush, heapreplace

from corpora.errors import ConfigurationError, shortened
from corpora.model.mesh_ids import mesh_id
from nlmchem.search.commands import ANYWHERE, IN_INDEX_TERMS, IN_MENTIONS
from nlmchem.search.facts import Use, sentence_of, uses_of
from sieves.cascade import Cascade
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.looking_up import by_identifier

TITLE, REFERENCES = "TITLE", "REF"
NO_LIMITS = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Hit:
    """An article with the wanted concepts."""

    document: str
    file: str
    pmid: str | None
    pmcid: str | None
    year: int | None
    title: str
    is_term: bool
    """Whether one of the concepts is an index term."""
    mentions: int
    concepts: tuple[str, ...]
    """Their names in the article, the most frequent first."""
    sections: tuple[tuple[str, int], ...]
    """Number of mentions by section, the most frequent first."""
    sentence: str
    """An example; empty without mention."""


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


def search(
    database: sqlite3.Connection,
    identifiers: Collection[str],
    place: str = ANYWHERE,
    least: tuple[float, float] = NO_LIMITS,
    most: int | None = None,
) -> tuple[int, list[Hit]]:
    """The number of articles with any of the concepts, and the first `most` of them (None: all).

    First those with an index term, then by the number of mentions. `least`: the lowest probability of a mention that
    counts, and that of its identifier; with a limit above 0, mentions without probability do not count.
    """
    articles: dict[int, _Article] = {}
    database.execute("CREATE TEMP TABLE chosen (concept INTEGER PRIMARY KEY)")
    try:
        insert = "INSERT INTO chosen SELECT id FROM concept WHERE identifier = ?"
        database.executemany(insert, ((id,) for id in set(identifiers)))
        if place != IN_INDEX_TERMS:
            rows = database.execute("SELECT article, concept, mentions, uses FROM used JOIN chosen USING (concept)")
            for article, concept, mentions, uses in rows:
                # Without limits, only the articles that are returned need the mentions one by one.
                if least != NO_LIMITS:
                    uses = [
                        use
                        for use in uses_of(uses)
                        if (use.probability or 0.0) >= least[0] and (use.identifier_probability or 0.0) >= least[1]
                    ]
                    mentions = len(uses)
                if mentions:
                    articles.setdefault(article, _Article()).add(concept, mentions, uses)
        if place != IN_MENTIONS:
            for article, concept in database.execute("SELECT article, concept FROM term JOIN chosen USING (concept)"):
                articles.setdefault(article, _Article()).add_term(concept)
        names = dict(database.execute("SELECT id, coalesce(name, identifier) FROM concept JOIN chosen ON id = concept"))
    finally:
        database.execute("DROP TABLE chosen")
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

    def rank(use: Use) -> tuple[int, float]:
        """How good a mention is as an example: titles are shown anyway, and references are titles of other articles."""
        section = names_of_sections[use.section]
        return int(section not in (TITLE, REFERENCES)) + int(section != REFERENCES), use.identifier_probability or 0.0

    best = max(uses.get(by_count[0], []), key=rank, default=None)
    return Hit(
        document, path if member is None else f"{path}/{member}", pmid, pmcid, year, title, article.is_term,
        article.mentions, tuple(dict.fromkeys(names[concept] for concept in by_count)),
        tuple(sorted(sections.items(), key=lambda item: (-item[1], item[0]))),
        "" if best is None else sentence_of(sentences, best.sentence),
    )  # fmt: skip


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


_TREE = re.compile(r"D\d{2}|[A-Z]\d{2}(\.\d{3})+", re.IGNORECASE)
"""Tree numbers of MeSH. Without a full stop only those of chemicals count: `B12` is a vitamin."""
_ALL = re.compile(r"all\s+(?=\S)", re.IGNORECASE)
_SUGGESTED = 8


def resolve(
    query: str, concepts: Sequence[tuple[str, str | None]], lexicon: Lexicon, below: bool
) -> tuple[str, frozenset[str]]:
    """What a query means, in words (`Cisplatin (MESH:D002945)`), and its concepts in the run.

    `D02.691` and `all platinum compounds` mean a branch: the concept and those below it; `below`: the query is such a
    branch in any case. `concepts`: identifiers and names of the run. Raises `ConfigurationError` for a query that means
    nothing, with names of the run that are like it.
    """
    query = " ".join(query.split())
    if not query:
        raise ConfigurationError("the query is empty; name a chemical, an identifier, or a tree number of MeSH")
    if _TREE.fullmatch(query):
        branch = query.upper()
        return f"the branch {branch} of MeSH", _inside(concepts, (branch,), lexicon)
    name = _ALL.sub("", query, count=1)
    below = below or name != query
    identifiers = _named(name, concepts, lexicon)
    if identifiers is None:
        words = query.casefold().split()
        like = sorted(
            f"{name} ({id})" for id, name in concepts if name and any(word in name.casefold() for word in words)
        )
        known = f"; names of the run with these words: {', '.join(like[:_SUGGESTED])}" if like else ""
        advice = "correct it, or use an identifier or a tree number of MeSH"
        raise ConfigurationError(f"{shortened(query)!r} is no name that the lexicon or the run has{known}; {advice}")
    names = dict(concepts)
    meant = " and ".join(f"{lexicon.preferred_name(id) or names.get(id) or '?'} ({id})" for id in identifiers)
    if not below:
        return meant, frozenset(identifiers)
    trees = tuple(tree for id in identifiers for tree in lexicon.trees(id))
    if not trees:
        raise ConfigurationError(f"{meant} has no place in the tree of MeSH; search for it without what is below it")
    return f"{meant} and what is below", frozenset(identifiers) | _inside(concepts, trees, lexicon)


def _named(query: str, concepts: Sequence[tuple[str, str | None]], lexicon: Lexicon) -> tuple[str, ...] | None:
    """The concepts with an identifier or a name: as the run has them, else by the sieves."""
    by_id = {identifier.casefold(): identifier for identifier, _ in concepts}
    wanted = mesh_id(query.upper()) or query
    if wanted.casefold() in by_id:
        return (by_id[wanted.casefold()],)
    if concepts_with_it := by_identifier(lexicon, query):
        return tuple(identifier for match, _ in concepts_with_it for identifier in match.identifiers)
    same = [identifier for identifier, name in concepts if name and name.casefold() == query.casefold()]
    if same:
        return tuple(same)
    answer = Cascade(lexicon).resolve(query)
    return None if answer is None else answer.identifiers


def _inside(concepts: Iterable[tuple[str, str | None]], trees: Sequence[str], lexicon: Lexicon) -> frozenset[str]:
    """The concepts of the run in a branch; a supplementary record is where its headings are."""
    return frozenset(
        identifier
        for identifier, _ in concepts
        if any(place == tree or place.startswith(f"{tree}.") for place in lexicon.trees(identifier) for tree in trees)
    )


Pair = tuple[int, int]
"""The numbers of two concepts in the index, in the order of their identifiers."""


@dataclass(frozen=True, slots=True)
class PairCount:
    """Two concepts of a run: in how many articles and in how many sentences both are mentioned."""

    first: str
    first_name: str
    second: str
    second_name: str
    articles: int
    sentences: int


class ConceptPairs:
    """Counts pairs of concepts with the index of a run. Pairs with equal counts are in the order of identifiers."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        rows = database.execute("SELECT id, identifier, coalesce(name, '') FROM concept ORDER BY identifier")
        self._names: dict[int, tuple[str, str]] = {id: (identifier, name) for id, identifier, name in rows}
        self._sets: dict[int, int] = {}

    def in_sentences(self, most: int) -> list[PairCount]:
        """The `most` pairs that stand together in sentences of most articles, then in most sentences."""
        rows = self._database.execute(
            """WITH pair AS MATERIALIZED (
                SELECT first, second, count(*) AS articles, sum(sentences) AS sentences
                FROM together GROUP BY first, second
            )
            SELECT first, second FROM pair
            JOIN concept AS a ON a.id = first JOIN concept AS b ON b.id = second
            WHERE articles >= coalesce((SELECT articles FROM pair ORDER BY articles DESC LIMIT 1 OFFSET ?), 0)
            ORDER BY articles DESC, sentences DESC, a.identifier, b.identifier LIMIT ?""",
            (max(0, most - 1), most),
        )
        return self._counted(rows.fetchall())

    def in_articles(self, most: int) -> list[PairCount]:
        """The `most` pairs that are mentioned in most articles, also far from each other.

        A pair has no more articles than the rarer of its concepts. So concepts are taken by their number of articles,
        until the next one has fewer than the last pair that was chosen.
        """
        place = {id: position for position, id in enumerate(self._names)}
        numbers = dict(self._database.execute("SELECT concept, count(*) FROM used GROUP BY concept"))
        concepts = sorted(numbers, key=lambda id: (-numbers[id], place[id]))
        chosen: list[tuple[int, int, int]] = []
        for position, rarer in enumerate(concepts):
            if len(chosen) >= most and (not chosen or numbers[rarer] < chosen[0][0]):
                break
            for other in concepts[:position]:
                both = self._articles_with_both(rarer, other)
                places = place[rarer], place[other]
                entry = both, -min(places), -max(places)
                if both and len(chosen) < most:
                    heappush(chosen, entry)
                elif both and entry > chosen[0]:
                    heapreplace(chosen, entry)
        ids = list(self._names)
        counted = self._counted([(ids[-first], ids[-second]) for _, first, second in chosen])
        return sorted(counted, key=lambda pair: (-pair.articles, -pair.sentences, pair.first, pair.second))

    def _articles_with_both(self, first: int, second: int) -> int:
        return (self._articles(first) & self._articles(second)).bit_count()

    def _articles(self, concept: int) -> int:
        """The articles that mention a concept, one bit each: two such sets are compared in a microsecond."""
        if concept not in self._sets:
            rows = self._database.execute("SELECT article FROM used WHERE concept = ? ORDER BY article", (concept,))
            articles = [article for (article,) in rows]
            bits = bytearray(articles[-1] // 8 + 1 if articles else 0)
            for article in articles:
                bits[article >> 3] |= 1 << (article & 7)
            self._sets[concept] = int.from_bytes(bits, "little")
        return self._sets[concept]

    def _counted(self, pairs: Sequence[Pair]) -> list[PairCount]:
        self._database.execute("CREATE TEMP TABLE wanted (first INTEGER, second INTEGER, PRIMARY KEY (first, second))")
        try:
            self._database.executemany("INSERT INTO wanted VALUES (?, ?)", pairs)
            rows = self._database.execute(
                """SELECT first, second, sum(sentences) FROM together JOIN wanted USING (first, second)
                GROUP BY first, second"""
            )
            sentences = {(first, second): number for first, second, number in rows}
        finally:
            self._database.execute("DROP TABLE wanted")
        return [
            PairCount(
                *self._names[first], *self._names[second],
                self._articles_with_both(first, second), sentences.get((first, second), 0),
            )
            for first, second in pairs
        ]  # fmt: skip
