"""One article as a page: its text with the mentions marked, what they mean, and gold beside prediction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from corpora.model.chemical import CHEMICAL, INDEX_TERM
from corpora.model.document import ABBREVIATION, NO_CONCEPT, Definition, IndexTerm
from corpora.model.sections import (
    ABBR,
    ACK_FUND,
    AUTH_CONT,
    COMP_INT,
    CONCL,
    DISCUSS,
    FIG,
    INTRO,
    METHODS,
    OTHER,
    REF,
    SUPPL,
    TITLE,
    section_of_heading,
)
from nlmchem.evaluation.articles import Annotation, Article
from nlmchem.evaluation.spans import Ground, key
from nlmchem.report.concepts import Concepts, Details, Namer, mesh_address
from nlmchem.report.drawing import palette_css
from nlmchem.report.html import asset, escape, page, script_data
from nlmchem.report.marking import Mark, marked

__all__ = ["View", "render", "title_of"]

_UNNAMED = (None, TITLE, OTHER)
_SECTIONS = {
    INTRO: "Introduction",
    METHODS: "Methods",
    DISCUSS: "Discussion",
    CONCL: "Conclusions",
    FIG: "Figure",
    REF: "References",
    SUPPL: "Supplement",
    ACK_FUND: "Acknowledgements and funding",
    AUTH_CONT: "Author contributions",
    COMP_INT: "Competing interests",
    ABBR: "Abbreviations",
}
"""Section names as readers know them, where the name itself is not one."""
_LINKS = 6
"""Mentions of an index term that are linked at once; the others are folded away."""

STATUS = {
    "same": "same in gold and prediction",
    "concept": "same place, other concept",
    "cut": "overlaps, other boundaries",
    "alone": "on this side only",
}


@dataclass(frozen=True, slots=True)
class View:
    """What a page shows: an article with its index terms, and the gold standard's where there is one."""

    article: Article
    terms: tuple[IndexTerm, ...]
    gold: Article | None = None


@dataclass(slots=True)
class _Side:
    """The marks of one side; `passages[i]` are those of passage i, `prefix` begins their element ids."""

    name: str
    article: Article
    prefix: str
    passages: list[list[Mark]] = field(default_factory=list)


def title_of(article: Article) -> str:
    """The first passage that has text, else the id."""
    texts = (text for _, text in article.layout.passages)
    return next((" ".join(text.split()) for text in texts if text.strip()), article.name)


def render(view: View, namer: Namer, home: str | None = None) -> str:
    """The page of an article; `home` is the address of an index page."""
    concepts, details = Concepts(namer), Details()
    for term in view.terms:
        if term.entry_term:
            concepts.call(term.identifier, term.entry_term)
    sides = [_Side("Prediction" if view.gold else "Text", view.article, "m")]
    if view.gold is not None:
        sides.insert(0, _Side("Gold", view.gold, "g"))
    others = [view.article, view.gold] if view.gold is not None else [None]
    for side, other in zip(sides, others, strict=True):
        _mark(side, other, concepts, details)
    title = title_of(view.article)
    back = f'<p class="screen"><a href="{escape(home)}">All articles</a></p>' if home else ""
    body = "\n".join(
        [
            '<a class="skip" href="#text">To the text</a>',
            f"<header>{back}<h1>{escape(_shortened(title))}</h1>",
            f'<p class="quiet">Document {escape(view.article.name)}. {_summary(sides)}</p>{_legend(view)}</header>',
            '<div class="layout">',
            '<aside aria-label="What the article says">',
            _details_panel(),
            *_index_terms(view, concepts),
            *_concept_list(concepts, len(sides) > 1),
            *_abbreviations(sides),
            "</aside>",
            '<main id="text" tabindex="-1">',
            *_text(sides),
            "</main></div>",
            '<div id="tip" role="tooltip" hidden></div>',
            f'<script type="application/json" id="data">{script_data(_data(concepts, details))}</script>',
        ]
    )
    styles = (asset("page.css"), palette_css(), asset("article.css"))
    return page(f"{_shortened(title, 80)} ({view.article.name})", body, styles, asset("article.js"))


def _shortened(text: str, limit: int = 300) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _summary(sides: Sequence[_Side]) -> str:
    counts = []
    for side in sides:
        number = sum(1 for item in side.article.annotations if _shown(item))
        counts.append(f"{side.name}: {number} mentions." if len(sides) > 1 else f"{number} mentions.")
    return " ".join(counts)


def _legend(view: View) -> str:
    if view.gold is None:
        return ""
    items = "".join(f'<li><span class="m s-{status}">{escape(text)}</span></li>' for status, text in STATUS.items())
    return (
        f'<ul class="legend" aria-label="Legend">{items}</ul>'
        '<p class="screen"><label><input type="checkbox" id="differences"> Only what differs</label></p>'
    )


