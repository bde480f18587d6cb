"""Annotated articles as HTML files: a page for each article, and an index page for several."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from os.path import relpath
from pathlib import Path

from bioc import BioCDocument

from corpora.errors import ConfigurationError
from corpora.model.alignment import pairs, text_differences
from corpora.model.document import NO_CONCEPT, index_terms
from corpora.reading import read
from corpora.reporting import Report
from corpora.storage.atomic import write_text
from nlmchem.evaluation.articles import Article, Side, article, read_side
from nlmchem.report.article import View, render, title_of
from nlmchem.report.concepts import Namer
from nlmchem.report.pages import render_page

__all__ = ["write_views"]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A row of the index page. `address`: path of the article's page, relative to the index page."""

    document: str
    title: str
    address: str
    mentions: int
    concepts: int
    terms: int


def write_views(source: str, out: Path, gold: str | None, namer: Namer, report: Report) -> int:
    """Write the page of one article, or an index page and a page for each of several; return the number of articles.

    One article: `out` is its page, or a folder for `index.html` if it has no suffix `.html`. Several articles: `out`
    is the index page, and the pages are in a folder of the same name beside it. Raises `ConfigurationError` if there
    is no article.
    """
    documents = read(source, report=report)
    first = next(documents, None)
    if first is None:
        raise ConfigurationError(f"no article found in {source}; check the path")
    standard = None if gold is None else _Gold(read_side(gold, "the gold standard", report))
    index = out if out.suffix.lower() in (".html", ".htm") else out / "index.html"
    second = next(documents, None)
    if second is None:
        write_text(index, render(_view(first, standard, report), namer))
        return 1
    folder = index.with_suffix("") if index.stem != "index" else index.parent / "articles"
    names = _Names(folder)
    entries = []
    for document in chain((first, second), documents):
        view = _view(document, standard, report)
        path = names.next(view.article.name)
        write_text(path, render(view, namer, relpath(index, path.parent)))
        entries.append(_entry(view, relpath(path, index.parent)))
    write_text(index, _index_page(entries))
    return len(entries)


class _Gold:
    """The articles of the gold standard, by id and by join key."""

    def __init__(self, side: Side) -> None:
        self._by_name = {item.name: item for item in side.articles}
        self._side = side

    def of(self, predicted: Article) -> Article | None:
        """The same article in the gold standard, if it has it."""
        found = self._by_name.get(predicted.name)
        if found is None:
            layouts = [item.layout for item in self._side.articles]
            position = pairs([predicted.layout], layouts)[0][1]
            found = None if position is None else self._side.articles[position]
        return found


def _view(document: BioCDocument, gold: _Gold | None, report: Report) -> View:
    shown = article(document)
    standard = gold.of(shown) if gold is not None else None
    if gold is not None and standard is None:
        report(f"document {shown.name!r} is not in the gold standard; its page shows the prediction only")
    if standard is not None:
        for difference in text_differences(standard.layout, shown.layout, ("the gold standard", "the prediction")):
            report(f"{difference}; the page shows both texts")
    return View(shown, tuple(index_terms(document)), standard)


class _Names:
    """File names made from document ids: safe characters only, and different for each document."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._taken: set[str] = set()

    def next(self, document: str) -> Path:
        """The path of the next page."""
        plain = re.sub(r"[^A-Za-z0-9_-]+", "_", document)[:100] or "article"
        name, number = plain, 1
        while name.lower() in self._taken:
            number += 1
            name = f"{plain}-{number}"
        self._taken.add(name.lower())
        return self._folder / f"{name}.html"


def _entry(view: View, address: str) -> _Entry:
    located = [item for item in view.article.annotations if item.locations]
    concepts = {identifier for item in located for identifier in item.identifiers if identifier != NO_CONCEPT}
    title = title_of(view.article)[:200]
    return _Entry(view.article.name, title, address, len(located), len(concepts), len(view.terms))


def _index_page(entries: Sequence[_Entry]) -> str:
    return render_page("articles.html", "evaluation.css", "filter.js", {"entries": entries})
