"""The page of all concepts of several articles, and the links from article to article."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import pytest
from bioc import BioCDocument
from lxml import html

from corpora.writing import write
from nlmchem.report import articles
from nlmchem.report.article import PageConcept
from nlmchem.report.articles import write_views
from nlmchem.report.pages import Link


@pytest.fixture
def pages(annotated: BioCDocument, tmp_path: Path) -> Path:
    """The folder of the pages of three articles: `77`, `concepts` and `last`."""
    second, third = deepcopy(annotated), deepcopy(annotated)
    second.id, third.id = "concepts", "last"
    third.passages[0].annotations.clear()
    write([annotated, second, third], tmp_path / "run.json", "biocjson")
    write_views(str(tmp_path / "run.json"), tmp_path / "out.html", None, lambda id, name: None, print)
    return tmp_path / "out"


def links(page: Path) -> dict[str, str]:
    tree = html.document_fromstring(page.read_text("utf-8"))
    return {link.text_content(): link.get("href") for link in tree.xpath("//nav[@class='articles screen']/a")}


def test_an_article_leads_to_the_lists_and_to_its_neighbours(pages: Path) -> None:
    lists = {"All articles": "../out.html", "All concepts": "concepts.html"}
    assert links(pages / "77.html") == {**lists, "Next article": "concepts-2.html"}
    assert links(pages / "concepts-2.html") == {
        **lists, "Previous article": "77.html", "Next article": "last.html",
    }  # fmt: skip
    assert links(pages / "last.html") == {**lists, "Previous article": "concepts-2.html"}
    index = html.document_fromstring((pages.parent / "out.html").read_text("utf-8"))
    assert "out/concepts.html" in index.xpath("//a/@href")


def test_one_article_has_no_neighbours(annotated: BioCDocument, tmp_path: Path) -> None:
    write([annotated], tmp_path / "run.json", "biocjson")
    write_views(str(tmp_path / "run.json"), tmp_path / "out.html", None, lambda id, name: None, print)
    assert links(tmp_path / "out.html") == {}


def rows(pages: Path) -> list[dict[str, str]]:
    tree = html.document_fromstring((pages / "concepts.html").read_text("utf-8"))
    head = [cell.text_content() for cell in tree.xpath("//table/thead/tr/th")]
    return [
        dict(zip(head, (" ".join(cell.text_content().split()) for cell in row), strict=True))
        for row in tree.xpath("//table/tbody/tr")
    ]


def test_each_concept_has_its_counts_and_its_articles(pages: Path) -> None:
    found = rows(pages)
    counts = [(int(row["Articles"]), int(row["Mentions"])) for row in found]
    assert counts == sorted(counts, reverse=True)
    assert counts[0][0] >= 2
    tree = html.document_fromstring((pages / "concepts.html").read_text("utf-8"))
    for address in tree.xpath("//table//a/@href"):
        if address.startswith("https:"):
            continue
        page, _, element = address.partition("#")
        # It leads to the first mention of the concept there.
        assert html.document_fromstring((pages / page).read_text("utf-8")).get_element_by_id(element) is not None
    assert tree.xpath("//input[@id='search']")


def test_only_some_articles_of_a_frequent_concept_are_linked(pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = articles.RunConcepts()
    entry = PageConcept(1, "Zinc", "MESH:D015032", None, ("m0", "m1"))
    for number in range(articles.LINKED + 5):
        made.add(str(number), f"{number}.html", [entry])
    page = made.render(Link("All articles", "index.html"))
    assert page.count('.html#m0"') == articles.LINKED
    assert f'data-label="Articles">{articles.LINKED + 5}<' in page
