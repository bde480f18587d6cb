"""Writes small files in the published formats of corpora, and reads them as `open_corpus` does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bioc import BioCDocument

from corpora.datasets import open_corpus
from corpora.model.document import mentions
from corpora.model.invariant import check

PUBTATOR = (
    "101|t|Zinc in rats\n101|a|Zinc sulfate lowered fever.\n"
    "101\t0\t4\tZinc\tChemical\tD015032\n101\t13\t25\tZinc sulfate\tChemical\tD019287|D015032\n"
    "101\t34\t39\tfever\tDisease\t-1\n101\tCID\tD015032\tD005334\n\n"
)
"""One article with two chemicals and a disease."""


def put(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def read(name: str, folder: Path, split: str | None = None, reports: list[str] | None = None) -> list[Any]:
    messages = [] if reports is None else reports
    found = list(open_corpus(name, folder).read(split, messages.append))
    for item in found:
        if isinstance(item, BioCDocument):
            assert check(item) == [], "the invariant is held by every reader"
    if reports is None:
        assert messages == [], "nothing to report was expected"
    return found


def spans(document: BioCDocument, type: str | None = "Chemical") -> list[tuple[str, int, tuple[str, ...]]]:
    return [(mention.text, mention.spans[0][0], mention.identifiers) for mention in mentions(document, type)]
