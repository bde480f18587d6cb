"""Articles for tests of pages: passages and mentions in few words."""

from __future__ import annotations

from pathlib import Path

from bioc import BioCDocument, BioCPassage

from corpora.model.document import Evidence, add_mention, fresh_ids, set_identifiers
from corpora.writing import write
from nlmchem.report.articles import write_views


def passage(document: BioCDocument, text: str, section: str | None = None) -> BioCPassage:
    """Add a passage, one character after the end of the previous one."""
    added = BioCPassage()
    before = document.passages[-1] if document.passages else None
    added.offset = 0 if before is None else before.offset + len(before.text) + 1
    added.text = text
    if section:
        added.infons["section_type"] = section
    document.add_passage(added)
    return added


def mark(
    document: BioCDocument, where: BioCPassage, text: str, identifiers: str, evidence: Evidence | None = None
) -> None:
    """Add a mention at the first occurrence of `text`."""
    start = where.offset + where.text.index(text)
    mention = add_mention(
        where, [(start, start + len(text))], id=next(fresh_ids(document, "C")), annotator="test", score=0.5
    )
    set_identifiers(mention, identifiers.split(","), evidence)


def shown(document: BioCDocument, folder: Path, gold: BioCDocument | None = None) -> tuple[Path, list[str]]:
    """Write the page of a document; return its path and the reports."""
    source, standard, page = folder / "run.json", folder / "gold.json", folder / "page.html"
    write([document], source, "biocjson")
    if gold is not None:
        write([gold], standard, "biocjson")
    reports: list[str] = []
    write_views(str(source), page, None if gold is None else str(standard), lambda id, name: None, reports.append)
    return page, reports
