"""The account of a run: how many articles are done, failed and skipped, and what was noticed about them."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from corpora.storage.members import Member
from corpora.storage.pmc_files import Beside
from corpora.words.quantities import quantity
from nlmchem.engine.database import KINDS, whole
from nlmchem.engine.tasks import LEFT_OUT, MENTIONS, PROBABILITY, RATED, UNITS
from nlmchem.steps.index import WITHOUT_TERMS

LISTED = 1000
"""The largest number of articles left out, of failures and of notes in a manifest. The ledger contains all of them."""


@dataclass(slots=True)
class Unread:
    """What inputs contain and a run does not read: other forms and versions of articles, and articles left out."""

    forms: int = 0
    versions: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    """The numbers of articles by reason."""
    first: list[tuple[str, str]] = field(default_factory=list)
    """The first of these articles with their reasons."""

    def add(self, beside: Beside) -> None:
        """Count what is beside an article that is read."""
        self.forms += beside.forms
        self.versions += beside.versions

    def leave_out(self, member: Member, reason: str) -> None:
        """Count an article that is not read."""
        self.left_out[reason] += 1
        if len(self.first) < LISTED:
            self.first.append((str(member), reason))

    def __add__(self, other: Unread) -> Unread:
        first = (self.first + other.first)[:LISTED]
        return Unread(self.forms + other.forms, self.versions + other.versions, self.left_out + other.left_out, first)

    def sentences(self) -> list[str]:
        """What is not read, in words; empty where there is nothing."""
        words = []
        if self.forms:
            words.append(quantity(self.forms, "other form"))
        if self.versions:
            words.append(quantity(self.versions, "other version"))
        if self.left_out:
            reasons = ", ".join(f"{number} {reason}" for reason, number in sorted(self.left_out.items()))
            words.append(f"left out {self.left_out.total()} ({reasons})")
        return words

    def as_json(self) -> dict[str, Any]:
        """The counts for the manifest."""
        return {
            "other_forms": self.forms,
            "other_versions": self.versions,
            "left_out": dict(sorted(self.left_out.items())),
            "first_left_out": [{"article": article, "reason": reason} for article, reason in self.first],
        }


class Sums(dict[str, int]):
    """Sums of what was counted in articles, by name. A name is missing where no article has this count."""

    def __add__(self, other: Mapping[str, int]) -> Sums:
        return Sums({name: self.get(name, 0) + other.get(name, 0) for name in {**self, **other}})


@dataclass(frozen=True, slots=True)
class ArticleCounts:
    """Articles of the sources of a run."""

    read: int = 0
    """Articles that the inputs contained. After a complete run it equals `articles`."""
    done: int = 0
    """In this run, as `failed`."""
    failed: int = 0
    failed_earlier: int = 0
    """Of `failed`: articles that failed in an earlier run and were not tried again."""
    skipped: int = 0
    """What earlier runs had done."""
    counted: Sums = field(default_factory=Sums)
    """What the articles that are done contain, of this run and of earlier ones: what `TaskResult.counts` has."""
    files_skipped: int = 0
    """Files that no format claims; they are no articles."""
    files_empty: int = 0
    """Files with a format, but without any article."""
    unread: Unread = field(default_factory=Unread)
    changes: Counter[str] = field(default_factory=Counter)
    """What an increment changed."""

    def __add__(self, other: ArticleCounts) -> ArticleCounts:
        return ArticleCounts(*(getattr(self, part.name) + getattr(other, part.name) for part in fields(self)))

    @property
    def articles(self) -> int:
        """All articles: done + failed + skipped."""
        return self.done + self.failed + self.skipped

    @property
    def mentions(self) -> int:
        """The mentions of these articles."""
        return self.counted.get(MENTIONS, 0)

    @property
    def left_out(self) -> int | None:
        """Mentions below the lowest score; None without a lowest score."""
        return self.counted.get(LEFT_OUT)

    @property
    def expected_precision(self) -> float | None:
        """The mean probability of the mentions, with 4 decimals; None if none has a probability."""
        rated = self.counted.get(RATED, 0)
        return round(self.counted[PROBABILITY] / rated / UNITS, 4) if rated else None

    @property
    def of_steps(self) -> dict[str, int]:
        """What steps have counted (`nlmchem.run.step.Step.count`)."""
        core = (MENTIONS, LEFT_OUT, RATED, PROBABILITY)
        return {name: number for name, number in sorted(self.counted.items()) if name not in core}

    def sentence(self) -> str:
        """The counts in words, for the end of the run."""
        changes = ", ".join(f"{self.changes[what]} {what}" for what in KINDS if self.changes[what])
        steps = (f"{number} {name}" for name, number in self.of_steps.items() if number)
        more = "".join(f"{words}; " for words in (changes, *self.unread.sentences(), *steps) if words)
        promise = ""
        if self.left_out is not None:
            # With a lowest score: the precision to expect of the mentions that reach it.
            expected = self.expected_precision
            precision = "" if expected is None else f", expected precision {expected:.4f}"
            promise = f" ({self.left_out} less probable left out{precision})"
        return (
            f"done {self.done} + failed {self.failed} + skipped {self.skipped} = "
            f"{quantity(self.articles, 'article')}; {more}{quantity(self.mentions, 'mention')}{promise}"
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "input": self.articles,
            "done": self.done,
            "failed": self.failed,
            "failed_earlier": self.failed_earlier,
            "skipped": self.skipped,
            "mentions": self.mentions,
            "without_index_terms": self.counted.get(WITHOUT_TERMS, 0),
            "mentions_left_out": self.left_out,
            "expected_precision": self.expected_precision,
            "files_skipped": self.files_skipped,
            "other_forms": self.unread.forms,
            "other_versions": self.unread.versions,
            "left_out": dict(sorted(self.unread.left_out.items())),
            "changes": {what: self.changes[what] for what in KINDS},
            "counts": self.of_steps,
        }


_CHANGES = "FROM change WHERE run > (SELECT coalesce(max(id), 0) FROM run WHERE complete AND id < ?)"


class Account:
    """Queries on the ledger about the sources of one run. They change nothing."""

    def __init__(self, database: sqlite3.Connection, run: int) -> None:
        self._database = database
        self._run = run

    def counts(self) -> ArticleCounts:
        read = self._number("SELECT coalesce(sum(articles), 0) FROM source WHERE run = ?")
        done, failed, failed_earlier, skipped = self._database.execute(
            "SELECT sum(article.state = 'done' AND article.run = :run), sum(article.state = 'failed'),"
            " sum(article.state = 'failed' AND article.run < :run),"
            " sum(article.state = 'done' AND article.run < :run)"
            " FROM article JOIN source ON source.id = article.source WHERE source.run = :run",
            {"run": self._run},
        ).fetchone()
        sums = self._database.execute(
            "SELECT key, sum(value) FROM source JOIN article ON article.source = source.id, json_each(article.counts)"
            " WHERE source.run = ? AND article.state = 'done' GROUP BY key",
            (self._run,),
        )
        empty = self._number("SELECT count(*) FROM source WHERE run = ? AND articles = 0")
        return ArticleCounts(
            read,
            done or 0,
            failed or 0,
            failed_earlier or 0,
            skipped or 0,
            counted=Sums({str(name): whole(number) for name, number in sums}),
            files_empty=empty,
            changes=Counter(self.changes()),
        )

    def changes(self) -> dict[str, int]:
        """How many sources are new, replaced, withdrawn or removed since the last complete run before this one."""
        return dict(self._database.execute(f"SELECT what, count(*) {_CHANGES} GROUP BY what", (self._run,)))

    def changed(self, limit: int) -> list[dict[str, Any]]:
        """The first of these sources."""
        return self._records(f"output, what {_CHANGES} GROUP BY output, what ORDER BY output LIMIT ?", limit)

    def failures(self, limit: int) -> list[dict[str, Any]]:
        """The first failed articles, ordered by output name and position."""
        return self._records(
            "path, member, output, position, document, stage, message FROM article"
            " JOIN source ON source.id = article.source WHERE source.run = ? AND article.state = 'failed'"
            " ORDER BY output, position LIMIT ?",
            limit,
        )

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
        columns = "path, member, position, sentence AS note"
        first = self._records(f"{columns}{join} ORDER BY output, position, sentence LIMIT ?", limit)
        return self._number("SELECT count(*)" + join), first

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

    def _records(self, selected: str, limit: int) -> list[dict[str, Any]]:
        """The rows of a query whose arguments are this run and a limit, each by the names of its columns."""
        cursor = self._database.execute(f"SELECT {selected}", (self._run, limit))
        columns = [column[0] for column in cursor.description]
        return [dict(zip(columns, row, strict=True)) for row in cursor]


_NUMBER = re.compile(r"\((\d+)\)")


@dataclass(slots=True)
class _Note:
    """A note on several articles: where it is first, the sums of its numbers, and on how many articles it is."""

    place: str
    numbers: list[int]
    times: int = 0

    def sentence(self, form: str) -> str:
        sums = iter(self.numbers)
        text = re.sub(r"\(#\)", lambda _: f"({next(sums)})", form)
        if self.numbers and self.times > 1:
            return f"{self.times} articles (the first: {self.place}): {text}"
        more = f" (and {quantity(self.times - 1, 'time')} more)" if self.times > 1 else ""
        return f"{self.place}: {text}{more}"


def _place(path: str, member: str | None) -> str:
    return path if member is None else f"{path}, member {member}"
