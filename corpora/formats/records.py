"""Records with texts: JSON with the key `text`, and CSV and TSV with a column of texts. They are only read.

A record is an article. `title`, `abstract` and `text` become its passages, and `id` its id; `TextColumns` names other
keys. Keys such as `pmid`, `doi` and `year` become what is known about the article, and all others infons of the
document: `meta` is one of them, an object whose keys are taken one by one.

JSON is an object in each line, a list of objects, or a single one. Both kinds are split into records as JSON, which are
parsed alike.
"""

from __future__ import annotations

import csv
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
from corpora.parsing.json_documents import DECODER, values
from corpora.reporting import Report

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
LARGEST_CELL = 1 << 27
"""Characters of a cell."""

_META = ("meta", "metadata")
_OTHERS = re.compile(
    rb'"(?:passages|documents|label|labels|entities|spans|annotations|tokens|data|mentions|predictions|tasks|'
    rb'cats|document|%TYPES)"\s*:'
)
"""Keys of JSON lines in other formats."""
_LIST = re.compile(rb"\[|\{\s*$", re.MULTILINE)
"""How a list begins, or an object that has more than one line."""
_OURS = frozenset({"start", "end", "identifier"})
"""Columns of a table of mentions."""


@dataclass(frozen=True, slots=True)
class TextColumns:
    """The columns that the user names. None: the usual names (`TEXTS`, `IDS`)."""

    text: str | None = None
    id: str | None = None

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
    if _LIST.match(first) is not None:
        content = BytesIO(b"".join(chain([first], lines)))
        for number, value in enumerate(values(content, "correct it", "write one object into each line"), 1):
            yield _record(value, columns, f"object {number}")
        return
    for number, line in enumerate(chain([first], lines), blank + 1):
        if not line.strip():
            continue
        place = f"line {number}"
        try:
            value = json.loads(line.removeprefix(BOM))
        except DAMAGE as error:
            yield _fault(place, f"is no valid JSON ({damage(error)}); correct it")
        else:
            yield _record(value, columns, place)


# -- tables -------------------------------------------------------------------------------------


def is_other(head: bytes) -> bool:
    """Raises `UnclaimedError` for a table without a column of texts, and for a table of mentions."""
    refuse(head)
    first = head.decode("utf-8", "replace").removeprefix("\ufeff").partition("\n")[0].rstrip("\r")
    _require_texts([name.strip() for name in _cells(first)], ANY)
    return False


def split_table(stream: BinaryIO, header: Header, report: Report, columns: TextColumns = ANY) -> Iterator[bytes]:
    """The record of each row, with the names of the columns as keys. Raises `InputError`."""
    text = (line.decode("utf-8-sig" if number == 0 else "utf-8") for number, line in enumerate(lines_of(stream)))
    csv.field_size_limit(LARGEST_CELL)
    try:
        first = next(text, "")
        names = _cells(first)
        try:
            _require_texts([name.strip() for name in names], columns)
        except UnclaimedError as error:
            raise InputError(str(error)) from error
        rows = csv.reader(text, delimiter=_separator(first))
        for row in rows:
            if not any(map(str.strip, row)):
                continue
            if row == names:
                report(f"line {rows.line_num + 1} has the names of the columns again, and is left out")
                continue
            if len(row) > len(names):
                raise InputError(
                    f"line {rows.line_num + 1} has {len(row)} cells, but the table has {len(names)} columns; quote "
                    "cells that contain the separator"
                )
            record = {name.strip(): cell for name, cell in zip(names, row, strict=False) if cell.strip()}
            yield _record(record, columns, f"line {rows.line_num + 1}")
    except UnicodeDecodeError as error:
        raise InputError(f"the table is not UTF-8 ({error.reason}); save it as UTF-8") from error
    except csv.Error as error:
        raise InputError(f"the table cannot be read ({error}); save it again as CSV or TSV") from error


def _cells(line: str) -> list[str]:
    return next(csv.reader([line], delimiter=_separator(line)), [])


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


def _record(value: Any, columns: TextColumns, place: str) -> bytes:
    """A record with the keys `id`, `title`, `abstract`, `text` and `meta`, as JSON; or the fault of what is none."""
    if not isinstance(value, dict):
        return _fault(place, "is no JSON object; write one object with a text into each line")
    small = {str(key).casefold(): key for key in value}

    def taken(given: str | None, usual: Iterable[str]) -> str | None:
        names = (given.casefold(),) if given is not None else usual
        return next((small[name] for name in names if name in small), None)

    text = taken(columns.text, TEXTS)
    if columns.text is not None and text is None:
        return _fault(place, f"has no {columns.text!r}; correct it, or name another column")
    title = taken(None, TITLES)
    # Where the user names the text, the abstract is none.
    abstract = None if columns.text is not None else taken(None, ABSTRACTS)
    id = taken(columns.id, IDS)
    used = {text, title, abstract, id}
    meta: dict[str, Any] = {}
    for key, item in value.items():
        if key in used and FACTS.get(str(key).casefold()) is None:
            continue
        nested = isinstance(item, Mapping) and str(key).casefold() in _META
        meta |= item if nested else {str(key): item}
    record = {"id": id, "title": title, "abstract": abstract, "text": text}
    values = {name: None if key is None else value[key] for name, key in record.items()}
    return json.dumps({**values, "meta": meta, "place": place}, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _fault(place: str, problem: str) -> bytes:
    return json.dumps({"place": place, "problem": problem}).encode()


def parse(raw: bytes, report: Report) -> BioCDocument:
    """One article, without id if the record has none. Raises `ArticleError` for a record without text."""
    record = json.loads(raw)
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
    for key, value in record.get("meta", {}).items():
        if value is not None and value != "":
            name = FACTS.get(key.casefold(), key)
            document.infons[name] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return document


READER = Reader(split, parse, sniff, columns=split)
TABLE_READER = Reader(split_table, parse, is_other=is_other, columns=split_table)
