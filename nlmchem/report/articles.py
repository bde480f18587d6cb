"""Annotated articles as HTML files: a page for each article, and for several an index and a page of all concepts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from os.path import relpath
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from bioc import BioCDocument

from corpora.errors import ConfigurationError
from corpora.model.alignment import Difference, pairs, text_differences
from corpora.model.document import index_terms
from corpora.reading import read
from corpora.reporting import Report
from corpora.storage.owned_files import OwnedFolder, write_text
from corpora.words.quantities import quantity
from corpora.writing import DOCUMENTS
from nlmchem.evaluation.articles import ScoredArticle, Side, article, read_side
from nlmchem.evaluation.scores import Counts, total
from nlmchem.report.article import (
    SPANS,
    Navigation,
    PageConcept,
    Scorer,
    Scores,
    View,
    f1_cell,
    render,
    rendered,
    score_table,
    shown_id,
    title_of,
)
from nlmchem.report.marks import PREDICTION, Linker, MentionCounts, Namer, mesh_address, no_links, summary, too_deep
from nlmchem.report.pages import Link, PageNames, PageTable, render_page, shortened

CONCEPTS = "concepts.html"
LINKED = 20
"""Articles of a concept that are linked."""


@dataclass(slots=True)
class _RunConcept:
    """A concept of several articles. `places`: mentions, text and address of each article with mentions."""

    name: str
    terms: int = 0
    mentions: int = 0
    places: list[tuple[int, str, str]] = field(default_factory=list)


class RunConcepts:
    """Collects the concepts of articles for their page."""

    def __init__(self) -> None:
        self._by_identifier: dict[str, _RunConcept] = {}

    def add(self, article: str, page: str, concepts: Sequence[PageConcept]) -> None:
        """Add the concepts of an article, with the mentions of the prediction. `page`: the address of its page."""
        for concept in concepts:
            if not concept.identifier:
                continue
            known = self._by_identifier.setdefault(concept.identifier, _RunConcept(concept.name))
            if concept.is_term:
                known.terms += 1
                continue
            elements = [element for element in concept.elements if element.startswith(PREDICTION)]
            if elements:
                known.mentions += len(elements)
                known.places.append((len(elements), article, f"{page}#{elements[0]}"))

    def render(self, home: Link) -> str:
        """The page. `home`: link to the list of articles."""
        ordered = sorted(
            self._by_identifier.items(),
            key=lambda item: (-len(item[1].places), -item[1].mentions, item[1].name, item[0]),
        )
        head = ("Concept", "Identifier", "Articles with most mentions", "Articles", "Mentions", "As index term")
        rows, links = [], dict[tuple[int, int], tuple[Link, ...]]()
        for number, (identifier, concept) in enumerate(ordered):
            best = sorted(concept.places, key=lambda place: -place[0])[:LINKED]
            rows.append(
                (concept.name, identifier, "", str(len(concept.places)), str(concept.mentions), str(concept.terms))
            )
            if (address := mesh_address(identifier)) is not None:
                links[number, 1] = (Link(identifier, address),)
            links[number, 2] = tuple(Link(text, address) for _, text, address in best)
        table = PageTable("Concepts", head, tuple(rows), 3, "concepts", links=links, sortable=True, cards=True)
        return render_page(
            "concepts.html", "evaluation.css", "filter.js", {"entries": table, "home": home, "most": LINKED}
        )


@dataclass(frozen=True, slots=True)
class _IndexEntry:
    """A row of the index page. `id`: `document` as it is shown. `address`: path of its page from the index page."""

    document: str
    id: str
    title: str
    address: str
    summary: MentionCounts
    terms: int
    scores: Scores


@dataclass(frozen=True, slots=True)
class WrittenPages:
    """The page that was written for one article, or the index page of several, and the articles in their order.

    `folder`: has the pages of several articles; None for one article.
    """

    index: Path
    folder: Path | None
    entries: tuple[_IndexEntry, ...]

    def __len__(self) -> int:
        """The number of articles."""
        return len(self.entries)

    def as_dict(self) -> dict[str, Any]:
        """The pages with the counts and strict scores of their articles, for JSON. Paths begin as `out` does."""
        return {"index": str(self.index), "articles": [_fields(entry, self.index.parent) for entry in self.entries]}


def _fields(entry: _IndexEntry, folder: Path) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "document": entry.document,
        "title": entry.title,
        "page": str(folder / entry.address),
        "mentions": entry.summary.mentions,
        "without_concept": entry.summary.unlinked,
        "concepts": entry.summary.concepts,
        "index_terms": entry.terms,
    }
    if entry.scores:
        fields["scores"] = {name.lower().replace(" ", "_"): _numbers(counts) for name, counts in entry.scores.items()}
    return fields


def _numbers(counts: Counts) -> dict[str, float]:
    return {
        "f1": counts.f1,
        "precision": counts.precision,
        "recall": counts.recall,
        "gold": counts.gold,
        "missed": counts.missed,
        "false": counts.false,
    }


def write_views(
    source: str, out: Path, gold: str | None, namer: Namer, report: Report, linker: Linker = no_links
) -> WrittenPages:
    """Write the page of one article, or an index page and a page for each of several.

    One article: `out` is its page, or a folder for `index.html` if it has no suffix `.html`. Several articles: `out`
    is the index page, and the pages are in a folder of the same name beside it. Raises `ConfigurationError` if there
    is no article, or a file of others would be overwritten.
    """
    is_page = out.suffix.lower() in (".html", ".htm")
    if not is_page and out.suffix.lower() in DOCUMENTS and not out.is_dir():
        raise ConfigurationError(f"{out} would contain HTML; name it {out.with_suffix('.html').name}, or name a folder")
    documents = read(source, report=report)
    first = next(documents, None)
    if first is None:
        raise ConfigurationError(f"no article found in {source}; check the path")
    standard = None if gold is None else _Gold(read_side(gold, "the gold standard", report))
    home = None if is_page else OwnedFolder(out)
    index = out if home is None else out / "index.html"
    second = next(documents, None)
    if second is None:
        view = _view(first, standard, report)
        _write_index(index, home, render(view, namer, linker=linker))
        return WrittenPages(index, None, (_entry(view, index.name),))
    beside = index.with_suffix("") if index.stem != "index" else index.parent / "articles"
    pages = _Pages(index, beside, home, namer, linker)
    for document in chain((first, second), documents):
        pages.add(_view(document, standard, report))
    entries = pages.finish()
    measured = () if standard is None else standard.scorer.measured
    concepts = Link("All concepts", quote(relpath(beside / CONCEPTS, index.parent)))
    _write_index(index, home, _index_page(entries, measured, beside.name, concepts))
    return WrittenPages(index, beside, tuple(entries))


class _Pages:
    """Writes the pages of several articles, and the page of their concepts.

    A page has a link to the next article, so it is written when the next one is known.
    """

    def __init__(self, index: Path, beside: Path, home: OwnedFolder | None, namer: Namer, linker: Linker) -> None:
        self._index, self._beside, self._namer, self._linker = index, beside, namer, linker
        self._folder = home or OwnedFolder(beside)
        self._names = PageNames(PurePosixPath(beside.name if home else ""))
        self._concepts_page = self._names.next(PurePosixPath(CONCEPTS).stem)
        self._lists = (
            Link("All articles", quote(relpath(index, beside))),
            Link("All concepts", CONCEPTS),
        )
        self._concepts = RunConcepts()
        self._entries: list[_IndexEntry] = []
        self._waiting: tuple[View, PurePosixPath, Link | None] | None = None

    def add(self, view: View) -> None:
        """Write the page of the article before this one; this one waits for the next."""
        name = self._names.next(view.article.name)
        previous = None
        if self._waiting is not None:
            previous = self._link(*self._waiting[:2])
            self._write(self._link(view, name))
        self._waiting = view, name, previous

    def _link(self, view: View, name: PurePosixPath) -> Link:
        return Link(shortened(title_of(view.article), 80), quote(name.name))

    def _write(self, following: Link | None) -> None:
        assert self._waiting is not None
        view, name, previous = self._waiting
        page, concepts = rendered(view, self._namer, Navigation(self._lists, previous, following), self._linker)
        self._folder.write_text(name, page)
        self._concepts.add(shown_id(view.article) or "(no id)", quote(name.name), concepts)
        self._entries.append(_entry(view, relpath(self._folder.path / name, self._index.parent)))

    def finish(self) -> list[_IndexEntry]:
        """Write the last article and the page of concepts. Returns the articles in their order."""
        self._write(None)
        self._folder.write_text(self._concepts_page, self._concepts.render(self._lists[0]))
        return self._entries


def _write_index(index: Path, home: OwnedFolder | None, page: str) -> None:
    """Write a page into a folder of ours, or (None) to the file that the user named."""
    if home is None:
        write_text(index, page)
    else:
        home.write_text(PurePosixPath(index.name), page)


class _Gold:
    """The articles of the gold standard, by id and by join key."""

    def __init__(self, side: Side) -> None:
        self._by_name: dict[str, list[ScoredArticle]] = {}
        for item in side.articles:
            self._by_name.setdefault(item.name, []).append(item)
        self._side = side
        self.scorer = Scorer.of(side)

    def of(self, predicted: ScoredArticle) -> ScoredArticle | None:
        """The same article in the gold standard, if it has it."""
        named = self._by_name.get(predicted.name, [])
        # An id may occur in several articles. The one with the same text is meant.
        same = (item for item in named if len(named) > 1 and not any(_differences(item, predicted)))
        gold = next(same, named[0] if named else None)
        if gold is None:
            layouts = [item.layout for item in self._side.articles]
            position = pairs([predicted.layout], layouts)[0][1]
            gold = None if position is None else self._side.articles[position]
        return gold


def _view(document: BioCDocument, gold: _Gold | None, report: Report) -> View:
    shown = article(document)
    if left_out := too_deep(shown):
        report(
            f"document {shown.name!r}: {quantity(left_out, 'mention is', 'mentions are')} nested too deep to be shown"
        )
    standard = gold.of(shown) if gold is not None else None
    if gold is not None and standard is None:
        report(f"document {shown.name!r} is not in the gold standard; its page shows the prediction only")
    if standard is not None:
        for difference in _differences(standard, shown):
            report(f"{difference}; the page shows both texts")
    scores = gold.scorer(standard, shown) if gold is not None and standard is not None else None
    return View(shown, tuple(index_terms(document)), standard, scores)


def _differences(gold: ScoredArticle, predicted: ScoredArticle) -> Sequence[Difference]:
    """How the texts of an article differ between the gold standard and the prediction."""
    return list(text_differences(gold.layout, predicted.layout, ("the gold standard", "the prediction")))


def _entry(view: View, address: str) -> _IndexEntry:
    title, name = shortened(title_of(view.article), 200), view.article.name
    return _IndexEntry(
        name, shown_id(view.article), title, address, summary(view.article), len(view.terms), view.scores or {}
    )


def _index_page(entries: Sequence[_IndexEntry], measured: Sequence[str], folder: str, concepts: Link) -> str:
    """The list of articles; beside a gold standard, those with the lowest F1 of mentions first.

    `folder`: the name of the folder with their pages. `concepts`: the page of their concepts.
    """
    scored = tuple(f"F1, {name.lower()}" for name in measured)
    counted = ("Missed", "False") if SPANS in measured else ()
    head = ("Document", "Title", *scored, *counted, "Mentions", "Without concept", "Concepts", "Index terms")
    if measured:
        entries = sorted(entries, key=lambda entry: _worst_first(entry, measured[0]))
    rows = tuple(tuple(_row(entry, measured)) for entry in entries)
    links = {(row, 0): (Link(entry.id or "(no id)", quote(entry.address)),) for row, entry in enumerate(entries)}
    by = 2 if measured else None
    name = "Annotated articles"
    table = PageTable(name, head, rows, 2, "articles", links=links, sortable=True, sorted_by=by, cards=True)
    context = {"entries": table, "overall": _overall(entries, measured), "folder": folder, "concepts": concepts}
    return render_page("articles.html", "evaluation.css", "filter.js", context)


def _worst_first(entry: _IndexEntry, measure: str) -> tuple[bool, float, str]:
    cell = f1_cell(entry.scores.get(measure))
    return not cell, float(cell or 0), entry.document


def _row(entry: _IndexEntry, measured: Sequence[str]) -> Iterator[str]:
    yield from (entry.id, entry.title)
    yield from (f1_cell(entry.scores.get(name)) for name in measured)
    if SPANS in measured:
        counts = entry.scores.get(SPANS)
        yield from ("", "") if counts is None else (str(counts.missed), str(counts.false))
    yield from map(str, (entry.summary.mentions, entry.summary.unlinked, entry.summary.concepts, entry.terms))


def _overall(entries: Sequence[_IndexEntry], measured: Sequence[str]) -> PageTable | None:
    """The scores of all articles together (micro-average); None without gold standard."""
    together = {name: total(entry.scores[name] for entry in entries if name in entry.scores) for name in measured}
    articles = quantity(sum(bool(entry.scores) for entry in entries), "article")
    return score_table(together, f"Scores of {articles} together") if together else None
