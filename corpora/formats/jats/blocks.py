"""Block elements of JATS: each is divided into lines of text and smaller blocks, with their places in the article.

`expand` divides a block by one step, and the caller keeps the list of remaining blocks. So no text is lost or read
twice, and deep nesting does not exhaust the stack of Python.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from corpora.formats.jats.references import reference
from corpora.formats.jats.text import BLOCKS, FLOATS, Element, clean, segments, tags, text_of
from corpora.model.sections import (
    ABBR,
    ACK_FUND,
    APPENDIX,
    FIG,
    INTRO,
    OTHER,
    REF,
    REVIEW_INFO,
    SUPPL,
    TABLE,
    next_section,
    section_below,
)

LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
HREF = "{http://www.w3.org/1999/xlink}href"


@dataclass(frozen=True, slots=True)
class PassagePlace:
    """The place of a text in the article, from which the infons of its passage are made.

    `kind` is the infon `type` of running text, `heading` that of headings. The headings `title` and `abstract_title`
    get `level` (at least 1) as suffix.
    """

    section: str
    kind: str = "paragraph"
    heading: str = "title"
    level: int = 0
    infons: dict[str, str] = field(default_factory=dict)

    def titled(self) -> PassagePlace:
        """The place of the heading."""
        counted = self.heading in ("title", "abstract_title")
        return replace(self, kind=f"{self.heading}_{max(self.level, 1)}" if counted else self.heading)

    def with_infons(self, **infons: str | None) -> PassagePlace:
        """The same place with more infons. Infons with the value None are not added."""
        given = {key: value for key, value in infons.items() if value}
        return replace(self, infons={**self.infons, **given}) if given else self


Part: TypeAlias = tuple[str | Element, PassagePlace]
Handler: TypeAlias = Callable[[Element, PassagePlace], list[Part]]


_HEADED = tags("abstract ack app back bio body boxed-text fn-group glossary notes ref-list sec trans-abstract")


def expand(element: Element, place: PassagePlace) -> list[Part]:
    """The parts of a block in reading order: lines of text and blocks, each with its place."""
    return _HANDLERS.get(element.tag, _container)(element, place)


def _container(element: Element, place: PassagePlace) -> list[Part]:
    label = _take_label(element)
    if label:
        _lead_with(element, label)
    return [(item, place) for item in segments(element)]


def _take_label(element: Element) -> str | None:
    """Remove the label of an element. Returns the text of the label."""
    label = element.find("label")
    if label is None:
        return None
    text = text_of(label)
    tail = label.tail
    label.clear()
    label.tail = tail
    return text or None


def _lead_with(element: Element, label: str) -> None:
    """Put a label ("2.1", "(iii)") before the heading or paragraph that it belongs to.

    In a section with a label and without title, the label ("Abstract", "Box 1") becomes the heading.
    """
    label_element = element.find("label")
    if label_element is not None and element.tag in _HEADED and element.find("title") is None:
        label_element.tag, label_element.text = "title", label
        return
    for child in element:
        if child.tag in ("title", "p"):
            child.text = f"{label} {child.text or ''}"
            return
        if child.tag != "label":
            break
    element.text = f"{label} {element.text or ''}"


def _paragraph(element: Element, place: PassagePlace) -> list[Part]:
    """Floats follow the paragraph, because they are anchored in the middle of sentences."""
    return [(item, place) for item in segments(element, BLOCKS, FLOATS)]


def _title(element: Element, place: PassagePlace) -> list[Part]:
    pieces = segments(element, frozenset(), FLOATS)
    return [(item, place.titled() if isinstance(item, str) else place) for item in pieces]


# -- sections -----------------------------------------------------------------------------------


def _heading(element: Element) -> str:
    title = element.find("title")
    return "" if title is None else text_of(title)


def _type_of(element: Element) -> str | None:
    for name in ("sec-type", "notes-type", "fn-type", "content-type"):
        value = element.get(name)
        if value:
            return str(value)
    return None


def _section(element: Element, place: PassagePlace) -> list[Part]:
    """A section, a box or a group of notes. Its level is one deeper, and its heading names its section."""
    section = section_below(place.section, _heading(element), _type_of(element))
    return _container(element, replace(place, section=section, level=place.level + 1))


def _back_matter(section: str) -> Handler:
    """A handler for blocks whose tag gives the section, unless the heading names another section of the back matter."""

    def handler(element: Element, place: PassagePlace) -> list[Part]:
        if place.section != REVIEW_INFO:
            place = replace(place, section=section_below(section, _heading(element)))
        return _container(element, replace(place, level=place.level + 1))

    return handler


def _body(element: Element, place: PassagePlace) -> list[Part]:
    """Text before the first heading is INTRO. An unknown heading continues the section before it."""
    closed = place.section == REVIEW_INFO
    section = REVIEW_INFO if closed else INTRO
    parts: list[Part] = []
    for item, where in _container(element, place):
        if not closed and not isinstance(item, str) and item.tag == "sec":
            section = next_section(section, _heading(item), _type_of(item))
        parts.append((item, replace(where, section=section)))
    return parts


def _back(element: Element, place: PassagePlace) -> list[Part]:
    section = REVIEW_INFO if place.section == REVIEW_INFO else OTHER
    return _container(element, replace(place, section=section))


def _appendices(element: Element, place: PassagePlace) -> list[Part]:
    return _container(element, replace(place, section=APPENDIX))


# -- floats and notes ---------------------------------------------------------------------------


def _file_of(element: Element) -> str | None:
    for tag in ("graphic", "media", "inline-graphic"):
        for graphic in element.iter(tag):
            if graphic.get(HREF):
                return str(graphic.get(HREF))
    href: str | None = element.get(HREF)
    return href


def _with_own_infons(element: Element, place: PassagePlace) -> PassagePlace:
    """The place inside a float, with its id, its file and its label ("Figure 1") as infons."""
    label = _take_label(element)
    infons = {key: value for key, value in place.infons.items() if key not in ("id", "file", "label")}
    place = replace(place, infons=infons)
    return place.with_infons(file=_file_of(element), id=element.get("id"), label=label)


def _figure(element: Element, place: PassagePlace) -> list[Part]:
    inside = replace(place, section=FIG, kind="fig_caption", heading="fig_title_caption")
    return _container(element, _with_own_infons(element, inside))


def _table_wrap(element: Element, place: PassagePlace) -> list[Part]:
    inside = replace(place, section=TABLE, kind="table_caption", heading="table_title_caption")
    return _container(element, _with_own_infons(element, inside))


def _table_foot(element: Element, place: PassagePlace) -> list[Part]:
    return _container(element, replace(place, kind="table_foot", heading="table_foot_title"))


def _supplement(element: Element, place: PassagePlace) -> list[Part]:
    inside = replace(place, section=SUPPL, kind="paragraph", heading="title", level=place.level + 1)
    return _container(element, _with_own_infons(element, inside))


def _note(element: Element, place: PassagePlace) -> list[Part]:
    label = _take_label(element)
    if place.section != TABLE and place.section != FIG:
        section = section_below(place.section, _heading(element), _type_of(element))
        place = replace(place, section=section, kind="footnote")
    return _container(element, place.with_infons(fn_label=label))


_ROWS = frozenset({"tr", "row"})
_ROW_GROUPS = frozenset({"thead", "tbody", "tfoot", "tgroup"})


def _table(element: Element, place: PassagePlace) -> list[Part]:
    """A table as text: tabs between cells, line feeds between rows. Rows without text are left out."""
    rows: list[str] = []
    others: list[Part] = []
    todo = list(reversed(_nodes(element)))
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            others.append((item, place))
        elif item.tag in _ROW_GROUPS:
            todo.extend(reversed(_nodes(item)))
        elif item.tag in _ROWS:
            row = "\t".join(cell if isinstance(cell, str) else text_of(cell) for cell in _nodes(item))
            if row and not row.isspace():
                rows.append(row)
        else:
            others += [(segment, place) for segment in segments(item)]
    table = "\n".join(rows)
    return [*others, (table, replace(place, kind="table"))] if table else others


def _nodes(element: Element) -> list[str | Element]:
    """The children of an element. Text between them, which JATS does not allow there, is returned as well."""
    nodes: list[str | Element] = [element.text or ""]
    for child in element:
        nodes += (child, child.tail or "")
    cleaned = (clean(node) if isinstance(node, str) else node for node in nodes)
    return [node for node in cleaned if not isinstance(node, str) or node.strip()]


def _formula(element: Element, place: PassagePlace) -> list[Part]:
    label = _take_label(element)
    text = text_of(element)
    place = replace(place, kind="formula").with_infons(id=element.get("id"), label=label)
    return [(text, place)] if text else []


# -- lists --------------------------------------------------------------------------------------


def _definition(element: Element, place: PassagePlace) -> list[Part]:
    """One line, "term: definition", so that an abbreviation is beside its long form."""
    label = _take_label(element)
    term = "; ".join(filter(None, map(text_of, element.iterfind("term")))).rstrip(" :")
    rest = [node for node in _nodes(element) if isinstance(node, str) or node.tag not in ("term", "label")]
    meaning = " ".join(filter(None, (node if isinstance(node, str) else text_of(node) for node in rest)))
    line = ": ".join(filter(None, (term, meaning)))
    text = " ".join(filter(None, (label, line)))
    return [(text, place)] if text else []


def _reference(element: Element, place: PassagePlace) -> list[Part]:
    label = _take_label(element)
    base = replace(place, section=REF, kind="ref", infons=dict(place.infons))
    parts: list[Part] = []
    for text, infons in reference(element):
        all_infons = {**base.infons, **infons}
        parts.append((text, replace(base, infons=all_infons).with_infons(id=element.get("id"), label=label)))
    return parts


_HANDLERS: dict[str, Handler] = {
    "ack": _back_matter(ACK_FUND),
    "app": _back_matter(APPENDIX),
    "app-group": _appendices,
    "array": _table,
    "back": _back,
    "bio": _section,
    "body": _body,
    "boxed-text": _section,
    "chem-struct-wrap": _figure,
    "def-head": _title,
    "def-item": _definition,
    "disp-formula": _formula,
    "fig": _figure,
    "fig-group": _figure,
    "graphic": _figure,
    "fn": _note,
    "fn-group": _section,
    "glossary": _back_matter(ABBR),
    "media": _supplement,
    "notes": _section,
    "p": _paragraph,
    "ref": _reference,
    "ref-list": _back_matter(REF),
    "sec": _section,
    "supplementary-material": _supplement,
    "table": _table,
    "table-wrap": _table_wrap,
    "table-wrap-foot": _table_foot,
    "table-wrap-group": _table_wrap,
    "term-head": _title,
    "title": _title,
}
