"""Small annotated articles, and a lexicon of four concepts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest
from bioc import BioCDocument, BioCPassage

from corpora.model.document import add_mention, fresh_ids, set_identifiers

ZINC, COPPER, RUTIN, METALS = "MESH:D015032", "MESH:D003300", "MESH:D012431", "MESH:D008670"
ENZYMES = "MESH:D004798"
BRASS = "MESH:C000001"
"""A supplementary record that maps to copper, zinc, enzymes and a heading that the lexicon does not have."""
NAMES = {
    "zinc": ZINC, "Zn": ZINC, "copper": COPPER, "rutin": RUTIN, "metals": METALS, "enzymes": ENZYMES, "brass": BRASS,
}  # fmt: skip

Passages = Sequence[tuple[str | None, str]]


PREFERRED = {ZINC: "Zinc", COPPER: "Copper", RUTIN: "Rutin", METALS: "Metals", ENZYMES: "Enzymes", BRASS: "brass"}
TREES = {
    ZINC: ("D01.268.956", "D01.552.900"),
    COPPER: ("D01.268.556",),
    RUTIN: ("D02.241.500",),
    METALS: ("D01.552",),
    ENZYMES: ("D08.811",),
}


class SmallLexicon:
    """What an indexer asks of a lexicon, of four chemicals, one concept that is none, and a supplementary record."""

    def lookup(self, name: str) -> tuple[()]:
        return ()

    def preferred_name(self, identifier: str) -> str | None:
        return PREFERRED.get(identifier)

    def trees(self, identifier: str) -> tuple[str, ...]:
        return TREES.get(identifier, ())

    def parents(self, identifier: str) -> tuple[str, ...]:
        return (COPPER, ZINC, ENZYMES, "MESH:D999999") if identifier == BRASS else ()

    def translate(self, identifier: str) -> str | None:
        return identifier


@pytest.fixture
def lexicon() -> SmallLexicon:
    return SmallLexicon()


@pytest.fixture
def article() -> Callable[..., BioCDocument]:
    """An article of (section type or None, text); every word of `NAMES` in it is a mention."""

    def make(passages: Passages, id: str = "1", infons: Mapping[str, str] | None = None) -> BioCDocument:
        document = BioCDocument()
        document.id = id
        offset = 0
        for section, text in passages:
            passage = BioCPassage()
            passage.offset, passage.text = offset, text
            if section is not None:
                passage.infons["section_type"] = section
            document.add_passage(passage)
            offset += len(text) + 1
        if document.passages:
            document.passages[0].infons.update(infons or {})
        mark(document)
        return document

    return make


def mark(document: BioCDocument) -> None:
    ids = fresh_ids(document, "C")
    for passage in document.passages:
        place = 0
        for word in passage.text.split(" "):
            bare = word.strip(".,()")
            if bare in NAMES:
                start = passage.offset + place + word.index(bare)
                mention = add_mention(passage, [(start, start + len(bare))], id=next(ids), annotator="test")
                set_identifiers(mention, [NAMES[bare]])
            place += len(word) + 1


@pytest.fixture
def zinc_paper(article: Callable[..., BioCDocument]) -> BioCDocument:
    """About zinc; copper is a tool of its methods."""
    return article(
        [
            ("TITLE", "Uptake of zinc by roots"),
            ("ABSTRACT", "Roots take up zinc and more zinc."),
            ("METHODS", "Plates of copper were used. A copper wire held rutin ."),
            ("RESULTS", "We saw zinc in all roots."),
            ("REF", "Older work on zinc"),
        ]
    )
