"""Emphasised texts beside one another: parts of one word, or lines of their own."""

from __future__ import annotations

from lxml import etree

_EMPHASIS = frozenset({"b", "bold", "i", "italic", "u", "underline"})


def is_line_of_its_own(element: etree._Element) -> bool:
    """Whether an emphasised text follows another one with the same tag, as the lines of a list do in some abstracts.

    Parts of one word, such as `<b>p</b><b>H</b>`, are shorter.
    """
    before = element.getprevious()
    if before is None or before.tail or before.tag != element.tag or element.tag not in _EMPHASIS:
        return False
    left, right = "".join(before.itertext()), "".join(element.itertext())
    return len(left) > 1 and len(right) > 1 and not left[-1].isspace() and right[0].isalnum()
