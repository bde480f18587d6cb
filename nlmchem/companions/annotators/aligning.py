"""Aligns a list of mentions with articles: rows become mentions with exact offsets, or are refused with a reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice

from bioc import BioCDocument

from corpora.errors import Argument, ConfigurationError, OptionError
from corpora.model.chemical import CHEMICAL
from corpora.model.document import Mention, add_mention, fresh_ids, mentions, remove_mentions, set_identifiers
from corpora.model.mesh_ids import canonical
from corpora.model.metadata import article_ids
from corpora.reporting import Report, table_cell
from corpora.words.quantities import quantity
from nlmchem.companions.annotators.article_text import ArticleText, TextPlace
from nlmchem.companions.annotators.placing import RowFate, RowOutcome, place
from nlmchem.companions.annotators.rows import Row
from nlmchem.steps.shared import AnnotatedError
from nlmchem.tagging.inference.labels import chemical_types

ALIGNED = "aligned"
"""By which attempt a mention was placed, and what differed: `quote`, `document; case, dashes`."""


def alignment(mention: Mention) -> str | None:
    """How a mention was placed; None where it was not aligned."""
    value: str | None = mention.annotation.infons.get(ALIGNED)
    return value


COLUMNS = ("row", "document", "text", "identifier", "label", "fate", "attempt", "differences", "places", "remark")


def table(outcomes: Mapping[int, Sequence[RowOutcome]]) -> str:
    """The outcomes as TSV: one line for each row and article."""
    lines = ["\t".join(COLUMNS)]
    for outcome in (outcome for at in sorted(outcomes) for outcome in outcomes[at]):
        row = outcome.row
        cells = (
            row.place, row.document or "", row.text, row.identifier or "", row.label or "", outcome.fate,
            outcome.attempt, ", ".join(outcome.differences), str(len(outcome.places)), outcome.remark,
        )  # fmt: skip
        lines.append("\t".join(map(table_cell, cells)))
    return "\n".join(lines) + "\n"


KEEP, REPLACE, ERROR = "keep", "replace", "error"


def selected(rows: Iterable[Row], run: str | None) -> list[Row]:
    """The rows of one run. Raises `ConfigurationError` where rows of several runs, or none of this run, are there."""
    given = list(rows)
    if not given:
        raise ConfigurationError("the file of mentions has no row; give one row for each mention")
    names = sorted({row.run for row in given if row.run is not None})
    if run is None and len(names) > 1:
        raise ConfigurationError(
            f"the mentions are of {len(names)} runs ({', '.join(names[:8])}); align each by itself with ",
            Argument("run"),
        )
    kept = [row for row in given if run is None or row.run == run]
    if not kept:
        known = ", ".join(names[:8]) or "no row names a run"
        raise OptionError("run", f"is {run!r}, and no row has it ({known})")
    return kept


@dataclass(slots=True)
class Aligner:
    """Places the rows of a list in articles, one article after another."""

    rows: Sequence[Row]
    """The rows of one run. If a score is above 1, the scores of the run are percentages, as in the answers of many
    language models."""
    name: str
    """The annotator of mentions whose rows name no run."""
    labels: frozenset[str] = frozenset()
    """The labels that are chemicals; empty: those with a usual name of chemicals, and rows without label."""
    occurrences: str = "all"
    """`all` or `first` places of a row that states none."""
    existing: str = ERROR
    """What happens to mentions of the articles: `keep`, `replace` (in articles with a row) or `error`."""
    asked: Mapping[tuple[str, int], str] = field(default_factory=dict)
    """The texts of passages that were asked for, by article and offset. An answer, which may be empty, replaces the
    mentions of its passage; all others stay."""
    outcomes: dict[int, list[RowOutcome]] = field(default_factory=dict)
    """The outcomes of each row by its position, one for each of its articles."""
    placed: int = 0
    unanswered: list[str] = field(default_factory=list)
    """The articles that have mentions and no row, where mentions are replaced."""
    _answered: set[tuple[str, int]] = field(default_factory=set)
    _by_document: dict[str, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        whole = 100 if any((row.score or 0) > 1 for row in self.rows) else 1
        for at, row in enumerate(self.rows):
            self._by_document.setdefault(row.document or "", []).append(at)
        self.rows = [replace(row, score=None if row.score is None else row.score / whole) for row in self.rows]

    def aligned(self, documents: Iterable[BioCDocument], report: Report) -> Iterator[BioCDocument]:
        """The articles with their mentions, one in memory at a time, and each row's outcome. Raises `ArticleError`."""
        pending = iter(documents)
        first = list(islice(pending, 2))
        for document in chain(first, pending):
            yield self._align(document, report, is_only=len(first) == 1)
        for at, row in enumerate(self.rows):
            if at not in self.outcomes:
                remark = "" if row.document else "the row names no document, and there are several"
                self.outcomes[at] = [RowOutcome(row, RowFate.NO_DOCUMENT, remark=remark)]

    def unanswered_passages(self) -> list[tuple[str, int]]:
        """The passages that were asked for and have no answer, by article and offset; they keep their mentions."""
        return [passage for passage in self.asked if passage not in self._answered]

    def counts(self) -> Counter[RowFate]:
        """How many rows have each fate. A row with several articles has the best of its fates."""
        order = list(RowFate)
        return Counter(
            min((outcome.fate for outcome in outcomes), key=order.index) for outcomes in self.outcomes.values()
        )

    def _align(self, document: BioCDocument, report: Report, is_only: bool = False) -> BioCDocument:
        number = sum(1 for _ in mentions(document))
        if number and self.existing == ERROR and not self.asked:
            raise AnnotatedError(document, number)
        rows = {at: self.rows[at] for at in self._of(document, is_only)}
        if self.existing == REPLACE:
            # An article that no row names was not answered.
            if rows:
                remove_mentions(document)
            elif number:
                self.unanswered.append(str(document.id))
        self._replace_asked(document, rows)
        wanted = [at for at, row in rows.items() if not row.says_none and self._is_chemical(row)]
        article = ArticleText(document)
        outcomes, counting = place(article, [rows[at] for at in wanted], self.occurrences)
        stated = sum(1 for at in wanted if rows[at].start is not None)
        if counting is None and stated:
            report(
                f"document {document.id!r}: the offsets of {quantity(stated, 'row')} fit in no unit; the texts were "
                "sought instead"
            )
        elif counting is not None and not counting.is_usual:
            report(f"document {document.id!r}: the offsets count {counting}")
        for at, outcome in zip(wanted, outcomes, strict=True):
            self.outcomes.setdefault(at, []).append(outcome)
        for at in rows.keys() - set(wanted):
            fate = RowFate.NONE if rows[at].says_none else RowFate.NOT_CHEMICAL
            self.outcomes.setdefault(at, []).append(RowOutcome(rows[at], fate, remark=rows[at].label or ""))
        self._write(document, article, outcomes)
        return document

    def _replace_asked(self, document: BioCDocument, rows: dict[int, Row]) -> None:
        """Remove the mentions of passages that were asked for and have an answer.

        A row that names such a passage gets its text as the quote.
        """
        answers = {row.passage for row in rows.values() if row.says_none or row.text.strip()}
        for passage in document.passages:
            key = (str(document.id), int(passage.offset))
            if key in self.asked and passage.offset in answers:
                self._answered.add(key)
                for holder in (passage, *passage.sentences):
                    holder.annotations[:] = [
                        one for one in holder.annotations if one.infons.get("type") != CHEMICAL or not one.locations
                    ]
        for at, row in rows.items():
            asked = self.asked.get((str(document.id), -1 if row.passage is None else row.passage))
            if asked is not None and row.quote is None:
                fits = row.start is not None and asked[row.start : row.start + len(row.text)] == row.text
                rows[at] = replace(row, quote=asked, quote_start=row.start if fits else None, start=None, end=None)

    def _of(self, document: BioCDocument, is_only: bool) -> list[int]:
        """The positions of the rows of an article, by its id, its PMCID, PMID or DOI."""
        ids = article_ids(document)
        names = [str(document.id), *ids.values()]
        names += [f"PMC{ids['pmc']}"] if "pmc" in ids else []
        names += [str(document.id).removeprefix("PMC"), f"PMC{document.id}"]
        positions = [at for name in dict.fromkeys(names) for at in self._by_document.get(name, ())]
        return sorted(positions + (self._by_document.get("", []) if is_only else []))

    def _is_chemical(self, row: Row) -> bool:
        if row.label is None:
            return True
        return row.label in self.labels if self.labels else bool(chemical_types([re.sub("^[BI][-_]", "", row.label)]))

    def _write(self, document: BioCDocument, article: ArticleText, outcomes: Sequence[RowOutcome]) -> None:
        ids = fresh_ids(document, "A")
        new = [
            (spot, outcome)
            for outcome in outcomes
            if outcome.fate in (RowFate.PLACED, RowFate.FOLDED)
            for spot in outcome.places
        ]
        written: set[TextPlace] = set()
        for spot, outcome in sorted(new, key=lambda pair: pair[0]):
            if spot in written:
                continue
            written.add(spot)
            row, passage = outcome.row, document.passages[spot.passage]
            annotator, text = f"{row.run or self.name} (aligned)", article.texts[spot.passage]
            mention = add_mention(
                passage, [article.span(spot)], id=next(ids), annotator=annotator, score=row.score, text=text
            )
            if row.identifier:
                set_identifiers(mention, canonical(row.identifier))
            how = (outcome.attempt, ", ".join(outcome.places[spot]))
            mention.annotation.infons[ALIGNED] = "; ".join(filter(None, how))
        self.placed += len(written)
