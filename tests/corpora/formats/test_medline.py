"""MEDLINE/PubMed XML, as in the yearly files of NLM and in E-utilities."""

from __future__ import annotations

import io

import pytest

from corpora.errors import ArticleError, InputError
from corpora.formats import medline
from corpora.formats.header import Header
from corpora.model.document import index_terms
from corpora.model.metadata import article_ids
from corpora.model.passages import passage_text, section_type

CITATION = """<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">301</PMID>
<Article><ArticleTitle>Zinc and H<sub>2</sub>O in
  rats.</ArticleTitle><Abstract>
<AbstractText Label="AIM" NlmCategory="OBJECTIVE">We gave <i>zinc</i>.</AbstractText>
<AbstractText Label="RESULTS">Fever fell.</AbstractText></Abstract></Article>
<ChemicalList>
<Chemical><RegistryNumber>0</RegistryNumber><NameOfSubstance UI="D015032">Zinc</NameOfSubstance></Chemical>
<Chemical><RegistryNumber>0</RegistryNumber><NameOfSubstance UI="C056507">gefitinib</NameOfSubstance></Chemical>
</ChemicalList>
<MeshHeadingList><MeshHeading><DescriptorName UI="D015032" MajorTopicYN="Y">Zinc</DescriptorName></MeshHeading>
<MeshHeading><DescriptorName UI="D014867" MajorTopicYN="N">Water</DescriptorName></MeshHeading>
<MeshHeading><DescriptorName UI="D005334" MajorTopicYN="N">Fever</DescriptorName></MeshHeading></MeshHeadingList>
</MedlineCitation><PubmedData><ArticleIdList><ArticleId IdType="pubmed">301</ArticleId>
<ArticleId IdType="pmc">PMC91</ArticleId><ArticleId IdType="doi">10.1/z</ArticleId></ArticleIdList>
<ReferenceList><Reference><ArticleIdList><ArticleId IdType="pmc">PMC666</ArticleId></ArticleIdList></Reference>
</ReferenceList></PubmedData></PubmedArticle>"""
BARE = """<PubmedArticle><MedlineCitation><PMID>302</PMID><Article><ArticleTitle>Lead</ArticleTitle></Article>
</MedlineCitation></PubmedArticle>"""
HEAD = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle//EN" "x.dtd">"""


def xml(*parts: str) -> bytes:
    return f"{HEAD}<PubmedArticleSet>{''.join(parts)}</PubmedArticleSet>".encode()


def raws(raw: bytes, reports: list[str] | None = None) -> list[bytes]:
    return list(medline.split(io.BytesIO(raw), Header(), ([] if reports is None else reports).append))


def test_a_citation_is_title_and_labelled_abstract() -> None:
    [raw] = raws(xml(CITATION))
    document = medline.parse(raw, print)
    assert document.id == "301"
    assert article_ids(document) == {"pmid": "301", "pmc": "91", "doi": "10.1/z"}, "not those of its references"
    title, abstract = document.passages
    assert (title.offset, passage_text(title)) == (0, "Zinc and H2O in rats.")
    assert (abstract.offset, passage_text(abstract)) == (22, "AIM: We gave zinc. RESULTS: Fever fell.")
    assert [section_type(passage) for passage in document.passages] == ["TITLE", "ABSTRACT"]


def test_substances_are_index_terms_and_headings_are_not() -> None:
    [raw] = raws(xml(CITATION))
    substances = [("MESH:D015032", "Zinc"), ("MESH:C056507", "gefitinib")]
    assert [(term.identifier, term.entry_term) for term in index_terms(medline.parse(raw, print))] == substances


def test_a_citation_without_abstract_and_substances_is_read() -> None:
    [raw] = raws(xml(BARE))
    document = medline.parse(raw, print)
    assert [passage_text(passage) for passage in document.passages] == ["Lead"]
    assert list(index_terms(document)) == []


def test_citations_are_read_one_by_one_and_other_records_are_reported() -> None:
    reports: list[str] = []
    found = raws(
        xml(
            CITATION,
            "<PubmedBookArticle><x/></PubmedBookArticle>",
            BARE,
            "<DeleteCitation><PMID>9</PMID></DeleteCitation>",
        ),
        reports,
    )
    assert [medline.parse(raw, print).id for raw in found] == ["301", "302"]
    assert "1 citation is declared deleted" in reports[0]
    assert "1 book chapters were left out" in reports[1]


def test_citations_before_the_place_where_a_file_breaks_off_are_read() -> None:
    stream = medline.split(io.BytesIO(xml(CITATION, BARE)[:-60]), Header(), print)
    assert medline.parse(next(stream), print).id == "301"
    with pytest.raises(InputError, match="the XML ends too early"):
        list(stream)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b'<!DOCTYPE x [<!ENTITY a "b">]><PubmedArticleSet/>', "declares entities"),
        (b"<other/>", "its root is <other>"),
        (b"<PubmedArticleSet><PubmedArticle></PubmedArticleSet>", "the XML ends too early, at line 1"),
    ],
)
def test_other_files_than_medline_are_refused(raw: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        raws(raw)


def test_a_citation_without_pmid_fails_alone() -> None:
    with pytest.raises(ArticleError, match="has no PMID"):
        medline.parse(b"<PubmedArticle><MedlineCitation/></PubmedArticle>", print)
