"""The text of JATS elements in document order: inline markup is removed, block elements are found.

All functions use a stack of their own, so that deep nesting does not exhaust the stack of Python. Marks of footnotes in
raised letters are separated from the words before them (`separate_footmarks`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from lxml import etree

from corpora.parsing.inline_markup import MATHML, is_label, is_line_of_its_own, mathml_text, raised_text, tex_text

Element: TypeAlias = etree._Element


def tags(names: str) -> frozenset[str]:
    """A set of tags, from one text with blanks between them."""
    return frozenset(names.split())


FLOATS = tags(
    """
    boxed-text chem-struct-wrap fig fig-group fn graphic media supplementary-material table-wrap
    table-wrap-group
    """
)
"""Elements beside the text. If one is inside a paragraph, it follows the paragraph."""

BLOCKS = FLOATS | tags(
    """
    ack answer app app-group array attrib back bio body caption def-head def-item def-list disp-formula
    disp-formula-group disp-quote explanation floats-group fn-group front-stub glossary label list
    list-item notes p preformat question question-preamble question-wrap ref ref-list response sec
    sig-block speaker speech statement sub-article table table-wrap-foot term-head title verse-group
    verse-line
    """
)
"""Elements that are passages or contain passages. All other elements are parts of a line."""

_INLINE = tags(
    """
    abbrev alternatives bold chem-struct code email ext-link fixed-case hr inline-formula inline-graphic
    inline-media inline-supplementary-material italic monospace milestone-end milestone-start
    named-content overline price private-char roman rb rp rt ruby sans-serif sc strike styled-content
    sub sup target textual-form underline uri x xref
    """
)
_CITING = frozenset({"bibr", "fn", "table-fn"})
_MATH = frozenset({f"{MATHML}math", "math"})
_BLANKS = re.compile("[ \t\n\r\f\v\x85\u2028\u2029]+")

# The last item that was read: text, the end of an inline element, or the end of another element.
_TEXT, _INLINE_END, _DATA_END = range(3)


def clean(text: str) -> str:
    """The text with one blank for each run of blanks and line breaks, none at its ends. Thin spaces stay."""
    # Most texts are lines already; printable texts have no other blanks of these.
    if not text.isprintable() or "  " in text:
        text = _BLANKS.sub(" ", text)
    return text.strip(" ")


def text_of(element: Element) -> str:
    """All text inside an element as one line. Elements that are usually passages are separated by blanks."""
    parts = segments(element, frozenset())
    return str(parts[0]) if parts else ""


def segments(
    element: Element, blocks: frozenset[str] = BLOCKS, floats: frozenset[str] = frozenset()
) -> list[str | Element]:
    """Lines of text and block elements inside an element, in document order.

    Elements whose tags are in `blocks` are returned as elements. Those in `floats` are removed from the text and
    returned at the end. No line is empty, and no line begins or ends with a blank.
    """
    parts: list[str | Element] = []
    aside: list[str | Element] = []
    line = _Line()
    line.text(element.text)
    stack: list[tuple[Element, Iterator[Element]]] = [(element, iter(element))]
    while stack:
        node, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            if stack:
                line.leave(node)
            continue
        tag = child.tag
        if tag in floats:
            aside.append(child)
            line.skip(child)
        elif tag in blocks:
            line.end(parts)
            parts.append(child)
            line.text(child.tail)
        elif tag in _MATH:
            line.leaf(child, mathml_text(child))
        elif tag == "tex-math":
            line.leaf(child, tex_text(child))
        else:
            line.enter(child)
            if len(child):
                stack.append((child, iter(child)))
            else:
                line.leave(child)
    line.end(parts)
    return parts + aside


class _Line:
    """The pieces of a line, none of them empty, with blanks where the markup separates words."""

    __slots__ = ("last", "pieces")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.last = _TEXT

    def text(self, text: str | None) -> None:
        if text:
            self.pieces.append(text)
            self.last = _TEXT

    def skip(self, element: Element) -> None:
        """Leave an element out of the line. The words beside it stay two words."""
        tail = element.tail or ""
        if self.pieces and self.pieces[-1][-1].isalnum() and tail[:1].isalnum():
            self.text(" ")
        self.text(tail)

    def enter(self, element: Element) -> None:
        tag = element.tag
        if tag in BLOCKS or tag == "break":
            self.text(" ")
        elif tag == "xref" or tag == "sup":
            if self._joins_word(element):
                self.text(" ")
        elif is_line_of_its_own(element):
            self.text(" ")
        elif self.last == _DATA_END or (self.last and tag not in _INLINE):
            # <surname>Curie</surname><given-names>M</given-names>: only the markup separates the words.
            self.text(" ")
        self.text(element.text)

    def leave(self, element: Element) -> None:
        tag, tail = element.tag, element.tail
        if tag in BLOCKS:
            self.text(" ")
        elif not tail:
            self.last = _INLINE_END if tag in _INLINE else _DATA_END
        elif is_label(element) or ((tag == "xref" or tag == "sup") and tail[0].isalnum() and _is_raised(element)):
            self.text(" ")
        self.text(tail)

    def leaf(self, element: Element, text: str) -> None:
        self.text(text)
        self.text(element.tail)

    def end(self, parts: list[str | Element]) -> None:
        """Append the line to `parts`, unless it is blank, and begin the next line."""
        text = clean("".join(self.pieces))
        if text and not text.isspace():
            parts.append(text)
        self.pieces = []
        self.last = _TEXT

    def _joins_word(self, element: Element) -> bool:
        """Whether a citation or footnote mark would be joined to the word before it ("water" + "1")."""
        if not self.pieces:
            return False
        before = self.pieces[-1][-1]
        if element.tag == "xref" and before.isalnum() and element.get("ref-type") in _CITING:
            return True
        if before.isspace() or before in "([{" or not _is_raised(element):
            return False
        # It must not follow another mark, with at most a comma or a dash between them.
        mark = element.getprevious()
        between = "" if mark is None else mark.tail or ""
        if not between or len(between.strip()) > 1 or between.strip().isalnum():
            return True
        return not (_is_raised(mark) or mark.get("ref-type") in _CITING)


def _is_raised(element: Element) -> bool:
    """Whether it is a mark above the line: <sup><xref>1</xref></sup> or <xref><sup>1</sup></xref>."""
    first = element[0] if len(element) else None
    if first is None or (element.text or "").strip(" \t\r\n[("):
        return False
    if element.tag == "sup":
        return first.tag == "xref" and first.get("ref-type") in _CITING
    return first.tag == "sup" and element.get("ref-type") in _CITING


# -- marks of footnotes -------------------------------------------------------------------------

_SIGNS = "*\u2217\u2020\u2021\u00a7\u00b6#\u2016"
_TRADE_MARK = re.compile(r"\(?(?:TM|SM)\)?")
_FOOTMARK = re.compile(rf"(?:[a-h]{{1,3}}|[a-z]|[{_SIGNS}]+)(?:\s?[,;]\s?(?:[a-z]|[{_SIGNS}]+))*")
_NUMBERS = re.compile(r"\d{1,2}(?:\s?[,;\u2013-]\s?\d{1,2})*")
_BRACKETED = re.compile(r"[\[(]\d{1,3}(?:\s?[,;\u2013-]\s?\d{1,3})*[\])]")
"""References that are raised in their brackets, without links."""
_MARKS = re.compile(r"[\s,;]+")
_WORD_BEFORE = re.compile(r"[^\W\d_]{3,}$")
_NUMBERED = r"(?i:\b(?:class|day|fig(?:ure|\.)?|grade|group|month|phase|stage|table|type|visit|week|year)s?\s\d{1,3})"
"""What has a number that is no base of a power, as in `a phase 2 trial`."""
_LONG_WORD_BEFORE = re.compile(rf"(?:[^\W\d_][a-z]{{3,}}|(?<![\w.,])(?:19|20)\d\d|{_NUMBERED})$")
_LONG_UNITS = re.compile(
    r"(?:bohr|inch(?:es)?|feet|miles?|yards?|met(?:er|re)s?|width|length|height|radius|diameter|distance)$", re.I
)
"""What an exponent can follow."""
_ENDS_WORD = re.compile(r"(?:[^\W\d_]{2}|[\])}.,;:%]|[^\W\d_]\d+|\b(?:19|20)\d\d)$")
_SENTENCE_BEFORE = re.compile(r"[.;,:]\s+$")
_UNIT_BEFORE = re.compile(r"(?:^|[^\w])(?:[kcdmnμµ]?m|ft|in|s|h|[Rrxχ])$")
_LETTERS_AFTER = re.compile(r"[^\W\d_]+")
_GROUP_AFTER = re.compile(r"(?:Bu|Pr|Am|Pe|He|Oc|BOC|Boc)")
_LEFT = "abcdefgh"
_EMPHASIS = tags("bold italic")
_PLAIN = _EMPHASIS | tags("sub sup")
_NOTES = tags("fn table-wrap-foot")
_CELLS = tags("td th entry")


def separate_footmarks(article: Element) -> None:
    """Put a blank between each mark of a footnote and the word that it would be joined to.

    `Lead<sup>a</sup>` is `Lead a`, not `Leada`. A raised letter can also belong to a name (`<sup>t</sup>Bu`,
    `<sup>14</sup>C`) or to a number (`10<sup>n</sup>`), so marks are recognised by their place: after a whole word, or
    at the start of a note. A mark that a note of the same table begins with counts after anything but a unit.
    """
    known: dict[Element, frozenset[str]] = {}
    for mark in article.iter("sup"):
        text = "".join(mark.itertext()).strip()
        is_plain = all(child.tag in _EMPHASIS for child in mark)
        if is_plain and _TRADE_MARK.fullmatch(text) and _WORD_BEFORE.search(_before(mark)):
            _add_blank_before(mark)
        if is_plain and _BRACKETED.fullmatch(text) and _ENDS_WORD.search(_before(mark)):
            _add_blank_before(mark)
        if not is_plain or not (_FOOTMARK.fullmatch(text) or _NUMBERS.fullmatch(text)):
            continue
        around = [mark, *mark.iterancestors()]
        if _begins_line(mark) or _begins_note(mark, around):
            if _is_before_note(text, mark.tail or "", around):
                mark.tail = f" {mark.tail}"
        elif not (mark.tail or "")[:1].isalnum() and _is_after_word(text, _before(mark), around, known):
            _add_blank_before(mark)


def write_exponents(article: Element) -> None:
    """Give exponents the sign that plain text needs, `10^6` (see `raised_text`). Linked marks are references."""
    for raised in article.iter("sup"):
        parent, before = raised.getparent(), raised.getprevious()
        if (parent is not None and parent.tag == "xref") or any(child.tag not in _PLAIN for child in raised):
            continue
        indexed = before is not None and before.tag == "sub" and not before.tail
        script = "".join(raised.itertext())
        text = raised_text(_before(raised), script, raised.tail or "", indexed=indexed)
        if text != script:
            tail = raised.tail
            raised.clear()
            raised.text, raised.tail = text, tail


def _begins_line(mark: Element) -> bool:
    """Whether no text of its paragraph or cell is before the mark."""
    node = mark
    while node.tag not in ("p", "title", *_CELLS):
        before, parent = node.getprevious(), node.getparent()
        if before is not None or parent is None:
            return False
        if (parent.text or "").strip():
            return False
        node = parent
    return True


def _begins_note(mark: Element, around: list[Element]) -> bool:
    """Whether the mark begins one of several notes in a paragraph, as in `<sup>a</sup>Zinc. <sup>b</sup>Lead.`"""
    return any(node.tag in _NOTES for node in around) and _SENTENCE_BEFORE.search(_before(mark)) is not None


def _is_before_note(text: str, tail: str, around: list[Element]) -> bool:
    """Whether a mark at the start of a line is followed by a word that it does not belong to."""
    letters = _LETTERS_AFTER.match(tail)
    if letters is None:
        return bool(_FOOTMARK.fullmatch(text)) and tail[:1].isdigit()
    if _NUMBERS.fullmatch(text):
        # 14C and 1H are isotopes.
        return len(letters[0]) > 3 and any(node.tag in _NOTES for node in around)
    if text in _LEFT or not text.isalpha():
        return True
    return len(letters[0]) > 2 and _GROUP_AFTER.match(letters[0]) is None


def _is_after_word(text: str, before: str, around: list[Element], known: dict[Element, frozenset[str]]) -> bool:
    """Whether a mark at the end of a word is not one of the word's letters."""
    if not before[-1:].strip() or before[-1:] in "([{":
        return False
    table = next((node for node in around if node.tag == "table-wrap"), None)
    if table is not None:
        if table not in known:
            known[table] = _marks_of_notes(table)
        if set(_MARKS.split(text)) <= known[table] and _UNIT_BEFORE.search(before) is None:
            return True
    if _NUMBERS.fullmatch(text):
        # The number of a reference: 2 at the end of a long word is no exponent.
        lowered = around[0].getprevious()
        if lowered is not None and lowered.tag == "sub" and not lowered.tail:
            return False
        return _LONG_WORD_BEFORE.search(before) is not None and _LONG_UNITS.search(before) is None
    is_cell = any(node.tag in _CELLS for node in around)
    is_short = text[:1] in _LEFT or not text[:1].isalpha()
    return is_short and (is_cell or len(text) == 1) and _WORD_BEFORE.search(before) is not None


