"""Which concepts of a run stand together: in the same sentence, and in the same article."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappush, heapreplace

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
        """The `most` pairs that are mentioned in most articles, also far from each other."""
        counted = self._counted(self._in_most_articles(most))
        return sorted(counted, key=lambda pair: (-pair.articles, -pair.sentences, pair.first, pair.second))

    def _in_most_articles(self, most: int) -> list[Pair]:
        """The pairs of most articles.

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
        return [(ids[-first], ids[-second]) for _, first, second in chosen]

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
