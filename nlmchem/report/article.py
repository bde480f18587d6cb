"""The page of one article: its text with marked mentions, its concepts and index terms, gold beside prediction."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from urllib.parse import quote

from corpora.model import sections
from corpora.model.chemical import CHEMICAL, INDEX_TERM
from corpora.model.document import IndexTerm
from corpora.model.mesh_ids import NO_CONCEPT
from corpora.model.sections import FIG, TABLE, TITLE, Part, PassageKind
from corpora.reporting import log
from nlmchem.evaluation.articles import ArticlePair, ScoredArticle
from nlmchem.evaluation.matches import collect, match
from nlmchem.evaluation.scores import Counts
from nlmchem.report.marks import (
    GOLD,
    PREDICTION,
    STATUS,
    Abbreviation,
    Linker,
    Mark,
    MarkedSide,
    Namer,
    PageConcepts,
    TextPiece,
    abbreviation_key,
    mark_sides,
    marked,
    mesh_address,
    no_links,
    shown,
)
from nlmchem.report.pages import Link, PageTable, render_page, shortened
from sieves.registry import facts

_SECTIONS = {
    sections.INTRO: "Introduction",
    sections.METHODS: "Methods",
    sections.DISCUSS: "Discussion",
    sections.CONCL: "Conclusions",
    sections.REF: "References",
    sections.SUPPL: "Supplement",
    sections.ACK_FUND: "Acknowledgements and funding",
    sections.AUTH_CONT: "Author contributions",
    sections.COMP_INT: "Competing interests",
    sections.ABBR: "Abbreviations",
    sections.REVIEW_INFO: "Review",
    FIG: "Figures",
    TABLE: "Tables",
}
"""Section type -> heading. Other section types are shown capitalized."""
_UNNAMED = (TITLE, sections.OTHER, FIG, TABLE)
_DEEPEST = 4
"""The smallest heading of a page."""
LISTED = 3
"""Headings up to this HTML level are in the list of sections."""


@dataclass(frozen=True, slots=True)
class Body:
    """The text of a passage on one side: `pieces`, or `rows` of cells if it is a table with more than one cell.

    `known`: whether the rows are those of the source.
    """

    side: str
    pieces: tuple[TextPiece, ...] = ()
    rows: tuple[tuple[tuple[TextPiece, ...], ...], ...] = ()
    known: bool = True


@dataclass(frozen=True, slots=True)
class Block:
    """A passage on every side."""

    kind: PassageKind
    label: str
    level: int
    """HTML level of a heading, 0 for other text."""
    element: str
    """Its HTML id, if it is a heading or has a label."""
    place: str
    """The name of its section."""
    section: str
    """This name, if the section begins here without a heading of its own."""
    section_element: str
    float: bool
    """Whether it belongs to a figure or table."""
    equal: bool
    """Whether both sides have the same text and mentions."""
    bodies: tuple[Body | None, ...]

    @property
    def text(self) -> str:
        """The text of the last side."""
        body = self.bodies[-1] or self.bodies[0]
        return "" if body is None else "".join(piece.text for piece in body.pieces)


def blocks(sides: Sequence[MarkedSide]) -> Iterator[Block]:
    """The passages of all sides, side by side. Sections and parts come from the prediction, the last side."""
    article = sides[-1].article
    number = max(len(side.article.layout.passages) for side in sides)
    differing = set().union(*(side.differing for side in sides))
    before = TITLE
    for position in range(number):
        inside = position < len(article.layout.passages)
        part = article.parts[position] if position < len(article.parts) else Part(PassageKind.TEXT)
        section = article.sections[position] if inside else before
        floating = section in (FIG, TABLE) or part.kind in (PassageKind.CAPTION, PassageKind.TABLE)
        level = min(part.level + 1, _DEEPEST) if part.kind is PassageKind.HEADING and not floating else 0
        place = _SECTIONS.get(section, section.capitalize())
        name = ""
        if not floating and section != before:
            before = section
            if level != 2 and section not in _UNNAMED:
                name = place
        texts = {tuple(text for _, text in side.article.layout.passages[position : position + 1]) for side in sides}
        yield Block(
            part.kind,
            part.label,
            level,
            f"p{position}" if level or part.label else "",
            place,
            name,
            f"p{position}s" if name else "",
            floating,
            position not in differing and len(texts) == 1,
            tuple(_body(side, position, part) for side in sides),
        )


def _body(side: MarkedSide, position: int, part: Part) -> Body | None:
    if position >= len(side.article.layout.passages):
        return None
    offset, text = side.article.layout.passages[position]
    marks = side.passages[position]
    cells = grid(text, part) if part.kind is PassageKind.TABLE else None
    if cells is None:
        return Body(side.name, tuple(marked(offset, text, marks)))
    rows, known = cells
    return Body(side.name, (), marked_grid(offset, text, marks, rows), known)


def entries(given: Sequence[Block]) -> Iterator[tuple[str, str, int]]:
    """The list of sections: headings, and figures and tables that have a label.

    Text, HTML id, and HTML level of the heading; 0 for a figure or table.
    """
    for block in given:
        if block.section:
            yield block.section, block.section_element, 2
        if 0 < block.level <= LISTED:
            yield " ".join(block.text.split()), block.element, block.level
        elif block.float and block.label:
            yield block.label, block.element, 0


# -- cells of tables --------------------------------------------------------------------------


MOST_CELLS = 20_000
"""A larger table is shown as text."""

Grid = Sequence[Sequence[tuple[int, int]]]
"""The cells of a table as (start, end) in its text, row by row."""


def grid(text: str, part: Part) -> tuple[Grid, bool] | None:
    """The cells of a passage that is a table; None if it has one cell only, or more than `MOST_CELLS`.

    Line ends separate rows and tabs separate cells. Without line ends, rows have the numbers of filled cells in
    `part.rows`. If there are none, the rows of the source are not known (False), and there is one row.
    """
    rows: list[list[tuple[int, int]]] = []
    start = 0
    for line in text.split("\n"):
        rows.append([])
        for cell in line.split("\t"):
            rows[-1].append((start, start + len(cell)))
            start += len(cell) + 1
    number = sum(map(len, rows))
    if number < 2 or number > MOST_CELLS:
        return None
    if len(rows) > 1:
        return rows, True
    filled = [(start, end) for start, end in rows[0] if text[start:end].strip()]
    if not part.rows:
        return [filled], False
    following = iter(filled)
    return [list(islice(following, count)) for count in part.rows if count], True


def marked_grid(
    offset: int, text: str, marks: Iterable[Mark], rows: Grid
) -> tuple[tuple[tuple[TextPiece, ...], ...], ...]:
    """The pieces of each cell, row by row. `offset`: position of `text` in the document."""
    pieces = marked(offset, text, marks, {edge for row in rows for cell in row for edge in cell})
    starts: list[int] = []
    position = 0
    for piece in pieces:
        starts.append(position)
        position += len(piece.text)
    return tuple(
        tuple(tuple(pieces[bisect_left(starts, start) : bisect_left(starts, end)]) for start, end in row)
        for row in rows
    )


LINKED = 6
"""Mentions of an index term whose links are visible; the others are folded away."""

RIGHT = 5
"""Position of the probability of the identifier in the details of a mention (`article.js` names them)."""

LARGE = 1_000_000
"""Characters. A browser lays out the passages of a larger page when they are near the screen."""

SPANS, CONCEPTS, TERMS = "Mentions", "Concepts", "Index terms"

Scores = Mapping[str, Counts]
"""What is scored -> strict counts. Only what the gold standard contains is scored."""


@dataclass(frozen=True, slots=True)
class View:
    """What a page shows: an article, its index terms, and the same article of the gold standard if there is one."""

    article: ScoredArticle
    terms: tuple[IndexTerm, ...]
    gold: ScoredArticle | None = None
    scores: Scores | None = None
    """The strict counts of the article."""
    lists: tuple[Link, ...] = ()
    """Links to the pages that list articles and concepts."""
    previous: Link | None = None
    next: Link | None = None


@dataclass(frozen=True, slots=True)
class PageConcept:
    """A concept or index term of the side panel."""

    number: int
    name: str
    identifier: str
    address: str | None
    elements: tuple[str, ...]
    """HTML ids of its mentions."""
    note: str = ""
    """Text behind the identifier."""
    is_term: bool = False
    links: tuple[Link, ...] = ()
    """To the concept in other databases."""

    @property
    def in_gold(self) -> int:
        """How many of its mentions are on the gold side."""
        return sum(element.startswith(GOLD) for element in self.elements)


def title_of(article: ScoredArticle) -> str:
    """The text of the first passage that has text, else the document id."""
    texts = (text for _, text in article.layout.passages)
    return next((" ".join(text.split()) for text in texts if text.strip()), article.name)


def shown_id(article: ScoredArticle) -> str:
    """The document id, with `PMC` if it is the number of the PMCID."""
    pmc = article.ids.get("pmc", "").strip().removeprefix("PMC")
    return f"PMC{pmc}" if pmc and pmc == article.name else article.name


def terms_of(article: ScoredArticle) -> tuple[IndexTerm, ...]:
    """The index terms of an article that was read for an evaluation."""
    return tuple(
        IndexTerm(item.identifiers[0] if item.identifiers else NO_CONCEPT, item.text or None, item.evidence.score)
        for item in article.of_type(INDEX_TERM)
    )


def render(view: View, namer: Namer, linker: Linker = no_links) -> tuple[str, list[PageConcept]]:
    """The HTML page of an article, and its concepts: those of mentions, then those of index terms.

    `linker`: the links of concepts to other databases.
    """
    concepts, details = PageConcepts(namer), dict[tuple[object, ...], int]()
    for term in view.terms:
        if term.entry_term:
            concepts.set_name(term.identifier, term.entry_term)
    sides = mark_sides(view.article, view.gold, concepts, details)
    title = title_of(view.article)
    every = list(blocks(sides))
    every_mention = [item for side in sides for item in shown(side.article)]
    # The heading of the page is the first passage, if it is the title; beside a gold standard it stays in the text.
    first = every[0] if every else None
    has_title = (
        first is not None and len(first.bodies) == 1 and first.kind is PassageKind.TITLE and bool(first.text.strip())
    )
    terms, listed = list(_index_terms(view, concepts)), _concept_list(concepts, linker)
    context = {
        "document": shown_id(view.article),
        "navigation": view,
        "title": shortened(title, 300),
        "short_title": shortened(title, 80),
        "marked_title": first if has_title else None,
        "links": list(_article_links(view.article)),
        "sides": sides,
        "scores": None if view.scores is None else score_table(view.scores, "Scores of this article"),
        "status": STATUS,
        "unlinked": any(side.summary.unlinked for side in sides),
        "others": any(item.type != CHEMICAL for item in every_mention),
        "scored": any(item.evidence.score is not None for item in every_mention),
        "right": any(entry[RIGHT] is not None for entry in details),
        "terms": terms,
        "linked": LINKED,
        "concepts": listed,
        "abbreviations": list(_abbreviations(sides)),
        "large": sum(len(text) for side in sides for _, text in side.article.layout.passages) > LARGE,
        "blocks": every[1:] if has_title else every,
        "entries": list(entries(every)),
        "data": {
            "concepts": [[id, concepts.name(id), mesh_address(id)] for id in concepts.numbers],
            "details": list(details),
            "sieves": sorted({(sieve, facts(sieve).words) for item in every_mention if (sieve := item.evidence.sieve)}),
        },
    }
    return render_page("article.html", context, "article.css", "article.js"), [*listed, *terms]


_ADDRESSES = {
    "pmc": ("PMC", re.compile(r"(?:PMC)?(\d{1,12})"), "https://pmc.ncbi.nlm.nih.gov/articles/PMC"),
    "pmid": ("PubMed", re.compile(r"(\d{1,12})"), "https://pubmed.ncbi.nlm.nih.gov/"),
    "doi": ("DOI", re.compile(r"(10\.\d{4,9}/\S+)"), "https://doi.org/"),
}
"""Kind of id -> name of the site, pattern of valid ids, and address without the id."""


def _article_links(article: ScoredArticle) -> Iterator[Link]:
    """Links to the article in PMC and PubMed and at its publisher, for the ids that the file states."""
    ids: Mapping[str, str] = article.ids
    if not ids and re.fullmatch(r"PMC\d+", article.name):
        ids = {"pmc": article.name}
    for kind, (site, pattern, address) in _ADDRESSES.items():
        id_match = pattern.fullmatch(ids.get(kind, "").strip())
        if id_match:
            name = f"PMC{id_match[1]}" if kind == "pmc" else f"{site} {id_match[1]}"
            yield Link(name, address + quote(id_match[1], safe="/"))


def _index_terms(view: View, concepts: PageConcepts) -> Iterator[PageConcept]:
    """The predicted index terms, then those of the gold standard only."""
    notes = [(term.identifier, "" if term.score is None else f", score {term.score:.4f}") for term in view.terms]
    if view.gold is not None:
        gold = dict.fromkeys(id for item in view.gold.of_type(INDEX_TERM) for id in item.identifiers)
        predicted = {identifier for identifier, _ in notes}
        notes = [(id, f"{score}{', in gold' if id in gold else ', not in gold'}") for id, score in notes]
        notes += [(id, ", in gold only") for id in gold if id not in predicted]
    for identifier, note in notes:
        every = tuple(concepts.mentions.get(identifier, ()))
        # Beside a gold standard, index terms link to mentions of the prediction, if there are any.
        elements = tuple(element for element in every if element.startswith(PREDICTION)) or every
        name, address = concepts.name(identifier), mesh_address(identifier)
        yield PageConcept(-1, name, identifier, address, elements, note, is_term=True)


def _concept_list(concepts: PageConcepts, linker: Linker) -> list[PageConcept]:
    """All concepts, those with most mentions first; last the mentions without concept."""

    def order(item: tuple[str, list[str]]) -> tuple[bool, int, str, str]:
        return item[0] == NO_CONCEPT, -len(item[1]), concepts.name(item[0]), item[0]

    return [
        PageConcept(
            concepts.number(identifier),
            concepts.name(identifier),
            "" if identifier == NO_CONCEPT else identifier,
            mesh_address(identifier),
            tuple(elements),
            links=tuple(linker(identifier)),
        )
        for identifier, elements in sorted(concepts.mentions.items(), key=order)
    ]


def _abbreviations(sides: Sequence[MarkedSide]) -> Iterator[tuple[Abbreviation, list[int]]]:
    """The abbreviations of all sides, each once, and how often each side states it.

    Links lead to the prediction if it has the abbreviation.
    """
    by_side = [
        {(*abbreviation_key(one.short_form, one.long_form), bool(one.origin)): one for one in side.abbreviations}
        for side in sides
    ]
    for same in dict.fromkeys(same for of_side in reversed(by_side) for same in of_side):
        stated = [of_side.get(same) for of_side in by_side]
        last = next(one for one in reversed(stated) if one is not None)
        yield last, [0 if one is None else one.count for one in stated]


# -- scores of single articles, as `nlmchem evaluate` computes them ---------------------------


def measured_in(gold: Iterable[ScoredArticle]) -> tuple[str, ...]:
    """What a gold standard contains in any article: one without identifiers or index terms does not score them."""
    articles = list(gold)
    mentions = [item for article in articles for item in article.of_type(CHEMICAL)]
    linked = any(item.identifiers for item in mentions)
    indexed = any(article.of_type(INDEX_TERM) for article in articles)
    there = ((SPANS, bool(mentions)), (CONCEPTS, linked), (TERMS, indexed))
    return tuple(name for name, is_there in there if is_there)


def scores_of(measured: Sequence[str], gold: ScoredArticle, predicted: ScoredArticle) -> Scores:
    """The strict counts of an article. Mentions that cannot be scored are in the log."""
    pair = ArticlePair(gold.name, gold, predicted)
    return {
        name: match(pair, CHEMICAL, "the prediction", log).counts()
        if name == SPANS
        else collect(pair, CHEMICAL if name == CONCEPTS else INDEX_TERM).counts()
        for name in measured
    }


def f1_cell(counts: Counts | None) -> str:
    """F1 with 4 decimals; empty if neither side has anything."""
    return f"{counts.f1:.4f}" if counts is not None and (counts.gold or counts.predicted) else ""


def score_table(scores: Scores, caption: str) -> PageTable:
    """The scores as a table; rows in which neither side has anything are left out."""
    rows = []
    for name, counts in scores.items():
        if counts.gold or counts.predicted:
            values = (counts.f1, counts.precision, counts.recall)
            numbers = (counts.gold, counts.missed, counts.false)
            rows.append((name, *(f"{value:.4f}" for value in values), *map(str, numbers)))
    head = ("Strict", "F1", "Precision", "Recall", "Gold", "Missed", "False")
    return PageTable(caption, head, tuple(rows), cards=True)
