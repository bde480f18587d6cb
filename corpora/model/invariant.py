"""The offset invariant: the text of an annotation is the text at its locations.

Several locations are joined by one blank. The invariant is checked after reading, annotating and writing. A violation
in the input is reported and kept unchanged. A violation in an annotation of nlmchem makes the article fail.

Files of other programs count bytes of UTF-8, UTF-16 code units (browsers, Java), from the start of the passage or
sentence, or line ends of two characters as one, or the reverse. The texts of the annotations show it: in another unit,
all of them are at their offsets. `settle` reports such a document, or corrects it where the user names the unit.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage, BioCSentence

from corpora.errors import Argument, ArticleError, Text
from corpora.model.document import Span, text_at
from corpora.model.passages import PassageSearch, passage_text
from corpora.reporting import Report
from corpora.words.quantities import BYTES, CRLF, PASSAGE, UNITS, UTF16, quantity, utf8_width, utf16_width

SHOWN = 60
"""Characters of a text in a message."""


@dataclass(frozen=True, slots=True)
class Violation:
    """An annotation with a text that differs from the text at its locations."""

    document: str
    passage: int | None
    """The offset of its passage; None at document level."""
    annotation: str
    reason: str

    def __str__(self) -> str:
        place = "document level" if self.passage is None else f"passage at offset {self.passage}"
        return f"document {self.document!r}, {place}, annotation {self.annotation!r}: {self.reason}"


def check(document: BioCDocument) -> list[Violation]:
    """All violations in a document. Annotations without location do not violate the invariant."""
    violations: list[Violation] = []
    name = str(document.id)
    for passage in document.passages:
        try:
            text = passage_text(passage)
        except ArticleError as error:
            violations.append(Violation(name, passage.offset, "", str(error)))
            text = ""
        for holder in (passage, *passage.sentences):
            for annotation in holder.annotations:
                if reason := _mismatch(annotation, text, passage.offset):
                    violations.append(Violation(name, passage.offset, str(annotation.id), reason))
    located = [annotation for annotation in document.annotations if annotation.locations]
    if not located:
        return violations
    passages = [(passage.offset, _text_or_empty(passage)) for passage in document.passages]
    search = PassageSearch(passages)
    for annotation in located:
        # Each location may be in another passage.
        pieces = [
            next(
                (piece for at in search.around(*span) if (piece := text_at(passages[at][1], passages[at][0], span))), ""
            )
            for span in ((place.offset, place.offset + place.length) for place in annotation.locations)
        ]
        if (" ".join(pieces) if all(pieces) else None) == annotation.text:
            continue
        first = annotation.locations[0]
        around = (passages[at] for at in search.around(first.offset, first.offset + first.length))
        if all(_mismatch(annotation, text, offset) for offset, text in around):
            reason = "its text is not at its locations in any passage"
            violations.append(Violation(name, None, str(annotation.id), reason))
    return violations


def overlapping_passages(document: BioCDocument) -> list[str]:
    """A sentence for every passage that begins before the end of an earlier passage."""
    sentences: list[str] = []
    reached = 0
    for passage in document.passages:
        if passage.offset < reached:
            sentences.append(
                f"document {document.id!r}: the passage at offset {passage.offset} begins before an earlier "
                f"passage ends ({reached}); the offsets were not changed"
            )
        reached = max(reached, passage.offset + len(_text_or_empty(passage)))
    return sentences


def require_invariant(document: BioCDocument, known: Iterable[Violation] = ()) -> None:
    """Raise `ArticleError` for the first violation that is not in `known` (the violations of the input)."""
    known = set(known)
    for violation in check(document):
        if violation not in known:
            raise ArticleError(f"{violation}; this is an error in nlmchem; please report it")


def _text_or_empty(passage: BioCPassage) -> str:
    try:
        return passage_text(passage)
    except ArticleError:
        return ""


def _mismatch(annotation: BioCAnnotation, text: str, offset: int) -> str | None:
    """Why an annotation violates the invariant in a passage with this text; None if it does not."""

    def quoted(text: str) -> str:
        return repr(text if len(text) <= SHOWN else text[:SHOWN] + "...")

    if not annotation.locations:
        return None
    pieces: list[str] = []
    for place in annotation.locations:
        start = place.offset - offset
        if place.length <= 0:
            return f"its location at offset {place.offset} is empty"
        if start < 0 or start + place.length > len(text):
            return (
                f"its location {place.offset}..{place.offset + place.length} is outside its passage "
                f"({offset}..{offset + len(text)})"
            )
        pieces.append(text[start : start + place.length])
    at_locations = " ".join(pieces)
    if at_locations == annotation.text:
        return None
    return f"its text is {quoted(str(annotation.text))}, but the text at its location is {quoted(at_locations)}"


# -- offsets in other units ---------------------------------------------------------------------

_IN_WORDS = {
    BYTES: "count bytes of UTF-8",
    UTF16: "count UTF-16 code units",
    PASSAGE: "count from the start of the passage or sentence",
    CRLF: "count the two characters of a line end as one, or the reverse",
}
_MAX_SHIFT = 1000

Widths: TypeAlias = Callable[[str], Iterator[int]]
"""The width of each character of a text in a unit."""
TextPosition: TypeAlias = tuple[int, int]
"""A passage by its number, and a position in its text."""


def settle(document: BioCDocument, report: Report, offsets: str | None = None) -> list[Violation]:
    """Report each annotation whose text is not at its offsets. Returns those that are left.

    `offsets`: one of `UNITS`, in which the offsets of such a document count; they are changed to code points. Where no
    unit is given and all annotations agree in one, the unit is named in one sentence. Passages that overlap are
    reported as well.
    """
    violations = check(document)
    if violations and offsets is not None:
        corrected = _correct(document, offsets)
        violations = check(document)
        if corrected:
            report(f"document {document.id!r}: offsets changed to code points: {quantity(corrected, 'annotation')}")
    if violations:
        _report_violations(document, violations, report)
    for sentence in overlapping_passages(document):
        report(sentence)
    return violations


def agreed_unit(document: BioCDocument) -> str | None:
    """The unit in which all annotations with a location have their text at their offsets; None where there is none."""
    annotations = list(_located(document))
    for unit in UNITS if annotations else ():
        if any(all(map(layout.fits, annotations)) for layout in _layouts(document, unit)):
            return unit
    return None


def _report_violations(document: BioCDocument, violations: Sequence[Violation], report: Report) -> None:
    located = list(_located(document))
    wrong = quantity(
        len(located),
        "annotation does not have its text at its offset",
        "annotations do not have their text at their offset",
    )
    start = f"document {document.id!r}: {len(violations)} of {wrong}"
    unit = agreed_unit(document)
    if unit is not None:
        start += f"; each has it if offsets {_IN_WORDS[unit]}; kept unchanged; to correct them, convert the file with "
        report(Text(start, Argument("offsets", unit)))
        return
    if shift := _agreed_shift(document, located):
        where = f"{quantity(abs(shift), 'character')} {'after' if shift > 0 else 'before'} it"
        report(f"{start}; each has it {where}; kept unchanged; correct the offsets in the file")
        return
    one_shorter = all(
        len(each.annotation.locations) == 1
        and each.annotation.locations[0].length == len(each.annotation.text or "") - 1
        for each in located
    )
    if shift == 0 and one_shorter:
        report(f"{start}; each ends at its last character in place of after it; kept unchanged; add 1 to each end")
        return
    for violation in violations:
        report(f"{violation}; kept unchanged")


def _correct(document: BioCDocument, unit: str) -> int:
    """Change offsets that count in `unit` to code points. Returns the number of annotations that were changed.

    Where the annotations of a document do not agree, only those are changed whose text is not at their offsets.
    """
    annotations = list(_located(document))
    layouts = list(_layouts(document, unit))
    agreed = next((layout for layout in layouts if all(map(layout.fits, annotations))), None)
    changed = 0
    plain = _Layout(document, _points)
    for located in annotations:
        if agreed is None and plain.fits(located):
            continue
        layout = agreed or next((layout for layout in layouts if layout.fits(located)), None)
        if layout is not None:
            changed += layout.move(located)
    return changed


def _agreed_shift(document: BioCDocument, annotations: Sequence[_Located]) -> int | None:
    """By how many characters all annotations are before (+) or after (-) their text; None where they do not agree."""
    common: Counter[int] = Counter()
    for located in annotations:
        wanted = located.annotation.text
        if located.passage is None or len(located.annotation.locations) > 1 or not wanted:
            return None
        passage = document.passages[located.passage]
        text, stated = _text_or_empty(passage), located.annotation.locations[0].offset - passage.offset
        shifts: set[int] = set()
        at = text.find(wanted, max(0, stated - _MAX_SHIFT))
        while 0 <= at <= stated + _MAX_SHIFT:
            shifts.add(at - stated)
            at = text.find(wanted, at + 1)
        common.update(shifts)
    agreed = [shift for shift, number in common.items() if number == len(annotations)]
    return min(agreed, key=abs, default=None)


@dataclass(frozen=True, slots=True)
class _Located:
    """An annotation, the passage (its number) or document (None) that has it, and its holder."""

    annotation: BioCAnnotation
    passage: int | None
    holder: BioCDocument | BioCPassage | BioCSentence


def _located(document: BioCDocument) -> Iterator[_Located]:
    held = [(n, holder) for n, passage in enumerate(document.passages) for holder in (passage, *passage.sentences)]
    for number, holder in (*held, (None, document)):
        for annotation in holder.annotations:
            if annotation.locations:
                yield _Located(annotation, number, holder)


def _points(text: str) -> Iterator[int]:
    return (1 for _ in text)


def _bytes(text: str) -> Iterator[int]:
    return map(utf8_width, text)


def _utf16(text: str) -> Iterator[int]:
    return map(utf16_width, text)


def _crlf_as_one(text: str) -> Iterator[int]:
    return (int(not (character == "\n" and text[at - 1 : at] == "\r")) for at, character in enumerate(text))


def _lf_as_two(text: str) -> Iterator[int]:
    return (2 if character == "\n" and text[at - 1 : at] != "\r" else 1 for at, character in enumerate(text))


def _layouts(document: BioCDocument, unit: str) -> Iterator[_Layout]:
    """The ways to count in a unit: from the offset of the passage as it is stated, or from the start of the text."""
    match unit:
        case "bytes" | "utf16":
            widths = _bytes if unit == BYTES else _utf16
            yield _Layout(document, widths)
            yield _Layout(document, widths, base="text")
        case "passage":
            yield _Layout(document, _points, base="zero")
            yield _Layout(document, _points, base="sentence")
        case "crlf":
            # Between two passages are line ends.
            yield _Layout(document, _crlf_as_one, base="text", gap=lambda gap: (gap + 1) // 2)
            yield _Layout(document, _lf_as_two, base="text", gap=lambda gap: 2 * gap)
            yield _Layout(document, _crlf_as_one)
            yield _Layout(document, _lf_as_two)


@dataclass(slots=True)
class _Layout:
    """Positions of a document in one way of counting, and the places in the texts of the passages that they mean."""

    document: BioCDocument
    widths: Widths
    base: str = "offset"
    """Where a passage begins: at its stated `offset`; at `zero`; where its `sentence` begins; or where the `text`
    before it ends, with the characters between the passages counted by `gap`."""
    gap: Callable[[int], int] = lambda gap: gap
    texts: list[str] = field(init=False)
    positions: dict[int, dict[int, int]] = field(init=False, default_factory=dict)
    starts: list[int] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self.texts = [_text_or_empty(passage) for passage in self.document.passages]
        reached = end = 0
        for passage, text in zip(self.document.passages, self.texts, strict=True) if self.base == "text" else ():
            reached += self.gap(max(0, passage.offset - end))
            self.starts.append(reached)
            reached += sum(self.widths(text))
            end = passage.offset + len(text)

    def fits(self, located: _Located) -> bool:
        """Whether the text of an annotation is at its locations."""
        places = self._places(located) or ()
        pieces = [self.texts[start[0]][start[1] : end[1]] if start[0] == end[0] else "" for start, end in places]
        return bool(pieces) and all(pieces) and " ".join(pieces) == located.annotation.text

    def move(self, located: _Located) -> bool:
        """Give an annotation that fits the offsets that its text has in code points. Returns whether they changed."""
        places = self._places(located)
        assert places is not None, "only annotations that fit are moved"
        passages = self.document.passages
        spans: list[Span] = [
            (passages[start[0]].offset + start[1], passages[start[0]].offset + end[1]) for start, end in places
        ]
        if [(place.offset, place.offset + place.length) for place in located.annotation.locations] == spans:
            return False
        located.annotation.locations = [BioCLocation(start, end - start) for start, end in spans]
        home = places[0][0][0]
        if located.passage is not None and home != located.passage:
            located.holder.annotations.remove(located.annotation)
            passages[home].annotations.append(located.annotation)
        return True

    def _places(self, located: _Located) -> list[tuple[TextPosition, TextPosition]] | None:
        places: list[tuple[TextPosition, TextPosition]] = []
        for location in located.annotation.locations:
            start = self._place(located, location.offset)
            end = self._place(located, location.offset + location.length, start)
            if start is None or end is None:
                return None
            places.append((start, end))
        return places

    def _place(self, located: _Located, position: int, start: TextPosition | None = None) -> TextPosition | None:
        """The place of a position; of an end, in the passage of its start."""
        number: int | None
        if self.base == "text":
            number = bisect_right(self.starts, position) - 1 if start is None else start[0]
        else:
            number = located.passage
        if number is None or number < 0:
            return None
        begin: int = self.document.passages[number].offset
        match self.base:
            case "text":
                begin = self.starts[number]
            case "zero":
                begin = 0
            case "sentence":
                begin = begin - int(located.holder.offset) if isinstance(located.holder, BioCSentence) else 0
        if number not in self.positions:
            positions, reached = {0: 0}, 0
            for at, width in enumerate(self.widths(self.texts[number]), 1):
                reached += width
                positions[reached] = at
            self.positions[number] = positions
        found = self.positions[number].get(position - begin)
        return None if found is None else (number, found)
