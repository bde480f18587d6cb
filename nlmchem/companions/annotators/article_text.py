"""The texts of the passages of an article, and where a mention can be in them, in any spelling.

`folded` undoes step by step what tools and language models change when they repeat a text, and keeps for each character
the place that it comes from. `difference` names the steps that two texts need to be equal.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from bioc import BioCDocument

from corpora.model.document import Span
from corpora.model.passages import passage_text
from corpora.words.folding import FINAL_SIGMA, GREEK_NAME_OF, MICRO

HTML, LINE_ENDS, UNICODE, DASHES, GREEK, BLANKS, CASE, PLURAL = STEPS = (
    "HTML", "hyphenation", "Unicode forms", "dashes", "Greek letters", "blanks", "case", "plural",
)  # fmt: skip

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});|</?(?:sub|sup|i|b|em|strong)>")
"""An entity, or a tag of markup inside words."""
_LINE_END = re.compile(r"(?<=[^\W\d_])(?:\u00ad\s*|-\s+)(?=[^\W\d_])")
"""A word that is divided at the end of a line. A blank is left of the line end in many texts."""
_DASHES = dict.fromkeys("‐‑‒–—―−﹣－⁃˗", "-")
_QUOTES = {"’": "'", "‘": "'", "′": "'", "ʹ": "'", "`": "'", "´": "'", "“": '"', "”": '"', "″": '"', "·": ".", "•": "."}
_TIGHT = frozenset("-/()[]{},;:'+.")
"""Marks whose blanks tools add or remove."""
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")

Piece = tuple[str, int, int]
"""A character of a folded text, and the start and the end (exclusive) of its source."""


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A folded text. `starts` and `ends` are the places of its characters in the source, in code points."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def sources(self, spans: Iterable[Span]) -> list[Span]:
        """The source of spans of the text, where a letter that is folded into several is inside as a whole."""
        return [
            (self.starts[start], self.ends[end - 1])
            for start, end in spans
            if (start == 0 or self.starts[start - 1] != self.starts[start])
            and (end == len(self.text) or self.starts[end] != self.starts[end - 1])
        ]

    def within(self, source: Span) -> Span:
        """The span of the text that comes from inside a span of the source."""
        return bisect_left(self.starts, source[0]), bisect_right(self.ends, source[1])


def folded(text: str, steps: Iterable[str] = STEPS) -> FoldedText:
    """A text with all spellings of `STEPS` undone but the plural, or with some of them undone."""
    wanted = frozenset(steps)
    replaced: list[tuple[int, int, str]] = []
    if HTML in wanted and ("&" in text or "<" in text):
        replaced += [(*m.span(), html.unescape(m[0]) if m[0][0] == "&" else "") for m in _ENTITY.finditer(text)]
    if LINE_ENDS in wanted and ("-" in text or "\u00ad" in text):
        replaced += [(*m.span(), "") for m in _LINE_END.finditer(text)]
    sources: list[Piece] = []
    reached = 0
    for start, end, value in [*sorted(replaced), (len(text), len(text), "")]:
        sources += [(text[at], at, at + 1) for at in range(reached, start)]
        sources += [(character, start, end) for character in value]
        reached = end
    pieces = (piece for source in sources for piece in _characters(*source, wanted))
    kept = list(_without_blanks(pieces) if BLANKS in wanted else pieces)
    return FoldedText(
        "".join(piece for piece, _, _ in kept), tuple(start for _, start, _ in kept), tuple(end for *_, end in kept)
    )


def difference(given: str, found: str) -> tuple[str, ...]:
    """The steps without which two texts of equal folded form differ; empty for equal texts."""
    if given == found:
        return ()
    needed = list(STEPS)
    for step in reversed(STEPS):
        fewer = [other for other in needed if other != step]
        first, second = (folded(text, fewer).text for text in (given, found))
        if first == second or (PLURAL in fewer and set(numbers(first)) & set(numbers(second))):
            needed = fewer
    return tuple(needed)


def numbers(text: str) -> tuple[str, ...]:
    """The text, and its singular or plural forms with an s, where it is long enough for a word.

    >>> numbers("amine"), numbers("alcohols"), numbers("NO")
    (('amine', 'amines'), ('alcohols', 'alcohol'), ('NO',))
    """
    if len(text) < 4 or not text[-1:].isalpha():
        return (text,)
    if text[-1:] == "s" and text[-2:] not in ("ss", "us", "is"):
        return (text, text[:-1])
    return (text, f"{text}s")


def _characters(character: str, start: int, end: int, steps: frozenset[str]) -> Iterator[Piece]:
    if character.isascii():
        yield (character.lower() if CASE in steps else character), start, end
        return
    if UNICODE in steps:
        if character in _INVISIBLE:
            return
        character = _QUOTES.get(character, character)
        if character not in _DASHES:
            decomposed = unicodedata.normalize("NFKD", character)
            character = "".join(part for part in decomposed if not unicodedata.combining(part))
    if DASHES in steps:
        character = _DASHES.get(character, character)
    if GREEK in steps:
        lower = character.lower().replace(MICRO, "μ").replace(FINAL_SIGMA, "σ")
        character = GREEK_NAME_OF.get(lower, character)
    if CASE in steps:
        character = character.lower()
    # Characters of one source stay together: a match begins and ends at whole ones.
    yield from ((part, start, end) for part in character)


def _without_blanks(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """One blank for several, and none beside marks."""
    before, blank = "", None
    for piece in pieces:
        if piece[0].isspace():
            blank = blank or (" ", piece[1], piece[2])
            continue
        if blank is not None and before and before not in _TIGHT and piece[0] not in _TIGHT:
            yield blank
        yield piece
        before, blank = piece[0], None


SHORTEST_WORD = 3
"""Letters of a text that numbers may follow: residues of amino acids have three."""
_SHORT_PLURAL = re.compile(r"[A-Z0-9+]s$")
JOINT = "\n"
"""Between passages of the joined text."""
LONG = 100
"""Characters of a text whose places are not sought at each of its own characters again: that takes quadratic time."""


@dataclass(frozen=True, slots=True, order=True)
class TextPlace:
    """A piece of a passage: its number, and start and end (exclusive) in its text, in code points."""

    passage: int
    start: int
    end: int


class OutermostPlaces:
    """The places of an article that are in no other place, in the order of the text, so their ends increase, too."""

    def __init__(self) -> None:
        self._starts: list[tuple[int, int]] = []
        self._places: list[TextPlace] = []

    def contain(self, place: TextPlace) -> bool:
        """Whether a place is inside one of these, and shorter."""
        at = bisect_right(self._starts, (place.passage, place.start)) - 1
        outer = self._places[at] if at >= 0 else place
        return outer.passage == place.passage and outer.end >= place.end and outer != place

    def add(self, place: TextPlace) -> None:
        """Add a place, and remove those inside it."""
        if self.contain(place):
            return
        first = last = bisect_left(self._starts, (place.passage, place.start))
        while last < len(self._places) and (self._places[last].passage, self._places[last].end) <= (
            place.passage,
            place.end,
        ):
            last += 1
        self._starts[first:last] = [(place.passage, place.start)]
        self._places[first:last] = [place]


class ArticleText:
    """The texts of an article, searched for mentions and quotes.

    Raises `ArticleError` where sentences of a passage overlap.
    """

    def __init__(self, document: BioCDocument) -> None:
        self.texts = [passage_text(passage) for passage in document.passages]
        self.offsets = [int(passage.offset) for passage in document.passages]
        self._joined = JOINT.join(self.texts)
        self._quotes: dict[str, list[Span]] = {}
        self._starts = list(accumulate((len(text) + len(JOINT) for text in self.texts[:-1]), initial=0))

    def text_at(self, place: TextPlace) -> str:
        return self.texts[place.passage][place.start : place.end]

    def span(self, place: TextPlace) -> Span:
        """A place in document offsets."""
        offset = self.offsets[place.passage]
        return offset + place.start, offset + place.end

    def exact(self, text: str, within: Span | None = None) -> list[TextPlace]:
        """All places of a text, as whole words. `within`: a span of the joined text (see `quoted`)."""
        return self._places(occurrences(text, self._joined, within))

    def folded(self, text: str, within: Span | None = None) -> list[TextPlace]:
        """All places where the folded text is, as whole words; the singular or plural only where the text is not."""
        needle = folded(text).text
        # The s of PBSs is a plural, whatever the letter before it.
        needles = (needle, needle[:-1]) if _SHORT_PLURAL.search(text) else numbers(needle)
        for number in needles if needle else ():
            for article in (self._folded, self._divided):
                if spans := article.sources(occurrences(number, article.text, within and article.within(within))):
                    return self._places(spans)
        return []

    def quoted(self, quote: str) -> list[Span]:
        """The spans of the joined text where a quote is: exactly, else in folded form."""
        # Many rows have the same quote, such as their passage.
        if quote not in self._quotes:
            spans = [(start, start + len(quote)) for start in _all(quote, self._joined)]
            needle = "" if spans else folded(quote).text.strip()
            if len(needle) > 1:
                starts = _all(needle, self._folded.text)
                spans = self._folded.sources((at, at + len(needle)) for at in starts)
            self._quotes[quote] = spans
        return self._quotes[quote]

    def in_quotes(self, text: str, quotes: Sequence[Span], exactly: bool) -> list[TextPlace]:
        """The places of a text that are inside one of the quotes, which are in the order of the text."""
        found: list[TextPlace] = []
        at = 0
        while at < len(quotes):
            # Quotes that overlap, as in a text that repeats itself, are searched as one.
            (start, end), first = quotes[at], at
            at += 1
            while at < len(quotes) and quotes[at][0] < end:
                end = quotes[at][1]
                at += 1
            places = (self.exact if exactly else self.folded)(text, (start, end))
            found += places if at == first + 1 else [place for place in places if self._is_inside(place, quotes)]
        return found

    def _is_inside(self, place: TextPlace, quotes: Sequence[Span]) -> bool:
        start = self._starts[place.passage] + place.start
        at = bisect_right(quotes, start, key=lambda quote: quote[0]) - 1
        return at >= 0 and start + place.end - place.start <= quotes[at][1]

    def at(self, span: Span) -> TextPlace | None:
        """The place of a span of the joined text; None where it is not inside one passage."""
        return next(iter(self._places([span])), None)

    @cached_property
    def _folded(self) -> FoldedText:
        return folded(self._joined)

    @cached_property
    def _divided(self) -> FoldedText:
        """The folded text in which a dash before a blank stays: `beta-\\ncarotene` may be divided at its own dash."""
        return folded(self._joined, [step for step in STEPS if step != LINE_ENDS])

    def _places(self, spans: list[Span]) -> list[TextPlace]:
        places = []
        for start, end in spans:
            number = bisect_right(self._starts, start) - 1
            begin = self._starts[number] if number >= 0 else 0
            if number >= 0 and end - begin <= len(self.texts[number]):
                places.append(TextPlace(number, start - begin, end - begin))
        return places


def occurrences(needle: str, text: str, within: Span | None = None) -> list[Span]:
    """All spans of a text as whole words, or else before a number, as in `Glu245`.

    Those that a dash joins to a number are left out, if there are others.

    >>> occurrences("glucose", "glucose, glucose-6-phosphate and fructoglucose")
    [(0, 7)]
    """
    if not needle:
        return []
    low, high = within or (0, len(text))
    everywhere = [(at, at + len(needle)) for at in _all(needle, text, low, high)]
    spans = [span for span in everywhere if _is_whole(text, *span)]
    if not spans and len(needle) >= SHORTEST_WORD and needle[-1].isalpha():
        spans = [span for span in everywhere if _is_whole(text, *span, numbered=True)]

    def is_joined(start: int, end: int) -> bool:
        """Whether a dash joins a number to it: the name goes on, as that of glucose-6-phosphate does."""
        before, after = text[max(0, start - 2) : start], text[end : end + 2]
        return (before[-1:] == "-" and before[:1].isdecimal()) or (after[:1] == "-" and after[1:].isdecimal())

    return [span for span in spans if not is_joined(*span)] or spans


def _all(needle: str, text: str, low: int = 0, high: int | None = None) -> Iterator[int]:
    high = len(text) if high is None else high
    at = text.find(needle, low, high)
    step = 1 + len(needle) // LONG
    while at >= 0:
        yield at
        at = text.find(needle, at + step, high)


def _is_whole(text: str, start: int, end: int, numbered: bool = False) -> bool:
    """Whether no letter or digit goes on from a span. `numbered`: digits may follow it."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    goes_on = after.isalpha() if numbered else after.isalnum()
    return not (before.isalnum() and text[start].isalnum()) and not (goes_on and text[end - 1].isalnum())
