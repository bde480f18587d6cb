"""The JSON values of a file that is read as a whole: the items of a list, one after another, or a single value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO

from corpora.errors import DAMAGE, InputError, damage

MAX_FILE = 1 << 26
"""Bytes of such a file."""
DECODER = json.JSONDecoder()
_GAP = re.compile(r"[\s,]*")


def values(stream: BinaryIO, remedy: str, smaller: str) -> Iterator[Any]:
    """The values of each list in a file, and each other value.

    Raises `InputError` with `remedy` for what is not JSON in UTF-8, with `smaller` for a file that is too large.
    """
    try:
        text = loaded(stream, smaller).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start} is not UTF-8; {remedy}") from error
    place = after_gap(text, 0)
    while place < len(text):
        try:
            value, place = DECODER.raw_decode(text, place)
        except DAMAGE as error:
            raise InputError(f"it is not JSON ({damage(error)}); {remedy}") from error
        yield from value if isinstance(value, list) else [value]
        place = after_gap(text, place)


def after_gap(text: str, place: int) -> int:
    """The place after blanks and commas."""
    match = _GAP.match(text, place)
    return place if match is None else match.end()


def loaded(stream: BinaryIO, smaller: str) -> bytes:
    """The content of a file, without byte order mark. Raises `InputError` for one that is too large."""
    blocks = iter(lambda: stream.read(1 << 16), b"")
    content = b"".join(islice(blocks, (MAX_FILE >> 16) + 1))
    if len(content) > MAX_FILE:
        raise InputError(f"it is larger than {MAX_FILE >> 20} MB; {smaller}")
    return content.removeprefix(b"\xef\xbb\xbf")
