"""A selection of two articles, and tiny models to learn from corrections (`tiny_models`)."""

from __future__ import annotations

from pathlib import Path

import pytest
from bioc import BioCDocument
from tiny_models import articles, make_model, one_thread

import corpora
from corpora.datasets.articles import article
from corpora.model.document import add_mention, set_identifiers
from corpora.reporting import ignore
from nlmchem.companions.curation.selection import Choice, write_selection

__all__ = ["articles", "make_model", "one_thread"]


def an_article(name: str) -> BioCDocument:
    """Astral characters, nested mentions, one of two pieces, a piece that is a mention, no concept, another type."""
    document = article(
        name, [("Zinc in 𝛼-carotene", "TITLE", "front"), ("Zinc,\ncopper ions; mice", None, "paragraph")]
    )
    title, text = document.passages
    start = text.offset
    marked = [
        (title, [(8, 18)], ["MESH:D2"], "Chemical"),
        (title, [(10, 18)], ["MESH:D002338"], "Chemical"),
        (text, [(start, start + 4), (start + 13, start + 17)], ["MESH:D3"], "Chemical"),
        (text, [(start, start + 4)], ["MESH:D2"], "Chemical"),
        (text, [(start + 6, start + 12)], [], "Chemical"),
        (text, [(start + 19, start + 23)], ["10090"], "Species"),
    ]
    for number, (passage, spans, identifiers, type) in enumerate(marked, 1):
        mention = add_mention(passage, spans, id=f"C{number}", annotator="nlmchem:x@1", score=0.6, type=type)
        set_identifiers(mention, identifiers)
    return document


@pytest.fixture
def selection(tmp_path: Path) -> Path:
    corpora.write([an_article("1"), an_article("2")], tmp_path / "run.xml")
    write_selection(tmp_path / "selection", [str(tmp_path / "run.xml")], Choice(4), ignore)
    return tmp_path / "selection"
