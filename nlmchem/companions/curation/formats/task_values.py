"""The JSON values of a file of tasks: a list, JSON lines, or a single task, whatever the editor or a script wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO

from corpora.errors import DAMAGE, InputError, damage

MAX_FILE = 1 << 26
"""Bytes of a file of tasks, which is read as a whole."""
_DECODER = json.JSONDecoder()
_GAP = re.compile(r"[\s,]*")
_LIST = re.compile(r"[\s,]*\[")
_KEY = re.compile(r'"([A-Za-z_]+)"\s*:')


def loaded(stream: BinaryIO) -> bytes:
    """The content of a file of tasks. Raises `InputError` for one that is too large."""
    blocks = iter(lambda: stream.read(1 << 16), b"")
    content = b"".join(islice(blocks, (MAX_FILE >> 16) + 1))
    if len(content) > MAX_FILE:
        raise InputError(f"it is larger than {MAX_FILE >> 20} MB; export fewer tasks into a file")
    return content.removeprefix(b"\xef\xbb\xbf")


def values(stream: BinaryIO) -> Iterator[Any]:
    """The tasks of a file: the values of each list in it, and each other value. Raises `InputError`."""
    try:
        text = loaded(stream).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start} is not UTF-8; export the tasks again") from error
    place = _after_gap(text, 0)
    while place < len(text):
        try:
            value, place = _DECODER.raw_decode(text, place)
        except DAMAGE as error:
            raise InputError(f"it is not JSON ({damage(error)}); export the tasks again") from error
        yield from value if isinstance(value, list) else [value]
        place = _after_gap(text, place)


def first_values(head: bytes) -> list[dict[str, Any]]:
    """The first tasks of a file that begins with `head`, if all are JSON objects.

    Of a first task that is longer than `head`, its keys, with what regions have as values.
    """
    text = head.decode("utf-8", "ignore")
    opening = _LIST.match(text)
    start = place = _after_gap(text, 0 if opening is None else opening.end())
    found: list[dict[str, Any]] = []
    while place < len(text) and text[place] == "{":
        try:
            value, place = _DECODER.raw_decode(text, place)
        except DAMAGE:
            break
        found.append(value)
        place = _after_gap(text, place)
    else:
        # After the last task is the end of the list, or nothing.
        return found if place >= len(text) or (text[place] == "]" and opening) else []
    is_whole = len(head) < 1 << 15
    if not found and not is_whole:
        return [{key: [{}] for key in _KEY.findall(text, start)}]
    return found


def _after_gap(text: str, place: int) -> int:
    match = _GAP.match(text, place)
    return place if match is None else match.end()
