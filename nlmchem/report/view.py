"""Articles as pages: one article is one page, several are a page each and an index of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from os.path import relpath
from pathlib import Path

from bioc import BioCDocument

from corpora.errors import ConfigurationError
from corpora.model.alignment import pairs, text_differences
from corpora.model.document import index_terms
from corpora.reading import read
from corpora.reporting import Report
from corpora.storage.atomic import write_bytes
from nlmchem.evaluation.articles import Article, Side, article, read_side
from nlmchem.report.article import View, render, title_of
from nlmchem.report.concepts import Namer
from nlmchem.report.drawing import palette_css
from nlmchem.report.html import asset, escape, page

__all__ = ["write_views"]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of the index page."""

    document: str
    title: str
    path: Path
    mentions: int
    concepts: int
    terms: int


def write_views(source: str, out: Path, gold: str | None, namer: Namer, report: Report) -> int:
    """Write the page of an article, or the pages of several and an index; says how many articles there were.

    One article: `out` is its page (or, where it has no suffix `.html`, a folder with `index.html`).
    Several: `out` is the index, and the pages lie in a folder of its name beside it. Raises
    `ConfigurationError` where there is no article.
    """
    documents = read(source, report=report)
    first = next(documents, None)
    if first is None:
        raise ConfigurationError(f"{source} holds no article; check the path")
    standard = None if gold is None else _Gold(read_side(gold, "the gold standard", report))
    index = out if out.suffix.lower() in (".html", ".htm") else out / "index.html"
    second = next(documents, None)
    if second is None:
        write_bytes(index, render(_view(first, standard, report), namer).encode("utf-8"))
        return 1
    folder = index.with_suffix("") if index.stem != "index" else index.parent / "articles"
    names = _Names(folder)
    entries = []
    for document in _chained(first, second, documents):
        view = _view(document, standard, report)
        path = names.next(view.article.name)
        write_bytes(path, render(view, namer, relpath(index, path.parent)).encode("utf-8"))
        entries.append(_entry(view, path))
    write_bytes(index, _index_page(entries, index).encode("utf-8"))
    return len(entries)


def _chained(first: BioCDocument, second: BioCDocument, rest: Iterator[BioCDocument]) -> Iterator[BioCDocument]:
    yield first
    yield second
    yield from rest


class _Gold:
    """The gold standard's articles, by id and by join key."""

    def __init__(self, side: Side) -> None:
        self._by_name = {item.name: item for item in side.articles}
        self._side = side

    def of(self, predicted: Article) -> Article | None:
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
        report(f"document {shown.name!r} is not in the gold standard; its page shows the prediction alone")
    if standard is not None:
        for difference in text_differences(standard.layout, shown.layout, ("the gold standard", "the prediction")):
            report(f"{difference}; the page shows both texts")
    return View(shown, tuple(index_terms(document)), standard)


class _Names:
    """File names from document ids: no id leads out of the folder, no two ids share a file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._taken: set[str] = set()

    def next(self, document: str) -> Path:
        plain = re.sub(r"[^A-Za-z0-9_-]+", "_", document)[:100] or "article"
        name, number = plain, 1
        while name.lower() in self._taken:
            number += 1
            name = f"{plain}-{number}"
        self._taken.add(name.lower())
        return self._folder / f"{name}.html"


def _entry(view: View, path: Path) -> _Entry:
    located = [item for item in view.article.annotations if item.locations]
    concepts = {identifier for item in located for identifier in item.identifiers if identifier != "-"}
    return _Entry(view.article.name, title_of(view.article), path, len(located), len(concepts), len(view.terms))


def _index_page(entries: list[_Entry], index: Path) -> str:
    rows = "".join(
        f'<tr><th scope="row"><a href="{escape(relpath(entry.path, index.parent))}">{escape(entry.document)}</a></th>'
        f'<td>{escape(entry.title[:200])}</td><td class="figure">{entry.mentions}</td>'
        f'<td class="figure">{entry.concepts}</td><td class="figure">{entry.terms}</td></tr>'
        for entry in entries
    )
    body = (
        f'<main><h1>{len(entries)} articles</h1><div id="errors"><section class="run">'
        '<div class="filter screen" hidden><label>Find an article <input id="search" type="search"></label>'
        '<span id="shown" role="status"></span></div>'
        '<div class="wide"><table><thead><tr><th scope="col">Document</th><th scope="col">Title</th>'
        '<th scope="col" class="figure">Mentions</th><th scope="col" class="figure">Concepts</th>'
        f'<th scope="col" class="figure">Index terms</th></tr></thead><tbody>{rows}</tbody></table></div>'
        "</section></div></main>"
    )
    styles = (asset("page.css"), palette_css(), asset("evaluation.css"))
    return page("Annotated articles", body, styles, asset("evaluation.js"))
