from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import pytest
from bioc import BioCDocument

from corpora.datasets.articles import article
from corpora.datasets.index_terms import add_index, index_of
from corpora.errors import InputError
from corpora.model.document import IndexTerm, add_index_term, index_terms

CITATION = """<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article><ArticleTitle>x</ArticleTitle></Article>
<ChemicalList>{chemicals}</ChemicalList></MedlineCitation></PubmedArticle>"""


def medline(path: Path, **citations: Sequence[str]) -> Path:
    parts = []
    for pmid, identifiers in citations.items():
        names = [f'<Chemical><NameOfSubstance UI="{ui}">name</NameOfSubstance></Chemical>' for ui in identifiers]
        parts.append(CITATION.format(pmid=pmid.removeprefix("p"), chemicals="".join(names)))
    path.write_bytes(gzip.compress(f"<PubmedArticleSet>{''.join(parts)}</PubmedArticleSet>".encode()))
    return path


def titled(id: str, **ids: str) -> BioCDocument:
    return article(id, [("A title", "TITLE", "title")], ids)


def test_index_terms_are_joined_by_pmid(tmp_path: Path) -> None:
    index = index_of([medline(tmp_path / "a.xml.gz", p1=["D015032"], p2=[], p3=["D1"])], wanted=frozenset("12"))
    assert sorted(index) == ["1", "2"], "only what is wanted is kept in memory"
    messages: list[str] = []
    by_own_id, by_infon, bare, unknown = add_index(
        [titled("1"), titled("9", pmid="1"), titled("2"), titled("7")], index, messages.append
    )
    for document in (by_own_id, by_infon):
        assert [(term.identifier, term.entry_term) for term in index_terms(document)] == [("MESH:D015032", "name")]
    assert list(index_terms(bare)) == [], "no substances is gold too"
    assert list(index_terms(unknown)) == []
    assert messages == ["1 document is not in the MEDLINE files and got no index terms (3 did)"]


def test_a_later_citation_replaces_an_earlier_one(tmp_path: Path) -> None:
    files = [medline(tmp_path / "a.xml.gz", p1=["D1"]), medline(tmp_path / "b.xml.gz", p1=["D2"])]
    assert [term.identifier for term in index_of(files)["1"]] == ["MESH:D2"]


def test_existing_index_terms_are_kept(tmp_path: Path) -> None:
    document = titled("1")
    add_index_term(document, IndexTerm("MESH:D9", "kept"))
    messages: list[str] = []
    [document] = add_index([document], {"1": (IndexTerm("MESH:D1"),)}, messages.append)
    assert [term.identifier for term in index_terms(document)] == ["MESH:D9"]
    assert messages == ["1 document had index terms and kept them"]


def test_a_broken_medline_file_is_reported_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "cut.xml"
    path.write_text("<PubmedArticleSet><PubmedArticle>")
    with pytest.raises(InputError, match=r"cut\.xml: the XML ends too early"):
        index_of([path])
