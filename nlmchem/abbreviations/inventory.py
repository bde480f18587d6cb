"""The senses of short forms: long forms with the number of articles that define them.

Two file formats are read: tables (`.tsv`, `.tsv.gz`), which `write_inventory` writes, and the JSON of GLADIS (Chen et
al. 2023), which `nlmchem corpora dictionary` writes.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from corpora.datasets.acronyms import read_dictionary
from corpora.errors import Argument, InputError, ResourceError, Text, command
from corpora.storage.atomic import write_bytes
from corpora.words.quantities import quantity
from corpora.words.short_texts import cached

EMBEDDED = Path(__file__).with_name("dictionary.tsv.gz")
"""The dictionary that comes with the package: short and long forms that open articles define."""
HEADER = "# nlmchem senses 2"
COLUMNS = ("short_form", "long_form", "articles", "first_year", "last_year", "grade", "containing", "identifier")
REMEDY = Text(
    f"make one with {command('corpora dictionary ARTICLES -o FOLDER')}, or leave ", Argument("dictionary"), " out"
)
DEFINING = 5
"""An article that defines a sense counts as much as so many that contain its name."""
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class InventorySense:
    """A long form of a short form."""

    long_form: str
    articles: int
    """How many articles define it; 0 for a name of a concept that none defines so."""
    years: tuple[int, int] | None = None
    """Of the first and the last of them, if known."""
    row: int = -1
    """Its position in the context index."""
    grade: int = 0
    """How the letters of the short form are aligned with it, if it is a name of a concept: 1 with all words, 2 without
    articles and prepositions, 0 not so."""
    containing: int = 0
    """How many articles contain it, or define it."""
    identifier: str = ""
    """Of the concept, or empty."""

    @property
    def weight(self) -> int:
        """What the senses of a short form are ordered by."""
        return DEFINING * self.articles + self.containing


Names = Callable[[str], Iterable[InventorySense]]
"""Returns the names of concepts that a short form can mean, as senses."""


class Inventory:
    """Short forms with their senses, most frequent first. Equal frequencies are in sort order.

    The names of concepts (`names`) that a short form can mean are senses of it, too.
    """

    def __init__(self, senses: Mapping[str, tuple[InventorySense, ...]], names: Names | None = None) -> None:
        self._senses = senses
        self._names = names
        self._merged = cached(1 << 14)(self._with_names)

    def __len__(self) -> int:
        """The number of short forms that are defined in articles."""
        return len(self._senses)

    def with_names(self, names: Names) -> Inventory:
        """The same senses, and the names as senses."""
        return Inventory(self._senses, names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._senses)

    def __contains__(self, short_form: object) -> bool:
        return short_form in self._senses or bool(self.senses(str(short_form)))

    def senses(self, short_form: str) -> tuple[InventorySense, ...]:
        """The senses of a short form as written; empty if there is none."""
        return self._senses.get(short_form, ()) if self._names is None else self._merged(short_form)

    def _with_names(self, short_form: str) -> tuple[InventorySense, ...]:
        assert self._names is not None
        return tuple(sorted((*self._senses.get(short_form, ()), *self._names(short_form)), key=_order))

    def items(self) -> Iterable[tuple[str, tuple[InventorySense, ...]]]:
        """The short forms of the file and their defined senses, in the order of the file."""
        return self._senses.items()

    @classmethod
    def of(cls, rows: Iterable[tuple[str, InventorySense]]) -> Inventory:
        """An inventory of (short form, sense) in any order. The position of a sense in `rows` becomes its `row`."""
        by_form: dict[str, list[InventorySense]] = {}
        for row, (short, sense) in enumerate(rows):
            by_form.setdefault(short, []).append(replace(sense, row=row))
        return cls({short: tuple(sorted(senses, key=_order)) for short, senses in by_form.items()})


def _order(sense: InventorySense) -> tuple[int, int, str]:
    return -sense.weight, -sense.articles, sense.long_form


def read_inventory(path: Path) -> Inventory:
    """Read an inventory, in either format. Raises `ResourceError` if it is missing, damaged, or has wrong counts."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError as error:
        raise ResourceError(f"there is no dictionary of short forms at {path}; ", REMEDY) from error
    except OSError as error:
        raise ResourceError(f"cannot read the dictionary at {path} ({error.strerror}); ", REMEDY) from error
    try:
        text = (gzip.decompress(raw) if raw.startswith(_GZIP) else raw).decode("utf-8")
    except (EOFError, OSError, zlib.error, UnicodeDecodeError) as error:
        raise ResourceError(
            f"the dictionary at {path} is damaged or incomplete ({error}); get the file again"
        ) from error
    return Inventory.of(_rows_of_json(text, path) if text.lstrip().startswith("{") else _rows(text, path))


def _rows_of_json(text: str, path: Path) -> Iterator[tuple[str, InventorySense]]:
    try:
        dictionary = read_dictionary(text, path)
    except InputError as error:
        raise ResourceError(str(error)) from error
    for short, senses in dictionary.items():
        for sense in senses:
            count: object = sense.popularity
            if not isinstance(count, int) or isinstance(count, bool) or count < 1:
                raise _wrong_count(path, short, count)
            yield short, InventorySense(str(sense.long_form), count)


def _rows(text: str, path: Path) -> Iterator[tuple[str, InventorySense]]:
    lines = text.split("\n")
    if lines[0] != HEADER:
        raise ResourceError(f"{path} is not a dictionary of short forms: the first line is not {HEADER!r}; ", REMEDY)
    if lines[-1]:
        raise ResourceError(f"the dictionary at {path} ends inside a line; get the file again")
    for number, line in enumerate(lines[2:-1], 3):
        fields = line.split("\t")
        if len(fields) != len(COLUMNS):
            raise ResourceError(
                f"{path}, line {number}: {quantity(len(fields), 'column')} instead of {len(COLUMNS)}; "
                "get the file again"
            )
        short, long, articles, first, last, grade, containing, identifier = fields
        if not articles.isdecimal() or int(articles) < 1:
            raise _wrong_count(path, short, articles)
        years = (int(first), int(last)) if first.isdecimal() and last.isdecimal() else None
        named = [int(value) if value.isdecimal() else 0 for value in (grade, containing)]
        yield short, InventorySense(long, int(articles), years, -1, named[0], named[1], identifier)


def _wrong_count(path: Path, short: str, value: object) -> ResourceError:
    return ResourceError(
        f"{path}: a sense of {short!r} has the count {value!r}; counts are whole numbers from 1, correct the file"
    )


def dumps_inventory(rows: Iterable[tuple[str, InventorySense]]) -> bytes:
    """The table of (short form, sense), in the given order, compressed. The bytes depend on the rows only."""
    out = io.StringIO(newline="")
    out.write(f"{HEADER}\n" + "\t".join(COLUMNS) + "\n")
    for short, sense in rows:
        forms = [" ".join(form.split()) for form in (short, sense.long_form)]
        named = (sense.grade, sense.containing, sense.identifier)
        fields = (*forms, sense.articles, *(sense.years or ("", "")), *named)
        out.write("\t".join(map(str, fields)) + "\n")
    return gzip.compress(out.getvalue().encode("utf-8", "backslashreplace"), 9, mtime=0)


def write_inventory(path: Path, rows: Iterable[tuple[str, InventorySense]]) -> None:
    """Write the table of `dumps_inventory`. No partial file is left after an error."""
    write_bytes(path, dumps_inventory(rows))
