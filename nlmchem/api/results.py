"""Annotated articles as Python objects: attributes, tables, and what a notebook shows."""

from __future__ import annotations

import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from html import escape
from itertools import islice, starmap
from typing import TYPE_CHECKING, Any, NoReturn, overload

from bioc import BioCAnnotation, BioCCollection, BioCDocument, BioCPassage, BioCRelation, BioCSentence

from corpora import extras
from corpora.errors import ArticleError, ConfigurationError
from corpora.formats import columns
from corpora.model.document import Definition, IndexTerm, definitions, index_terms, mentions
from corpora.model.document import Mention as BioCMention
from corpora.model.metadata import article_ids, pmcid, pmid
from corpora.model.passages import passage_kind, passage_text, section_type
from corpora.model.sections import ABSTRACT, Part, PassageKind, outline, sections_of
from corpora.plugins import Registry
from corpora.words.quantities import quantity
from nlmchem.api.attributes import Attribute
from nlmchem.api.concepts import NAMES, PreferredNames
from nlmchem.api.mention import Mention, flat_mentions, rows_of
from nlmchem.api.other_tools import ARTICLE, ARTICLES, COLLECTION, ITEMS, missing_attribute, missing_operation

if TYPE_CHECKING:
    from pandas import DataFrame


MENTIONS, INDEX_TERMS = "mentions", "index_terms"
_TABLES = {MENTIONS: columns.names(columns.MENTIONS), INDEX_TERMS: columns.names(columns.TERMS)}

LARGEST_GAP = 1_000_000
"""Code points between two passages that `Article.text` fills; offsets of damaged files have no limit."""


_READERS = frozenset({"bioc", "corpora", "sieves", "indexing", "ensemble", "nlmchem"})
"""Packages whose code reads all annotations of a document: those of passages are not lost to it."""


if TYPE_CHECKING:
    # bioc has no types: a subclass of its class would have any attribute for type checkers.
    class _Document:
        id: str
        infons: dict[str, str]
        passages: list[BioCPassage]
        relations: list[BioCRelation]
        keyphrases: list[Any]

        def add_passage(self, passage: BioCPassage) -> None: ...
else:
    _Document = BioCDocument


