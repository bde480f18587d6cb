"""Small texts with the right answer, which was decided before they were annotated: what the default pipeline marks.

`texts.jsonl` has for each text its kind, its mentions in the order of the text with their identifiers (those of one
mention joined by `+`, alternatives by `|`, `?` for any), and texts that may be mentions as well.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nlmchem

ROWS = [json.loads(line) for line in Path(__file__).with_name("texts.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def articles() -> dict[str, Any]:
    texts = [row["text"] for row in ROWS]
    return dict(zip(texts, nlmchem.load().pipe(texts), strict=True))


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['kind']}: {row['text'][:40]!r}" for row in ROWS])
def test_the_mentions_of_a_text(row: dict[str, Any], articles: dict[str, Any]) -> None:
    marked = [
        (mention.text, "+".join(sorted(mention.identifiers)) or "-") for mention in articles[row["text"]].mentions
    ]
    wanted = row["mentions"]
    optional = {text for text in row["optional"] if text not in [text for text, _ in wanted]}
    found = [(text, identifiers) for text, identifiers in marked if text not in optional]
    assert [text for text, _ in found] == [text for text, _ in wanted]
    for (_, identifiers), (_, right) in zip(found, wanted, strict=True):
        assert {identifiers, "?"} & set(right.split("|"))
