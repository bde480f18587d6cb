"""Emphasised texts: parts of one word, lines of their own, or labels of the text behind them."""

from __future__ import annotations

import re

from lxml import etree

_EMPHASIS = frozenset({"b", "bold", "i", "italic", "u", "underline"})


_LABEL = re.compile(r"[^\W\d_]{2,}\s*:$")
_HEADING = re.compile(r"[A-Z][A-Z ]{3,}")
_SENTENCE = re.compile(r"[A-Z][a-z]")


def is_label(element: etree._Element) -> bool:
    """Whether it is the emphasised label of a text that follows without a blank.

    It ends in a colon, as in `<b>Aim:</b>Lead`, or is in capitals, as in `<b>METHODS</b>Zinc`.
    """
    tail = element.tail or ""
    if element.tag not in _EMPHASIS or not tail[:1].isalpha():
        return False
    text = "".join(element.itertext()).strip()
    return _LABEL.search(text) is not None or (_HEADING.fullmatch(text) and _SENTENCE.match(tail)) is not None


def is_line_of_its_own(element: etree._Element) -> bool:
    """Whether an emphasised text follows another one with the same tag, as the lines of a list do in some abstracts.

    Parts of one word, such as `<b>p</b><b>H</b>`, are shorter.
    """
    before = element.getprevious()
    if before is None or before.tail or before.tag != element.tag or element.tag not in _EMPHASIS:
        return False
    left, right = "".join(before.itertext()), "".join(element.itertext())
    return len(left) > 1 and len(right) > 1 and not left[-1].isspace() and right[0].isalnum()
