"""What is wrong with a damaged text or record is said in words, not in those of Python."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable

import pytest

from corpora.errors import DAMAGE, damage
from corpora.storage.cache import Record


def nested() -> object:
    return json.loads("[" * 200_000)


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (nested, "it is nested too deeply"),
        (lambda: json.loads("9" * 5000), "a number has too many digits"),
        (lambda: tomllib.loads("a = " + "9" * 5000), "a number has too many digits"),
        (lambda: int(json.loads("Infinity")), "a number is too large"),
        (lambda: int(json.loads("NaN")), "NaN is not a number"),
        (lambda: int("many"), "'many' is not a number"),
        (lambda: float("many"), "'many' is not a number"),
        (lambda: json.loads("{}")["id"], "'id' is missing"),
        (lambda: json.loads("[]")[0], "a list is too short"),
        (lambda: json.loads("[]")["id"], "a value has another type than expected"),
        (lambda: json.loads("[]").items(), "a value has another type than expected"),
        (lambda: Record(**json.loads('{"other": 1}')), "a value has another type than expected"),
        (lambda: json.loads(b'"\xff"'), "byte 1 is not UTF-8"),
        (lambda: json.loads("{1: 2}"), 'a key in "..." is missing, line 1, column 2'),
        (lambda: json.loads("[1\n 2]"), "a comma is missing, line 2, column 2"),
        (lambda: json.loads("{} {}"), "more text follows after the end, line 1, column 4"),
        (lambda: tomllib.loads("a"), "Expected '=' after a key in a key/value pair (at end of document)"),
        (lambda: json.loads("1")["a" * 500], "a value has another type than expected"),
    ],
)  # fmt: skip
def test_damage_in_words(read: Callable[[], object], words: str) -> None:
    with pytest.raises(DAMAGE) as caught:
        read()
    assert damage(caught.value) == words
