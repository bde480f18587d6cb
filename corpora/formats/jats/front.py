"""The front of a JATS article: its title, with the metadata of the article as infons, and its abstracts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from corpora.formats.jats.blocks import HREF, LANGUAGE, Part, PassagePlace
from corpora.formats.jats.references import person
from corpora.formats.jats.text import FLOATS, Element, clean, segments, tags, text_of
from corpora.model.metadata import keyword_infons
from corpora.model.sections import ABSTRACT, ACK_FUND, INTRO, OTHER, REVIEW_INFO, TITLE

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
        elif child.tag == "trans-title-group":
            lang = child.get(LANGUAGE)
            for part in child.iter("trans-title", "trans-subtitle"):
                tasks += _line(part, _translated(part, around, lang), around)
        elif child.tag in ("trans-title", "trans-subtitle"):
            tasks += _line(child, _translated(child, around, None), around)
        elif child.tag == "fn-group":
            tasks.append((child, around))
    return tasks


def _translated(element: Element, place: PassagePlace, lang: str | None) -> PassagePlace:
    kind = str(element.tag).replace("-", "_")
    return replace(place, kind=kind).with_infons(lang=element.get(LANGUAGE) or lang)


def _line(element: Element, place: PassagePlace, around: PassagePlace) -> list[Part]:
    pieces = segments(element, frozenset(), FLOATS)
    return [(item, place if isinstance(item, str) else around) for item in pieces]


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


# -- infons of the title ------------------------------------------------------------------------


def _infons(article: Element, front: Element | None, meta: Element | None) -> dict[str, str | None]:
    infons: dict[str, str | None] = {"article-type": article.get("article-type"), "lang": article.get(LANGUAGE)}
    if front is None or meta is None:
        return infons
    infons.update({f"article-id_{kind}": value for kind, value in _ids(meta).items()})
    journal = front.find("journal-meta")
    if journal is not None:
        infons["journal"] = next((text_of(title) for title in journal.iter("journal-title")), None)
    infons["year"] = _year(meta)
    for tag in ("volume", "issue", "fpage", "lpage", "elocation-id"):
        element = meta.find(tag)
        infons[tag] = None if element is None else text_of(element)
    keywords = (text_of(word) for group in meta.iterfind("kwd-group") for word in group.iter("kwd"))
    infons["kwd"] = " ".join(dict.fromkeys(filter(None, keywords)))
    infons.update(keyword_infons(_author_keywords(meta, article.get(LANGUAGE))))
    licences = meta.findall("permissions/license")
    infons["license"] = " ".join(filter(None, map(text_of, licences)))
    infons["license-url"] = next(filter(None, (licence.get(HREF) for licence in licences)), None)
    infons.update(_people(meta))
    return infons


def _author_keywords(meta: Element, language: str | None) -> Iterator[str]:
    """The keywords of the authors in the language of the article, without terms that the journal added.

    A compound keyword (a term with its abbreviation, for example) counts by its parts.
    """
    wanted = (language or "en").lower()
    for group in meta.iterfind("kwd-group"):
        kind = (group.get("kwd-group-type") or "").lower()
        if _ADDED.search(kind) is None and (group.get(LANGUAGE) or wanted).lower()[:2] == wanted[:2]:
            for word in group.iter("kwd", "compound-kwd-part"):
                yield text_of(word).rstrip(" ,;.")


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


def _year(meta: Element) -> str | None:
    years: dict[str, str] = {}
    for date in meta.iterfind("pub-date"):
        year = clean(date.findtext("year") or "")
        if year:
            years.setdefault(date.get("pub-type") or date.get("date-type") or "", year)
    return next((years[kind] for kind in _DATES if kind in years), next(iter(years.values()), None))


def _people(meta: Element) -> dict[str, str]:
    """The authors, without the editors, as `name_0`, `name_1` ..."""
    people: list[str] = []
    for contributor in meta.iterfind("contrib-group/contrib"):
        if contributor.get("contrib-type", "author") == "author":
            names = contributor.xpath("name|string-name|collab|name-alternatives/*[1]")
            people += [person(name) for name in names[:1]]
    return {f"name_{index}": value for index, value in enumerate(people)}