# -- marks --------------------------------------------------------------------------------------


def _shown(annotation: Annotation) -> bool:
    return bool(annotation.locations) and not annotation.empty and annotation.type != ABBREVIATION


def _mark(side: _Side, other: Article | None, concepts: Concepts, details: Details) -> None:
    """Fill a side's marks: definitions first, then mentions."""
    side.passages = [[] for _ in side.article.layout.passages]
    definitions = side.article.definitions
    for number, definition in enumerate(definitions):
        _mark_definition(side, number, definition)
    defined = {definition.short_form: number for number, definition in enumerate(definitions)}
    status = _status(other)
    number = 0
    for annotation in side.article.annotations:
        if not _shown(annotation) or annotation.passage >= len(side.passages):
            continue
        element = f"{side.prefix}{number}"
        number += 1
        identifiers = annotation.identifiers or (NO_CONCEPT,)
        for identifier in identifiers:
            concepts.note(identifier, annotation, element)
        told = status(annotation)
        entry = details.number(
            annotation.type,
            tuple(concepts.number(identifier) for identifier in identifiers),
            annotation.evidence.sieve,
            annotation.evidence.score,
            annotation.evidence.matched_name,
            _definition_entry(side, definitions, defined.get(annotation.text)),
            STATUS[told] if told else None,
        )
        kind = "m" if annotation.type == CHEMICAL else "m other"
        numbers = " ".join(str(concepts.number(identifier)) for identifier in identifiers)
        attributes = f'class="{kind}{f" s-{told}" if told else ""}" data-c="{numbers}" data-e="{entry}"'
        first = f'id="{element}" tabindex="0" role="button"'
        side.passages[annotation.passage].append(Mark(annotation.locations, attributes, first))


def _definition_entry(side: _Side, definitions: Sequence[Definition], number: int | None) -> tuple[str, str] | None:
    """The long form and the element where it stands."""
    return None if number is None else (definitions[number].long_form, f"{side.prefix}d{number}")


def _mark_definition(side: _Side, number: int, definition: Definition) -> None:
    places = side.article.layout.passages
    for span, kind in ((definition.long_span, "long"), (definition.short_span, "short")):
        name = f"{side.prefix}d{number}" if kind == "long" else f"{side.prefix}d{number}s"
        told = definition.short_form if kind == "long" else definition.long_form
        attributes = f'class="d" title="{escape(told)}"'
        for position, (offset, text) in enumerate(places):
            if offset <= span[0] and span[1] <= offset + len(text):
                side.passages[position].append(Mark((span,), attributes, f'id="{name}"'))
                break


def _status(other: Article | None) -> Callable[[Annotation], str | None]:
    """What an annotation is beside the other side's: a key of STATUS, or None where there is no other side."""
    if other is None:
        return lambda annotation: None
    there = {key(item): set(item.identifiers) for item in other.annotations if _shown(item)}
    grounds: defaultdict[str, list[Annotation]] = defaultdict(list)
    for item in other.annotations:
        if _shown(item):
            grounds[item.type].append(item)
    ground = {type: Ground(items) for type, items in grounds.items()}

    def status(annotation: Annotation) -> str:
        same = there.get(key(annotation))
        if same is not None:
            return "same" if same == set(annotation.identifiers) else "concept"
        near = annotation.type in ground and ground[annotation.type].touches(annotation)
        return "cut" if near else "alone"

    return status


# -- the side panel -----------------------------------------------------------------------------


def _details_panel() -> str:
    return (
        '<section class="panel screen" aria-labelledby="details-heading"><h2 id="details-heading">Mention</h2>'
        '<div id="details" aria-live="polite"><p class="quiet">Choose a mention in the text, or a concept below. '
        "Keys: n next, p previous, Escape shows everything again.</p></div></section>"
    )


def _index_terms(view: View, concepts: Concepts) -> Iterator[str]:
    gold = None
    if view.gold is not None:
        gold = dict.fromkeys(id for item in view.gold.of_type(INDEX_TERM) for id in item.identifiers)
    if not view.terms and not gold:
        return
    yield '<section class="panel" id="index-terms"><h2>Index terms</h2><ol>'
    for term in view.terms:
        score = "" if term.score is None else f", score {term.score:.4f}"
        told = "" if gold is None else ", in gold" if term.identifier in gold else ", not in gold"
        yield _index_term(term.identifier, score + told, concepts)
    given = {term.identifier for term in view.terms}
    for identifier in gold or ():
        if identifier not in given:
            yield _index_term(identifier, ", in gold only", concepts)
    yield "</ol></section>"


