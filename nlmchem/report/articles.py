"""Annotated articles as HTML files: a page for each article, and for several an index and a page of all concepts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
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
from nlmchem.evaluation.articles import ScoredArticle, article, read_side
from nlmchem.evaluation.scores import total
from nlmchem.report.article import (
    SPANS,
    PageConcept,
    Scores,
    View,
    f1_cell,
    measured_in,
    render,
    score_table,
    scores_of,
    shown_id,
    title_of,
)
from nlmchem.report.marks import PREDICTION, Linker, MentionCounts, Namer, mesh_address, no_links, summary, too_deep
from nlmchem.report.pages import Link, PageNames, PageTable, render_page, shortened

CONCEPTS = "concepts.html"
LINKED = 20
"""Articles of a concept that are linked."""


class RunConcepts:
    """Collects the concepts of articles for their page."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._terms: Counter[str] = Counter()
        """Identifier -> articles that have it as index term."""
        self._places: defaultdict[str, list[tuple[int, str, str]]] = defaultdict(list)
        """Identifier -> mentions, text and address of each article with mentions."""

    def add(self, article: str, page: str, concepts: Sequence[PageConcept]) -> None:
        """Add the concepts of an article, with the mentions of the prediction. `page`: the address of its page."""
        for concept in concepts:
            if not concept.identifier:
                continue
            self._names.setdefault(concept.identifier, concept.name)
            if concept.is_term:
                self._terms[concept.identifier] += 1
                continue
            elements = [element for element in concept.elements if element.startswith(PREDICTION)]
            if elements:
                self._places[concept.identifier].append((len(elements), article, f"{page}#{elements[0]}"))

    def render(self, home: Link) -> str:
        """The page. `home`: link to the list of articles."""
        ordered = []
        for identifier, name in self._names.items():
            places = self._places[identifier]
            mentions = sum(number for number, _, _ in places)
            ordered.append((-len(places), -mentions, name, identifier, places))
        rows, links = [], dict[tuple[int, int], tuple[Link, ...]]()
        for row, (articles, mentions, name, identifier, places) in enumerate(sorted(ordered)):
            rows.append((name, identifier, "", str(-articles), str(-mentions), str(self._terms[identifier])))
            if (address := mesh_address(identifier)) is not None:
                links[row, 1] = (Link(identifier, address),)
            best = sorted(places, key=lambda place: -place[0])[:LINKED]
            links[row, 2] = tuple(Link(text, address) for _, text, address in best)
        head = ("Concept", "Identifier", "Articles with most mentions", "Articles", "Mentions", "As index term")
        table = PageTable("Concepts", head, tuple(rows), 3, "concepts", links=links, sortable=True, cards=True)
        return render_page("concepts.html", {"entries": table, "home": home, "most": LINKED})


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

    @classmethod
    def of(cls, view: View, address: str) -> _IndexEntry:
        title, name = shortened(title_of(view.article), 200), view.article.name
        return cls(
            name, shown_id(view.article), title, address, summary(view.article), len(view.terms), view.scores or {}
        )


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
        articles = []
        for entry in self.entries:
            fields: dict[str, Any] = {
                "document": entry.document,
                "title": entry.title,
                "page": str(self.index.parent / entry.address),
                "mentions": entry.summary.mentions,
                "without_concept": entry.summary.unlinked,
                "concepts": entry.summary.concepts,
                "index_terms": entry.terms,
            }
            if entry.scores:
                numbers = ("f1", "precision", "recall", "gold", "missed", "false")
                fields["scores"] = {
                    name.lower().replace(" ", "_"): {number: getattr(counts, number) for number in numbers}
                    for name, counts in entry.scores.items()
                }
            articles.append(fields)
        return {"index": str(self.index), "articles": articles}


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
    standard = None if gold is None else _Gold(read_side(gold, "the gold standard", report).articles)
    home = None if is_page else OwnedFolder(out)
    index = out if home is None else out / "index.html"

    def write_first(page: str) -> None:
        # Into a folder of ours, or to the file that the user named.
        if home is None:
            write_text(index, page)
        else:
            home.write_text(PurePosixPath(index.name), page)

    second = next(documents, None)
    if second is None:
        view = _view(first, standard, report)
        write_first(render(view, namer, linker)[0])
        return WrittenPages(index, None, (_IndexEntry.of(view, index.name),))
    beside = index.with_suffix("") if index.stem != "index" else index.parent / "articles"
    folder, names = home or OwnedFolder(beside), PageNames(PurePosixPath(beside.name if home else ""))
    concepts_page = names.next(PurePosixPath(CONCEPTS).stem)
    lists = (Link("All articles", quote(relpath(index, beside))), Link("All concepts", CONCEPTS))
    concepts, entries = RunConcepts(), list[_IndexEntry]()
    # A page has a link to the next article, so it is written when the next one is known.
    waiting: tuple[View, PurePosixPath] | None = None
    previous: Link | None = None
    for document in chain((first, second), documents, (None,)):
        following = None
        if document is not None:
            view = _view(document, standard, report)
            following = view, names.next(view.article.name)
        if waiting is not None:
            shown, path = waiting
            page, of_page = render(replace(shown, lists=lists, previous=previous, next=_link(following)), namer, linker)
            folder.write_text(path, page)
            concepts.add(shown_id(shown.article) or "(no id)", quote(path.name), of_page)
            entries.append(_IndexEntry.of(shown, relpath(folder.path / path, index.parent)))
            previous = _link(waiting)
        waiting = following
    folder.write_text(concepts_page, concepts.render(lists[0]))
    measured = () if standard is None else standard.measured
    all_concepts = Link("All concepts", quote(relpath(beside / CONCEPTS, index.parent)))
    write_first(_index_page(entries, measured, beside.name, all_concepts))
    return WrittenPages(index, beside, tuple(entries))


