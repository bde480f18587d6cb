"""Passages with marked spans, written as text with « and »."""

from __future__ import annotations

import re

from bioc import BioCDocument, BioCPassage

from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan

__all__ = ["document_of", "marked", "shown"]


def marked(text: str, score: float = 0.9) -> PassageSpans:
    """A passage with spans between « and »."""
    spans: list[ScoredSpan] = []
    bare = ""
    for part in re.split("(«[^»]*»)", text):
        inside = part.strip("«»") if part.startswith("«") else part
        if part.startswith("«"):
            spans.append(ScoredSpan(len(bare), len(bare) + len(inside), score))
        bare += inside
    return PassageSpans(bare, (), spans)


def shown(passage: PassageSpans) -> str:
    """The text of a passage with its spans between « and »."""
    text = passage.text
    for span in sorted(passage.spans, key=lambda span: -span.start):
        text = f"{text[: span.start]}«{text[span.start : span.end]}»{text[span.end :]}"
    return text


def document_of(*passages: PassageSpans) -> BioCDocument:
    """A document with the texts of the passages and no annotations."""
    document, offset = BioCDocument(), 0
    for own in passages:
        document.add_passage(BioCPassage.of_text(own.text, offset))
        offset += len(own.text) + 1
    return document