class Article(_Document):
    """A `bioc.BioCDocument` with its annotations as attributes; a notebook shows the marked-up text.

    `Article("Rats were given glucose.", id="7", title="On rats")` has a passage for the title, and one for the text.
    An article that was made from a document shares all its content with it.
    """

    # The content is the dictionary of the document, so what only this class has is stored beside it.
    __slots__ = ("_names",)
    _names: PreferredNames

    def __init__(self, text: str | None = None, *, id: str = "", title: str = "") -> None:
        super().__init__()
        self._names = NAMES
        self.id = str(id)
        if title := " ".join(title.split()):
            self.add_passage(BioCPassage.of_text(title))
            self.passages[0].infons = {"section_type": "TITLE", "type": "title"}
        if text is not None:
            self.add_passage(BioCPassage.of_text(text, len(title) + 1 if title else 0))

    @property
    def text(self) -> str:
        """The text that offsets count in: `article.text[mention.start : mention.end]` is the text of a mention.

        Between passages is a line break, and blanks if their offsets leave more room. Raises `ArticleError` if
        passages overlap, or are too far apart (`LARGEST_GAP`).
        """
        if not self.passages:
            return str(self.__dict__.get("text") or "")
        pieces, reached = [], 0
        for passage in self.passages:
            gap, text = passage.offset - reached, passage_text(passage)
            if not 0 <= gap <= LARGEST_GAP:
                problem = "begins before an earlier passage ends" if gap < 0 else "is too far from the text before it"
                raise ArticleError(
                    f"article {self.id!r} has no single text: its passage at offset {passage.offset} {problem}; "
                    "use article.passages"
                )
            pieces += ["\n".ljust(gap) if gap and reached else " " * gap, text]
            reached = passage.offset + len(text)
        return "".join(pieces)

    @text.setter
    def text(self, value: str) -> None:
        # bioc sets this attribute in every new document.
        self.__dict__["text"] = value

    @property
    def title(self) -> str:
        """Its title on one line; empty if no passage is one."""
        known = zip(self.passages, parts(self), strict=True)
        texts = (passage_text(passage) for passage, part in known if part.kind is PassageKind.TITLE)
        return " ".join(next(texts, "").split())

    @property
    def abstract(self) -> str:
        """Its abstract, a line for each passage; empty if no passage is one, and for a text without sections."""
        known = zip(self.passages, parts(self), sections_of(self), strict=True)
        of_abstract = (
            passage for passage, part, section in known if section == ABSTRACT and part.kind is PassageKind.TEXT
        )
        return "\n".join(map(passage_text, of_abstract))

    @property
    def pmid(self) -> str | None:
        """Its PMID as the file states it (infon `article-id_pmid`); None if it does not."""
        return pmid(self)

    @property
    def pmcid(self) -> str | None:
        """Its PMCID, with the prefix `PMC`, as the file states it (infon `article-id_pmc`); None if it does not."""
        return pmcid(self)

    @property
    def doi(self) -> str | None:
        """Its DOI as the file states it (infon `article-id_doi`); None if it does not."""
        return article_ids(self).get("doi")

    @property
    def annotations(self) -> list[BioCAnnotation]:
        """The annotations of BioC outside passages, which few files have. Mentions are in `mentions` and `passages`.

        An empty list gives a warning, except in packages that read passages as well.
        """
        outside: list[BioCAnnotation] = self.__dict__["annotations"]
        if not outside and any(passage.annotations for passage in self.passages):
            _warn_of_nothing("annotations", "use article.mentions, or the annotations of article.passages")
        return outside

    @annotations.setter
    def annotations(self, value: list[BioCAnnotation]) -> None:
        # bioc sets this attribute in every new document.
        self.__dict__["annotations"] = value

    @property
    def sentences(self) -> list[BioCSentence]:
        """The sentences of BioC outside passages, which few files have. An empty list gives a warning, as above."""
        outside: list[BioCSentence] = self.__dict__["sentences"]
        if not outside and self.passages:
            _warn_of_nothing("sentences", "nlmchem does not divide texts; use the texts of article.passages")
        return outside

    @sentences.setter
    def sentences(self, value: list[BioCSentence]) -> None:
        self.__dict__["sentences"] = value

    @property
    def mentions(self) -> list[Mention]:
        """The mentions of chemicals, in the order of the file."""
        return flat_mentions(list(mentions(self)), str(self.id), self._names)

    def name_of(self, identifier: str) -> str | None:
        """The preferred name of a concept, as in `Mention.name`; for mentions with several concepts."""
        return self._names(identifier)

    @property
    def index_terms(self) -> list[IndexTerm]:
        """The MeSH concepts that the article is about. Empty without the step `index`, or if none was found."""
        return list(index_terms(self))

    @property
    def abbreviations(self) -> list[Definition]:
        """The abbreviations that the article defines, each definition once."""
        return [definition for definition in definitions(self) if not definition.is_occurrence]

    @property
    def occurrences(self) -> list[Definition]:
        """The other places of the short forms: each with the long form that it has there, and where that is defined."""
        return [definition for definition in definitions(self) if definition.is_occurrence]

    if not TYPE_CHECKING:  # With it, type checkers would accept any name.

        def __getattr__(self, name: str) -> Any:
            """The values of an attribute of an installed package (`nlmchem.attributes`)."""
            attribute = None if name.startswith("_") else ATTRIBUTES.get(name)
            if attribute is None:
                raise missing_attribute(ARTICLE, name, self)
            return list(attribute.read(self))

    def __len__(self) -> int:
        raise missing_operation(ARTICLE)

    def __getitem__(self, key: object) -> NoReturn:
        # Python also tries this for `for mention in article`.
        raise missing_operation(ARTICLE, ITEMS)

    def __bool__(self) -> bool:
        return True

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *ATTRIBUTES.names()})

    def to_rows(self, table: str = MENTIONS) -> list[dict[str, Any]]:
        """A table of the article, as `write` and the command line write it to TSV, CSV and Parquet.

        Args:
            table: `mentions` or `index_terms`. docs/reference/tables.md has the columns of both.

        Raises:
            ConfigurationError: `table` is something else.
        """
        _require_table(table)
        if table == MENTIONS:
            return rows_of(self, self._names)
        return [columns.cells(columns.TERMS, row) for row in columns.term_rows(self)]

    def to_dataframe(self, table: str = MENTIONS) -> DataFrame:
        """`to_rows` as a data frame of pandas. Raises `ConfigurationError` if pandas is not installed."""
        return _dataframe("Article", self.to_rows, table)

    def to_dict(self) -> dict[str, Any]:
        """The article as values for JSON: id, title, text, and a list of dictionaries for each kind of annotation.

        Raises `ArticleError` as `text` does.
        """
        annotations = {
            name: getattr(self, name) for name in ("mentions", "index_terms", "abbreviations", "occurrences")
        }
        annotations |= {name: added.read(self) for name, added in ATTRIBUTES.items()}
        return {
            "id": str(self.id), "title": self.title, "text": self.text,
            **{name: [_as_json(asdict(value)) for value in values] for name, values in annotations.items()},
        }  # fmt: skip

    def __repr__(self) -> str:
        counts = f"{quantity(len(self.passages), 'passage')}, {quantity(len(self.mentions), 'mention')}"
        return f"Article({self.id!r}, {counts})"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return article_html(self)


