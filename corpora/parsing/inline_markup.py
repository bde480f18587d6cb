"""Markup inside a line as text: MathML, LaTeX formulas and emphasis of JATS or PubMed XML, and tags in plain texts.

Subscripts and superscripts follow their base (`H2O`, `Ca2+`), as in running text with sub and sup. What would change a
number gets a sign: exponents (`10^6`), and brackets around the parts of fractions, roots and powers (`1/(a + b)`).
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

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
    script: bool
    """Whether it is inside a script."""
    starts: list[int] = field(default_factory=list)
    """Where the pieces of each child begin that was read."""


def mathml_text(math: etree._Element) -> str:
    """The tokens of a `math` element in document order.

    Fractions get a slash, roots a root sign, exponents the sign ^, fences their brackets. Sums below and above a slash,
    and what is below a root, get brackets. There is a blank before and after relations and operators, and between words
    of two or more letters. Of `semantics`, only the first representation is used.
    """
    pieces: list[str] = []
    levels = [_Level(_local(math), math, _in_order(math), False)]
    while levels:
        level = levels[-1]
        child = next(level.children, None)
        if child is None:
            levels.pop()
            _close(pieces, level)
            continue
        name = _local(child)
        if name in _UNSEEN or (level.name in _ONE_OF and level.starts):
            level.starts.append(len(pieces))
            continue
        is_base = child is level.element[0] if level.name == "mmultiscripts" else not level.starts
        script = level.script or (level.name in _SCRIPTS | _STACKED and not is_base)
        if level.starts:
            _add(pieces, _joint(level, child))
        level.starts.append(len(pieces))
        if name in _TOKENS:
            _add_token(pieces, "".join(child.itertext()), name == "mo" and not script)
        elif name == "mspace":
            pieces.append(" ")
        else:
            root = "√" if name in ("msqrt", "mroot") else ""
            _add(pieces, str(child.get("open", "(")) if name == "mfenced" else root)
            _add_token(pieces, child.text or "", False)
            levels.append(_Level(name, child, _in_order(child), script))
    return "".join(pieces)


_SUM = re.compile(r"\S\s[-+−±∓=<>≤≥≈]\s|[)]\s?[-+−±]")
_SUM_IN_SCRIPT = re.compile(r"[\w)][-+−±]")
_PRODUCT = re.compile(rf"{_SUM.pattern}|\S\s?[×·⋅∗*÷/]|[∑∏∫]")
_SIMPLE_ROOT = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]\d*|\(\)|\[\]|")


def _close(pieces: list[str], level: _Level) -> None:
    """Write what the end of an element needs: its bracket, brackets around its children, the sign of an exponent."""
    name, starts = level.name, level.starts
    if name == "mfenced":
        _add(pieces, str(level.element.get("close", ")")))
    elif name in _STACKED and len(level.element) and _local(level.element[0]) == "mo":
        # An arrow or sum with labels above or below it is one operator.
        pieces.append(" ")
    elif name == "mfrac" and len(starts) == 2:
        above, below = "".join(pieces[starts[0] : starts[1] - 1]), "".join(pieces[starts[1] :])
        text = f"{_bracketed(above, _SUM, level)}/{_bracketed(below, _PRODUCT, level)}"
        pieces[starts[0] :] = [f"({text})" if _is_multiplied(level.element) else text]
    elif name == "msqrt" and starts:
        under = "".join(pieces[starts[0] :])
        if not _SIMPLE_ROOT.fullmatch(_outside_brackets(under.strip())):
            pieces[starts[0] :] = [f"({under.strip()})"]
    elif (name == "msup" and len(starts) == 2) or (name == "msubsup" and len(starts) == 3):
        base, raised = "".join(pieces[starts[0] : starts[1]]), "".join(pieces[starts[-1] :])
        lowered = "".join(pieces[starts[1] : starts[-1]])
        if not re.search("[=<>≤≥≈]", _outside_brackets(base)):
            base = _bracketed(base, _PRODUCT if _local(level.element[0]) == "mfrac" else _SUM, level)
        before = "".join(pieces[max(0, starts[0] - _LOOKED_AT) : starts[0]]) + base + lowered
        marked = raised_text(before, raised, "", indexed=name == "msubsup", formula=True)
        if marked != raised:
            pieces[starts[0] :] = [base + lowered, marked]


def _bracketed(text: str, operation: re.Pattern[str], level: _Level) -> str:
    """The text in brackets if it is not one operand. In scripts, no blanks are around operators."""
    outside = _outside_brackets(text.strip())
    is_divided = operation.search(outside) or (level.script and _SUM_IN_SCRIPT.search(outside))
    return f"({text.strip()})" if is_divided else text


def _outside_brackets(text: str) -> str:
    """The text without what is inside of brackets: `(a + b)/c` is `()/c`."""
    outside: list[str] = []
    depth = 0
    for character in text:
        depth -= character in ")]}"
        if depth <= 0:
            outside.append(character)
        depth += character in "([{"
    return "".join(outside)


def _is_multiplied(fraction: etree._Element) -> bool:
    """Whether a factor without a sign follows the fraction: 1/2x could have the x below."""
    after, text = fraction, ""
    while not text and (following := after.getnext()) is not None:
        after = following
        text = "".join(after.itertext()).translate(_INVISIBLE).strip()
    name = _local(after)
    if not text or name == "mtext" or (name in _STACKED and _local(after[0]) == "mo"):
        return False
    return name in ("mfenced", "msqrt", "mroot") or text[0].isalnum() or text[0] in "([{"


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
        return marks[min(len(level.starts), len(marks)) - 1] + " " if marks else ""
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


# -- exponents ------------------------------------------------------------------------------------

_LOOKED_AT = 200
"""Characters before a superscript."""
_TEN = re.compile(r"(?:(?<![\w.])(?<![^\W\d_][-‐])|\d\s?[xX×*·]\s?)10$")
_NUMBER = re.compile(r"(?<![\w.,])(?<![^\W\d_][-‐])\d+(?:[.,]\d+)*$")
_EULER = re.compile(r"(?<![^\W\d_])(?<!,)e$")
_INDEXED = re.compile(r"(?<![^\W\d_])[^\W\d_BCFHIKNOPSUVWY]\d{1,2}$")
"""A variable with an index, not the atoms of an element."""
_SIGNED = re.compile(r"[-−–‒—‐+]{1,2}\s*[\w∆√(]")
_NEGATIVE = re.compile(r"[-−–‒—‐]\s*(?:\d*\.?\d+|[knxy])")
_ORDINAL = re.compile(r"st|nd|rd|th")
_FRACTION = re.compile(r"\d*\.\d+|\d\s?/\s?\d")
_IN_BRACKETS = re.compile(r"[×÷·∑√*]|\s[-−–+]\s|[\w)][−+][\w(]|(?:\b\w{1,2}|\))\s?/\s?(?:\w{1,2}\b|\()")
_NO_FACTOR = re.compile(r"=|\d*M\s?[-−–+]|(?:\b[cdkmnpuµμ]?(?:g|M|mol)|\b[wv])/(?:[cdkmµμ]?[lLg]|[wv])\b")
"""In brackets: an equation (N = 40), an ion of mass spectrometry (M + H), a concentration (mg/L)."""
_FORMULA = re.compile(r"(?:[A-Z][a-z]?\d*){2,}")
_DEGREES = re.compile(r"\s?[CF]\b")
_SCIENTIFIC = re.compile(r"\d\s?e$")
"""With a signed number after it, as in 1e−10, which is no power of e."""
_TERMS = re.compile(r"[\w)∆]\s*[-−–+×·/=]\s*[\w(√∆]")
_ONE_TERM = re.compile(r"[-−–‒—‐+]{0,2}\s*(?:[\w.,∆√\s]*[-−–]?|\(\)|\[\])")
_LONG_WORD = re.compile(r"[^\W\d_]{3}")


def raised_text(before: str, script: str, after: str, *, indexed: bool = False, formula: bool = False) -> str:
    """The text of a superscript: with the sign ^ before an exponent (`10^6`), else as it is.

    `before` and `after` are the texts beside it. `indexed`: a subscript is directly before it. `formula`: it is in a
    formula. Ions, isotopes, marks of notes, and exponents of units and of letters stay as they are, because no number
    changes. A raised 0 after a number is the sign of degrees.
    """
    text = script.strip()
    if not text or not (formula or before[-1:].isdigit() or before[-1:] in (")", "]", "e")):
        return script
    before = before[-_LOOKED_AT:]
    if text == "0" and _NUMBER.search(before) and (_TEN.search(before) is None or _DEGREES.match(after)):
        return script.replace("0", "°")
    if not _is_exponent(before, text, after, indexed, formula):
        return script
    exponent = text if _ONE_TERM.fullmatch(_outside_brackets(text)) else f"({text})"
    return f"^{exponent}{script[len(script.rstrip()) :]}"


def _is_exponent(before: str, text: str, after: str, indexed: bool, formula: bool) -> bool:
    number = _NUMBER.search(before)
    if before[-1:] in (")", "]"):
        return _is_power(before, text, after, formula)
    if _TEN.search(before):
        is_term = text[0] == "(" and _TERMS.search(text)
        return bool(_SIGNED.match(text) or re.match(r"\(?\d", text) or text in set("knxy") or is_term)
    if number and _SIGNED.match(text):
        return True
    if number and re.fullmatch(r"\d{1,3}", number[0]):
        # A year has the mark of a reference, and 13 before C is an isotope.
        return (re.fullmatch(r"\d{1,2}", text) is not None and not after[:1].isalpha()) or (number[0] + text == "2n")
    if _EULER.search(before):
        is_power = re.match(r"(?:[-−–‒—‐+]\s*)?[\w∆(]", text) is not None and not _ORDINAL.fullmatch(text)
        return is_power and not (_SCIENTIFIC.search(before) and re.fullmatch(r"\W+\d+", text))
    if indexed and _INDEXED.search(before):
        return text in ("2", "3", "4")
    has_terms = _SIGNED.match(text) or (_TERMS.search(text) and not _LONG_WORD.search(text))
    return formula and before[-1:].isalnum() and bool(has_terms)


def _is_power(before: str, text: str, after: str, formula: bool) -> bool:
    """Whether a superscript after a bracket is an exponent: not after an ion or a remark."""
    depth = 0
    for start in range(len(before) - 1, -1, -1):
        depth += (before[start] in ")]}") - (before[start] in "([{")
        if depth == 0:
            break
    inside = before[start + 1 : -1]
    if depth or _NO_FACTOR.search(inside):
        return False
    is_expression = formula or _IN_BRACKETS.search(inside) is not None
    if _NEGATIVE.fullmatch(text):
        return is_expression or (before[-1] == ")" and not _FORMULA.fullmatch(inside))
    if _FRACTION.fullmatch(text):
        return is_expression or before[-1] == ")"
    return is_expression and re.fullmatch(r"[2-9nxy]", text) is not None and not after[:1].isalpha()


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
_INLINE = (
    "a|b|big|bold|br|cite|code|dd|dt|em|ext-link|font|i|inf|inline-formula|italic|monospace|named-content|q|sc|small|span|"
    "strong|sub|sup|td|th|tt|u|xref"
)
_TAG = re.compile(
    rf"<!--.{{0,1000}}?-->|</?(?:(?:jats|mml|html|xhtml):)?(?:(?P<paragraph>{_PARAGRAPHS})|(?P<inline>{_INLINE})"
    r"|(?<=:)[a-z][\w.-]*)"
    r"(?:\s+[\w:.-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=]+))*\s*/?>",
    re.IGNORECASE | re.DOTALL,
)
"""HTML, and JATS as Crossref has it. `<` before a number or in a comparison is no tag."""
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
