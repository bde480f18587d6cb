"""The JSON values of a file of tasks: a list, JSON lines, or a single task, whatever the editor or a script wrote."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from corpora.errors import DAMAGE
from corpora.parsing import json_documents
from corpora.parsing.json_documents import DECODER, after_gap

_SMALLER = "export fewer tasks into a file"
_LIST = re.compile(r"[\s,]*\[")
_KEY = re.compile(r'"([A-Za-z_]+)"\s*:')


def loaded(stream: BinaryIO) -> bytes:
    """The content of a file of tasks. Raises `InputError` for one that is too large."""
    return json_documents.loaded(stream, _SMALLER)


def values(stream: BinaryIO) -> Iterator[Any]:
    """The tasks of a file: the values of each list in it, and each other value. Raises `InputError`."""
    return json_documents.values(stream, "export the tasks again", _SMALLER)


def first_values(head: bytes) -> list[dict[str, Any]]:
    """The first tasks of a file that begins with `head`, if all are JSON objects.

    Of a first task that is longer than `head`, its keys, with what regions have as values.
    """
    text = head.decode("utf-8", "ignore")
    opening = _LIST.match(text)
    start = place = after_gap(text, 0 if opening is None else opening.end())
    tasks: list[dict[str, Any]] = []
    while place < len(text) and text[place] == "{":
        try:
            value, place = DECODER.raw_decode(text, place)
        except DAMAGE:
            break
        tasks.append(value)
        place = after_gap(text, place)
    else:
        # After the last task is the end of the list, or nothing.
        return tasks if place >= len(text) or (text[place] == "]" and opening) else []
    is_whole = len(head) < 1 << 15
    if not tasks and not is_whole:
        return [{key: [{}] for key in _KEY.findall(text, start)}]
    return tasks