ATTRIBUTES = Registry("nlmchem.attributes", Attribute, {}, reserved={*dir(Article), *vars(Article())})


def _warn_of_nothing(name: str, remedy: str) -> None:
    """Warn the code that reads an attribute of an article, which has what is outside passages, and is empty."""
    # A filter of warnings by module would not do: where warnings are errors, it is replaced, and bioc reads these too.
    reader = str(sys._getframe(2).f_globals.get("__name__")).partition(".")[0]
    if reader not in _READERS:
        sentence = f"article.{name} has only {name} outside passages, and there are none; {remedy}"
        warnings.warn(sentence, stacklevel=3)


def _require_table(table: str) -> None:
    if table not in _TABLES:
        raise ConfigurationError(f"an article has no table {table!r}; use one of {', '.join(_TABLES)}")


def _dataframe(owner: str, to_rows: Callable[[str], list[dict[str, Any]]], table: str) -> DataFrame:
    extras.require("pandas", extra="pandas", purpose=f"{owner}.to_dataframe")
    from pandas import DataFrame

    return DataFrame(to_rows(table), columns=list(_TABLES[table]))


class Articles(Iterator[Article]):
    """A stream of articles, in order: `nlmchem.read`, `nlp(texts)` and `nlp.pipe` return it.

    Each article is read and annotated when it is taken, and is not kept: the next loop begins where the last one ended.
    `articles[0]` and `articles[:3]` look ahead, and take nothing.
    """

    def __init__(self, articles: Iterator[Article], what: str, length: int | None = None) -> None:
        """`what`: what the articles are of, for `repr`. `length`: their number, if it is known."""
        self._source = articles
        self._what = what
        self._length = length
        self._ahead: deque[Article] = deque()
        self._taken = 0

    def __iter__(self) -> Articles:
        return self

    def __next__(self) -> Article:
        article = self._ahead.popleft() if self._ahead else next(self._source)
        self._taken += 1
        return article

    def __repr__(self) -> str:
        return f"Articles({self._what}{f', {self._taken} taken' if self._taken else ''})"

    def __len__(self) -> int:
        if self._length is None:
            raise missing_operation(ARTICLES)
        return self._length

    def __bool__(self) -> bool:
        return True

    @overload
    def __getitem__(self, key: int) -> Article: ...

    @overload
    def __getitem__(self, key: slice) -> list[Article]: ...

    def __getitem__(self, key: int | slice) -> Article | list[Article]:
        """An article, or several, by their places from 0. Raises `IndexError` for a place after the last article.

        Raises `TypeError` for places from the end, and for articles that were taken: they are not kept.
        """
        wanted = key if isinstance(key, slice) else slice(key, key + 1)
        start, stop, step = wanted.start or 0, wanted.stop, wanted.step or 1
        if start < self._taken or stop is None or stop < 0 or step < 1:
            raise missing_operation(ARTICLES, ITEMS)
        while self._taken + len(self._ahead) < stop and (article := next(self._source, None)) is not None:
            self._ahead.append(article)
        found = list(islice(self._ahead, start - self._taken, stop - self._taken, step))
        if isinstance(key, slice):
            return found
        if not found:
            raise IndexError(f"there are only {self._taken + len(self._ahead)} articles")
        return found[0]

    def to_rows(self, table: str = MENTIONS) -> list[dict[str, Any]]:
        """The rows of all articles, as `Article.to_rows` has them; it takes the articles.

        Raises `ConfigurationError` if articles were taken before: their rows would be missing.
        """
        _require_table(table)
        if self._taken:
            taken = quantity(self._taken, "article was", "articles were")
            raise ConfigurationError(f"{taken} taken before; keep the articles in a list, and use to_rows of each")
        return [row for article in self for row in article.to_rows(table)]

    def to_dataframe(self, table: str = MENTIONS) -> DataFrame:
        """`to_rows` as a data frame of pandas. Raises `ConfigurationError` if pandas is not installed."""
        return _dataframe("Articles", self.to_rows, table)

    if not TYPE_CHECKING:  # With it, type checkers would accept any name.

        def __getattr__(self, name: str) -> Any:
            raise missing_attribute(ARTICLES, name, self)


