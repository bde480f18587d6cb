"""PubMed XML as articles: text, keywords and all MeSH headings, which are not index terms of ours."""

from __future__ import annotations

import io

import pytest

from corpora.errors import ArticleError
from corpora.formats import detection, pubmed
from corpora.formats.header import Header
from corpora.model.document import index_terms, mentions
from corpora.model.headings import Heading, headings
from corpora.model.metadata import keyword_list, keywords

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
