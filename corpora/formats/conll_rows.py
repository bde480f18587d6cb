"""The lines of a CoNLL file: which one is a token with its tag, which one a comment, and whether a file has them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

DOCUMENT_START = "-DOCSTART-"
TAG = re.compile(r"[BIESLUMW]-\S+|O(?:-\S+)?|[BIESLU]")
"""AIONER also has `O-TYPE`, for a token outside of all mentions of the type; BMEWO has M inside, W for one token."""
COMMENT = b"\x1f\n"
"""In the lines of an article, the place of a comment that was left out: the lines after it keep their numbers."""

_START = DOCUMENT_START.encode()
_BLANKS = re.compile("[ \t]+")
_NUMBER = re.compile(rb"^[ \t]*\d+[ \t]+", re.MULTILINE)
_HASHED = re.compile(rb"^#[^\n]*\n?", re.MULTILINE)
_NAMED = re.compile(rb"#+ *(?:newdoc +id|doc_?id|document_?id) *[=:] *([^\r\n]*[^\s])", re.I)
_LOOKED_AT = 1000
"""Lines of a file that show which columns it has."""
_FEW = 3
"""Lines without tabs, and columns."""
_SHARE = 0.75
"""Of the lines of a file, those that must have a tag: a bad line is reported with its number."""


def columns_of(line: str) -> list[str]:
    """The columns of a line, which are separated by tabs or else by blanks.

    Other characters that count as blanks are part of a token, such as the no-break space of `10 mM`.
    """
    line = line.rstrip("\r\n\t ")
    return [column.strip(" ") for column in (line.split("\t") if "\t" in line else _BLANKS.split(line.lstrip(" ")))]


def is_row(columns: list[str]) -> bool:
    """Whether the columns of a line are a token and its tag."""
    return len(columns) > 1 and bool(columns[0]) and TAG.fullmatch(columns[-1]) is not None


def without_comments(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a file (`line_ends.blocks_of`) with `COMMENT` in place of each comment.

    `# doc_id = 7` and `# newdoc id = 7` begin a document: they become lines `-DOCSTART- (7)`. A comment begins with
    `#`. So does a token such as `#`, which has a tag and as many columns as the other tokens.
    """
    before, blocks = _begun(blocks)
    first = next((line for line in before if line.strip() and not line.startswith((b"#", _START))), None)
    width, has_tabs = (0, False) if first is None else (len(_columns(first)), b"\t" in first)

    def replaced(match: re.Match[bytes]) -> bytes:
        line = match.group()
        if _is_token(line, width, has_tabs):
            return line
        named = _NAMED.match(line)
        return _START + b" (%s)\n" % named[1] if named else COMMENT

    return (_HASHED.sub(replaced, block) if b"#" in block else block for block in blocks)


def without_numbers(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a file, without the first column where it numbers the tokens of each sentence, as in CoNLL-U."""
    before, blocks = _begun(blocks)
    return (_NUMBER.sub(b"", block) for block in blocks) if _are_numbered(before) else blocks


def _begun(blocks: Iterable[bytes]) -> tuple[list[bytes], Iterator[bytes]]:
    """The first lines, and all blocks."""
    remaining = iter(blocks)
    before: list[bytes] = []
    number = 0
    while number < _LOOKED_AT and (block := next(remaining, b"")):
        before.append(block)
        number += block.count(b"\n")
    return b"".join(before).splitlines(keepends=True)[:_LOOKED_AT], chain(before, remaining)


def _are_numbered(lines: list[bytes]) -> bool:
    """Whether the tokens of each sentence are numbered from 0 or 1, and the next two columns are no offsets."""
    numbers: list[list[str]] = [[]]
    for line in lines:
        if not line.strip() or line == COMMENT or line.startswith(_START):
            numbers.append([])
            continue
        columns = _columns(line)
        if len(columns) < _FEW or (columns[1].isdigit() and columns[2].isdigit()):
            return False
        numbers[-1].append(columns[0])
    is_long = any(len(sentence) > 1 for sentence in numbers)
    starts = (all(_counts_from(first, sentence) for sentence in numbers) for first in (0, 1))
    return is_long and any(starts)


def _counts_from(first: int, sentence: Sequence[str]) -> bool:
    return all(number == str(at) for at, number in enumerate(sentence, first))


def sniff(head: bytes) -> bool:
    """Whether a file begins with `-DOCSTART-`, or its lines have tags in their last columns.

    A line that has none is reported when the file is read, if most of the others have one. Tags without a type are not
    enough in a file with other tags, or in a few lines without tabs, and neither is a single line without tabs.
    """
    if head.startswith(_START):
        return True
    lines = head.split(b"\n")
    # The last line of a head may be incomplete.
    complete = [line for line in lines[: max(1, len(lines) - 1)] if line.strip()]
    rows = [columns for line in complete if is_row(columns := _columns(line))]
    others = sum(not line.startswith(b"#") for line in complete) - sum(row[0][:1] != "#" for row in rows)
    if not rows or len(rows) < _SHARE * (len(rows) + others):
        return False
    has_types = any("-" in row[-1] for row in rows)
    if any(b"\t" in line for line in complete):
        return has_types or (not others and any(row[-1] == "O" for row in rows))
    # Sentences can end in words such as B-cell, but not all in tags, with the same number of words.
    same_width = len(set(map(len, rows))) == 1
    tags = {row[-1] for row in rows}
    bare = not others and len(rows) > _FEW and len(rows[0]) == 2 and "B" in tags
    return (has_types or bare) and len(rows) > 1 and same_width and "O" in tags


def _columns(line: bytes) -> list[str]:
    return columns_of(line.decode("utf-8", "surrogateescape"))


def _is_token(line: bytes, width: int, has_tabs: bool) -> bool:
    """Whether a line that begins with `#` is a token, as in a file whose lines have `width` columns (0: not known)."""
    columns = _columns(line)
    return is_row(columns) and (not width or (len(columns) == width and (b"\t" in line) == has_tabs))
