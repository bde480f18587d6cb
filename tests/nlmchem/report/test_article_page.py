"""`nlmchem view`: pages of articles, as files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from bioc import BioCDocument, BioCPassage
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree, html
from page_articles import mark, passage, shown

from corpora.errors import ConfigurationError
from corpora.model.document import (
    Evidence,
    IndexTerm,
    add_index_term,
    add_mention,
    index_terms,
    set_identifiers,
)
from corpora.writing import write
from nlmchem.evaluation.articles import article
from nlmchem.report.article import View, render
from nlmchem.report.articles import write_views
from nlmchem.report.pages import printable


def test_one_article_is_one_file(annotated: BioCDocument, tmp_path: Path) -> None:
    page, reports = shown(annotated, tmp_path)
    text = page.read_text("utf-8")
    assert reports == []
    assert text.startswith("<!DOCTYPE html>")
    # Nothing is loaded; addresses of MeSH are in links only.
    assert not re.search(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=", text)
    policy = html.document_fromstring(text).xpath("string(//meta[@http-equiv='Content-Security-Policy']/@content)")
    assert policy.startswith("default-src 'none'")
    assert not list(tmp_path.glob("page/*"))


def test_several_articles_have_an_index(annotated: BioCDocument, hostile: BioCDocument, tmp_path: Path) -> None:
    write([annotated, hostile, annotated], tmp_path / "run.json", "biocjson")
    written = write_views(str(tmp_path / "run.json"), tmp_path / "out", None, lambda id, name: None, print)
    assert len(written) == 3
    pages = sorted(path.name for path in (tmp_path / "out" / "articles").glob("*.html"))
    # Two documents with one id have different files; a hostile id does not leave the folder.
    assert pages[:2] == ["77-2.html", "77.html"]
    assert len(pages) == 4
    assert "concepts.html" in pages
    assert all(re.fullmatch(r"[A-Za-z0-9_-]+\.html", name) for name in pages)
    assert (tmp_path / "out" / "index.html").read_text("utf-8").count("<tr>") == 4


def test_the_suffix_of_another_kind_of_file_is_refused(annotated: BioCDocument, tmp_path: Path) -> None:
    write([annotated], tmp_path / "run.json", "biocjson")
    with pytest.raises(ConfigurationError, match=r"page.pdf would contain HTML; name it page.html, or name a folder"):
        write_views(str(tmp_path / "run.json"), tmp_path / "page.pdf", None, lambda id, name: None, print)
    assert not (tmp_path / "page.pdf").exists()


@given(st.text(), st.text(), st.text())
@settings(max_examples=60, deadline=None)
def test_a_parsed_page_contains_exactly_the_text_of_the_article(text: str, name: str, title: str) -> None:
    """Any text, marked from its first to its last character, is text and attribute values after parsing."""
    document = BioCDocument()
    document.id = f"id {title}"
    where = BioCPassage()
    where.offset, where.text = 0, f"<b>&{text}"
    where.infons["section_type"] = "TITLE"
    document.add_passage(where)
    mention = add_mention(where, [(0, len(where.text))], id="C1", annotator="test")
    set_identifiers(mention, ["MESH:D1"], Evidence(f"</script>{name}", 1.0, f"'\"{name}"))
    add_index_term(document, IndexTerm("MESH:D1", f"<i>{name}", 0.5))
    page, _ = render(View(article(document), tuple(index_terms(document))), lambda id, matched: None)
    tree = html.document_fromstring(page)
    tags = {element.tag for element in tree.iter(etree.Element)}
    assert tags <= {
        "html", "head", "meta", "title", "style", "body", "a", "header", "h1", "h2", "p", "b", "br", "div", "aside",
        "section", "ol", "ul", "li", "span", "label", "input", "button", "main", "script", "details", "summary", "nav",
        "select", "option",
    }  # fmt: skip
    assert len(tree.xpath("//script")) == 2
    assert len(tree.xpath("//b")) == 1
    # The HTML parser turns line ends into \n.
    expected = printable(where.text).replace("\r\n", "\n").replace("\r", "\n")
    [shown] = tree.xpath("//*[contains(@class, 'passage')]")
    assert shown.text_content().replace("\r\n", "\n").replace("\r", "\n") == expected
    data = json.loads(tree.xpath("string(//script[@id='data'])"))
    assert data["details"][0][2] == f"</script>{name}"


def test_the_number_of_the_pmcid_is_shown_with_pmc(annotated: BioCDocument, tmp_path: Path) -> None:
    annotated.passages[0].infons["article-id_pmc"] = "77"
    annotated.passages[0].infons["article-id_pmid"] = "78"
    tree = html.document_fromstring(shown(annotated, tmp_path)[0].read_text("utf-8"))
    text = " ".join(tree.xpath("string(//header)").split())
    assert "PMC77, PubMed 78. 7 mentions of 4 concepts." in text
    assert "Document 77" not in text


def test_one_is_singular(tmp_path: Path) -> None:
    document = BioCDocument()
    document.id = "1"
    mark(document, passage(document, "Zinc", "TITLE"), "Zinc", "MESH:D015032")
    assert "1 mention of 1 concept." in shown(document, tmp_path)[0].read_text("utf-8")


def test_an_article_without_mentions_has_no_filters(tmp_path: Path) -> None:
    document = BioCDocument()
    document.id = "1"
    passage(document, "Nothing", "TITLE")
    text = shown(document, tmp_path)[0].read_text("utf-8")
    assert "0 mentions of 0 concepts." in text
    assert 'id="section"' not in text


def test_no_article_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigurationError, match="no article found in"):
        write_views(str(tmp_path / "empty"), tmp_path / "page.html", None, lambda id, name: None, print)


def test_gold_that_differs_is_reported(annotated: BioCDocument, gold: BioCDocument, tmp_path: Path) -> None:
    gold.passages[2].text = "GSH was measured thrice."
    _, reports = shown(annotated, tmp_path, gold)
    assert len(reports) == 1
    assert "passage 3: the texts differ" in reports[0]


def test_an_article_missing_from_gold_is_shown_without_gold(
    annotated: BioCDocument, gold: BioCDocument, tmp_path: Path
) -> None:
    gold.id = "other"
    page, reports = shown(annotated, tmp_path, gold)
    assert "not in the gold standard" in reports[0]
    assert 'class="row' not in page.read_text("utf-8")


def test_the_preferred_name_is_shown_instead_of_the_text(annotated: BioCDocument, tmp_path: Path) -> None:
    write([annotated], tmp_path / "run.json", "biocjson")
    names = {"MESH:D015032": "Zinc, preferred", "MESH:D005978": "not used: the index term states a name"}
    write_views(str(tmp_path / "run.json"), tmp_path / "page.html", None, lambda id, name: names.get(id), print)
    text = (tmp_path / "page.html").read_text("utf-8")
    assert "Zinc, preferred" in text
    assert "Glutathione <span" in text


def test_a_page_shows_at_most_fifty_mentions_around_one_place(tmp_path: Path) -> None:
    document, passage = BioCDocument(), BioCPassage()
    document.id, passage.offset, passage.text = "1", 0, "a" * 1000
    document.add_passage(passage)
    for depth in range(200):
        add_mention(passage, [(depth, 1000 - depth)], id=f"M{depth}", annotator=None)
    write([document], tmp_path / "run.json", "biocjson")
    messages: list[str] = []
    run, page = str(tmp_path / "run.json"), tmp_path / "page.html"
    written = write_views(run, page, None, lambda id, name: None, messages.append)
    assert messages == ["document '1': 150 mentions are nested too deep to be shown"]
    assert written.entries[0].summary.mentions == 50