def _link(page: tuple[View, PurePosixPath] | None) -> Link | None:
    return None if page is None else Link(shortened(title_of(page[0].article), 80), quote(page[1].name))


class _Gold:
    """The articles of the gold standard, by id and by join key. `measured`: what they contain, see `measured_in`."""

    def __init__(self, articles: Sequence[ScoredArticle]) -> None:
        self._articles = articles
        self._by_name: defaultdict[str, list[ScoredArticle]] = defaultdict(list)
        for item in articles:
            self._by_name[item.name].append(item)
        self.measured = measured_in(articles)

    def of(self, predicted: ScoredArticle) -> ScoredArticle | None:
        """The same article in the gold standard, if it has it."""
        named = self._by_name.get(predicted.name, [])
        # An id may occur in several articles. The one with the same text is meant.
        same = (item for item in named if len(named) > 1 and not _differences(item, predicted))
        gold = next(same, named[0] if named else None)
        if gold is None:
            position = pairs([predicted.layout], [item.layout for item in self._articles])[0][1]
            gold = None if position is None else self._articles[position]
        return gold


def _view(document: BioCDocument, gold: _Gold | None, report: Report) -> View:
    shown = article(document)
    if left_out := too_deep(shown):
        report(
            f"document {shown.name!r}: {quantity(left_out, 'mention is', 'mentions are')} nested too deep to be shown"
        )
    view = View(shown, tuple(index_terms(document)))
    if gold is None:
        return view
    standard = gold.of(shown)
    if standard is None:
        report(f"document {shown.name!r} is not in the gold standard; its page shows the prediction only")
        return view
    for difference in _differences(standard, shown):
        report(f"{difference}; the page shows both texts")
    return replace(view, gold=standard, scores=scores_of(gold.measured, standard, shown))


def _differences(gold: ScoredArticle, predicted: ScoredArticle) -> Sequence[Difference]:
    """How the texts of an article differ between the gold standard and the prediction."""
    return list(text_differences(gold.layout, predicted.layout, ("the gold standard", "the prediction")))


def _index_page(entries: Iterable[_IndexEntry], measured: Sequence[str], folder: str, concepts: Link) -> str:
    """The list of articles; beside a gold standard, those with the lowest F1 of mentions first.

    `folder`: the name of the folder with their pages. `concepts`: the page of their concepts.
    """

    def worst_first(entry: _IndexEntry) -> tuple[bool, float, str]:
        cell = f1_cell(entry.scores.get(measured[0]))
        return not cell, float(cell or 0), entry.document

    entries = sorted(entries, key=worst_first) if measured else list(entries)
    scored = tuple(f"F1, {name.lower()}" for name in measured)
    counted = ("Missed", "False") if SPANS in measured else ()
    head = ("Document", "Title", *scored, *counted, "Mentions", "Without concept", "Concepts", "Index terms")
    rows = []
    for entry in entries:
        spans = entry.scores.get(SPANS)
        errors = ("", "") if spans is None else (str(spans.missed), str(spans.false))
        numbers = (entry.summary.mentions, entry.summary.unlinked, entry.summary.concepts, entry.terms)
        cells = [f1_cell(entry.scores.get(name)) for name in measured]
        rows.append((entry.id, entry.title, *cells, *(errors if counted else ()), *map(str, numbers)))
    links = {(row, 0): (Link(entry.id or "(no id)", quote(entry.address)),) for row, entry in enumerate(entries)}
    by = 2 if measured else None
    name = "Annotated articles"
    table = PageTable(name, head, tuple(rows), 2, "articles", links=links, sortable=True, sorted_by=by, cards=True)
    # The scores of all articles together (micro-average).
    together = {name: total(entry.scores[name] for entry in entries if name in entry.scores) for name in measured}
    articles = quantity(sum(bool(entry.scores) for entry in entries), "article")
    overall = score_table(together, f"Scores of {articles} together") if together else None
    context = {"entries": table, "overall": overall, "folder": folder, "concepts": concepts}
    return render_page("articles.html", context)