def _marks_of_notes(table: Element) -> frozenset[str]:
    """The marks that the notes below a table, or its cells, begin with, and those that follow a whole word in it."""
    marks: set[str] = set()
    for mark in table.iter("sup"):
        text = "".join(mark.itertext()).strip()
        is_mark = _FOOTMARK.fullmatch(text) is not None and (text[:1] in _LEFT or not text[:1].isalpha())
        around = [mark, *mark.iterancestors()]
        if is_mark and (_begins_line(mark) or _begins_note(mark, around) or _WORD_BEFORE.search(_before(mark))):
            marks.update(_MARKS.split(text))
    for note in table.iter("table-wrap-foot", "fn", "p"):
        first = next(iter(note), None)
        if first is not None and first.tag in ("sup", "label") and not (note.text or "").strip():
            marks.add("".join(first.itertext()).strip(" .)"))
    return frozenset(marks - {""})


def _before(mark: Element) -> str:
    """The end of the text before the mark in its line, at least 200 characters if there are as many."""
    text, node = "", mark
    while len(text) < 200:
        before, parent = node.getprevious(), node.getparent()
        if before is not None:
            in_line = before.tag not in BLOCKS
            text = ("".join(before.itertext()) if in_line else "") + (before.tail or "") + text
            node = before
            if not in_line:
                break
        elif parent is None:
            break
        else:
            text = (parent.text or "") + text
            node = parent
            if parent.tag not in _INLINE:
                break
    return text


def _add_blank_before(mark: Element) -> None:
    before, parent = mark.getprevious(), mark.getparent()
    if before is not None:
        before.tail = f"{before.tail or ''} "
    elif parent is not None:
        parent.text = f"{parent.text or ''} "
