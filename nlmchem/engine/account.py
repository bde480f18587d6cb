"""The account of a run: how many articles are done, failed and skipped, and what was noticed about them."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from dataclasses import dataclass, field, fields, replace
from typing import Any

from corpora.words.quantities import quantity
from nlmchem.engine.apart import Apart
from nlmchem.engine.tasks import UNITS


@dataclass(frozen=True, slots=True)
class ArticleCounts:
    """Articles of the sources of a run.

    `done` and `failed` count this run, `skipped` what earlier runs had done, and `mentions` those of both. `failed`
    includes `failed_earlier`: articles that failed in an earlier run and were not tried again. `read`: the articles
    that the inputs contained; after a complete run it equals `articles`. `without_terms`: articles that are done and
    indexed, and have no index term. `left_out`: mentions below the lowest score, of all articles that are done; None
    without a lowest score. `rated`: mentions of these articles that have a probability; `probability`: the sum of these
    in units of 1/10,000. `files_skipped`: files that no format claims; they are no articles. `files_empty`: files with
    a format, but without any article. `apart`: other forms and versions of articles, and articles that are left out.
    `changes`: what an increment changed.
    """

    read: int = 0
    done: int = 0
    failed: int = 0
    failed_earlier: int = 0
    skipped: int = 0
    mentions: int = 0
    without_terms: int = 0
    left_out: int | None = None
    rated: int = 0
    probability: int = 0
    files_skipped: int = 0
    files_empty: int = 0
    apart: Apart = field(default_factory=Apart)
    changes: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: ArticleCounts) -> ArticleCounts:
        pairs = ((getattr(self, part.name), getattr(other, part.name)) for part in fields(self))
        return ArticleCounts(*(b if a is None else a if b is None else a + b for a, b in pairs))

    @property
    def expected_precision(self) -> float | None:
        """The mean probability of the mentions, with 4 decimals; None if none has a probability."""
        return round(self.probability / self.rated / UNITS, 4) if self.rated else None

    @property
    def articles(self) -> int:
        """All articles: done + failed + skipped."""
        return self.done + self.failed + self.skipped


_CHANGES = "FROM change WHERE run > (SELECT coalesce(max(id), 0) FROM run WHERE complete AND id < ?)"


class Account:
    """Queries on the ledger about the sources of one run. They change nothing."""

    def __init__(self, database: sqlite3.Connection, run: int) -> None:
        self._database = database
        self._run = run

    def counts(self) -> ArticleCounts:
        """The numbers of articles and mentions."""
        read = self._number("SELECT coalesce(sum(articles), 0) FROM source WHERE run = ?")
        row = self._database.execute(
            "SELECT sum(article.state = 'done' AND article.run = :run), sum(article.state = 'failed'),"
            " sum(article.state = 'failed' AND article.run < :run),"
            " sum(article.state = 'done' AND article.run < :run),"
            " sum(CASE WHEN article.state = 'done' THEN mentions ELSE 0 END),"
            " sum(article.state = 'done' AND terms = 0),"
            " sum(left_out), coalesce(sum(rated), 0), coalesce(sum(probability), 0)"
            " FROM article JOIN source ON source.id = article.source WHERE source.run = :run",
            {"run": self._run},
        ).fetchone()
        empty = self._number("SELECT count(*) FROM source WHERE run = ? AND articles = 0")
        done, failed, earlier, skipped, count, without_terms, left_out, rated, probability = row
        counts = ArticleCounts(read, done or 0, failed or 0, earlier or 0, skipped or 0, count or 0, without_terms or 0)
        counts = replace(counts, left_out=left_out, rated=rated or 0, probability=probability or 0, files_empty=empty)
        return replace(counts, changes=Counter(self.changes()))

    def changes(self) -> dict[str, int]:
        """How many sources are new, replaced, withdrawn or removed since the last complete run before this one."""
        return dict(self._database.execute(f"SELECT what, count(*) {_CHANGES} GROUP BY what", (self._run,)))

    def changed(self, limit: int) -> list[dict[str, str]]:
        """The first of these sources."""
        rows = self._database.execute(
            f"SELECT output, what {_CHANGES} GROUP BY output, what ORDER BY output LIMIT ?", (self._run, limit)
        )
        return [{"output": output, "what": what} for output, what in rows]

    def failures(self, limit: int) -> list[dict[str, Any]]:
        """The first failed articles, ordered by output name and position."""
        keys = ("path", "member", "output", "position", "document", "stage", "message")
        rows = self._database.execute(
            "SELECT path, member, output, position, document, stage, message FROM article"
            " JOIN source ON source.id = article.source WHERE article.state = 'failed' AND source.run = ?"
            " ORDER BY output, position LIMIT ?",
            (self._run, limit),
        )
        return [dict(zip(keys, row, strict=True)) for row in rows]

    def failed_in(self, stage: str) -> tuple[int, str] | None:
        """The number of articles that failed in a stage, and the input of the first; None: there is none."""
        # SQLite takes the other columns from the row of the minimum.
        number, _, path, member = self._database.execute(
            "SELECT count(*), min(output), path, member FROM article JOIN source ON source.id = article.source"
            " WHERE article.state = 'failed' AND stage = ? AND source.run = ?",
            (stage, self._run),
        ).fetchone()
        return (number, _place(path, member)) if number else None

    def notes(self, limit: int) -> tuple[int, list[dict[str, Any]]]:
        """The number of notes, and the first of them."""
        join = " FROM note JOIN source ON source.id = note.source WHERE source.run = ?"
        rows = self._database.execute(
            "SELECT path, member, position, sentence" + join + " ORDER BY output, position, sentence LIMIT ?",
            (self._run, limit),
        )
        notes = [dict(zip(("path", "member", "position", "note"), row, strict=True)) for row in rows]
        return self._number("SELECT count(*)" + join), notes

    def sentences(self, limit: int) -> list[str]:
        """The first different notes, each with the input that it is on first, and the number of the others.

        Notes that differ in numbers in brackets are one, with the sums: `relations (2)` and `relations (3)`.
        """
        # SQLite takes the other columns from the row of the minimum.
        rows = self._database.execute(
            "SELECT sentence, count(*), min(output), path, member FROM note JOIN source ON source.id = note.source"
            " WHERE source.run = ? GROUP BY sentence ORDER BY 3, position, sentence",
            (self._run,),
        )
        merged: dict[str, _Note] = {}
        for sentence, number, _, path, member in rows:
            form, numbers = _NUMBER.sub("(#)", sentence), [int(figure) * number for figure in _NUMBER.findall(sentence)]
            known = merged.setdefault(form, _Note(_place(path, member), [0] * len(numbers)))
            known.times += number
            known.numbers = [before + more for before, more in zip(known.numbers, numbers, strict=True)]
        return [note.sentence(form) for form, note in list(merged.items())[:limit]]

    def repeated_documents(self, limit: int) -> tuple[int, list[str]]:
        """The number of document ids that several articles have, and the first of them."""
        repeated = (
            " FROM (SELECT document FROM article JOIN source ON source.id = article.source"
            " WHERE source.run = ? AND document != '' GROUP BY document HAVING count(*) > 1)"
        )
        rows = self._database.execute(f"SELECT document{repeated} ORDER BY document LIMIT ?", (self._run, limit))
        return self._number("SELECT count(*)" + repeated), [row[0] for row in rows]

    def articles_named(self, document: str, limit: int) -> list[tuple[str, int]]:
        """Input (with member) and position of the articles with a document id."""
        rows = self._database.execute(
            "SELECT path, member, position FROM article JOIN source ON source.id = article.source"
            " WHERE source.run = ? AND document = ? ORDER BY output, position LIMIT ?",
            (self._run, document, limit),
        )
        return [(_place(path, member), position) for path, member, position in rows]

    def _number(self, query: str) -> int:
        return int(self._database.execute(query, (self._run,)).fetchone()[0])


_NUMBER = re.compile(r"\((\d+)\)")


@dataclass(slots=True)
class _Note:
    """A note on several articles: where it is first, the sums of its numbers, and on how many articles it is."""

    place: str
    numbers: list[int]
    times: int = 0

    def sentence(self, form: str) -> str:
        """The note with its numbers."""
        sums = iter(self.numbers)
        text = re.sub(r"\(#\)", lambda _: f"({next(sums)})", form)
        if self.numbers and self.times > 1:
            return f"{self.times} articles (the first: {self.place}): {text}"
        more = f" (and {quantity(self.times - 1, 'time')} more)" if self.times > 1 else ""
        return f"{self.place}: {text}{more}"


def _place(path: str, member: str | None) -> str:
    return path if member is None else f"{path}, member {member}"
