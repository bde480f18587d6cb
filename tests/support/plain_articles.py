"""Articles without annotations: passages in few words."""

from __future__ import annotations

from bioc import BioCDocument, BioCPassage


def plain_article(
    *texts: str | tuple[str, str], id: str = "1", start: int = 0, section: str | None = None
) -> BioCDocument:
    """Passages one after another, each a text, or (section type, text). `section`: of texts without a section type."""
    document = BioCDocument()
    document.id = id
    for each in texts:
        own, text = each if isinstance(each, tuple) else (section, each)
        passage = BioCPassage.of_text(text, start)
        if own is not None:
            passage.infons["section_type"] = own
        document.add_passage(passage)
        start += len(text) + 1
    return document