class Collection(BioCCollection):
    """A `bioc.BioCCollection` of annotated articles; a notebook shows the first of them."""

    def __repr__(self) -> str:
        return f"Collection({quantity(len(self.documents), 'article')})"

    __str__ = __repr__

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Article]:
        return iter(self.documents)

    def __getitem__(self, key: int) -> Article:
        article: Article = self.documents[key]
        return article

    def __bool__(self) -> bool:
        return True

    if not TYPE_CHECKING:  # With it, type checkers would accept any name.

        def __getattr__(self, name: str) -> Any:
            raise missing_attribute(COLLECTION, name, self)

    def _repr_html_(self) -> str:
        return collection_html(self.documents)


def article_of(document: BioCDocument, names: PreferredNames = NAMES) -> BioCDocument:
    """The same document as an `Article`: both share all their content. Other subclasses are returned as they are.

    `names`: gives `Mention.name`. An article keeps its own where these are the default.
    """
    if isinstance(document, Article):
        if names is not NAMES:
            document._names = names
        return document
    if type(document) is not BioCDocument:
        return document
    article = Article.__new__(Article)
    object.__setattr__(article, "__dict__", document.__dict__)
    article._names = names
    return article


def collection_of(collection: BioCCollection) -> BioCCollection:
    """The same collection as a `Collection`: both share all their content."""
    if type(collection) is not BioCCollection:
        return collection
    shown = Collection.__new__(Collection)
    shown.__dict__ = collection.__dict__
    return shown


