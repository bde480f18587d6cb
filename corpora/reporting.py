"""How readers, writers and commands report what they noticed: one plain sentence at a time.

Nothing is lost silently. Code that skips, repairs or cannot keep something calls its `Report` with one sentence:
what happened, where, and what to do. A test collects the sentences with `messages.append` of a list.
"""

from __future__ import annotations

import codecs
import io
import logging
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO, TypeAlias, cast

from corpora.errors import Text

# C0 and C1 control characters except tab and line feed, and marks that change the direction of text.
_FORMULA = re.compile(r"[=+@]|-(?!(\d+(\.\d+)?)?$)")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

_SYMBOLS = {"\x7f": "\u2421", **{chr(code): chr(0x2400 + code) for code in range(32)}}
_ENDLESS = re.compile(r"\S{4200,}")
"""Paths have at most 4,096 bytes."""
_BEGINNING = 100

Report = Callable[[str], None]
"""Receives one sentence."""

ElementPath: TypeAlias = tuple[Any, str, object]
"""A position in a document: the enclosing place (None: outermost), the kind of thing, and its name or offset."""


def log(sentence: str) -> None:
    """Log a warning with the logger `nlmchem`: the default of every function that takes a report."""
    logging.getLogger("nlmchem").warning(sentence)


def printable(text: str) -> str:
    """The text with control characters as escapes, and with the beginnings of words that are longer than any path.

    A file name can contain commands for a terminal, and an identifier can have a million characters.
    """
    text = _ENDLESS.sub(lambda match: f"{match[0][:_BEGINNING]}...", text)
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def visible(text: str) -> str:
    """The text with control characters as symbols: `␛` for escape, `\\u009b` where there is no symbol.

    The text of an article can contain commands for a terminal: to set its title, to clear it, to write the clipboard.
    """
    return _CONTROL.sub(lambda match: _SYMBOLS.get(match[0]) or f"\\u{ord(match[0]):04x}", text)


class Visible(io.BufferedIOBase):
    """A stream of bytes that a terminal shows: control characters are written as `visible` returns them.

    `owner`: what closes the stream when nobody has it any more.
    """

    def __init__(self, stream: BinaryIO, encoding: str = "utf-8", owner: object = None) -> None:
        self._stream, self._encoding, self._owner = stream, encoding, owner
        self._decode = codecs.getincrementaldecoder(encoding)("backslashreplace").decode

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._stream.fileno()

    def flush(self) -> None:
        self._stream.flush()

    def write(self, content: Any) -> int:
        text = visible(self._decode(bytes(content)))
        self._stream.write(text.encode(self._encoding, "backslashreplace"))
        return len(content)


def for_terminal(stream: BinaryIO) -> BinaryIO:
    """The stream, for a terminal one that shows control characters as symbols."""
    return cast(BinaryIO, Visible(stream)) if stream.isatty() else stream


def table_cell(text: str) -> str:
    """A text as one cell of a TSV table: each space, tab or line break is one blank, and it is no formula."""
    return no_formula(" ".join(text.split()))


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of a table whose first row is its head: the first column at the left, all others at the right."""
    first, *widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for label, *cells in rows:
        right = [cell.rjust(width) for cell, width in zip(cells, widths, strict=True)]
        yield "  ".join([label.ljust(first), *right]).rstrip()


def no_formula(cell: str) -> str:
    """A cell with a backslash in front where a spreadsheet program would compute it: `=1`, `+1`, `@A1`, `-2+3`.

    A negative number and a single `-` stay as they are.
    """
    return "\\" + cell if _FORMULA.match(cell) else cell


def ignore(sentence: str) -> None:
    """Discard a sentence: for input that is read a second time, after the first time has reported it."""


def prefixed(report: Report, where: object) -> Report:
    """A report that puts a place in front of each sentence: `corpus.zip, member a.xml: ...`."""
    return lambda sentence: report(Text(f"{where}: ", sentence))


def once(report: Report, most: int | None = None) -> Report:
    """A report that passes each different sentence on once, and no more than `most` of them."""
    seen: set[str] = set()

    def first_time(sentence: str) -> None:
        if sentence in seen or (most is not None and len(seen) > most):
            return
        seen.add(sentence)
        report(sentence if most is None or len(seen) <= most else f"only the first {most} notes are reported")

    return first_time


def describe(place: ElementPath) -> str:
    """A place in words: `document '7', passage at offset 12`. Readers build it only for a message."""
    around, what, name = place
    described = what if name is None else f"{what} {name!r}"
    return described if around is None else f"{describe(around)}, {described}"
