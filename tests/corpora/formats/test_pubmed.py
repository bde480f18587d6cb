"""PubMed XML as articles: text, keywords and all MeSH headings, which are not index terms of ours."""

from __future__ import annotations

import io

import pytest

from corpora.errors import ArticleError, InputError
from corpora.formats import detection, pubmed
from corpora.formats.format import Header
from corpora.model.document import index_terms, mentions
from corpora.model.metadata import Heading, article_ids, headings, keyword_list, keywords
from corpora.model.passages import passage_text, section_type

CITATION = """<PubmedArticle><MedlineCitation><PMID>301</PMID><Article><ArticleTitle>Zinc in <i>rice</i>.</ArticleTitle>
{abstract}</Article>
<ChemicalList><Chemical><NameOfSubstance UI="D015032">Zinc</NameOfSubstance></Chemical>
<Chemical><NameOfSubstance UI="C000002">zincolate</NameOfSubstance></Chemical></ChemicalList>
<MeshHeadingList><MeshHeading><DescriptorName UI="D015032" MajorTopicYN="N">Zinc</DescriptorName>
<QualifierName UI="Q000032" MajorTopicYN="Y">analysis</QualifierName></MeshHeading>
<MeshHeading><DescriptorName UI="D012275" MajorTopicYN="N">Oryza</DescriptorName></MeshHeading></MeshHeadingList>
<KeywordList><Keyword>soil</Keyword><Keyword>trace metals</Keyword></KeywordList>
</MedlineCitation></PubmedArticle>"""
ABSTRACT = '<Abstract><AbstractText Label="AIM">To measure zinc.</AbstractText></Abstract>'


def citation(text: str) -> bytes:
    file = f"<PubmedArticleSet>{text}</PubmedArticleSet>".encode()
    assert detection.sniff(file) == "pubmed"
    ((name, raw),) = detection.split(io.BytesIO(file), Header(), print)
    assert name == "pubmed"
    return raw


def test_text_keywords_and_headings_are_kept() -> None:
    document = pubmed.parse(citation(CITATION.format(abstract=ABSTRACT)), print)
    assert (document.id, [p.text for p in document.passages]) == ("301", ["Zinc in rice.", "AIM: To measure zinc."])
    assert keywords(document) == "soil trace metals"
    assert keyword_list(document) == ("soil", "trace metals")
    assert list(headings(document)) == [
        Heading("MESH:D015032", "Zinc", major=True, qualifiers=("analysis",)),
        Heading("MESH:D012275", "Oryza"),
        Heading("MESH:C000002", "zincolate"),
    ]
    # A run adds its own; those of NLM must not be taken for them.
    assert list(index_terms(document)) == list(mentions(document, None)) == []


def test_headings_of_a_citation_without_text_are_reported() -> None:
    messages: list[str] = []
    bare = CITATION.format(abstract="").replace("Zinc in <i>rice</i>.", "")
    document = pubmed.parse(citation(bare), messages.append)
    assert messages == ["document '301' has no title and no abstract; its 3 MeSH headings were left out"]
    assert not document.passages
    with pytest.raises(ArticleError, match="a citation has no PMID"):
        pubmed.parse(b"<PubmedArticle><MedlineCitation/></PubmedArticle>", print)


def texts(inside: str) -> list[tuple[str, str | None]]:
    raw = f"<PubmedArticle><MedlineCitation><PMID>7</PMID>{inside}</MedlineCitation></PubmedArticle>"
    document = pubmed.parse(citation(raw), print)
    return [(one.text, one.infons.get("lang")) for one in document.passages]


@pytest.mark.parametrize("title", ["[Not Available].", "[Not Available]", "Not available.", ""])
def test_a_missing_title_is_replaced_by_the_original_one(title: str) -> None:
    inside = "<VernacularTitle>Le zinc.</VernacularTitle><Language>fre</Language>"
    assert texts(f"<Article><ArticleTitle>{title}</ArticleTitle>{inside}</Article>") == [("Le zinc.", None)]
    both = texts(f"<Article><ArticleTitle>Zinc.</ArticleTitle>{inside}</Article>")
    assert both == [("Zinc.", None), ("Le zinc.", "fre")]


def test_all_abstracts_are_read_and_title_and_abstract_stay_first() -> None:
    other = '<OtherAbstract Type="Publisher" Language="spa"><AbstractText>Plomo.</AbstractText></OtherAbstract>'
    article = f"<Article><ArticleTitle>Zinc.</ArticleTitle>{ABSTRACT}</Article>"
    assert texts(article + other) == [("Zinc.", None), ("AIM: To measure zinc.", None), ("Plomo.", "spa")]


