"""Reads lists of mentions: JSON lines, JSON, CSV or TSV, in the shapes that other tools write.

A row is one mention. JSON may nest: an object with a list of mentions gives them its document, run and text. The keys
are those of Hugging Face pipelines (`entity_group`, `word`), spaCy (`ents`, `label`), GLiNER, langextract
(`extraction_text`, `char_interval`), PubAnnotation (`denotations`, `span`, `obj`), the annotations of Europe PMC
(`exact`, `prefix`, `postfix`, `tags`), and the usual names of language models and tables.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

from corpora.datasets.registry import read_text
from corpora.errors import DAMAGE, Argument, InputError, command, damage, shortened
from corpora.parsing.safe_xml import illegal_characters
from corpora.parsing.table_rows import TableRows
from corpora.storage.inputs import InputFile, expand
from corpora.storage.members import members


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of a list of mentions. A field is None where the row does not state it."""

    place: str
    """Where the row stands, in words: `mentions.jsonl, row 3`."""
    document: str | None = None
    text: str = ""
    quote: str | None = None
    """A piece of the article that contains the mention, such as its sentence."""
    quote_start: int | None = None
    """Where the mention begins in the quote, in code points."""
    start: int | None = None
    """Where the mention begins, in an unknown unit (`placing.Counting`)."""
    end: int | None = None
    """Where it ends (exclusive), in the same unit."""
    identifier: str | None = None
    """Its concepts, in any spelling."""
    label: str | None = None
    score: float | None = None
    """A confidence as it was stated, 0 to 1 or in percent."""
    run: str | None = None
    """The name of the run, such as that of a language model."""
    passage: int | None = None
    """The offset of its passage in the article, where it answers `curate select --route`."""
    says_none: bool = False
    """Whether it is an empty list of mentions: its article or passage has none."""

    @property
    def states_place(self) -> bool:
        """Whether it states more than a text: offsets or a quote."""
        return self.start is not None or self.quote is not None


DOCUMENT = ("document", "document_id", "doc_id", "docid", "doc", "article", "article_id", "pmcid", "pmid", "extid",
            "sourceid", "id")  # fmt: skip
TEXT = ("mention", "mention_text", "surface", "word", "exact", "extraction_text", "entity_text", "chemical",
        "span_text", "term", "name", "text")  # fmt: skip
QUOTE = ("quote", "sentence", "context", "evidence", "snippet")
START = ("start", "begin", "start_char", "start_pos", "start_offset", "char_start", "offset")
END = ("end", "stop", "end_char", "end_pos", "end_offset", "char_end")
IDENTIFIER = ("identifier", "identifiers", "mesh", "mesh_id", "meshid", "mesh_ui", "kb_id", "concept", "concept_id",
              "normalized_id", "uri")  # fmt: skip
LABEL = ("label", "type", "entity_group", "entity", "extraction_class", "entity_type", "category", "class", "obj")
SCORE = ("score", "confidence", "probability", "prob")
PASSAGE = ("passage", "passage_offset")
RUN = ("run", "model", "annotator", "tool", "project")
LISTS = ("mentions", "entities", "chemicals", "extractions", "denotations", "ents", "spans", "annotations", "anns",
         "results", "predictions", "documents")  # fmt: skip
"""Keys of an object with a list of mentions."""
PLACES = ("span", "char_interval", "location")
"""Keys of an object with the start and the end of a mention."""
PREFIX, SUFFIX = ("prefix",), ("postfix", "suffix")

MAX_FILE = 1 << 28
"""Bytes of a file: about two million rows. A compressed file of 1 MB can contain 1 GB of blanks."""

Values = Mapping[str, Any]


def read_rows(source: str) -> Iterator[Row]:
    """The rows of one file or more, which may be compressed, or of `-` (standard input).

    Raises `ConfigurationError` if there is no such file, and `InputError`, with the row, for one that cannot be read.
    """
    for file in expand([source]):
        for name, text in _texts(file):
            yield from parse(text, name)


