"""Markup inside a line as text: MathML, LaTeX formulas and emphasis of JATS or PubMed XML, and tags in plain texts.

The layout of formulas is ignored: a subscript follows its base (`H2O`, `Ca2+`), as in running text with sub and sup.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

MATHML = "{http://www.w3.org/1998/Math/MathML}"

_TOKENS = frozenset({"mi", "mn", "mo", "mtext", "ms"})
_UNSEEN = frozenset({"annotation", "annotation-xml", "mphantom", "maligngroup", "malignmark", "mglyph"})
_SCRIPTS = frozenset({"msub", "msup", "msubsup", "mmultiscripts"})
_STACKED = frozenset({"munder", "mover", "munderover"})
_ONE_OF = frozenset({"semantics", "maction"})
_SPACED = frozenset("=<>≤≥≠≈≃≅≡∼~→←↔⇌⇒⇔∝∈∉⊂⊆∪∩∧∨+-−±∓×·⋅∗*÷∑∏∫")
_SIGNS = frozenset("+-−±∓∼~")
_NO_OPERAND = _SPACED | frozenset("([{⟨〈‖√/,;")
"""A plus or minus sign after one of these characters is a prefix, as in `= −2`."""
_INVISIBLE = dict.fromkeys(range(0x2061, 0x2065))
"""U+2061..U+2064, the invisible operators of MathML. They are removed."""

_EMPHASIS = frozenset({"b", "bold", "i", "italic", "u", "underline"})
_LABEL = re.compile(r"[^\W\d_]{2,}\s*:$")
_HEADING = re.compile(r"[A-Z][A-Z ]{3,}")
_SENTENCE = re.compile(r"[A-Z][a-z]")


@dataclass(slots=True)
class _Level:
    """An element that is being read."""

    name: str
    element: etree._Element
    children: Iterator[etree._Element]
    seen: int
    """How many children were read."""
    script: bool
    """Whether it is inside a script."""


def mathml_text(math: etree._Element) -> str:
    """The tokens of a `math` element in document order.

    Fractions get a slash, roots a root sign, fences their brackets. There is a blank before and after relations and
    operators, and between words of two or more letters. Of `semantics`, only the first representation is used.
    """
    pieces: list[str] = []
    levels = [_Level(_local(math), math, _in_order(math), 0, False)]
    while levels:
        level = levels[-1]
        child = next(level.children, None)
        if child is None:
            levels.pop()
            if level.name == "mfenced":
                _add(pieces, str(level.element.get("close", ")")))
            elif level.name in _STACKED and len(level.element) and _local(level.element[0]) == "mo":
                # An arrow or sum with labels above or below it is one operator.
                pieces.append(" ")
            continue
        level.seen += 1
        name = _local(child)
        if name in _UNSEEN or (level.name in _ONE_OF and level.seen > 1):
            continue
        is_base = child is level.element[0] if level.name == "mmultiscripts" else level.seen == 1
        script = level.script or (level.name in _SCRIPTS | _STACKED and not is_base)
        if level.seen > 1:
            _add(pieces, _joint(level, child))
        if name in _TOKENS:
            _add_token(pieces, "".join(child.itertext()), name == "mo" and not script)
        elif name == "mspace":
            pieces.append(" ")
        else:
            root = "√" if name in ("msqrt", "mroot") else ""
            _add(pieces, str(child.get("open", "(")) if name == "mfenced" else root)
            _add_token(pieces, child.text or "", False)
            levels.append(_Level(name, child, _in_order(child), 0, script))
    return "".join(pieces)


def _in_order(element: etree._Element) -> Iterator[etree._Element]:
    """The children of an element as they are read: the scripts before a base first, the raised one before the lowered.

    MathML has the base first, so that its order gives Xe129 for the isotope 129Xe.
    """
    children = list(element)
    names = [_local(child) for child in children]
    if _local(element) != "mmultiscripts" or "mprescripts" not in names:
        return iter(children)
    at = names.index("mprescripts")
    before = children[at + 1 :]
    pairs = [child for pair in range(0, len(before), 2) for child in reversed(before[pair : pair + 2])]
    return iter([*pairs, *children[:at]])


def tex_text(tex: etree._Element) -> str:
    """The formula of a `tex-math` element, without the LaTeX document around it. Its commands stay."""
    text = "".join(tex.itertext())
    begin, end = text.find("\\begin{document}"), text.rfind("\\end{document}")
    if begin >= 0:
        text = text[begin + len("\\begin{document}") : end if end > begin else len(text)]
    text = text.strip()
    for opening, closing in (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$")):
        if text.startswith(opening) and text.endswith(closing) and len(text) >= len(opening + closing):
            return text[len(opening) : -len(closing)].strip()
    return text


def _joint(level: _Level, child: etree._Element) -> str:
    """The text between a child and the child before it."""
    if level.name == "mfrac":
        return "/"
    if level.name == "mfenced":
        marks = "".join(level.element.get("separators", ",").split())
        return marks[min(level.seen - 1, len(marks)) - 1] + " " if marks else ""
    if level.name in _STACKED:
        text = "".join(child.itertext()).strip()
        return " " if len(text) > 1 or text.isalnum() else ""
    return " " if level.name in ("mtable", "mtr", "mlabeledtr") else ""


def _add(pieces: list[str], text: str) -> None:
    if text:
        pieces.append(text)


def _add_token(pieces: list[str], text: str, operator: bool) -> None:
    text = text.translate(_INVISIBLE)
    stripped = text.strip(" \t\r\n")
    if not stripped:
        _add(pieces, " " if text else "")
        return
    last = pieces[-1] if pieces else ""
    if operator and stripped in _SPACED:
        # The last character that is not a blank; an opening bracket where there is none.
        last_mark = next((mark[-1] for piece in reversed(pieces) if (mark := piece.rstrip())), "(")
        prefix = stripped in _SIGNS and last_mark in _NO_OPERAND
        pieces.append(stripped if prefix else f" {stripped} ")
    elif operator and stripped in (",", ";"):
        pieces.append(f"{stripped} ")
    else:
        if _is_word(last) and _is_word(stripped):
            pieces.append(" ")
        pieces.append(stripped)


def _is_word(text: str) -> bool:
    return len(text) > 1 and text[0].isalpha() and text[-1].isalpha()


def _local(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


# -- emphasis -------------------------------------------------------------------------------------


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


# -- tags in plain texts --------------------------------------------------------------------------

_PARAGRAPHS = "abstract|blockquote|div|dl|h[1-6]|li|list|list-item|ol|p|sec|section|table|title|tr|ul"
_INLINE = "a|b|big|bold|br|cite|code|dd|dt|em|font|i|inf|italic|q|sc|small|span|strong|sub|sup|td|th|tt|u"
_TAG = re.compile(
    rf"<!--.{{0,1000}}?-->|</?(?:(?:jats|mml|html|xhtml):)?(?:(?P<paragraph>{_PARAGRAPHS})|(?P<inline>{_INLINE})"
    r"|(?<=:)[a-z][\w.-]*)"
    r"(?:\s+[\w:.-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=]+))*\s*/?>",
    re.IGNORECASE | re.DOTALL,
)
"""HTML, and JATS as Crossref has it. `<` before a number or in a comparison is none."""
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});", re.IGNORECASE)
_GAPS = re.compile(r"[ \t]*\n[ \t]*\n\s*")


def without_tags(text: str) -> tuple[str, list[str]]:
    """A text without tags of HTML and JATS, with characters for references such as `&lt;`; and what was replaced.

    Elements that are paragraphs get blank lines around them. Tags that were escaped (`&lt;i&gt;`) are tags as well.
    """
    found: list[str] = []

    def character(match: re.Match[str]) -> str:
        plain = html.unescape(match[0])
        if plain != match[0]:
            found.append(match[0])
        return plain

    def gap(match: re.Match[str]) -> str:
        found.append(match[0])
        if match["paragraph"]:
            return "\n\n"
        return {"br": "\n", "td": " ", "th": " ", "dd": " "}.get((match["inline"] or "").lower(), "")

    # Some texts were escaped twice.
    plain = _REFERENCE.sub(character, _REFERENCE.sub(character, text))
    plain = _TAG.sub(gap, plain)
    return (_GAPS.sub("\n\n", plain).strip(), found) if found else (text, found)
