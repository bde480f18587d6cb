"""Marks of footnotes in raised letters: `Lead<sup>a</sup>` is `Lead a`, not `Leada`.

A raised letter can also belong to a name (`<sup>t</sup>Bu`, `<sup>14</sup>C`) or to a number (`10<sup>n</sup>`), so
marks are recognised by their place: after a whole word, or at the start of a note. A mark that a note of the same table
begins with counts after anything but a unit.
"""

from __future__ import annotations

import re

from corpora.formats.jats.text import Element, tags

_SIGNS = "*\u2217\u2020\u2021\u00a7\u00b6#\u2016"
_TRADE_MARK = re.compile(r"\(?(?:TM|SM)\)?")
_MARK = re.compile(rf"(?:[a-h]{{1,3}}|[a-z]|[{_SIGNS}]+)(?:\s?[,;]\s?(?:[a-z]|[{_SIGNS}]+))*")
_NUMBERS = re.compile(r"\d{1,2}(?:\s?[,;\u2013-]\s?\d{1,2})*")
_PARTS = re.compile(r"[\s,;]+")
_WORD_BEFORE = re.compile(r"[^\W\d_]{3,}$")
_LONG_WORD_BEFORE = re.compile(r"[^\W\d_][a-z]{3,}$")
_LONG_UNITS = re.compile(
    r"(?:bohr|inch(?:es)?|feet|miles?|yards?|met(?:er|re)s?|width|length|height|radius|diameter|distance)$", re.I
)
"""What an exponent can follow."""
_SENTENCE_BEFORE = re.compile(r"[.;,:]\s+$")
_UNIT_BEFORE = re.compile(r"(?:^|[^\w])(?:[kcdmnμµ]?m|ft|in|s|h|[Rrxχ])$")
_LETTERS_AFTER = re.compile(r"[^\W\d_]+")
_GROUP_AFTER = re.compile(r"(?:Bu|Pr|Am|Pe|He|Oc|BOC|Boc)")
_LEFT = "abcdefgh"
_EMPHASIS = tags("bold italic")
_NOTES = tags("fn table-wrap-foot")
_CELLS = tags("td th entry")


def separate_footmarks(article: Element) -> None:
    """Put a blank between each mark of a footnote and the word that it would be joined to."""
    known: dict[Element, frozenset[str]] = {}
    for mark in article.iter("sup"):
        text = "".join(mark.itertext()).strip()
        is_plain = all(child.tag in _EMPHASIS for child in mark)
        if is_plain and _TRADE_MARK.fullmatch(text) and _WORD_BEFORE.search(_before(mark)):
            _add_blank_before(mark)
        if not is_plain or not (_MARK.fullmatch(text) or _NUMBERS.fullmatch(text)):
            continue
        around = _around(mark)
        if _begins_line(mark) or _begins_note(mark, around):
            if _is_before_note(text, mark.tail or "", around):
                mark.tail = f" {mark.tail}"
        elif not (mark.tail or "")[:1].isalnum() and _is_after_word(text, _before(mark), around, known):
            _add_blank_before(mark)


def _around(element: Element) -> list[Element]:
    return [element, *element.iterancestors()]


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
        return bool(_MARK.fullmatch(text)) and tail[:1].isdigit()
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
        if set(_PARTS.split(text)) <= known[table] and _UNIT_BEFORE.search(before) is None:
            return True
    if _NUMBERS.fullmatch(text):
        # The number of a reference: 2 at the end of a long word is no exponent.
        return _LONG_WORD_BEFORE.search(before) is not None and _LONG_UNITS.search(before) is None
    is_cell = any(node.tag in _CELLS for node in around)
    is_short = text[:1] in _LEFT or not text[:1].isalpha()
    return is_short and (is_cell or len(text) == 1) and _WORD_BEFORE.search(before) is not None


def _marks_of_notes(table: Element) -> frozenset[str]:
    """The marks that the notes below a table, or its cells, begin with, and those that follow a whole word in it."""
    marks: set[str] = set()
    for mark in table.iter("sup"):
        text = "".join(mark.itertext()).strip()
        is_mark = _MARK.fullmatch(text) is not None and (text[:1] in _LEFT or not text[:1].isalpha())
        around = _around(mark)
        if is_mark and (_begins_line(mark) or _begins_note(mark, around) or _WORD_BEFORE.search(_before(mark))):
            marks.update(_PARTS.split(text))
    for note in table.iter("table-wrap-foot", "fn", "p"):
        first = next(iter(note), None)
        if first is not None and first.tag in ("sup", "label") and not (note.text or "").strip():
            marks.add("".join(first.itertext()).strip(" .)"))
    return frozenset(marks - {""})


def _before(mark: Element) -> str:
    """The text before the mark in its paragraph or cell: that of the element before it, or of the parent."""
    before = mark.getprevious()
    if before is None:
        parent = mark.getparent()
        return "" if parent is None else str(parent.text or "")
    return str(before.tail or "") or "".join(before.itertext())


def _add_blank_before(mark: Element) -> None:
    before, parent = mark.getprevious(), mark.getparent()
    if before is not None:
        before.tail = f"{before.tail or ''} "
    elif parent is not None:
        parent.text = f"{parent.text or ''} "
