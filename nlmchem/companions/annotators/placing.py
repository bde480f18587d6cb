"""The places of the rows of one article, and the fate of each row.

The order of attempts: the given offsets, the quote, everywhere in the article; each first with the exact text, then in
folded form. A place that a row states is better than the same spelling elsewhere. Each mention has exactly the text of
the article at its offsets: the text is never changed, and nothing is placed by likeness beyond `text_folding`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from corpora.words import english
from nlmchem.companions.annotators.article_text import ArticleText, TextPlace
from nlmchem.companions.annotators.offsets import Counting, agreed_counting
from nlmchem.companions.annotators.row import Row
from nlmchem.companions.annotators.text_folding import CASE, STEPS, difference, folded

SHORTEST = 4
"""Letters and digits of a text that may stand for one in other capitals: `as` is no arsenic."""
ALL, FIRST = OCCURRENCES = ("all", "first")


class RowFate(StrEnum):
    """What became of a row."""

    PLACED = "placed"
    FOLDED = "placed after folding"
    REPEATED = "same place as another row"
    NOT_IN_TEXT = "not in the text"
    AMBIGUOUS = "ambiguous"
    NOT_CHEMICAL = "label not chemical"
    NO_TEXT = "no text"
    NO_DOCUMENT = "no such document"

    @property
    def is_placed(self) -> bool:
        """Whether the article has the mention."""
        return self in (RowFate.PLACED, RowFate.FOLDED, RowFate.REPEATED)

    @property
    def is_refused(self) -> bool:
        """Whether the row is a mistake of its tool. A row of another type is none."""
        return not self.is_placed and self is not RowFate.NOT_CHEMICAL


@dataclass(slots=True)
class RowOutcome:
    """What became of one row: its fate, by which attempt, and its places, each with what differs in its text."""

    row: Row
    fate: RowFate
    attempt: str = ""
    places: dict[TextPlace, tuple[str, ...]] = field(default_factory=dict)
    remark: str = ""

    @property
    def differences(self) -> tuple[str, ...]:
        """What differs at one or more places, in the order of `text_folding.STEPS`."""
        given = {step for steps in self.places.values() for step in steps}
        return tuple(step for step in STEPS if step in given)


def place(
    article: ArticleText, rows: Sequence[Row], occurrences: str = ALL
) -> tuple[list[RowOutcome], Counting | None]:
    """The outcomes of the rows of an article, in their order, and the way in which their offsets count.

    `occurrences`: whether a row without a place means all places of its text, or the first one. A row is not placed
    inside a longer mention of another row, except where its own offsets or quote are there.
    """
    counting = agreed_counting(article, rows)
    outcomes: dict[int, RowOutcome] = {}
    taken: dict[TextPlace, int] = {}
    by_passage: dict[int, list[TextPlace]] = {}
    # Rows that state a place come first, then longer texts: they show which shorter ones are parts of them.
    for at in sorted(range(len(rows)), key=lambda at: (not rows[at].states_place, -len(rows[at].text), at)):
        outcome = _outcome(article, rows[at], counting, occurrences)
        if outcome.attempt == "document":
            _leave_out_parts(outcome, by_passage)
        if outcome.fate.is_placed:
            new = [place for place in outcome.places if place not in taken]
            if not new:
                outcome.remark = rows[taken[next(iter(outcome.places))]].place
                outcome.fate = RowFate.REPEATED
            taken.update(dict.fromkeys(new, at))
            for new_place in new:
                by_passage.setdefault(new_place.passage, []).append(new_place)
        outcomes[at] = outcome
    return [outcomes[at] for at in range(len(rows))], counting


def _outcome(article: ArticleText, row: Row, counting: Counting | None, occurrences: str) -> RowOutcome:
    if not row.text.strip():
        return RowOutcome(row, RowFate.NO_TEXT)
    for attempt, places in _attempts(article, row, counting):
        if places:
            chosen = dict(sorted({place: difference(row.text, article.text_at(place)) for place in places}.items()))
            if occurrences == FIRST:
                chosen = dict([next(iter(chosen.items()))])
            fate = RowFate.FOLDED if all(chosen.values()) else RowFate.PLACED
            return RowOutcome(row, fate, attempt, chosen)
    if _is_short(row.text) and article.folded(row.text):
        remark = "so short a text can be another word; give its offsets or its sentence"
        return RowOutcome(row, RowFate.AMBIGUOUS, remark=remark)
    return RowOutcome(row, RowFate.NOT_IN_TEXT)


def _attempts(article: ArticleText, row: Row, counting: Counting | None) -> Iterator[tuple[str, list[TextPlace]]]:
    """The places by each attempt, in the order of the attempts. Several places of one offset are none."""
    if counting is not None:
        yield "offsets", _single(counting.exact(row))
        wanted = folded(row.text).text
        alike = [place for place in counting.places(row) if folded(article.text_at(place)).text == wanted]
        yield "offsets", _single(alike)
    quotes = article.quoted(row.quote) if row.quote else []
    for exactly in (True, False):
        yield "quote", [place for quote in quotes for place in _in_quote(article, row, quote, exactly)]
    yield "document", _everywhere(article, row.text)


def _everywhere(article: ArticleText, text: str) -> list[TextPlace]:
    """All places of a text, in its own spelling and in others; none for a short text that can be another word."""
    exact, others = article.exact(text), article.folded(text)
    if _is_short(text):
        spellings = {article.text_at(place) for place in others}
        if text.islower() and len(spellings | {text}) > 1:
            # Lists often lose capitals: `as` is any word, and `mg` a unit where the article also has Mg.
            return others if not exact and len(spellings) == 1 and text not in english.stop_words() else []
        others = [place for place in others if CASE not in difference(text, article.text_at(place))]
    return exact + others


def _in_quote(article: ArticleText, row: Row, quote: tuple[int, int], exactly: bool) -> list[TextPlace]:
    if row.quote_start is not None and exactly and quote[1] - quote[0] == len(row.quote or ""):
        start = quote[0] + row.quote_start
        place = article.at((start, start + len(row.text)))
        return [place] if place is not None and article.text_at(place) == row.text else []
    return (article.exact if exactly else article.folded)(row.text, quote)


def _single(places: list[TextPlace]) -> list[TextPlace]:
    return places if len(places) == 1 else []


def _is_short(text: str) -> bool:
    return sum(map(str.isalnum, text)) < SHORTEST


def _leave_out_parts(outcome: RowOutcome, taken: dict[int, list[TextPlace]]) -> None:
    """Leave out places inside longer mentions; a row that has no other place is not in the text by itself."""
    apart = [
        place for place in outcome.places if not any(other.contains(place) for other in taken.get(place.passage, ()))
    ]
    if outcome.places and not apart:
        outcome.fate, outcome.remark = RowFate.NOT_IN_TEXT, "only inside longer mentions of other rows"
    outcome.places = {place: outcome.places[place] for place in apart}
