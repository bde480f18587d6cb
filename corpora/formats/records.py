"""Records with texts: JSON with the key `text`, and CSV and TSV with a column of texts. They are only read.

A record is an article. `title`, `abstract` and `text` become its passages, and `id` its id; `TextColumns` names other
keys. Keys such as `pmid`, `year` and `keywords` become what is known about the article, and all others infons of the
document: `meta` is one of them, an object whose keys are taken one by one. Markup in the texts (`H<sub>2</sub>O`) is
removed and reported; offsets count the text without it.

JSON is an object in each line, a list of objects, or a single one. Both kinds are split into records as JSON, which are
parsed alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from itertools import chain
from typing import Any, BinaryIO

from bioc import BioCDocument, BioCPassage

from corpora.errors import DAMAGE, Argument, ArticleError, InputError, UnclaimedError, damage, shortened
from corpora.formats.format import Header, Reader
from corpora.formats.other_files import refuse
from corpora.formats.streams import BOM, lines_of
from corpora.formats.text import add_paragraphs
from corpora.model.metadata import set_keywords
from corpora.parsing.inline_markup import without_tags
from corpora.parsing.json_documents import DECODER, values
from corpora.parsing.table_rows import TableRows
from corpora.reporting import Report
from corpora.words.quantities import quantity

IDS = ("id", "_id", "doc_id", "document_id", "article_id", "pmid", "pmcid", "doi", "uid", "key")
TEXTS = ("text", "full_text", "fulltext", "body", "content", "sentence", "note", "description")
TITLES = ("title", "article_title", "headline")
ABSTRACTS = ("abstract", "summary")
"""Usual names of columns and keys, the first one that is there is used. They are compared in small letters."""
FACTS = {
    "pmid": "article-id_pmid", "pmcid": "article-id_pmc", "pmc": "article-id_pmc", "doi": "article-id_doi",
    "year": "year", "journal": "journal",
}  # fmt: skip
"""Keys of records, and the infons in which articles have them."""
_CERTAIN = ("text", "full_text", "fulltext", "abstract")
"""The names that show that other JSON has texts: many settings and metadata have a description."""
_ENCODED = json.JSONEncoder(ensure_ascii=False).encode
_META = ("meta", "metadata")
_OTHERS = re.compile(
    rb'"(?:(?:passages|documents|spans|tokens|data|predictions|tasks|cats|document|%TYPES)"\s*:'
    rb'|(?:label|labels|entities|annotations|mentions)"\s*:\s*(?:\{|\[\s*[\[{])|(?:start|begin|start_offset)"\s*:\s*"?\d)'
)
"""Keys of JSON lines in other formats. A list of words does not count: it is no list of annotations."""
_OF_ANNOTATIONS = frozenset({"label", "labels", "entities", "annotations", "mentions", "spans"})
_STARTS = frozenset({"start", "begin", "start_offset"})
_LIST = re.compile(rb"\[|\{\s*$", re.MULTILINE)
"""How a list begins, or an object that has more than one line."""
_KEYWORDS = re.compile(r"(?:author[ _-]?)?key[ _-]?words?(?:[ _-]([a-z]{2}))?", re.IGNORECASE)
_OURS = frozenset({"start", "end", "identifier"})
"""Columns of a table of mentions."""


@dataclass(frozen=True, slots=True)
class TextColumns:
    """The columns that the user names. None: the usual names (`TEXTS`, `IDS`, `TITLES`)."""

    text: str | None = None
    id: str | None = None
    title: str | None = None

    @property
    def given(self) -> bool:
        """Whether the user names any."""
        return self.text is not None or self.id is not None


ANY = TextColumns()


# -- JSON ---------------------------------------------------------------------------------------


def sniff(head: bytes) -> bool:
    """Whether a file begins with a JSON object that has a text, alone or in a list, and is of no other format."""
    is_line = _LIST.match(head) is None
    if is_line:
        first = head.partition(b"\n")[0]
    else:
        # The first object of a file that is one, or a list of them; all of `head` if the object is longer.
        text = head.decode("utf-8", "ignore")
        start, end = max(0, text.find("{")), len(text)
        with suppress(*DAMAGE):
            end = DECODER.raw_decode(text, start)[1]
        first = text[start:end].encode()
    if not first.startswith(b"{") or _OTHERS.search(first) is not None:
        return False
    keys = "|".join((*TEXTS, *ABSTRACTS) if is_line else _CERTAIN).encode()
    return re.search(rb'"(?:%s)"\s*:\s*(?:"|null)' % keys, first, re.IGNORECASE) is not None


def split(stream: BinaryIO, header: Header, report: Report, columns: TextColumns = ANY) -> Iterator[bytes]:
    """The record of each line, or of each object of a list. What is no object with a text, `parse` refuses."""
    lines = lines_of(stream)
    blank, first = 0, next(lines, b"")
    while first and not first.strip():
        blank, first = blank + 1, next(lines, b"")
    records = Records(columns)
    if _LIST.match(first) is not None:
        content = BytesIO(b"".join(chain([first], lines)))
        for number, value in enumerate(values(content, "correct it", "write one object into each line"), 1):
            yield _encoded(records.fields(value, f"object {number}"))
    else:
        for number, line in enumerate(chain([first], lines), blank + 1):
            if not line.strip():
                continue
            place = f"line {number}"
            try:
                value = json.loads(line.removeprefix(BOM))
            except DAMAGE as error:
                yield _encoded(_fault(place, f"is no valid JSON ({damage(error)}); correct it"))
            else:
                yield _encoded(records.fields(value, place))
    records.report_markup(report)


# -- tables -------------------------------------------------------------------------------------


def is_other(head: bytes) -> bool:
    """Raises `UnclaimedError` for a table without a column of texts, and for a table of mentions."""
    refuse(head)
    first = head.decode("utf-8", "replace").removeprefix("\ufeff").partition("\n")[0].rstrip("\r")
    _, names = next(iter(TableRows([first], _separator(first))))
    _require_texts([name.strip() for name in names], ANY)
    return False


def split_table(stream: BinaryIO, header: Header, report: Report, columns: TextColumns = ANY) -> Iterator[bytes]:
    """The record of each row, with the names of the columns as keys. Raises `InputError`."""
    text = (line.decode("utf-8-sig" if number == 0 else "utf-8") for number, line in enumerate(lines_of(stream)))
    records = Records(columns)
    try:
        first = next(text, "")
        table = TableRows(chain([first], text), _separator(first))
        rows = iter(table)
        _, names = next(rows)
        try:
            _require_texts([name.strip() for name in names], columns)
        except UnclaimedError as error:
            raise InputError(str(error)) from error
        for place, row in rows:
            if not any(map(str.strip, row)):
                continue
            if row == names:
                report(f"line {place} has the names of the columns again, and is left out")
                continue
            if len(row) > len(names):
                raise InputError(
                    f"line {place} has {len(row)} cells, but the table has {len(names)} columns; quote cells that "
                    "contain the separator"
                )
            record = {name.strip(): cell for name, cell in zip(names, row, strict=False) if cell.strip()}
            yield _encoded(records.fields(record, f"line {place}"))
    except UnicodeDecodeError as error:
        raise InputError(f"the table is not UTF-8 ({error.reason}); save it as UTF-8") from error
    if table.loose:
        marks = quantity(len(table.loose), "cell begins with a quotation mark", "cells begin with a quotation mark")
        report(f"{marks} that does not enclose it, which is read as text (the first: line {table.loose[0]})")
    records.report_markup(report)


def _separator(line: str) -> str:
    return "\t" if "\t" in line else ";" if ";" in line and "," not in line else ","


def _require_texts(names: Sequence[str], columns: TextColumns) -> None:
    small = [name.casefold() for name in names]
    for wanted in filter(None, (columns.text, columns.id)):
        if wanted.casefold() not in small:
            listed = shortened(", ".join(names), 300)
            raise UnclaimedError(f"the table has no column {wanted!r}; its columns are {listed}")
    if columns.text is not None:
        return
    if set(small) >= _OURS:
        raise UnclaimedError("it is a table of mentions, not of texts; name the articles that it was made from")
    if set(small) & {"token", "tokens", "word", "words"}:
        raise UnclaimedError("it is a table of tokens, not of texts; convert it to CoNLL, or remove it from the input")
    if not set(small) & {*TEXTS, *ABSTRACTS, *TITLES}:
        listed = shortened(", ".join(names), 300)
        raise UnclaimedError(
            f"it is a table without a column of texts that is known (its columns: {listed}); name the column with ",
            Argument("text_column"),
        )


# -- records ------------------------------------------------------------------------------------


@dataclass(slots=True)
class Records:
    """Makes articles of the records of a file, or of Python."""

    columns: TextColumns
    _names: tuple[str, ...] = ()
    """The keys of the last record, and which of them have its text, title, abstract and id."""
    _known: tuple[str | None, ...] = ()
    _marked: int = 0
    """The number of texts with markup."""
    _example: str = ""

    def fields(self, value: Any, place: str) -> dict[str, Any]:
        """A record with the keys `id`, `title`, `abstract`, `text` and `meta`; or a fault. `document_of` takes both."""
        if not isinstance(value, dict):
            return _fault(place, "is no JSON object; write one object with a text into each line")
        text, title, abstract, id = used = self.known(tuple(value))
        if self.columns.text is not None and text is None:
            return _fault(place, f"has no {self.columns.text!r}; correct it, or name another column")
        meta: dict[str, Any] = {}
        for key, item in value.items():
            if isinstance(item, list) and _are_annotations(key, item):
                return _fault(
                    place, f"has annotations ({key!r}) in a form that is not read; remove them, or convert them"
                )
            if key in used and FACTS.get(str(key).casefold()) is None:
                continue
            nested = isinstance(item, Mapping) and str(key).casefold() in _META
            meta |= item if nested else {str(key): item}
        record = {"id": None if id is None else value[id], "meta": meta, "place": place}
        for name, key in (("title", title), ("abstract", abstract), ("text", text)):
            record[name] = None if key is None else self._without_markup(value[key])
        return record

    def known(self, names: tuple[str, ...]) -> tuple[str | None, ...]:
        """Which of the names of a record have its text, title, abstract and id."""
        if names == self._names:
            return self._known
        small = {name.casefold(): name for name in names}

        def taken(given: str | None, usual: Iterable[str]) -> str | None:
            wanted = (given.casefold(),) if given is not None else usual
            return next((small[name] for name in wanted if name in small), None)

        text = taken(self.columns.text, TEXTS)
        # Where the user names the column of the text, no other column is the abstract.
        abstract = None if self.columns.text is not None else taken(None, ABSTRACTS)
        self._names = names
        self._known = text, taken(self.columns.title, TITLES), abstract, taken(self.columns.id, IDS)
        return self._known

    def _without_markup(self, text: Any) -> Any:
        if isinstance(text, str) and ("<" in text or "&" in text):
            text, markup = without_tags(text)
            self._marked += bool(markup)
            self._example = self._example or "".join(markup[:1])
        return text

    def report_markup(self, report: Report) -> None:
        """Report that texts had markup."""
        if self._marked:
            texts = quantity(self._marked, "text has", "texts have")
            report(
                f"{texts} markup, such as {shortened(self._example)}, which was removed; offsets count the text "
                "without it"
            )


def _are_annotations(key: str, value: Sequence[Any]) -> bool:
    items = [one for one in value if isinstance(one, (list, dict))]
    return bool(items) and (
        key in _OF_ANNOTATIONS or any(isinstance(one, dict) and _STARTS & one.keys() for one in items)
    )


def _fault(place: str, problem: str) -> dict[str, Any]:
    return {"place": place, "problem": problem}


def _encoded(record: dict[str, Any]) -> bytes:
    return _ENCODED(record).encode("utf-8", "surrogatepass")


def parse(raw: bytes, report: Report) -> BioCDocument:
    """As `document_of`."""
    return document_of(json.loads(raw))


def document_of(record: Mapping[str, Any]) -> BioCDocument:
    """One article, without id if the record has none. Raises `ArticleError` for a record without text."""
    if "problem" in record:
        raise ArticleError(f"{record['place']} {record['problem']}")
    document = BioCDocument()
    document.id = "" if record.get("id") is None else str(record["id"])
    offset = 0
    for name, section in (("title", "TITLE"), ("abstract", "ABSTRACT"), ("text", None)):
        text = record.get(name)
        if text is None or text == "":
            continue
        if not isinstance(text, str):
            raise ArticleError(f"{record.get('place')}: the {name} is no text; write it in quotes")
        known = len(document.passages)
        if section == "TITLE":
            text = " ".join(text.split())
            document.add_passage(BioCPassage.of_text(text, offset))
        else:
            add_paragraphs(document, text, offset)
        if section is not None:
            for passage in document.passages[known:]:
                passage.infons = {"section_type": section, "type": section.lower()}
        offset += len(text) + 1
    if not document.passages:
        raise ArticleError(f"{record.get('place')} has no text; correct it, or remove the line")
    meta = record.get("meta", {})
    language = str(meta.get("language") or meta.get("lang") or "en")[:2].lower()
    for key, value in meta.items():
        if _has_keywords(document, key, value, language):
            continue
        if value is not None and value != "":
            name = FACTS.get(key.casefold(), key)
            document.infons[name] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return document


def _has_keywords(document: BioCDocument, key: str, value: Any, own: str) -> bool:
    """Store the keywords of a key, such as `keywords` or `keywords_pt`; False if it has none.

    They are a list, or a text with separators; or an object with one of these for each language. `own`: the language
    of the record.
    """
    named = _KEYWORDS.fullmatch(key)
    if named is None:
        return False
    groups = value if isinstance(value, dict) else {named[1] or own: value}
    lists: dict[str, list[str]] = {}
    for language, words in groups.items():
        if isinstance(words, str):
            words = re.split(r"[;|]" if re.search(r"[;|]", words) else r",\s", words)
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            return False
        lists[str(language)[:2].lower()] = [word for word in map(str.strip, words) if word]
    if not any(lists.values()):
        return False
    for language, words in lists.items():
        set_keywords(document, words, "" if language == own else language)
    return True


READER = Reader(split, parse, sniff, columns=split)
TABLE_READER = Reader(split_table, parse, is_other=is_other, columns=split_table)
