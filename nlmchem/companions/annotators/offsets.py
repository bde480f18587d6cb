"""The unit of the offsets of a list of mentions, found by agreement over an article.

Tools count code points, bytes of UTF-8 or UTF-16 code units; from the start of the document as its file states it, of
its passages joined by a line end, a blank line or nothing, or of each passage; with the last character inside or not.
The texts of the mentions show it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from corpora.units import utf8_width, utf16_width
from nlmchem.companions.annotators.article_text import ArticleText, TextPlace
from nlmchem.companions.annotators.row import Row

FEWEST = 0.5
"""The share of the rows of an article whose texts must be at their offsets. With fewer, the offsets are of another
text or invented, as language models do; single matches are chance."""


def _one(character: str) -> int:
    return 1


UNITS: dict[str, Callable[[str], int]] = {"characters": _one, "bytes": utf8_width, "UTF-16 units": utf16_width}
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
        places = (
            self._place(at, row.start - starts[at], None if end is None else end - starts[at], row.text)
            for at in numbers
        )
        return [place for place in places if place is not None]

    def _place(self, number: int, start: int, end: int | None, text: str) -> TextPlace | None:
        positions = self._positions[number]
        first = positions.get(start)
        # Some tools state where a mention begins, and not its end.
        last = positions.get(end) if end is not None else None if first is None else first + len(text)
        if first is None or last is None or not first < last <= len(self.article.texts[number]):
            return None
        return TextPlace(number, first, last)

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
    best: tuple[int, Counting] | None = None
    for counting in _countings(article) if stated else ():
        fitting = sum(1 for row in stated if counting.exact(row))
        if fitting >= max(1, FEWEST * len(stated)) and (best is None or fitting > best[0]):
            best = fitting, counting
        if fitting == len(stated):
            break
    return None if best is None else best[1]


def _countings(article: ArticleText) -> Iterator[Counting]:
    units: Iterable[str] = UNITS
    if all(text.isascii() for text in article.texts):
        units = ("characters",)
    for inclusive in (False, True):
        for base in BASES:
            for unit in units:
                yield Counting(article, unit, base, inclusive)