def _as_json(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a dataclass; tuples become lists."""

    def listed(value: Any) -> Any:
        return [listed(item) for item in value] if isinstance(value, tuple) else value

    return {name: listed(value) for name, value in fields.items()}


FOLDED_AFTER = 2000
"""Code points of an article that are visible; the rest is folded away."""
SHOWN = 20
"""Articles of a collection that are shown."""

LINKED = "background:#d6e8fa;color:#0b2f52;border-radius:3px;padding:0 1px"
UNLINKED = "background:none;color:inherit;border-radius:3px;padding:0 1px;box-shadow:inset 0 0 0 1.5px #4a7fb5"
"""The colours of nlmchem/report/assets/article.css."""
_STYLES = {
    PassageKind.TITLE: "font-size:1.4em;font-weight:700;line-height:1.25;margin:0 0 .4em",
    PassageKind.HEADING: "font-size:1.15em;font-weight:700;margin:1em 0 .3em",
}
_PLAIN = "margin:0 0 .6em;white-space:pre-line"
_QUIET = "opacity:.7;margin:0 0 .6em"

_Paragraph = tuple[str, str, int, list[BioCMention]]
"""The style, the text and the offset of a passage or of a part of one, and the mentions of the passage."""


def article_html(document: BioCDocument, folded: bool = True) -> str:
    """An article as HTML: title, id, and text. Of mentions that overlap, the first and longest is marked.

    `folded`: the text after `FOLDED_AFTER` code points can be unfolded; otherwise it is left out.
    """
    by_passage: dict[int, list[BioCMention]] = {}
    for mention in mentions(document):
        by_passage.setdefault(id(mention.passage), []).append(mention)
    shown, rest = _divided(
        [
            (_STYLES.get(part.kind, _PLAIN), text, passage.offset, by_passage.get(id(passage), []))
            for passage, part in zip(document.passages, parts(document), strict=True)
            if (text := passage_text(passage)).strip()
        ]
    )
    pieces = [_html(*paragraph) for paragraph in shown]
    # The title comes first, the id under it; an article without title has its id only.
    at = 1 if shown and shown[0][0] == _STYLES[PassageKind.TITLE] else 0
    pieces.insert(at, f'<p style="{_QUIET}">{escape(str(document.id))}</p>')
    if rest:
        left = f"{sum(len(text) for _, text, _, _ in rest):,} more characters"
        if folded:
            pieces.append(f"<details><summary>{left}</summary>{''.join(starmap(_html, rest))}</details>")
        else:
            pieces.append(f'<p style="{_QUIET}">and {left}</p>')
    return f'<div style="max-width:46rem">{"".join(pieces)}</div>'


def collection_html(documents: Iterable[BioCDocument]) -> str:
    """The beginnings of the first `SHOWN` articles as HTML, and the number of the others."""
    items = iter(documents)
    shown = [article_html(document, folded=False) for document in islice(items, SHOWN)]
    more = sum(1 for _ in items)
    return "<hr>".join(shown) + (f"<p>and {more} more articles</p>" if more else "")


def parts(document: BioCDocument) -> tuple[Part, ...]:
    """What each passage is. A single passage that states nothing is a text, not a title."""
    passages = document.passages
    if len(passages) == 1 and section_type(passages[0]) is None and not passage_kind(passages[0]):
        return (Part(PassageKind.TEXT),)
    return outline(document, sections_of(document))


def _divided(paragraphs: list[_Paragraph]) -> tuple[list[_Paragraph], list[_Paragraph]]:
    """What is visible and what is folded. A long passage is divided between two words, outside mentions."""
    left = FOLDED_AFTER
    for at, (style, text, offset, of_paragraph) in enumerate(paragraphs):
        if len(text) > left:
            cut = text.rfind(" ", 0, left) + 1
            for start, end in sorted((span for mention in of_paragraph for span in mention.spans), reverse=True):
                if start - offset < cut < end - offset:
                    cut = start - offset
            first, second = (style, text[:cut], offset, of_paragraph), (style, text[cut:], offset + cut, of_paragraph)
            return [*paragraphs[:at], *([first] if cut else [])], [second, *paragraphs[at + 1 :]]
        left -= len(text)
    return paragraphs, []


def _html(style: str, text: str, offset: int, of_paragraph: Iterable[BioCMention]) -> str:
    spans = sorted(
        ((start - offset, end - offset, mention) for mention in of_paragraph for start, end in mention.spans),
        key=lambda span: (span[0], -span[1]),
    )
    pieces, reached = [f'<p style="{style}">'], 0
    for start, end, mention in spans:
        if start < reached or end > len(text):
            continue
        identifiers, name = ", ".join(mention.identifiers), mention.evidence.matched_name
        tooltip = identifiers + (f" ({name})" if identifiers and name else "") or "no concept"
        mark = f'<mark style="{LINKED if identifiers else UNLINKED}" title="{escape(tooltip)}">'
        pieces += [escape(text[reached:start]), mark, escape(text[start:end]), "</mark>"]
        reached = end
    return "".join([*pieces, escape(text[reached:]), "</p>"])
