"""The places of the rows of one article, and the fate of each row.

The order of attempts: the given offsets, the quote, everywhere in the article; each first with the exact text, then in
folded form. A place that a row states is better than the same spelling elsewhere. Each mention has exactly the text of
the article at its offsets: the text is never changed, and nothing is placed by likeness beyond the spellings of
`article_text.STEPS`.

The unit of offsets is found by agreement over an article. Tools count code points, bytes of UTF-8 or UTF-16 code units;
from the start of the document as its file states it, of its passages joined by a line end, a blank line or nothing, or
of each passage; with the last character inside or not. The texts of the mentions show it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import accumulate, product

from corpora.units import utf8_width, utf16_width
from corpora.words import english
from nlmchem.companions.annotators.article_text import CASE, STEPS, ArticleText, TextPlace, difference, folded
from nlmchem.companions.annotators.rows import Row

FEWEST = 0.5
"""The share of the rows of an article whose texts must be at their offsets. With fewer, the offsets are of another
text or invented, as language models do; single matches are chance."""


UNITS: dict[str, Callable[[str], int]] = {
    "characters": lambda character: 1, "bytes": utf8_width, "UTF-16 units": utf16_width,
}  # fmt: skip
BASES = ("document", "passages joined by 1 character", "passages joined by 2 characters", "passages joined", "passage")
"""Where counting begins: at the offsets of the file, at the beginning of the joined passages, or of each passage."""


@dataclass(frozen=True)
class Counting:
    """One way to count. `inclusive`: the end is the last character."""

    article: ArticleText
    unit: str
    base: str
    inclusive: bool = False

    def __str__(self) -> str:
        base = {"document": "the document", "passage": "each passage"}.get(self.base, f"the {self.base}")
        return f"{self.unit} from the start of {base}" + (", with the last character" if self.inclusive else "")

    @property
    def is_usual(self) -> bool:
        """Whether it counts as BioC does here."""
        return (self.unit, self.base, self.inclusive) == ("characters", BASES[0], False)

    @cached_property
    def _widths(self) -> list[list[int]]:
        """The positions of the characters of each passage, from its start, with the position of its end."""
        width = UNITS[self.unit]
        return [list(accumulate(map(width, text), initial=0)) for text in self.article.texts]

    @cached_property
    def _starts(self) -> list[int]:
        if self.base == "document":
            starts, grown = [], 0
            for offset, text, widths in zip(self.article.offsets, self.article.texts, self._widths, strict=True):
                starts.append(offset + grown)
                grown += widths[-1] - len(text)
            return starts
        gap = {"passages joined by 1 character": 1, "passages joined by 2 characters": 2}.get(self.base, 0)
        lengths = [widths[-1] + gap for widths in self._widths]
        return list(accumulate(lengths, initial=0))[:-1]

    def places(self, row: Row) -> list[TextPlace]:
        """The places that the offsets of a row mean: one, or one in each passage."""
        if row.start is None:
            return []
        end = row.end + self.inclusive if row.end is not None else None
        if self.base == "passage":
            numbers, starts = range(len(self.article.texts)), [0] * len(self.article.texts)
        else:
            number, starts = bisect_right(self._starts, row.start) - 1, self._starts
            numbers = range(number, number + 1) if number >= 0 else range(0)
        places = []
        for at in numbers:
            first = self._positions[at].get(row.start - starts[at])
            if first is None:
                continue
            # Some tools state where a mention begins, and not its end.
            last = first + len(row.text) if end is None else self._positions[at].get(end - starts[at])
            if last is not None and first < last <= len(self.article.texts[at]):
                places.append(TextPlace(at, first, last))
        return places

    @cached_property
    def _positions(self) -> list[dict[int, int]]:
        return [{position: at for at, position in enumerate(widths)} for widths in self._widths]

    def exact(self, row: Row) -> list[TextPlace]:
        """The places at which the text of a row is exactly."""
        return [place for place in self.places(row) if row.text and self.article.text_at(place) == row.text]


def agreed_counting(article: ArticleText, rows: Sequence[Row]) -> Counting | None:
    """The way to count in which most rows have their texts at their offsets, and at least the share `FEWEST` has.

    None where there is none. Ties: the order of `BASES` and `UNITS`.
    """
    stated = [row for row in rows if row.start is not None and row.text]
    units = ["characters"] if all(text.isascii() for text in article.texts) else list(UNITS)
    best, most = None, 0
    for inclusive, base, unit in product((False, True), BASES, units) if stated else ():
        counting = Counting(article, unit, base, inclusive)
        fitting = sum(1 for row in stated if counting.exact(row))
        if fitting > most and fitting >= FEWEST * len(stated):
            best, most = counting, fitting
        if fitting == len(stated):
            break
    return best


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
        """What differs at one or more places, in the order of `article_text.STEPS`."""
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
            # Places inside longer mentions are left out.
            alone = {
                place: differs
                for place, differs in outcome.places.items()
                if not any(other.contains(place) for other in by_passage.get(place.passage, ()))
            }
            if outcome.places and not alone:
                outcome.fate, outcome.remark = RowFate.NOT_IN_TEXT, "only inside longer mentions of other rows"
            outcome.places = alone
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
        if len(places := counting.exact(row)) == 1:
            yield "offsets", places
        wanted = folded(row.text).text
        if len(places := [at for at in counting.places(row) if folded(article.text_at(at)).text == wanted]) == 1:
            yield "offsets", places
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


def _is_short(text: str) -> bool:
    return sum(map(str.isalnum, text)) < SHORTEST
