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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import accumulate, product, takewhile

from corpora.words import english
from corpora.words.quantities import utf8_width, utf16_width
from nlmchem.companions.annotators.article_text import (
    CASE,
    STEPS,
    ArticleText,
    OutermostPlaces,
    TextPlace,
    difference,
    folded,
)
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

    def exact(self, row: Row) -> list[TextPlace]:
        """The places at which the text of a row is exactly."""
        return self.by_text(row).get(row.text, []) if row.text else []

    def by_text(self, row: Row) -> dict[str, list[TextPlace]]:
        """The places that the offsets of a row mean, one or one in each passage, by their texts.

        Rows with equal offsets share the answer.
        """
        key = (row.start, row.end, len(row.text) if row.end is None else None)
        if key not in self._known:
            self._known[key] = {}
            for place in self._of_offsets(row):
                self._known[key].setdefault(self.article.text_at(place), []).append(place)
        return self._known[key]

    def _of_offsets(self, row: Row) -> Iterator[TextPlace]:
        if row.start is None:
            return
        end = row.end + self.inclusive if row.end is not None else None
        numbers: Iterable[int]
        if self.base == "passage":
            # The passages that are too short are not asked: an article can have thousands of them.
            numbers = takewhile(lambda at: self._widths[at][-1] > (row.start or 0), self._longest_first)
        else:
            number = bisect_right(self._starts, row.start) - 1
            numbers = range(number, number + 1) if number >= 0 else range(0)
        for at in numbers:
            base = 0 if self.base == "passage" else self._starts[at]
            first = self._positions[at].get(row.start - base)
            if first is None:
                continue
            # Some tools state where a mention begins, and not its end.
            last = first + len(row.text) if end is None else self._positions[at].get(end - base)
            if last is not None and first < last <= len(self.article.texts[at]):
                yield TextPlace(at, first, last)

    @cached_property
    def _longest_first(self) -> list[int]:
        return sorted(range(len(self._widths)), key=lambda at: -self._widths[at][-1])

    @cached_property
    def _known(self) -> dict[tuple[int | None, ...], dict[str, list[TextPlace]]]:
        return {}

    @cached_property
    def _positions(self) -> list[dict[int, int]]:
        return [{position: at for at, position in enumerate(widths)} for widths in self._widths]


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
ALL, FIRST = "all", "first"


class RowFate(StrEnum):
    PLACED = "placed"
    FOLDED = "placed after folding"
    REPEATED = "same place as another row"
    NOT_IN_TEXT = "not in the text"
    AMBIGUOUS = "ambiguous"
    NOT_CHEMICAL = "label not chemical"
    NONE = "answers that there is none"
    NO_TEXT = "no text"
    NO_DOCUMENT = "no such document"

    @property
    def is_placed(self) -> bool:
        """Whether the article has the mention."""
        return self in (RowFate.PLACED, RowFate.FOLDED, RowFate.REPEATED)

    @property
    def is_refused(self) -> bool:
        """Whether the row is a mistake of its tool. A row of another type is none, nor is an empty answer."""
        return not self.is_placed and self not in (RowFate.NOT_CHEMICAL, RowFate.NONE)


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
    outermost = OutermostPlaces()
    # Rows that mean the same are placed once.
    alike: dict[tuple[object, ...], list[int]] = {}
    for at, row in enumerate(rows):
        alike.setdefault((row.text, row.quote, row.quote_start, row.start, row.end), []).append(at)
    # Rows that state a place come first, then longer texts: they show which shorter ones are parts of them.
    for first, *others in sorted(
        alike.values(), key=lambda ats: (not rows[ats[0]].states_place, -len(rows[ats[0]].text))
    ):
        outcome = _outcome(article, rows[first], counting, occurrences)
        if outcome.attempt == "document":
            # Places inside longer mentions are left out.
            alone = {place: differs for place, differs in outcome.places.items() if not outermost.contain(place)}
            if outcome.places and not alone:
                outcome.fate, outcome.remark = RowFate.NOT_IN_TEXT, "only inside longer mentions of other rows"
            outcome.places = alone
        outcomes[first] = outcome
        again = outcome
        if outcome.fate.is_placed:
            new = [place for place in outcome.places if place not in taken]
            taken.update(dict.fromkeys(new, first))
            for place in new:
                outermost.add(place)
            again = replace(outcome, fate=RowFate.REPEATED, remark=rows[taken[next(iter(outcome.places))]].place)
            if not new:
                outcomes[first] = again
        outcomes.update((at, replace(again, row=rows[at])) for at in others)
    return [outcomes[at] for at in range(len(rows))], counting


def _outcome(article: ArticleText, row: Row, counting: Counting | None, occurrences: str) -> RowOutcome:
    if not row.text.strip():
        return RowOutcome(row, RowFate.NO_TEXT)
    for attempt, places in _attempts(article, row, counting):
        if places:
            by_text = {text: difference(row.text, text) for text in set(map(article.text_at, places))}
            first = sorted(set(places))[: 1 if occurrences == FIRST else None]
            chosen = {place: by_text[article.text_at(place)] for place in first}
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
        by_text = counting.by_text(row).items()
        if len(places := [at for text, ats in by_text if folded(text).text == wanted for at in ats]) == 1:
            yield "offsets", places
    quotes = article.quoted(row.quote) if row.quote else []
    # Where in the quote it is, counts if the quote is in the article as it is.
    stated = [quote for quote in quotes if row.quote_start is not None and quote[1] - quote[0] == len(row.quote or "")]
    starts = [start + (row.quote_start or 0) for start, _ in stated]
    places = list(filter(None, (article.at((start, start + len(row.text))) for start in starts)))
    others = [quote for quote in quotes if not stated or quote[1] - quote[0] != len(row.quote or "")]
    exact = [place for place in places if article.text_at(place) == row.text]
    yield "quote", exact + article.in_quotes(row.text, others, exactly=True)
    yield "quote", article.in_quotes(row.text, quotes, exactly=False)
    yield "document", _everywhere(article, row.text)


def _everywhere(article: ArticleText, text: str) -> list[TextPlace]:
    """All places of a text, in its own spelling and in others; none for a short text that can be another word."""
    exact, others = article.exact(text), article.folded(text)
    if _is_short(text):
        spellings = {article.text_at(place) for place in others}
        if text.islower() and len(spellings | {text}) > 1:
            # Lists often lose capitals: `as` is any word, and `mg` a unit where the article also has Mg.
            return others if not exact and len(spellings) == 1 and text not in english.stop_words() else []
        fitting = {spelling for spelling in spellings if CASE not in difference(text, spelling)}
        others = [place for place in others if article.text_at(place) in fitting]
    return exact + others


def _is_short(text: str) -> bool:
    return sum(map(str.isalnum, text)) < SHORTEST
