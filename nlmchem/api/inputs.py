"""What a pipeline takes, as articles with ids: a text, an article, a record, a data frame, or many of the first three.

A record (a dictionary, the row of a data frame) becomes an article as a row of CSV does on the command line: the same
names of columns, the same passages (`corpora.formats.records`). A text becomes an article with one passage.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sized
from functools import partial
from os import PathLike
from typing import Any, Protocol, TypeAlias

from bioc import BioCCollection, BioCDocument, BioCPassage

from corpora.errors import ArticleError
from corpora.formats.records import Records, TextColumns, document_of
from corpora.reporting import Report, log
from nlmchem.api.results import Article, article_of

LONGEST_PATH = 4096
_COUNTED = "(counted from 1)"
_REMEDY_OF_MISSING = 'leave out such rows, or give an empty text: texts.fillna("")'
_WANTED = (
    "a pipeline takes a text, an nlmchem.Article (or BioCDocument), a record (a dictionary), a data frame, or an "
    "iterable of these"
)

Item: TypeAlias = str | BioCDocument | Mapping[str, Any]


class Table(Protocol):
    """A data frame of pandas or polars."""

    @property
    def columns(self) -> Any: ...

    @property
    def shape(self) -> tuple[int, int]: ...


def one_article(given: Any, id: object, title: object, text: object) -> BioCDocument | None:
    """The article of one text, document or record; None for what may be many.

    `id`, `title`: those of a text; the columns of a record, as `text` is. Raises `TypeError`, and `ArticleError` for a
    record with annotations.
    """
    if isinstance(given, str):
        if text is not None:
            raise TypeError("text names a column of records, and a text has none; leave it out")
        return _of_text(given, "1" if id is None else _identifier(id), title)
    if isinstance(given, BioCDocument):
        _refuse({"id": id, "title": title, "text": text}, "an article has its own")
        return _of_document(given, "1")
    if _is_record(given, text):
        items = Items(_column("id", id), _column("title", title), _column("text", text))
        article = items.article(given, "1")
        items.records.report_markup(log)
        return article
    return None


class Items:
    """Makes articles of the items of an iterable: the id of a text is its number, from 1.

    `id`: a column of records, or the ids of all items. `title`, `text`: columns of records; None: the usual names.
    """

    def __init__(self, id: object, title: str | None, text: str | None) -> None:
        self._ids: Iterable[Any] | None = None
        if isinstance(id, Iterable) and not isinstance(id, str):
            self._ids, id = id, None
        elif id is not None and not isinstance(id, str):
            raise TypeError(f"id is the name of a column, or an iterable of ids, not {type(id).__name__}")
        self._columns = TextColumns(text, id, title)
        self.records = Records(self._columns)
        self._in_pairs = False

    def articles(self, given: Iterable[Any], report: Report = log) -> Iterator[BioCDocument]:
        """The articles of texts, documents, records and the rows of a data frame, in order.

        Raises `TypeError` and `ArticleError` for an item that is none, with its number.
        """
        ids = None if self._ids is None else iter(self._ids)
        for number, item in enumerate(items_of(given), 1):
            name = f"text {number} {_COUNTED}"
            if is_missing(item):
                raise TypeError(f"{name} is a missing value, {item!r}; {_REMEDY_OF_MISSING}")
            try:
                article = self.article(item, str(number))
                if ids is not None:
                    article.id = _identifier(next(ids))
            except StopIteration:
                raise TypeError(f"{name} has no id; give as many ids as texts") from None
            except (TypeError, ArticleError) as error:
                raise type(error)(f"{name}: {error}") from None
            yield article
        if ids is not None and next(ids, ids) is not ids:
            raise TypeError("there are more ids than texts; give as many ids as texts")
        self.records.report_markup(report)

    def pairs(self, given: Iterable[Any], others: deque[Any]) -> Iterator[BioCDocument]:
        """The articles of pairs (something, anything); what is given with each is appended to `others`.

        A text without an id gets the `id` of a dictionary that is given with it.
        """
        self._in_pairs = True

        def firsts() -> Iterator[Any]:
            for pair in given:
                if not isinstance(pair, tuple | list) or len(pair) != 2:
                    what = "with as_tuples=True, each item is a pair (text, something)"
                    raise TypeError(f"{what}, not {type(pair).__name__}")
                others.append(pair[1])
                yield pair[0]

        for number, article in enumerate(self.articles(firsts()), 1):
            other = others[-1]
            if isinstance(other, Mapping) and article.id == str(number):
                column = Records(self._columns).known(tuple(map(str, other)))[3]
                if column is not None and not is_missing(other.get(column)):
                    article.id = _identifier(other[column])
            yield article

    def article(self, item: Any, number: str) -> BioCDocument:
        """The article of a text, a document or a record. One without an id gets `number`."""
        if isinstance(item, BioCDocument):
            return _of_document(item, number)
        if isinstance(item, str):
            _refuse(
                {
                    "text": self._columns.text,
                    "id": None if self._in_pairs else self._columns.id,
                    "title": self._columns.title,
                },
                "these are texts, which have no columns; give records (dictionaries)",
            )
            return _of_text(item, number)
        if not _is_record(item, self._columns.text):
            raise TypeError(wanted(item))
        return self._of_record({str(name): value for name, value in dict(item).items()}, number)

    def _of_record(self, values: dict[str, Any], number: str) -> BioCDocument:
        text, title, abstract, id = known = self.records.known(tuple(values))
        listed = ", ".join(map(repr, values)) or "none"
        columns = self._columns
        for wanted_column, found in ((columns.text, text), (columns.title, title), (columns.id, id)):
            if wanted_column is not None and found is None:
                raise TypeError(f"there is no column {wanted_column!r}; the columns are {listed}")
        if not any(known[:3]):
            raise TypeError(f"no column of texts is known (the columns: {listed}); name it: nlp(records, text=...)")
        texts = {name: values[name] for name in (text, title, abstract) if name and not is_missing(values[name])}
        if not texts:
            raise TypeError(f"its text is a missing value; {_REMEDY_OF_MISSING}")
        for name, value in texts.items():
            if not isinstance(value, str):
                many = f"; for many texts: nlp.pipe(batch[{name!r}])" if isinstance(value, list | tuple) else ""
                raise TypeError(f"{name!r} is {type(value).__name__}, not a text{many}")
        article: BioCDocument = Article()
        if any(texts.values()):
            plain = {name: _plain(value) for name, value in values.items() if not is_missing(value)}
            article = article_of(document_of(self.records.fields(plain, "the record")))
        article.id = number if id is None or is_missing(values[id]) else _identifier(values[id])
        return article


def length_of(given: object) -> int | None:
    """How many articles there will be; None if that is not known."""
    try:
        return len(given) if isinstance(given, Sized) else None
    except TypeError:
        # A stream whose length is not known.
        return None


def require_many(given: Any) -> Iterable[Any]:
    """What has many articles. Raises `TypeError` for what has one, and for what has none."""
    if isinstance(given, BioCCollection):
        documents: list[Any] = given.documents
        return documents
    if isinstance(given, bytes | PathLike) or not isinstance(given, Iterable):
        raise TypeError(wanted(given))
    return given


def wanted(given: Any) -> str:
    """The sentence for something that is no article."""
    remedy = ""
    if isinstance(given, bytes):
        remedy = "; decode it first"
    elif isinstance(given, PathLike):
        remedy = f"; read it first: nlp(nlmchem.read({str(given)!r}))"
    elif isinstance(given, tuple):
        remedy = "; for pairs use nlp.pipe(pairs, as_tuples=True)"
    elif isinstance(given, BioCPassage):
        remedy = "; put it into an nlmchem.Article: article.add_passage(passage)"
    return f"{_WANTED}, not {type(given).__name__}{remedy}"


def _of_text(text: str, id: str, title: object = None) -> BioCDocument:
    # Tables contain cells such as `.` for a missing value.
    is_path = ("/" in text or "." in text) and any(map(str.isalnum, text)) and len(text) < LONGEST_PATH
    if is_path and os.path.exists(text):  # noqa: PTH110
        raise TypeError(f"{text!r} is the name of a file, not a text; read it first: nlp(nlmchem.read({text!r}))")
    return Article(text, id=id, title="" if title is None else str(title))


def _of_document(document: BioCDocument, number: str) -> BioCDocument:
    if not document.passages and document.__dict__.get("text"):
        # `BioCDocument.of_text` makes no passage, and only passages are annotated and written.
        document.passages = [BioCPassage.of_text(document.__dict__["text"])]
    document.id = document.id or number
    return document


def _is_record(given: Any, text: object = None) -> bool:
    """Whether it is a dictionary, or the row of a data frame: a series whose labels are names of texts."""
    if isinstance(given, Mapping):
        return True
    labels = getattr(given, "index", None) if hasattr(given, "to_dict") and not hasattr(given, "columns") else None
    if labels is None or not all(isinstance(label, str) for label in labels):
        return False
    return any(Records(TextColumns(_column("text", text))).known(tuple(labels))[:3])


def items_of(given: Any) -> Iterator[Any]:
    """The items of an iterable; the rows of a data frame (pandas, polars) as dictionaries."""
    if hasattr(given, "iter_rows"):
        return iter(given.iter_rows(named=True))
    if hasattr(given, "iloc") and hasattr(given, "columns"):
        names = list(given.columns)
        columns = (given.iloc[:, number] for number in range(len(names)))
        return map(dict, map(partial(zip, names), zip(*columns, strict=True)))
    return iter(given)


def is_missing(value: Any) -> bool:
    """Whether a cell of a table has no value: None, or what pandas has for it."""
    is_nan = isinstance(value, float) and value != value
    # The last two are missing values of pandas.
    return value is None or is_nan or type(value).__name__ in ("NAType", "NaTType")


def _plain(value: Any) -> Any:
    """A value as JSON has it: numbers of numpy as those of Python, dates as text."""
    value = value.item() if hasattr(value, "item") else value
    return value if isinstance(value, str | int | float | list | dict) else str(value)


def _identifier(value: object) -> str:
    """An id as text. A column of whole numbers with missing values has decimals in pandas."""
    if is_missing(value) or isinstance(value, list | tuple | dict):
        raise TypeError(f"an id is a text or a number, not {value!r}")
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _column(name: str, given: object) -> str | None:
    if given is not None and not isinstance(given, str):
        raise TypeError(f"{name} is the name of a column, not {type(given).__name__}")
    return given


def _refuse(given: Mapping[str, object], reason: str) -> None:
    if name := next((name for name, value in given.items() if value is not None), None):
        raise TypeError(f"{name} cannot be used here: {reason}")
