"""Small documents: `build.side(a=[...])` is a side with a document `a`, a list of passages with annotations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage

from nlmchem.evaluation.articles import ScoredArticle, Side, article

TEXT = "abcdefghijklmnopqrstuvwxyz0123456789"
"""Every passage has this text; the document's passages begin at 0, 100, 200, ..."""


class Build:
    """Builds what tests need; offsets of spans count from the passage's start."""

    text = TEXT

    def mention(
        self,
        *spans: tuple[int, int],
        id: str | None = None,
        type: str = "Chemical",
        text: str | None = None,
        sieve: str | None = None,
        score: float | None = None,
    ) -> dict[str, Any]:
        """An annotation of a passage at `spans`; its text is what stands there where none is given."""
        return {"spans": spans, "id": id, "type": type, "text": text, "sieve": sieve, "score": score}

    def term(self, id: str) -> dict[str, Any]:
        return self.mention(id=id, type="MeSH_Indexing_Chemical", text="")

    def document(self, name: str, *passages: Sequence[dict[str, Any]], text: str = TEXT) -> BioCDocument:
        document = BioCDocument()
        document.id = name
        for number, held in enumerate(passages):
            passage = BioCPassage()
            passage.offset = 100 * number
            passage.text = text
            document.add_passage(passage)
            for count, fields in enumerate(held):
                passage.add_annotation(self._annotation(passage, f"{number}.{count}", fields))
        return document

    def _annotation(self, passage: BioCPassage, name: str, fields: dict[str, Any]) -> BioCAnnotation:
        annotation = BioCAnnotation()
        annotation.id = name
        for start, end in fields["spans"]:
            annotation.add_location(BioCLocation(passage.offset + start, end - start))
        there = " ".join(passage.text[start:end] for start, end in fields["spans"])
        annotation.text = there if fields["text"] is None else fields["text"]
        annotation.infons = {"type": fields["type"]}
        for infon, value in (("identifier", fields["id"]), ("sieve", fields["sieve"]), ("score", fields["score"])):
            if value is not None:
                annotation.infons[infon] = str(value)
        return annotation

    def article(self, name: str, *passages: Sequence[dict[str, Any]]) -> ScoredArticle:
        return article(self.document(name, *passages))

    def side(self, name: str = "run", /, **documents: Sequence[Sequence[dict[str, Any]]]) -> Side:
        """`side("run", a=[[m1, m2], []])`: document a has two passages, the first with two annotations."""
        return Side(name, tuple(self.article(document, *passages) for document, passages in documents.items()))


@pytest.fixture(scope="session")
def build() -> Build:
    return Build()
