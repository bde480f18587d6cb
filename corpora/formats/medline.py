"""Citations in MEDLINE/PubMed XML, with substances as index terms: gold data for indexing.

`corpora.formats.pubmed` reads the same files as articles to annotate.

The elements are those of NLM's PubMed DTD (`PubmedArticleSet`). `PMID`, `ArticleTitle`, `Abstract`, `ArticleIdList`,
`ChemicalList` and `MeshHeadingList` are read, the others are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from bioc import BioCDocument, BioCPassage
from lxml import etree

from corpora.errors import ArticleError, InputError
from corpora.formats.format import Reader
from corpora.formats.header import Header
from corpora.model.document import IndexTerm, add_index_term
from corpora.model.mesh_ids import PREFIX
from corpora.parsing.safe_xml import PARSER_OPTIONS, parse_fragment, refuse_entities, root_name
from corpora.reporting import Report

CHUNK = 1 << 16
_IDS = {"pubmed": "pmid", "pmc": "pmc", "doi": "doi"}


def sniff(head: bytes) -> bool:
    """Whether the root element is `PubmedArticleSet`."""
    return root_name(head) == "PubmedArticleSet"


def split(stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
    """The bytes of each `PubmedArticle`. Reports deleted citations and books.

    Raises `InputError` where the XML breaks off, after the citations before that place.
    """
    tags = ("PubmedArticle", "PubmedBookArticle", "DeleteCitation")
    parser = etree.XMLPullParser(events=("end",), tag=tags, **PARSER_OPTIONS)
    seen = books = 0
    first = True
    while chunk := stream.read(CHUNK):
        if first:
            refuse_entities(chunk)
            first = False
        fault = _feed(parser, chunk)
        for _, element in parser.read_events():
            if element.tag == "PubmedArticle":
                seen += 1
                yield etree.tostring(element, encoding="utf-8", with_tail=False)
            elif element.tag == "DeleteCitation":
                report(f"{len(element)} citations are declared deleted; remove them from what was read before")
            else:
                books += 1
            _forget(element)
        if fault is not None:
            raise InputError(explain(fault)) from fault
    try:
        root = parser.close()
    except etree.XMLSyntaxError as error:
        line = error.lineno or 1
        raise InputError(f"the XML ends too early, at line {line}: the file was cut off; get it again") from error
    if books:
        report(f"{books} book chapters were left out: they have no MeSH indexing")
    if not seen and root.tag != "PubmedArticleSet":
        raise InputError(f"it is not MEDLINE/PubMed XML: its root is <{root.tag}>; remove it from the input")


def parse(raw: bytes, report: Report) -> BioCDocument:
    """One citation as a document. Its substances (`ChemicalList`) become index terms. Raises `ArticleError`.

    The text of a structured abstract contains its labels (`METHODS: ...`), as in PubTator.
    """
    try:
        article = parse_fragment(raw)
    except etree.XMLSyntaxError as error:
        raise ArticleError(explain(error)) from error
    document = citation(article)
    terms = index_terms_of(article)
    if terms and not document.passages:
        raise ArticleError(f"citation {document.id} has index terms, but no title and no abstract; get the file again")
    for term in terms:
        add_index_term(document, term)
    return document


def citation(article: etree._Element) -> BioCDocument:
    """The ids, title and abstract of a citation. Raises `ArticleError` where it has no PMID."""
    pmid = (article.findtext(".//MedlineCitation/PMID") or "").strip()
    if not pmid:
        raise ArticleError("a citation has no PMID; get the file again")
    document = BioCDocument()
    document.id = pmid
    document.infons = {f"article-id_{kind}": value for kind, value in _ids(article, pmid).items()}
    title = text_of(article.find(".//Article/ArticleTitle"))
    abstract = " ".join(filter(None, map(_labelled, article.iterfind(".//Article/Abstract/AbstractText"))))
    offset = 0
    for text, section in ((title, "TITLE"), (abstract, "ABSTRACT")):
        if text:
            passage = BioCPassage()
            passage.offset, passage.text = offset, text
            passage.infons = {"section_type": section, "type": section.lower()}
            document.add_passage(passage)
        offset += len(text) + 1
    return document


def index_terms_of(article: etree._Element) -> list[IndexTerm]:
    """The substances of a citation, without duplicates."""
    found: dict[str, IndexTerm] = {}
    for name in article.iterfind(".//ChemicalList/Chemical/NameOfSubstance"):
        _add(found, name)
    return list(found.values())


def _add(found: dict[str, IndexTerm], name: etree._Element) -> None:
    if name.get("UI"):
        identifier = f"{PREFIX}{name.get('UI')}"
        found.setdefault(identifier, IndexTerm(identifier, text_of(name)))


def _ids(article: etree._Element, pmid: str) -> dict[str, str]:
    ids = {"pmid": pmid}
    # Not the ids of references, which are deeper in the tree.
    for element in article.iterfind("PubmedData/ArticleIdList/ArticleId"):
        kind = _IDS.get(element.get("IdType") or "")
        value = (element.text or "").strip()
        if kind is not None and value:
            ids.setdefault(kind, value.removeprefix("PMC") if kind == "pmc" else value)
    return ids


def _labelled(element: etree._Element) -> str:
    label, text = element.get("Label"), text_of(element)
    return f"{label}: {text}" if label and text else text


def text_of(element: etree._Element | None) -> str:
    """The text of an element and all elements in it, with single blanks."""
    return "" if element is None else " ".join("".join(element.itertext()).split())


def _feed(parser: etree.XMLPullParser, chunk: bytes) -> etree.XMLSyntaxError | None:
    try:
        parser.feed(chunk)
    except etree.XMLSyntaxError as error:
        return error
    return None


def _forget(element: etree._Element) -> None:
    parent = element.getparent()
    element.clear()
    if parent is not None:
        while element.getprevious() is not None:
            del parent[0]


def explain(fault: etree.XMLSyntaxError) -> str:
    """A fault of the XML in one sentence."""
    message = (fault.msg or str(fault)).partition(", line ")[0]
    return f"the XML is broken at line {fault.lineno or 1} ({message}); get the file again"


READER = Reader(split, parse, sniff)
