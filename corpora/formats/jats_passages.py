"""The passages of a JATS article: its parts in reading order, each with its place in the article.

The front becomes the title, with the metadata of the article as infons, and the abstracts (`article_parts`). Blocks are
divided into lines of text and smaller blocks (`expand`). References become the texts of the cited works.

`expand` divides a block by one step, and the caller keeps the list of remaining blocks. So no text is lost or read
twice, and deep nesting does not exhaust the stack of Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from corpora.errors import ArticleError
from corpora.formats.jats_text import BLOCKS, FLOATS, Element, clean, segments, tags, text_of
from corpora.model.metadata import keyword_infons
from corpora.model.sections import (
    ABBR,
    ABSTRACT,
    ACK_FUND,
    APPENDIX,
    FIG,
    INTRO,
    OTHER,
    REF,
    REVIEW_INFO,
    SUPPL,
    TABLE,
    TITLE,
    next_section,
    section_below,
)

LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
HREF = "{http://www.w3.org/1999/xlink}href"


@dataclass(frozen=True, slots=True)
class PassagePlace:
    """The place of a text in the article, from which the infons of its passage are made."""

    section: str
    kind: str = "paragraph"
    """The infon `type` of running text."""
    heading: str = "title"
    """The infon `type` of headings."""
    level: int = 0
    """The headings `title` and `abstract_title` get it (at least 1) as suffix."""
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
    """The parts of an element. Its label ("2.1", "(iii)") stands before the heading or paragraph that it belongs to.

    In a section with a label and without title, the label ("Abstract", "Box 1") becomes the heading.
    """
    if label := _take_label(element):
        label_element = element.find("label")
        first = next((child for child in element if child.tag != "label"), None)
        if label_element is not None and element.tag in _HEADED and element.find("title") is None:
            label_element.tag, label_element.text = "title", label
        elif first is not None and first.tag in ("title", "p"):
            first.text = f"{label} {first.text or ''}"
        else:
            element.text = f"{label} {element.text or ''}"
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


def _title(element: Element, place: PassagePlace) -> list[Part]:
    return _line(element, place.titled(), place)


def _line(element: Element, place: PassagePlace, around: PassagePlace) -> list[Part]:
    """One line, and the floats in it, which have the place `around`."""
    pieces = segments(element, frozenset(), FLOATS)
    return [(item, place if isinstance(item, str) else around) for item in pieces]


# -- sections -----------------------------------------------------------------------------------


def _heading(element: Element) -> str:
    title = element.find("title")
    return "" if title is None else text_of(title)


def _type_of(element: Element) -> str | None:
    kinds = map(element.get, ("sec-type", "notes-type", "fn-type", "content-type"))
    return next((str(kind) for kind in kinds if kind), None)


def _section_of(element: Element, place: PassagePlace) -> str:
    return section_below(place.section, _heading(element), _type_of(element))


def _section(element: Element, place: PassagePlace) -> list[Part]:
    """A section, a box or a group of notes. Its level is one deeper, and its heading names its section."""
    return _container(element, replace(place, section=_section_of(element, place), level=place.level + 1))


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


# -- floats and notes ---------------------------------------------------------------------------


def _with_own_infons(element: Element, place: PassagePlace) -> PassagePlace:
    """The place inside a float, with its id, its file and its label ("Figure 1") as infons."""
    label = _take_label(element)
    infons = {key: value for key, value in place.infons.items() if key not in ("id", "file", "label")}
    pictures = (picture for tag in ("graphic", "media", "inline-graphic") for picture in element.iter(tag))
    file = next(filter(None, (picture.get(HREF) for picture in pictures)), element.get(HREF))
    return replace(place, infons=infons).with_infons(file=file, id=element.get("id"), label=label)


def _float(section: str, kind: str, heading: str, deeper: int = 0) -> Handler:
    """A handler for floats, with the kinds of their text and heading. `deeper`: what they add to the level."""

    def handler(element: Element, place: PassagePlace) -> list[Part]:
        inside = replace(place, section=section, kind=kind, heading=heading, level=place.level + deeper)
        return _container(element, _with_own_infons(element, inside))

    return handler


def _note(element: Element, place: PassagePlace) -> list[Part]:
    label = _take_label(element)
    if place.section != TABLE and place.section != FIG:
        place = replace(place, section=_section_of(element, place), kind="footnote")
    return _container(element, place.with_infons(fn_label=label))


_ROWS = frozenset({"tr", "row"})
_ROW_GROUPS = frozenset({"thead", "tbody", "tfoot", "tgroup"})


def _table(element: Element, place: PassagePlace) -> list[Part]:
    """A table as text: tabs between cells, line feeds between rows. Rows without text are left out.

    A cell that spans rows is repeated in each, and empty cells follow one that spans columns, so that all rows have the
    same columns. A heading between rows, which is the only cell with text in its row, has no empty cells.
    """
    rows: list[str] = []
    others: list[Part] = []
    below: dict[int, tuple[int, str]] = {}
    group: Element | None = None
    todo = list(reversed(_nodes(element)))
    size = 0
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            others.append((item, place))
        elif item.tag in _ROW_GROUPS:
            todo.extend(reversed(_nodes(item)))
        elif item.tag in _ROWS:
            # No cell reaches out of its group of rows.
            cells, below = _cells_of(item, below if item.getparent() is group else {})
            group = item.getparent()
            size += sum(map(len, cells)) + len(cells)
            if size > _MOST_TABLE:
                raise ArticleError(f"the text of a table has more than {_MOST_TABLE} characters; correct or remove it")
            if cells:
                rows.append("\t".join(cells))
        else:
            others += [(segment, place) for segment in segments(item)]
    table = "\n".join(rows)
    return [*others, (table, replace(place, kind="table"))] if table else others


_MOST_TABLE = 50_000_000
_MOST_SPANNED = 1000
"""Rows or columns of one cell, as in HTML."""
_MOST_COLUMNS = 10_000
"""In wider rows, a cell is in one column."""


def _cells_of(row: Element, above: dict[int, tuple[int, str]]) -> tuple[list[str], dict[int, tuple[int, str]]]:
    """The texts of a row, none if its own cells have no text, and what reaches from it into the rows below.

    Of cells that reach into a row, `above` has by column in how many rows they still are, and their text.
    """
    cells: list[str] = []
    below: dict[int, tuple[int, str]] = {}
    nodes = _nodes(row)
    texts = [node if isinstance(node, str) else text_of(node) for node in nodes]
    has_text = bool("".join(texts).strip())
    if not above and all(_span(cell, "rowspan") == _span(cell, "colspan") == 1 for cell in row):
        return texts if has_text else [], below
    is_heading = has_text and not above and not "".join(texts[1:]).strip()
    for node, text in [*zip(nodes, texts, strict=True), (None, "")]:
        while (spanned := above.get(len(cells))) is not None:
            if spanned[0] > 1:
                below[len(cells)] = (spanned[0] - 1, spanned[1])
            cells.append(spanned[1])
        if node is None:
            break
        across, down = (1, 1) if isinstance(node, str) else (_span(node, "colspan"), _span(node, "rowspan"))
        for column in range(1 if is_heading or len(cells) > _MOST_COLUMNS else across):
            if down > 1:
                below[len(cells)] = (down - 1, "" if column else text)
            cells.append("" if column else text)
    return cells if has_text else [], below


def _span(cell: Element, name: str) -> int:
    value = cell.get(name)
    if value is None or value == "1":
        return 1
    value = value.strip()
    return min(max(int(value), 1), _MOST_SPANNED) if value.isascii() and value.isdigit() else 1


def _nodes(element: Element) -> list[str | Element]:
    """The children of an element. Text between them, which JATS does not allow there, is returned as well."""
    nodes: list[str | Element] = [element.text or ""]
    for child in element:
        nodes += (child, child.tail or "")
    cleaned = (clean(node) if isinstance(node, str) else node for node in nodes)
    return [node for node in cleaned if not isinstance(node, str) or node.strip()]


def _formula(element: Element, place: PassagePlace) -> list[Part]:
    """A formula. Of one that is a picture, the text is its number."""
    place = _with_own_infons(element, replace(place, kind="formula"))
    text = text_of(element) or place.infons.get("label", "")
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
    """The text and the infons of each work that is cited, and of its notes.

    The text is the cited title, as in NCBI's service. Without title it is the `source` of an `element-citation`, else
    the whole citation, which contains titles that are not marked up.
    """
    label = _take_label(element)
    works: list[Element] = []
    for child in element:
        if child.tag == "citation-alternatives":
            works += child[:1]
        elif child.tag != "label":
            works.append(child)
    texts = [(_cited_title(one), _details(one)) if one.tag in _CITATIONS else (text_of(one), {}) for one in works]
    base = replace(place, section=REF, kind="ref")
    return [
        (text, replace(base, infons={**base.infons, **infons}).with_infons(id=element.get("id"), label=label))
        for text, infons in texts or [(text_of(element), {})]
        if text
    ]


_FIGURE = _float(FIG, "fig_caption", "fig_title_caption")
_TABLE = _float(TABLE, "table_caption", "table_title_caption")
_SUPPLEMENT = _float(SUPPL, "paragraph", "title", deeper=1)
_HANDLERS: dict[str, Handler] = {
    "ack": _back_matter(ACK_FUND),
    "app": _back_matter(APPENDIX),
    "app-group": lambda element, place: _container(element, replace(place, section=APPENDIX)),
    "array": _table,
    "back": lambda element, place: _container(
        element, replace(place, section=REVIEW_INFO if place.section == REVIEW_INFO else OTHER)
    ),
    "bio": _section,
    "body": _body,
    "boxed-text": _section,
    "chem-struct-wrap": _FIGURE,
    "def-head": _title,
    "def-item": _definition,
    "disp-formula": _formula,
    "fig": _FIGURE,
    "fig-group": _FIGURE,
    "graphic": _FIGURE,
    "fn": _note,
    "fn-group": _section,
    "glossary": _back_matter(ABBR),
    "media": _SUPPLEMENT,
    "notes": _section,
    # Floats follow the paragraph, because they are anchored in the middle of sentences.
    "p": lambda element, place: [(item, place) for item in segments(element, BLOCKS, FLOATS)],
    "ref": _reference,
    "ref-list": _back_matter(REF),
    "sec": _section,
    "supplementary-material": _SUPPLEMENT,
    "table": _table,
    "table-wrap": _TABLE,
    "table-wrap-foot": lambda element, place: _container(
        element, replace(place, kind="table_foot", heading="table_foot_title")
    ),
    "table-wrap-group": _TABLE,
    "term-head": _title,
    "title": _title,
}


# -- references ---------------------------------------------------------------------------------

_CITATIONS = frozenset({"element-citation", "mixed-citation", "citation", "nlm-citation"})
_TITLES = ("article-title", "chapter-title", "part-title", "data-title", "trans-title")
_DETAILS = tags(
    """
    source year volume issue fpage lpage elocation-id page-range publisher-name publisher-loc edition
    conf-name patent version comment
    """
)


def person(element: Element) -> str:
    """A `name`, `string-name` or `collab` as NCBI writes authors: `surname:Curie;given-names:M`."""
    parts = [f"{tag}:{text_of(part)}" for tag in ("surname", "given-names") for part in element.iter(tag)]
    return ";".join(parts) or f"{'collab' if element.tag == 'collab' else 'name'}:{text_of(element)}"


def _cited_title(citation: Element) -> str:
    for tag in _TITLES:
        titles = [text for text in map(text_of, citation.iter(tag)) if text]
        if titles:
            return " ".join(titles)
    source = citation.find("source") if citation.tag == "element-citation" else None
    return (text_of(source) if source is not None else "") or text_of(citation)


def _details(citation: Element) -> dict[str, str]:
    infons: dict[str, str] = {}
    people = 0
    for element in citation.iter():
        tag = element.tag
        if tag in ("name", "string-name", "collab"):
            if element.getparent().tag != "collab":
                infons[f"name_{people}"] = person(element)
                people += 1
        elif tag == "pub-id":
            infons.setdefault(f"pub-id_{element.get('pub-id-type') or 'other'}", _plain(element))
        elif tag in _DETAILS:
            value = _plain(element)
            infons[tag] = f"{infons[tag]}; {value}" if tag in infons else value
    return {key: value for key, value in infons.items() if value}


def _plain(element: Element) -> str:
    return text_of(element) if len(element) else clean(element.text or "")


# -- front --------------------------------------------------------------------------------------

_ABSTRACTS = ("abstract", "trans-abstract")
_DATES = ("ppub", "collection", "epub-ppub", "epub", "pub")
_ADDED = re.compile("abbr|organism|subject|mesh|msc|pacs|jel|inspec|heading|class")
"""In the type of a list of keywords that are not those of the authors."""
_REVIEW = tags(
    """
    aggregated-review-documents article-commentary author-comment author-reply author-response
    decision-letter editor-report editorial-assessment peer-review referee-report reply response
    review-report reviewer-report
    """
)
"""Types of sub-articles that review or discuss the article. Other sub-articles are versions of it."""


def article_parts(article: Element) -> list[Part]:
    """The parts of the main article. The first one is always its title, which may be empty."""
    front = article.find("front")
    meta = front.find("article-meta") if front is not None else None
    place = PassagePlace(TITLE, kind="front").with_infons(**_infons(article, front, meta))
    tasks = _titles(meta, place, PassagePlace(TITLE)) if meta is not None else []
    if not tasks or not isinstance(tasks[0][0], str) or tasks[0][1].kind != "front":
        tasks.insert(0, ("", place))
    if front is not None and meta is not None:
        tasks += _front_matter(front, meta, PassagePlace(OTHER), article.get(LANGUAGE))
    return tasks + _rest(article, PassagePlace(INTRO))


def sub_article_parts(article: Element, place: PassagePlace) -> list[Part]:
    """The parts of a sub-article or response. All its passages have the infon `sub_article`.

    It has no `article-id_...` infons: only the main article has them.
    """
    kind = article.get("article-type") or article.get("response-type") or article.tag
    base = PassagePlace(INTRO).with_infons(sub_article=kind)
    if kind in _REVIEW or place.section == REVIEW_INFO:
        base = replace(base, section=REVIEW_INFO)
    front = article.find("front-stub")
    meta = front
    if front is None:
        front = article.find("front")
        meta = front.find("article-meta") if front is not None else None
    tasks: list[Part] = []
    if front is not None and meta is not None:
        title = replace(base, section=REVIEW_INFO if base.section == REVIEW_INFO else TITLE)
        named = replace(title, kind="front").with_infons(
            lang=article.get(LANGUAGE), sub_article_doi=_ids(meta).get("doi"), **_people(meta)
        )
        tasks += _titles(meta, named, title)
        tasks += _front_matter(front, meta, replace(base, section=OTHER), article.get(LANGUAGE))
    return tasks + _rest(article, base)


def article_ids(article: Element) -> dict[str, str]:
    """The ids of the article by kind: `pmc` (without prefix), `pmid`, `doi`, `publisher-id` ..."""
    meta = article.find("front/article-meta")
    return {} if meta is None else _ids(meta)


def _rest(article: Element, place: PassagePlace) -> list[Part]:
    return [(child, place) for child in article if child.tag not in ("front", "front-stub", "processing-meta")]


def _titles(meta: Element, place: PassagePlace, around: PassagePlace) -> list[Part]:
    """The title, then the subtitle, translated titles, and footnotes to them."""
    tasks: list[Part] = []
    group = meta.find("title-group")
    for child in group if group is not None else ():
        if child.tag == "article-title":
            tasks += _line(child, place, around)
        elif child.tag == "subtitle":
            tasks += _line(child, replace(around, kind="subtitle"), around)
        elif child.tag in ("trans-title-group", "trans-title", "trans-subtitle"):
            parts = child.iter("trans-title", "trans-subtitle") if child.tag == "trans-title-group" else (child,)
            for part in parts:
                translated = replace(around, kind=str(part.tag).replace("-", "_"))
                lang = part.get(LANGUAGE) or child.get(LANGUAGE)
                tasks += _line(part, translated.with_infons(lang=lang), around)
        elif child.tag == "fn-group":
            tasks.append((child, around))
    return tasks


def _front_matter(front: Element, meta: Element, place: PassagePlace, language: str | None) -> Iterator[Part]:
    """Abstracts, notes, footnotes to the authors, and the funding statement, in this order."""
    for tag in _ABSTRACTS:
        for abstract in meta.iterfind(tag):
            lang = abstract.get(LANGUAGE)
            yield (
                abstract,
                replace(place, section=ABSTRACT, kind="abstract", heading="abstract_title").with_infons(
                    abstract_type=abstract.get("abstract-type"),
                    lang=lang if tag == "trans-abstract" or lang != language else None,
                ),
            )
    for notes in front.iterfind("notes"):
        yield notes, place
    for note in meta.iterfind("author-notes/fn"):
        yield note, place
    for statement in meta.iterfind("funding-group/funding-statement"):
        text = text_of(statement)
        if text:
            yield text, replace(place, section=ACK_FUND)


def _infons(article: Element, front: Element | None, meta: Element | None) -> dict[str, str | None]:
    infons: dict[str, str | None] = {"article-type": article.get("article-type"), "lang": article.get(LANGUAGE)}
    if front is None or meta is None:
        return infons
    infons.update({f"article-id_{kind}": value for kind, value in _ids(meta).items()})
    journal = front.find("journal-meta")
    if journal is not None:
        infons["journal"] = next((text_of(title) for title in journal.iter("journal-title")), None)
    years: dict[str, str] = {}
    for date in meta.iterfind("pub-date"):
        if year := clean(date.findtext("year") or ""):
            years.setdefault(date.get("pub-type") or date.get("date-type") or "", year)
    infons["year"] = next((years[kind] for kind in (*_DATES, *years) if kind in years), None)
    for tag in ("volume", "issue", "fpage", "lpage", "elocation-id"):
        element = meta.find(tag)
        infons[tag] = None if element is None else text_of(element)
    keywords = (text_of(word) for group in meta.iterfind("kwd-group") for word in group.iter("kwd"))
    infons["kwd"] = " ".join(dict.fromkeys(filter(None, keywords)))
    for language, words in _author_keywords(meta, article.get(LANGUAGE)).items():
        infons.update(keyword_infons(words, language))
    licences = meta.findall("permissions/license")
    infons["license"] = " ".join(filter(None, map(text_of, licences)))
    infons["license-url"] = next(filter(None, (licence.get(HREF) for licence in licences)), None)
    infons.update(_people(meta))
    return infons


def _author_keywords(meta: Element, language: str | None) -> dict[str, list[str]]:
    """The keywords of the authors by language (empty: that of the article), without terms that the journal added.

    A compound keyword (a term with its abbreviation, for example) counts by its parts.
    """
    own = (language or "en").lower()[:2]
    groups: dict[str, list[str]] = {}
    for group in meta.iterfind("kwd-group"):
        if _ADDED.search((group.get("kwd-group-type") or "").lower()) is None:
            stated = (group.get(LANGUAGE) or own).lower()[:2]
            words = groups.setdefault("" if stated == own else stated, [])
            words += [text_of(word).rstrip(" ,;.") for word in group.iter("kwd", "compound-kwd-part")]
    return groups


def _ids(meta: Element) -> dict[str, str]:
    ids: dict[str, str] = {}
    for element in meta.iterfind("article-id"):
        kind = element.get("pub-id-type") or "other"
        value = clean(element.text or "")
        if kind in ("pmc", "pmcid"):
            kind, value = "pmc", value.removeprefix("PMC")
        if value:
            ids.setdefault(kind, value)
    return ids


def _people(meta: Element) -> dict[str, str]:
    """The authors, without the editors, as `name_0`, `name_1` ..."""
    people: list[str] = []
    for contributor in meta.iterfind("contrib-group/contrib"):
        if contributor.get("contrib-type", "author") == "author":
            names = contributor.xpath("name|string-name|collab|name-alternatives/*[1]")
            people += [person(name) for name in names[:1]]
    return {f"name_{index}": value for index, value in enumerate(people)}
