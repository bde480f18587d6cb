"""A passage of a BioC document: its text, its section, and what PMC's BioC states about it.

The values are infons (`section_type`, `type`, `label`, `xml`) that PMC's BioC has as well.
"""

from __future__ import annotations

from bioc import BioCPassage

from corpora.errors import ArticleError


def passage_text(passage: BioCPassage) -> str:
    """The text of a passage. If only its sentences have text, their texts are joined, with blanks in the gaps.

    Raises `ArticleError` where sentences overlap.
    """
    if passage.text or not passage.sentences:
        return str(passage.text or "")
    pieces: list[str] = []
    reached = passage.offset
    for sentence in passage.sentences:
        gap = sentence.offset - reached
        if gap < 0:
            raise ArticleError(
                f"sentences overlap at offset {sentence.offset} of the passage at offset {passage.offset}; "
                "correct the sentence offsets, or give the passage its own text"
            )
        text = str(sentence.text or "")
        pieces += [" " * gap, text]
        reached = sentence.offset + len(text)
    return "".join(pieces)


def section_type(passage: BioCPassage) -> str | None:
    """The PMC section of a passage (`TITLE`, `ABSTRACT`, `METHODS` ...) as stated in the file, else None."""
    value = passage.infons.get("section_type")
    return str(value).upper() if value else None


def set_section_type(passage: BioCPassage, section: str) -> None:
    """State the section of a passage."""
    passage.infons["section_type"] = section


def passage_kind(passage: BioCPassage) -> str:
    """The kind of text as PMC's BioC states it (`front`, `title_1`, `paragraph`, `fig_caption` ...); empty for none."""
    return str(passage.infons.get("type") or "").lower()


def passage_label(passage: BioCPassage) -> str:
    """The label of a figure, table, formula, note or reference (`Figure 1`), which is not part of the text."""
    infons = passage.infons
    return str(infons.get("fn_label") or infons.get("label") or "")


def table_markup(passage: BioCPassage) -> str:
    """The table of the passage as XML, as PMC's BioC contains it; empty for none."""
    return str(passage.infons.get("xml") or "")