def _index_term(identifier: str, told: str, concepts: Concepts) -> str:
    every = concepts.mentions.get(identifier, [])
    # Beside a gold standard a term is the prediction's: its mentions are, where there are any.
    elements = [element for element in every if element.startswith("m")] or every
    links = [f'<a href="#{element}">{at}</a>' for at, element in enumerate(elements, start=1)]
    where = f"mentions: {' '.join(links[:_LINKS])}" if links else "not mentioned in the text"
    if len(links) > _LINKS:
        where += f"<details><summary>{len(links) - _LINKS} more</summary>{' '.join(links[_LINKS:])}</details>"
    return (
        f"<li><b>{escape(concepts.name(identifier))}</b> "
        f'<span class="quiet">{_identifier_html(identifier)}{told}</span><br><span class="links">{where}</span></li>'
    )


def _identifier_html(identifier: str) -> str:
    address = mesh_address(identifier)
    return f'<a href="{address}" rel="noreferrer">{escape(identifier)}</a>' if address else escape(identifier)


def _count(elements: Sequence[str], sided: bool) -> str:
    if not sided:
        return f'<span class="count">{len(elements)}</span>'
    gold = sum(element.startswith("g") for element in elements)
    return f'<span class="count" title="in gold : in prediction">{gold} : {len(elements) - gold}</span>'


def _concept_list(concepts: Concepts, sided: bool) -> Iterator[str]:
    if not concepts.mentions:
        yield '<section class="panel"><h2>Concepts</h2><p>No mention is marked.</p></section>'
        return
    yield (
        '<section class="panel" id="concepts"><h2>Concepts</h2>'
        '<p class="screen"><label>Find a concept <input type="search" id="concept-search"></label></p><ul>'
    )
    ordered = sorted(concepts.mentions.items(), key=lambda item: (-len(item[1]), concepts.name(item[0]), item[0]))
    for identifier, elements in ordered:
        number = concepts.number(identifier)
        shown = "" if identifier == NO_CONCEPT else f' <span class="quiet">{_identifier_html(identifier)}</span>'
        yield (
            f'<li id="c{number}"><button type="button" class="concept" data-c="{number}" aria-pressed="false">'
            f"{escape(concepts.name(identifier))} {_count(elements, sided)}</button>{shown}</li>"
        )
    yield "</ul></section>"


def _abbreviations(sides: Sequence[_Side]) -> Iterator[str]:
    for side in sides:
        if not side.article.definitions:
            continue
        heading = "Abbreviations" if len(sides) == 1 else f"Abbreviations, {side.name.lower()}"
        yield f'<section class="panel"><h2>{escape(heading)}</h2><dl>'
        for number, definition in enumerate(side.article.definitions):
            yield (
                f'<dt><a href="#{side.prefix}d{number}s">{escape(definition.short_form)}</a></dt>'
                f'<dd><a href="#{side.prefix}d{number}">{escape(definition.long_form)}</a></dd>'
            )
        yield "</dl></section>"


def _data(concepts: Concepts, details: Details) -> dict[str, object]:
    names = [[identifier, concepts.name(identifier), mesh_address(identifier)] for identifier in concepts.numbers]
    return {"concepts": names, "details": [list(entry) for entry in details.numbers]}


# -- the text -----------------------------------------------------------------------------------


def _text(sides: Sequence[_Side]) -> Iterator[str]:
    if len(sides) > 1:
        names = "".join(f"<div>{escape(side.name)}</div>" for side in sides)
        yield f'<div class="row names" aria-hidden="true">{names}</div>'
    seen: set[int] = set()
    columns = [list(_passages(side, seen)) for side in sides]
    texts = [text for _, text in sides[-1].article.layout.passages]
    sections = sides[-1].article.sections
    before: str | None = None
    for position, cells in enumerate(zip_longest(*columns, fillvalue="")):
        section = sections[position] if position < len(sections) else before
        # A passage that names its section is the heading; other sections are named where they begin.
        heading = position < len(texts) and section_of_heading(texts[position]) is not None
        if section != before and section not in _UNNAMED and not heading:
            yield f"<h2>{escape(_SECTIONS.get(section or '', (section or '').capitalize()))}</h2>"
        before = section
        yield _row(sides, cells, heading)


def _row(sides: Sequence[_Side], cells: Sequence[str], heading: bool) -> str:
    tag, kind = ("h2", "passage heading") if heading else ("p", "passage")
    if len(sides) == 1:
        return f'<{tag} class="{kind}">{cells[0]}</{tag}>'
    # A heading stands in both columns; one of them is enough for who reads by headings.
    first = f'<p class="{kind}" aria-label="{escape(sides[0].name)}">{cells[0]}</p>'
    last = f'<{tag} class="{kind}" aria-label="{escape(sides[1].name)}">{cells[1]}</{tag}>'
    return f'<div class="row">{first}{last}</div>'


def _passages(side: _Side, seen: set[int]) -> Iterable[str]:
    for (offset, text), marks in zip(side.article.layout.passages, side.passages, strict=True):
        yield marked(offset, text, marks, seen)
