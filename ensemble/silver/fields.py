"""The columns of a table with nested values: stated once, for Parquet, for Croissant and for the data card."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow


class FieldType(StrEnum):
    """What a value is, by its name in the documentation."""

    TEXT = "text"
    INTEGER = "integer"
    SHORT = "short integer"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class TableField:
    """A column, or a part of one: its name, its meaning, and what its values are.

    `parts`: the parts of a structure. `lists`: how many lists are around a value: 1 for a list, 2 for a list of lists.
    """

    name: str
    meaning: str = ""
    type: FieldType = FieldType.TEXT
    parts: tuple[TableField, ...] = ()
    lists: int = 0

    @property
    def type_name(self) -> str:
        """The type in words, such as `list of text`."""
        return "list of " * self.lists + ("records" if self.parts and self.lists else self.type.value)

    def arrow(self) -> pyarrow.DataType:
        """The type of the values in Arrow and Parquet."""
        import pyarrow as pa

        plain = {
            FieldType.TEXT: pa.string(),
            FieldType.INTEGER: pa.int64(),
            FieldType.SHORT: pa.int32(),
            FieldType.NUMBER: pa.float64(),
        }
        value = pa.struct([(part.name, part.arrow()) for part in self.parts]) if self.parts else plain[self.type]
        for _ in range(self.lists):
            value = pa.list_(value)
        return value


@dataclass(frozen=True, slots=True)
class TableSchema:
    """The columns of a table. `name`: of the configuration of the data set; `folder`: of its files."""

    name: str
    folder: str
    title: str
    columns: tuple[TableField, ...]

    def arrow(self) -> pyarrow.Schema:
        """The schema in Arrow and Parquet."""
        import pyarrow as pa

        return pa.schema([(column.name, column.arrow()) for column in self.columns])


def documented(columns: Sequence[TableField], within: str = "") -> Iterator[tuple[str, str, str]]:
    """Name, type and meaning of each column and of its parts, such as `entities.text`; those without meaning not."""
    for column in columns:
        name = f"{within}{column.name}"
        if column.meaning:
            yield name, column.type_name, column.meaning
        yield from documented(column.parts, f"{name}.")


def as_row(columns: Sequence[TableField], values: Sequence[Any]) -> dict[str, Any]:
    """A row from its values in the order of the columns."""
    return {column.name: value for column, value in zip(columns, values, strict=True)}
