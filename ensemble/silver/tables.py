"""The table of a data set: a row for each article, in Parquet files that `datasets.load_dataset` reads.

Its columns, with nested values, are stated once, for Parquet, for Croissant and for the data card. The names are as in
the tables of mentions and of index terms (`corpora.formats.columns`), in the plural for lists. The bytes of a file
depend on the rows and on the version of pyarrow alone: row groups, compression and its level are fixed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bioc import BioCDocument

from corpora.formats.losses import encoded
from corpora.model.document import ABBREVIATION, index_terms, mentions
from corpora.model.mention_infons import voters
from corpora.model.metadata import article_ids, pmcid, pmid, publication_year
from corpora.model.passages import passage_text, section_type
from corpora.storage import atomic
from corpora.words.licences import licence_of

if TYPE_CHECKING:
    import pyarrow

CONFIGURATION, FOLDER, TITLE = "default", "data", "articles with mentions and index terms"
"""The name of the table in the data set, the folder of its files, and what it has."""
ROW_GROUP = 100
"""Articles of one row group: they are in memory at once."""


class FieldType(StrEnum):
    """What a value is, by its name in the documentation."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class TableField:
    """A column, or a part of one: its name, its meaning, and what its values are."""

    name: str
    meaning: str
    type: FieldType = FieldType.TEXT
    parts: tuple[TableField, ...] = ()
    """The parts of a structure."""
    lists: int = 0
    """How many lists are around a value: 1 for a list, 2 for a list of lists."""

    @property
    def type_name(self) -> str:
        """The type in words, such as `list of text`."""
        return "list of " * self.lists + ("records" if self.parts and self.lists else self.type.value)

    def arrow(self) -> pyarrow.DataType:
        """The type of the values in Arrow and Parquet."""
        import pyarrow as pa

        plain = {FieldType.TEXT: pa.string(), FieldType.INTEGER: pa.int64(), FieldType.NUMBER: pa.float64()}
        value = pa.struct([(part.name, part.arrow()) for part in self.parts]) if self.parts else plain[self.type]
        for _ in range(self.lists):
            value = pa.list_(value)
        return value


_INTEGER, _NUMBER = FieldType.INTEGER, FieldType.NUMBER

PASSAGE = (
    TableField("section", "`TITLE`, `ABSTRACT`, `METHODS` ..., if the article states it"),
    TableField("offset", "the place of its first code point in the document", _INTEGER),
    TableField("text", "the text of the passage"),
)
ENTITY = (
    TableField("id", "unique in the article"),
    TableField("passage", "the position of its passage in `passages`, from 0", _INTEGER),
    TableField("type", "`Chemical`, or another type that the runs had before the vote"),
    TableField("start", "the first code point of the mention, from the start of the document", _INTEGER),
    TableField("end", "the code point after the last one", _INTEGER),
    TableField("offsets", "start and end of each of its pieces; most mentions have one", _INTEGER, lists=2),
    TableField("text", "the text of the mention"),
    TableField("identifiers", "its concepts in MeSH, `MESH:D014867`; empty if the runs found none", lists=1),
    TableField("score", "the share of the runs that have it, by weight, 0 to 1", _NUMBER),
    TableField("voters", "the names of these runs", lists=1),
)
TERM = (
    TableField("identifier", "the concept in MeSH"),
    TableField("name", "the entry term of MeSH that the article is indexed with"),
    TableField("score", "the share of the runs that have it, by weight, 0 to 1", _NUMBER),
)
COLUMNS = (
    TableField("document", "the id of the article"),
    TableField("pmid", "its PMID, if the article states it"),
    TableField("pmcid", "its PMCID with the prefix `PMC`, if the article states it"),
    TableField("doi", "its DOI, if the article states it"),
    TableField("year", "its year of publication, if the article states it", _INTEGER),
    TableField("license", "the licence of text and annotations, such as `CC BY`"),
    TableField("license_url", "the address of the licence with its version, if the article states it"),
    TableField("passages", "its text in parts", parts=PASSAGE, lists=1),
    TableField("entities", "its mentions", parts=ENTITY, lists=1),
    TableField("index_terms", "the chemicals that it is about", parts=TERM, lists=1),
)


def documented(columns: Sequence[TableField], within: str = "") -> Iterator[tuple[str, str, str]]:
    """Name, type and meaning of each column and of its parts, such as `entities.text`."""
    for column in columns:
        name = f"{within}{column.name}"
        yield name, column.type_name, column.meaning
        yield from documented(column.parts, f"{name}.")


def article_row(document: BioCDocument) -> dict[str, Any]:
    """The row of an article. Annotations of abbreviations are left out."""
    licence = licence_of(document)
    numbers = {id(passage): number for number, passage in enumerate(document.passages)}
    entities = []
    for mention in mentions(document, None):
        if mention.type != ABBREVIATION:
            values = (
                str(mention.annotation.id or ""),
                numbers[id(mention.passage)],
                mention.type,
                min(start for start, _ in mention.spans),
                max(end for _, end in mention.spans),
                [list(span) for span in mention.spans],
                mention.text,
                list(mention.identifiers),
                mention.evidence.score,
                list(voters(mention.annotation)),
            )
            entities.append(_record(ENTITY, values))
    row = (
        str(document.id),
        pmid(document),
        pmcid(document),
        article_ids(document).get("doi"),
        publication_year(document),
        licence.code,
        licence.url or None,
        [_record(PASSAGE, (section_type(each), each.offset, passage_text(each))) for each in document.passages],
        entities,
        [_record(TERM, (term.identifier, term.entry_term, term.score)) for term in index_terms(document)],
    )
    return _record(COLUMNS, row)


def _record(columns: Sequence[TableField], values: Sequence[Any]) -> dict[str, Any]:
    return {column.name: value for column, value in zip(columns, values, strict=True)}


def serialized_row(document: BioCDocument) -> bytes:
    """The row of an article as JSON. Raises `ArticleError` for text that cannot be stored."""
    return encoded(json.dumps(article_row(document), ensure_ascii=False), document)


def write_table(path: Path, rows: Iterable[bytes]) -> None:
    """Write rows (`serialized_row`) as a Parquet file. Raises `OSError`."""
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([(column.name, column.arrow()) for column in COLUMNS])
    pending = iter(rows)
    with (
        atomic.replacing(path, sync=False) as stream,
        parquet.ParquetWriter(stream, schema, version="2.6", compression="zstd", compression_level=3) as writer,
    ):
        while group := [json.loads(row) for row in islice(pending, ROW_GROUP)]:
            writer.write_table(pa.Table.from_pylist(group, schema=schema))
