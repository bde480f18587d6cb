"""Lists the definitions of many articles, as JSON values and as rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from bioc import BioCDocument

from corpora.errors import ArticleError
from corpora.model.document import Definition
from corpora.reading import Fault, articles
from corpora.reporting import Report
from corpora.storage.inputs import expand
from nlmchem.abbreviations.article.stage import define

Result = TypeVar("Result")

COLUMNS = ("document", "short_form", "long_form", "strategy", "score", "short_start", "long_start")


@dataclass(frozen=True, slots=True)
class ListedDefinition:
    """A definition in a list: as a JSON value and as cells in the order of `COLUMNS`."""

    fields: dict[str, Any]
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListedArticle:
    """The result for one article, or for a file that could not be read (to its end)."""

    rows: tuple[ListedDefinition, ...] = ()
    articles: int = 0
    failed: int = 0


def listed(sources: Sequence[str], report: Report) -> Iterator[ListedArticle]:
    """The definitions of all articles in the sources; see `each_article`."""

    def of_article(document: BioCDocument) -> ListedArticle:
        name = str(document.id)
        return ListedArticle(tuple(_row(name, definition) for definition in define(document).definitions), articles=1)

    return each_article(sources, report, of_article, ListedArticle(failed=1))


def each_article(
    sources: Sequence[str], report: Report, result_of: Callable[[BioCDocument], Result], failed: Result
) -> Iterator[Result]:
    """What `result_of` returns for each article, with one article in memory at a time.

    Articles that cannot be read are reported by name; `failed` stands for them. Raises `ConfigurationError` for a path
    without files.
    """
    for item in articles(expand(sources), report):
        result = failed
        if not isinstance(item, Fault):
            try:
                result = result_of(item.document)
            except ArticleError as error:
                item = Fault(item.place, error)
        if isinstance(item, Fault):
            report(str(item))
        yield result


def _row(document: str, definition: Definition) -> ListedDefinition:
    """A definition. Offsets are code points from the start of the document; the score has 4 decimals."""
    fields = {
        "document": document,
        "short_form": definition.short_form,
        "long_form": _one_line(definition.long_form),
        "strategy": definition.strategy,
        "score": round(definition.score or 0.0, 4),
        "short_start": definition.short_span[0],
        "long_start": definition.long_span[0],
    }
    cells = (
        _one_line(document),
        _one_line(definition.short_form),
        _one_line(definition.long_form),
        definition.strategy or "",
        f"{definition.score or 0.0:.4f}",
        str(definition.short_span[0]),
        str(definition.long_span[0]),
    )
    return ListedDefinition(fields, cells)


def _one_line(text: str) -> str:
    return " ".join(text.split())
