"""The page of one article: its text with marked mentions, its concepts and index terms, gold beside prediction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from corpora.model.chemical import INDEX_TERM
from corpora.model.document import NO_CONCEPT, IndexTerm
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
from nlmchem.evaluation.articles import Article
from nlmchem.report.concepts import Concepts, Details, Namer, mesh_address
from nlmchem.report.marking import Piece
from nlmchem.report.pages import render_page
from nlmchem.report.sides import STATUS, Side, mark_sides

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
"""Section type -> heading. Other section types are shown capitalized."""

LINKED = 6
"""Mentions of an index term whose links are visible; the others are folded away."""


@dataclass(frozen=True, slots=True)
class View:
    """What a page shows: an article, its index terms, and the same article of the gold standard if there is one."""

    article: Article
    terms: tuple[IndexTerm, ...]
    gold: Article | None = None


@dataclass(frozen=True, slots=True)
class _Concept:
    """A concept or index term of the side panel. `elements`: HTML ids of its mentions; `note`: text behind the id."""

    number: int
    name: str
    identifier: str
    address: str | None
    elements: tuple[str, ...]
    note: str = ""

    @property
    def in_gold(self) -> int:
        """How many of its mentions are on the gold side."""
        return sum(element.startswith("g") for element in self.elements)


@dataclass(frozen=True, slots=True)
class _Row:
    """A passage on every side. `section`: heading of a section that begins here; `heading`: the text is a heading."""

    section: str
    heading: bool
    cells: tuple[Sequence[Piece], ...]


def title_of(article: Article) -> str:
    """The text of the first passage that has text, else the document id."""
    texts = (text for _, text in article.layout.passages)
    return next((" ".join(text.split()) for text in texts if text.strip()), article.name)


def render(view: View, namer: Namer, home: str | None = None) -> str:
    """The HTML page of an article. `home`: relative path of the index page, None if there is no index page."""
    concepts, details = Concepts(namer), Details()
    for term in view.terms:
        if term.entry_term:
            concepts.set_name(term.identifier, term.entry_term)
    sides = mark_sides(view.article, view.gold, concepts, details)
    title = title_of(view.article)
    context = {
        "document": view.article.name,
        "home": home,
        "title": _shortened(title, 300),
        "short_title": _shortened(title, 80),
        "sides": sides,
        "status": STATUS,
        "terms": list(_index_terms(view, concepts)),
        "linked": LINKED,
        "concepts": _concept_list(concepts),
        "rows": _rows(sides),
        "data": {
            "concepts": [[id, concepts.name(id), mesh_address(id)] for id in concepts.numbers],
            "details": list(details.numbers),
        },
    }
    return render_page("article.html", "article.css", "article.js", context)


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _index_terms(view: View, concepts: Concepts) -> Iterator[_Concept]:
    """The predicted index terms, then those of the gold standard only."""
    gold = None
    if view.gold is not None:
        gold = dict.fromkeys(id for item in view.gold.of_type(INDEX_TERM) for id in item.identifiers)
    predicted = {term.identifier for term in view.terms}
    for term in view.terms:
        score = "" if term.score is None else f", score {term.score:.4f}"
        place = "" if gold is None else ", in gold" if term.identifier in gold else ", not in gold"
        yield _index_term(term.identifier, score + place, concepts)
    for identifier in gold or ():
        if identifier not in predicted:
            yield _index_term(identifier, ", in gold only", concepts)


def _index_term(identifier: str, note: str, concepts: Concepts) -> _Concept:
    every = tuple(concepts.mentions.get(identifier, ()))
    # Beside a gold standard, index terms link to mentions of the prediction, if there are any.
    elements = tuple(element for element in every if element.startswith("m")) or every
    return _Concept(-1, concepts.name(identifier), identifier, mesh_address(identifier), elements, note)


def _concept_list(concepts: Concepts) -> list[_Concept]:
    """All concepts, those with most mentions first."""
    ordered = sorted(concepts.mentions.items(), key=lambda item: (-len(item[1]), concepts.name(item[0]), item[0]))
    return [
        _Concept(
            concepts.number(identifier),
            concepts.name(identifier),
            "" if identifier == NO_CONCEPT else identifier,
            mesh_address(identifier),
            tuple(elements),
        )
        for identifier, elements in ordered
    ]


def _rows(sides: Sequence[Side]) -> Iterator[_Row]:
    """The passages of all sides, side by side. Section names come from the prediction, the last side."""
    texts = [text for _, text in sides[-1].article.layout.passages]
    sections = sides[-1].article.sections
    before: str | None = None
    for position, cells in enumerate(zip_longest(*(side.pieces() for side in sides), fillvalue=())):
        section = sections[position] if position < len(sections) else before
        # A passage that names its section is the heading itself.
        heading = position < len(texts) and section_of_heading(texts[position]) is not None
        name = ""
        if section is not None and section != before and section not in _UNNAMED and not heading:
            name = _SECTIONS.get(section, section.capitalize())
        before = section
        yield _Row(name, heading, cells)
