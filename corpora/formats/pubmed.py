"""MEDLINE/PubMed XML, as PubMed's "Send to" and E-utilities return it. It is only read.

A file follows NLM's PubMed DTD (`PubmedArticleSet`) or its older form (`MedlineCitationSet`), or is a single citation.
It is read in two ways. `READER`: articles to annotate, also of books; keywords and all MeSH headings are kept
(`corpora.model.metadata`). `INDEX_READER`: gold data for indexing, with substances as index terms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import BinaryIO

from bioc import BioCDocument, BioCPassage
from lxml import etree

from corpora.errors import ArticleError, InputError
from corpora.formats.format import Header, Reader
from corpora.model.document import IndexTerm, add_index_term
from corpora.model.mesh_ids import PREFIX
from corpora.model.metadata import Heading, add_headings, set_keywords
from corpora.parsing.inline_markup import is_label, is_line_of_its_own, mathml_text, raised_text
from corpora.parsing.safe_xml import (
    Cutter,
    cut_off,
    parse_fragment,
    reason,
    refuse_entities,
    require_one_kind,
    root_name,
    with_namespaces,
)
from corpora.reporting import Report
from corpora.words.quantities import quantity

CHUNK = 1 << 16
_ARTICLE, _BOOK, _CITATION, _DELETED = "PubmedArticle", "PubmedBookArticle", "MedlineCitation", "DeleteCitation"
_ROOTS = {"PubmedArticleSet", "PubmedBookArticleSet", "MedlineCitationSet", _ARTICLE, _BOOK, _CITATION}
_NO_TITLE = re.compile(r"\[?(?:not available|in process citation)\]?\.?", re.I)
_PMID = re.compile(rb"<PMID[^>]*>\s*(\d{1,12})\s*<")
_SUBSTANCES = ".//ChemicalList/Chemical/NameOfSubstance"
_IDS = {"pubmed": "pmid", "pmc": "pmc", "doi": "doi"}


def sniff(head: bytes) -> bool:
    """Whether the root element is one of PubMed: a set of citations, or one of them."""
    return root_name(head) in _ROOTS


def split(stream: BinaryIO, header: Header, report: Report, with_books: bool = False) -> Iterator[bytes]:
    """The bytes of each citation. Reports deleted citations, and books and their chapters unless they are wanted.

    A file may consist of several sets, one after another. Raises `InputError` where the XML breaks off, after the
    citations before that place.
    """
    head = stream.read(CHUNK)
    refuse_entities(head)
    root = root_name(head)
    if root not in _ROOTS:
        raise InputError(f"it is not MEDLINE/PubMed XML: its root is <{root}>; remove it from the input")
    names = (_CITATION,) if root in (_CITATION, "MedlineCitationSet") else (_ARTICLE, _BOOK, _DELETED)
    cutter = Cutter(stream, *names, head=head)
    seen = books = 0
    for raw in cutter.documents():
        kind = root_name(raw)
        if kind == _DELETED:
            report(
                f"{quantity(raw.count(b'<PMID'), 'citation is', 'citations are')} declared deleted; "
                "remove what was read of each before"
            )
        elif kind == _BOOK and not with_books:
            books += 1
        else:
            seen += 1
            yield with_namespaces(raw, cutter.before)
    if books:
        report(f"{books} book chapters were left out: they have no MeSH indexing")
    is_closed = f"</{root}".encode() in cutter.around or cutter.around.rstrip().endswith(b"/>")
    if cutter.cut_off or (root not in names and not is_closed):
        raise InputError(cut_off(cutter.lines))
    require_one_kind(cutter.around, *names)
    if not seen and not books:
        report("the file contains no citation")


def loaded(raw: bytes) -> etree._Element:
    """The element `PubmedArticle` or `PubmedBookArticle` of a citation. Raises `ArticleError`."""
    try:
        element = parse_fragment(raw)
    except etree.XMLSyntaxError as error:
        named = _PMID.search(raw)
        name = f"citation {named[1].decode()}: " if named else ""
        where = f"{name}the XML is broken at line {error.lineno or 1}"
        raise ArticleError(f"{where} ({reason(error)}); get the file again") from error
    if element.tag != _CITATION:
        return element
    article = etree.Element(_ARTICLE)
    article.append(element)
    return article


def parse_indexed(raw: bytes, report: Report) -> BioCDocument:
    """One citation as a document. Its substances (`ChemicalList`) become index terms. Raises `ArticleError`.

    The text of a structured abstract contains its labels (`METHODS: ...`), as in PubTator.
    """
    article = loaded(raw)
    document = citation(article)
    terms = index_terms_of(article)
    if terms and not document.passages:
        raise ArticleError(f"citation {document.id} has index terms, but no title and no abstract; get the file again")
    for term in terms:
        add_index_term(document, term)
    return document


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


def citation(article: etree._Element) -> BioCDocument:
    """The ids, titles and abstracts of a citation, or of a book or its chapter. Raises `ArticleError` without PMID.

    Title and abstract are the first two passages, in the layout of PubTator. The title in the original language and
    abstracts in other languages or of other kinds follow, with the infons `lang` and `abstract_type`; the headings of a
    book or chapter (its text is not in the file) stand before these abstracts.
    """
    book = article.find("BookDocument")
    around = article.find("MedlineCitation") if book is None else book
    pmid = ("" if around is None else around.findtext("PMID") or "").strip()
    if around is None or not pmid:
        raise ArticleError("a citation has no PMID; get the file again")
    document = BioCDocument()
    document.id = pmid
    ids = {"pmid": pmid}
    # Not the ids of references, which are deeper in the tree.
    places = ("PubmedData", "PubmedBookData", "BookDocument")
    for element in chain(*(article.iterfind(f"{place}/ArticleIdList/ArticleId") for place in places)):
        kind = _IDS.get(element.get("IdType") or "")
        value = (element.text or "").strip()
        if kind is not None and value:
            ids.setdefault(kind, value.removeprefix("PMC") if kind == "pmc" else value)
    document.infons = {f"article-id_{kind}": value for kind, value in ids.items()}
    offset = 0
    for text, infons in _texts(around, book is not None):
        if text:
            passage = BioCPassage.of_text(text, offset)
            passage.infons = infons
            document.add_passage(passage)
        offset += len(text) + 1
    return document


def _texts(around: etree._Element, is_book: bool) -> Iterator[tuple[str, dict[str, str]]]:
    """The texts of a citation with their infons."""
    body = around if is_book else around.find("Article")
    if body is None:
        return
    language = body.findtext("Language") or ""
    title, original = text_of(body.find("ArticleTitle")), text_of(body.find("VernacularTitle"))
    if is_book:
        whole = text_of(body.find("Book/BookTitle"))
        title, original = title or whole, original or (whole if title else "")
    if original and (not title or _NO_TITLE.fullmatch(title)):
        title, original = original, ""
    yield title, {"section_type": "TITLE", "type": "title"}
    abstracts = body.findall("Abstract")
    yield " ".join(filter(None, map(_abstract, abstracts[:1]))), {"section_type": "ABSTRACT", "type": "abstract"}
    if original:
        kind = {"type": "book_title"} if is_book else {"type": "trans_title", "lang": language}
        yield original, {"section_type": "TITLE", **{key: value for key, value in kind.items() if value}}
    for heading in body.iterfind("Sections//SectionTitle"):
        yield text_of(heading), {"type": "title_1"}
    for other in (*abstracts[1:], *around.iterfind("OtherAbstract")):
        facts = {"abstract_type": other.get("Type"), "lang": other.get("Language")}
        stated = {key: value for key, value in facts.items() if value}
        yield _abstract(other), {"section_type": "ABSTRACT", "type": "abstract", **stated}


def _abstract(element: etree._Element) -> str:
    texts = ((part.get("Label"), text_of(part)) for part in element.iterfind("AbstractText"))
    return " ".join(f"{label}: {text}" if label else text for label, text in texts if text)


def index_terms_of(article: etree._Element) -> list[IndexTerm]:
    """The substances of a citation, without duplicates."""
    terms: dict[str, IndexTerm] = {}
    for identifier, name in _named(article, _SUBSTANCES):
        terms.setdefault(identifier, IndexTerm(identifier, name))
    return list(terms.values())


def headings_of(article: etree._Element) -> list[Heading]:
    """The headings of a citation, then its substances and supplementary concepts that are no headings."""
    headings: dict[str, Heading] = {}
    for element in article.iterfind(".//MeshHeadingList/MeshHeading"):
        descriptor = element.find("DescriptorName")
        if descriptor is not None and descriptor.get("UI"):
            identifier = f"{PREFIX}{descriptor.get('UI')}"
            qualifiers = element.findall("QualifierName")
            major = any(part.get("MajorTopicYN") == "Y" for part in (descriptor, *qualifiers))
            qualified = tuple(map(text_of, qualifiers))
            headings.setdefault(identifier, Heading(identifier, text_of(descriptor), major, qualified))
    for path in (_SUBSTANCES, ".//SupplMeshList/SupplMeshName"):
        for identifier, name in _named(article, path):
            headings.setdefault(identifier, Heading(identifier, name))
    return list(headings.values())


def _named(article: etree._Element, path: str) -> Iterator[tuple[str, str]]:
    """The identifiers and names of the elements at a path that have an identifier."""
    for name in article.iterfind(path):
        if name.get("UI"):
            yield f"{PREFIX}{name.get('UI')}", text_of(name)


def text_of(element: etree._Element | None) -> str:
    """The text of an element and all elements in it, with single blanks. Formulas are texts as in JATS."""
    if element is None:
        return ""
    pieces: list[str] = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, node in walk:
        if event == "end":
            if node is not element:
                pieces += [" " if is_label(node) else "", node.tail or ""]
        elif node is not element and str(node.tag).rpartition("}")[2] == "math":
            pieces.append(mathml_text(node))
            walk.skip_subtree()
        elif node is not element and node.tag == "sup" and not len(node):
            pieces.append(raised_text("".join(pieces[-50:]), node.text or "", node.tail or ""))
        else:
            pieces += [" " if node is not element and is_line_of_its_own(node) else "", node.text or ""]
    return " ".join("".join(pieces).split())


READER = Reader(partial(split, with_books=True), parse, sniff)
INDEX_READER = Reader(split, parse_indexed, sniff)