def parse(text: str, name: str) -> Iterator[Row]:
    """The rows of a text. `name`: its file, for messages. Raises `InputError`."""
    first = text.lstrip("\ufeff \t\r\n")[:1]
    if not first:
        raise InputError(f"{name}: it is empty; give a file of mentions")
    values = _json_values(text, name) if first in "[{" else _table(text, name)
    for number, (place, value) in enumerate(values, 1):
        yield from _mentions(value, Row(place=""), place or f"{name}, row {number}")


def rows_of(values: Iterable[Any], name: str) -> Iterator[Row]:
    """The rows of JSON values: objects or texts. `name`: where they come from. Raises `InputError`."""
    for number, value in enumerate(values, 1):
        yield from _mentions(value, Row(place=""), f"{name}, row {number}")


def _texts(file: InputFile) -> Iterator[tuple[str, str]]:
    for member, stream in members(file):
        if member.fault is not None:
            raise InputError(f"{member}: {member.fault}")
        yield str(member), read_text(stream, member, MAX_FILE)


def passages_of(route: Path) -> dict[tuple[str, int], str]:
    """The texts of the passages of a file of `nlmchem curate select`, by article and offset. Raises `InputError`."""
    passages = {}
    for file in expand([str(route)]):
        for name, text in _texts(file):
            for place, value in _json_values(text, name):
                try:
                    passages[str(value["document"]), int(value["passage"])] = str(value["text"])
                except DAMAGE as error:
                    problem = f"{place or name}: it is no passage ({damage(error)}); name the file that "
                    raise InputError(problem, command("curate select"), " wrote with ", Argument("route")) from error
    if not passages:
        raise InputError(f"{route}: it asks for no passage; leave out ", Argument("route"))
    return passages


# -- JSON ---------------------------------------------------------------------------------------


