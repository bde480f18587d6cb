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
