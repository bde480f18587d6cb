"""PubMed XML (`PubmedArticleSet`), as PubMed's "Send to" and E-utilities return it. It is only read.

Titles and abstracts, of books as well, become passages; keywords and all MeSH headings are kept
(`corpora.model.headings`). The elements are those of NLM's PubMed DTD.
"""

from __future__ import annotations

from functools import partial

from bioc import BioCDocument
from lxml import etree

from corpora.formats.format import Reader
from corpora.formats.medline import citation, loaded, sniff, split, text_of
from corpora.model.headings import Heading, add_headings
from corpora.model.mesh_ids import PREFIX
from corpora.model.metadata import set_keywords
from corpora.reporting import Report
from corpora.words.quantities import quantity


def parse(raw: bytes, report: Report) -> BioCDocument:
    """One citation. Reports headings that cannot be kept, because there is no text. Raises `ArticleError`."""
    article = loaded(raw)
    document = citation(article)
    set_keywords(document, [word for word in map(text_of, article.iterfind(".//KeywordList/Keyword")) if word])
    headings = headings_of(article)
    if not document.passages:
        number = quantity(len(headings), "MeSH heading was", "MeSH headings were")
        lost = f"; its {number} left out" if headings else ""
        report(f"document {document.id!r} has no title and no abstract{lost}")
    add_headings(document, headings)
    return document


def headings_of(article: etree._Element) -> list[Heading]:
    """The headings of a citation, then its substances and supplementary concepts that are no headings."""
    headings: dict[str, Heading] = {}
    for element in article.iterfind(".//MeshHeadingList/MeshHeading"):
        descriptor = element.find("DescriptorName")
        if descriptor is not None and descriptor.get("UI"):
            qualifiers = element.findall("QualifierName")
            major = any(part.get("MajorTopicYN") == "Y" for part in (descriptor, *qualifiers))
            _add(headings, descriptor, major, tuple(map(text_of, qualifiers)))
    for path in (".//ChemicalList/Chemical/NameOfSubstance", ".//SupplMeshList/SupplMeshName"):
        for name in article.iterfind(path):
            if name.get("UI"):
                _add(headings, name)
    return list(headings.values())


def _add(
    headings: dict[str, Heading], name: etree._Element, major: bool = False, qualifiers: tuple[str, ...] = ()
) -> None:
    identifier = f"{PREFIX}{name.get('UI')}"
    headings.setdefault(identifier, Heading(identifier, text_of(name), major, qualifiers))


READER = Reader(partial(split, with_books=True), parse, sniff)