def _json_values(text: str, name: str) -> Iterator[tuple[str, Any]]:
    """The values of JSON or of JSON lines, each with its place; no place for the items of a list."""
    try:
        value = json.loads(text)
    except DAMAGE as error:
        whole = InputError(f"{name}: it is not JSON ({damage(error)}); correct it")
        lines = [(f"{name}, line {number}", line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        if len(lines) < 2:
            raise whole from error
        for place, line in lines:
            try:
                value = json.loads(line)
            except DAMAGE as fault:
                if place == lines[0][0]:
                    raise whole from error
                raise InputError(f"{place}: it is not JSON ({damage(fault)}); correct it") from fault
            yield place, value
    else:
        yield from (("", item) for item in (value if isinstance(value, list) else [value]))


def _mentions(value: Any, above: Row, place: str) -> Iterator[Row]:
    """The rows of a JSON value: a text, an object of one mention, or a list of such under a key.

    `above`: what an object states for the mentions in its list; its text is their quote.
    """
    if isinstance(value, list):
        for number, item in enumerate(value, 1):
            yield from _mentions(item, above, f"{place}, mention {number}")
    elif isinstance(value, str):
        yield replace(above, place=place, text=value)
    elif not isinstance(value, Mapping):
        raise InputError(f"{place}: it is {shortened(json.dumps(value))}, and not a mention; correct it")
    else:
        values = {str(key).lower(): item for key, item in value.items()}
        lists = [key for key in LISTS if isinstance(values.get(key), list)]
        key = next((key for key in lists if values[key]), lists[0] if lists else None)
        # A mention of Europe PMC has its articles in a list as well; one with a text of its own is a mention.
        if key is not None:
            below = Row(
                place=place,
                document=_text(values, DOCUMENT) or above.document,
                run=_storable(_text(values, RUN) or above.run, "run", place),
                quote=_text(values, ("text",), strip=False),
                passage=_number(values, PASSAGE, place),
            )
            if not values[key] and key != "documents" and not values.get("error"):
                yield replace(below, quote=None, says_none=True)
            yield from _mentions(values[key], below, place)
        elif values and all(isinstance(item, list) for item in values.values()):
            for document, items in value.items():
                below = replace(above, place=place, document=str(document))
                yield from _mentions(items, below, place) if items else [replace(below, says_none=True)]
        else:
            yield _row(values, above, place)


def _row(values: Values, above: Row, place: str) -> Row:
    for key in PLACES:
        if isinstance(values.get(key), Mapping):
            values = {**values, **values[key]}
    text = _text(values, TEXT) or ""
    start, end = _number(values, START, place), _number(values, END, place)
    quote, quote_start = _text(values, QUOTE), None
    before, after = (_text(values, keys, strip=False) or "" for keys in (PREFIX, SUFFIX))
    if text and (before or after):
        quote, quote_start = f"{before}{text}{after}", len(before)
    if above.quote and start is not None and quote is None:
        # Offsets in the text that the tool was given. Where this is an article, the quote is the article.
        text = text or above.quote[start:end]
        if above.quote[start:end] == text:
            quote, quote_start, start, end = above.quote, start, None, None
    if start is None and quote is None:
        quote = above.quote
    return Row(
        place=place,
        document=_text(values, DOCUMENT if above.document is None else DOCUMENT[:-1]) or above.document,
        text=text,
        quote=quote,
        quote_start=quote_start,
        start=start,
        end=end,
        identifier=_storable(_identifier(values), "identifier", place),
        label=_text(values, LABEL),
        score=_score(values, place),
        run=_storable(_text(values, RUN) or above.run, "run", place),
        passage=_number(values, PASSAGE, place) if above.passage is None else above.passage,
    )


def _identifier(values: Values) -> str | None:
    """The identifiers, joined by commas; of Europe PMC and of lists, those of all items."""
    given = next((values[key] for key in (*IDENTIFIER, "tags") if values.get(key)), None)
    items = given if isinstance(given, list) else [given]
    parts = [_text(item, ("uri", "identifier", "id")) if isinstance(item, Mapping) else item for item in items]
    return ",".join(str(part) for part in parts if part is not None) or None


# -- tables -------------------------------------------------------------------------------------


def _table(text: str, name: str) -> Iterator[tuple[str, Values]]:
    """The rows of a table with a header."""
    lines = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    rows = iter(TableRows(lines, max("\t,;", key=lines[0].count)))
    columns = [column.strip().lower().replace(" ", "_") for column in next(rows)[1]]
    if not set(columns) & {*TEXT, *START}:
        wanted = "document, text, and where known identifier, quote, start, end, label, score, run"
        raise InputError(
            f"{name}: its first line names no column with the text of mentions ({shortened(', '.join(columns))}); "
            f"name the columns in the first line: {wanted}"
        )
    for number, row in rows:
        if any(row):
            place = f"{name}, line {number}"
            if len(row) > len(columns):
                raise InputError(f"{place}: it has {len(row)} cells, but the first line has {len(columns)}")
            yield place, dict(zip(columns, row, strict=False))


# -- values -------------------------------------------------------------------------------------


def _text(values: Values, keys: Iterable[str], strip: bool = True) -> str | None:
    """The first value that is a text or a number, as text; None where there is none."""
    for key in keys:
        value = values.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)
        if isinstance(value, str) and value.strip():
            return value.strip() if strip else value
    return None


def _storable(text: str | None, what: str, place: str) -> str | None:
    """What is written into the article. Raises `InputError` for characters that no XML can have."""
    if bad := illegal_characters(text or ""):
        raise InputError(f"{place}: the {what} contains {', '.join(bad[:5])}, which XML forbids; correct it")
    return text


def _number(values: Values, keys: Iterable[str], place: str) -> int | None:
    for key in keys:
        value = values.get(key)
        if value is None or value == "" or isinstance(value, Mapping | list):
            continue
        try:
            number = float(value)
            if not (number.is_integer() and number >= 0):
                raise ValueError(value)
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"{place}: {key} is {shortened(str(value))!r}, and not a place in a text") from None
        return int(number)
    return None


def _score(values: Values, place: str) -> float | None:
    text = _text(values, SCORE)
    try:
        score = None if text is None else float(text)
    except ValueError:
        return None
    if score is None or not isfinite(score):
        return None
    if not 0 <= score <= 100:
        raise InputError(f"{place}: the score is {text}; use a number from 0 to 1")
    return score
