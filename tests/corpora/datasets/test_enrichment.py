"""Index terms from MEDLINE, sections from headings, ids against a lexicon's year."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import pytest
from bioc import BioCDocument

from corpora.datasets.building import article
from corpora.datasets.enrichment import IdentifierCheck, add_index, add_sections, check_identifiers, index_of
from corpora.errors import InputError
from corpora.model.document import (
    IndexTerm,
    add_index_term,
    add_mention,
    index_terms,
    mentions,
    section_type,
    set_identifiers,
)

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


# -- index terms --------------------------------------------------------------------------------


def test_index_terms_are_joined_by_pmid(tmp_path: Path) -> None:
    index = index_of([medline(tmp_path / "a.xml.gz", p1=["D015032"], p2=[], p3=["D1"])], wanted=frozenset("12"))
    assert sorted(index) == ["1", "2"], "only what is wanted is kept in memory"
    told: list[str] = []
    by_own_id, by_infon, bare, unknown = add_index(
        [titled("1"), titled("9", pmid="1"), titled("2"), titled("7")], index, told.append
    )
    for document in (by_own_id, by_infon):
        assert [(term.identifier, term.entry_term) for term in index_terms(document)] == [("MESH:D015032", "name")]
    assert list(index_terms(bare)) == [], "no substances is gold too"
    assert list(index_terms(unknown)) == []
    assert told == ["1 documents are not in the MEDLINE files and got no index terms (3 did)"]


def test_a_later_citation_replaces_an_earlier_one(tmp_path: Path) -> None:
    files = [medline(tmp_path / "a.xml.gz", p1=["D1"]), medline(tmp_path / "b.xml.gz", p1=["D2"])]
    assert [term.identifier for term in index_of(files)["1"]] == ["MESH:D2"]


def test_index_terms_that_are_there_stay(tmp_path: Path) -> None:
    document = titled("1")
    add_index_term(document, IndexTerm("MESH:D9", "kept"))
    told: list[str] = []
    [document] = add_index([document], {"1": (IndexTerm("MESH:D1"),)}, told.append)
    assert [term.identifier for term in index_terms(document)] == ["MESH:D9"]
    assert told == ["1 documents had index terms and kept them"]


def test_a_broken_medline_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cut.xml"
    path.write_text("<PubmedArticleSet><PubmedArticle>")
    with pytest.raises(InputError, match=r"cut\.xml: the XML ends too early"):
        index_of([path])


# -- sections -----------------------------------------------------------------------------------


def sections_of(*texts: str) -> list[str]:
    document = article("1", [(text, None, "paragraph") for text in texts])
    assert add_sections(document) == len(texts)
    return [str(section_type(passage)) for passage in document.passages]


def test_sections_follow_headings() -> None:
    texts = ("Zinc in rats", "Zinc was fed to rats.", "Introduction", "Rats are animals.", "2.1 Animals", "Ten rats.")
    assert sections_of(*texts) == ["TITLE", "ABSTRACT", "INTRO", "INTRO", "METHODS", "METHODS"]


def test_a_structured_abstract_ends_where_a_heading_comes_again() -> None:
    texts = ("Zinc", "Background", "Why.", "Methods", "How.", "Background", "Rats are.", "Methods", "Ten rats.")
    assert sections_of(*texts) == ["TITLE", *["ABSTRACT"] * 4, "INTRO", "INTRO", "METHODS", "METHODS"]


def test_an_abstract_may_have_its_own_heading() -> None:
    texts = ("Zinc", "Abstract", "Background", "Why.", "Results", "It fell.", "Background", "Rats are.")
    assert sections_of(*texts) == ["TITLE", *["ABSTRACT"] * 5, "INTRO", "INTRO"]


def test_an_unknown_heading_and_a_sentence_open_nothing() -> None:
    texts = ("Zinc", "An abstract.", "Results", "Rats with names", "Methods were good.", "Discussion", "So.")
    assert sections_of(*texts) == ["TITLE", "ABSTRACT", *["RESULTS"] * 3, "DISCUSS", "DISCUSS"]


def test_stated_sections_stay() -> None:
    document = article("1", [("Zinc", None, "front"), ("Fig. 1", "FIG", "fig"), ("Results", None, "paragraph")])
    assert add_sections(document) == 2
    assert [section_type(passage) for passage in document.passages] == ["TITLE", "FIG", "RESULTS"]


# -- ids ----------------------------------------------------------------------------------------


def with_ids(*identifiers: str) -> BioCDocument:
    document = titled("1")
    mention = add_mention(document.passages[0], [(0, 1)], id="0", annotator="gold")
    set_identifiers(mention, identifiers)
    return document


def test_ids_are_checked_against_a_lexicon_and_replaced() -> None:
    document = with_ids("MESH:C056507", "MESH:D015032", "MESH:D999999")
    check = IdentifierCheck()
    known = {"MESH:D015032", "MESH:D000093542", "MESH:C056507"}.__contains__
    check_identifiers(document, known, {"MESH:C056507": "MESH:D000093542"}, check, rewrite=True)
    [mention] = mentions(document)
    assert mention.identifiers == ("MESH:D000093542", "MESH:D015032", "MESH:D999999")
    replaced, unknown = check.sentences()
    assert replaced == (
        "1 of its ids (1 distinct) have been replaced, such as MESH:C056507 by MESH:D000093542 (1 times)"
    )
    assert unknown.startswith("1 of its ids (1 distinct) are not in the lexicon, such as MESH:D999999 (1 times)")


def test_without_rewriting_nothing_changes() -> None:
    document = with_ids("MESH:C056507")
    check_identifiers(document, lambda identifier: False, {"MESH:C056507": "MESH:D1"}, IdentifierCheck())
    assert next(mentions(document)).identifiers == ("MESH:C056507",)


def test_a_sound_corpus_has_nothing_to_say() -> None:
    check = IdentifierCheck()
    check_identifiers(with_ids("MESH:D1"), lambda identifier: True, {}, check)
    assert (check.known, check.sentences()) == (1, [])