@pytest.mark.parametrize(
    "file",
    [
        "<PubmedArticle><MedlineCitation><PMID>7</PMID><Article><ArticleTitle>Zinc.</ArticleTitle></Article></MedlineCitation></PubmedArticle>",
        "<MedlineCitation><PMID>7</PMID><Article><ArticleTitle>Zinc.</ArticleTitle></Article></MedlineCitation>",
        "<PubmedBookArticle><BookDocument><PMID>7</PMID><Book><BookTitle>Zinc.</BookTitle></Book></BookDocument></PubmedBookArticle>",
    ],
)
def test_a_single_citation_is_a_file(file: str) -> None:
    assert detection.sniff(file.encode()) == "pubmed"
    ((_, raw),) = detection.split(io.BytesIO(file.encode()), Header(), print)
    document = pubmed.parse(raw, print)
    assert (document.id, [one.text for one in document.passages]) == ("7", ["Zinc."])


def test_one_broken_citation_does_not_end_the_others() -> None:
    good = CITATION.format(abstract="")
    file = f"<PubmedArticleSet>{good.replace('</i>', '')}{good.replace('301', '302')}</PubmedArticleSet>".encode()
    broken, other = (raw for _, raw in detection.split(io.BytesIO(file), Header(), print))
    with pytest.raises(ArticleError, match="citation 301: the XML is broken at line 1"):
        pubmed.parse(broken, print)
    assert pubmed.parse(other, print).id == "302"


def test_a_set_without_citations_is_reported() -> None:
    messages: list[str] = []
    assert list(detection.split(io.BytesIO(b"<PubmedArticleSet></PubmedArticleSet>"), Header(), messages.append)) == []
    assert messages == ["the file contains no citation"]


# -- MEDLINE/PubMed XML, as in the yearly files of NLM and in E-utilities.


INDEXED = """<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">301</PMID>
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
    return list(pubmed.split(io.BytesIO(raw), Header(), ([] if reports is None else reports).append))


def test_a_citation_is_title_and_labelled_abstract() -> None:
    [raw] = raws(xml(INDEXED))
    document = pubmed.parse_indexed(raw, print)
    assert document.id == "301"
    assert article_ids(document) == {"pmid": "301", "pmc": "91", "doi": "10.1/z"}, "not those of its references"
    title, abstract = document.passages
    assert (title.offset, passage_text(title)) == (0, "Zinc and H2O in rats.")
    assert (abstract.offset, passage_text(abstract)) == (22, "AIM: We gave zinc. RESULTS: Fever fell.")
    assert [section_type(passage) for passage in document.passages] == ["TITLE", "ABSTRACT"]


def test_substances_are_index_terms_and_headings_are_not() -> None:
    [raw] = raws(xml(INDEXED))
    substances = [("MESH:D015032", "Zinc"), ("MESH:C056507", "gefitinib")]
    assert [(term.identifier, term.entry_term) for term in index_terms(pubmed.parse_indexed(raw, print))] == substances


def test_a_citation_without_abstract_and_substances_is_read() -> None:
    [raw] = raws(xml(BARE))
    document = pubmed.parse_indexed(raw, print)
    assert [passage_text(passage) for passage in document.passages] == ["Lead"]
    assert list(index_terms(document)) == []


def test_citations_are_read_one_by_one_and_other_records_are_reported() -> None:
    reports: list[str] = []
    found = raws(
        xml(
            INDEXED,
            "<PubmedBookArticle><x/></PubmedBookArticle>",
            BARE,
            "<DeleteCitation><PMID>9</PMID></DeleteCitation>",
        ),
        reports,
    )
    assert [pubmed.parse_indexed(raw, print).id for raw in found] == ["301", "302"]
    assert "1 citation is declared deleted" in reports[0]
    assert "1 book chapters were left out" in reports[1]


def test_citations_before_the_place_where_a_file_breaks_off_are_read() -> None:
    stream = pubmed.split(io.BytesIO(xml(INDEXED, BARE)[:-60]), Header(), print)
    assert pubmed.parse_indexed(next(stream), print).id == "301"
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
        pubmed.parse_indexed(b"<PubmedArticle><MedlineCitation/></PubmedArticle>", print)
