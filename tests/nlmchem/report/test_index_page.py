"""The index page of `nlmchem view`: one row for each article; beside a gold standard the worst first."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCDocument
from lxml import html

from corpora.writing import write
from nlmchem.report.articles import write_views


@pytest.fixture
def index(annotated: BioCDocument, gold: BioCDocument, tmp_path: Path) -> Path:
    """Three articles: equal to gold, different from gold, and not in gold."""
    right, unknown = deepcopy(gold), deepcopy(annotated)
    right.id, unknown.id = "right", "unknown"
    write([unknown, right, annotated], tmp_path / "run.json", "biocjson")
    standard = deepcopy(gold)
    standard.id = "right"
    write([gold, standard], tmp_path / "gold.json", "biocjson")
    reports: list[str] = []
    write_views(
        str(tmp_path / "run.json"), tmp_path / "out", str(tmp_path / "gold.json"), lambda i, n: None, reports.append
    )
    assert len(reports) == 1
    return tmp_path / "out" / "index.html"


def rows(page: Path) -> list[dict[str, str]]:
    tree = html.document_fromstring(page.read_text("utf-8"))
    [table] = tree.xpath("//*[@id='filtered']//table")
    head = [cell.text_content() for cell in table.xpath("./thead/tr/th")]
    return [dict(zip(head, (cell.text_content() for cell in row), strict=True)) for row in table.xpath("./tbody/tr")]


def test_the_worst_article_is_first_and_one_without_gold_is_last(index: Path) -> None:
    found = rows(index)
    assert [(row["Document"], row["F1, mentions"]) for row in found] == [
        ("77", "0.3636"), ("right", "1.0000"), ("unknown", ""),
    ]  # fmt: skip
    assert (found[0]["Missed"], found[0]["False"]) == ("2", "5")
    assert found[1]["F1, concepts"] == found[1]["F1, index terms"] == "1.0000"


def test_the_scores_of_all_articles_together_are_above(index: Path) -> None:
    tree = html.document_fromstring(index.read_text("utf-8"))
    cells = [cell.text_content() for cell in tree.xpath("(//table)[1]/tbody/tr[1]/*")]
    # 2 of 4 and 4 of 4 gold mentions are found; 2 of 7 and 4 of 4 predicted mentions are right.
    assert cells == ["Mentions", "0.6316", "0.5455", "0.7500", "8", "2", "5"]


def test_what_the_gold_standard_does_not_contain_is_not_scored(
    annotated: BioCDocument, gold: BioCDocument, tmp_path: Path
) -> None:
    for passage in gold.passages:
        passage.annotations[:] = [one for one in passage.annotations if one.locations]
        for annotation in passage.annotations:
            del annotation.infons["identifier"]
    write([annotated, annotated], tmp_path / "run.json", "biocjson")
    write([gold], tmp_path / "gold.json", "biocjson")
    write_views(str(tmp_path / "run.json"), tmp_path / "out", str(tmp_path / "gold.json"), lambda i, n: None, print)
    [head] = {tuple(row) for row in rows(tmp_path / "out" / "index.html")}
    assert [name for name in head if name.startswith("F1")] == ["F1, mentions"]


def test_of_two_gold_articles_with_one_id_the_one_with_the_same_text_is_compared(
    gold: BioCDocument, tmp_path: Path
) -> None:
    other = deepcopy(gold)
    for passage in other.passages:
        passage.text, passage.annotations = "other text", []
    write([gold, other], tmp_path / "gold.json", "biocjson")
    for order in ([gold, other], [other, gold]):
        write(order, tmp_path / "run.json", "biocjson")
        write_views(str(tmp_path / "run.json"), tmp_path / "out", str(tmp_path / "gold.json"), lambda i, n: None, print)
        assert sorted(row["F1, mentions"] for row in rows(tmp_path / "out" / "index.html")) == ["", "1.0000"]


def test_all_columns_are_on_a_screen_of_1280_pixels(browser: Any, index: Path) -> None:
    # The ids of PubMed Central have eleven characters.
    index.write_text(index.read_text("utf-8").replace(">unknown<", ">PMC99900002<"), "utf-8")
    browser.open(index)
    browser.size(1280, 900)
    wide = "const e = document.querySelector('.sortable').closest('.wide'); return [e.scrollWidth, e.clientWidth]"
    needed, there = browser.run(wide)
    assert needed <= there


def test_a_click_on_a_heading_sorts(browser: Any, index: Path) -> None:
    browser.open(index)
    first = "return Array.from(document.querySelectorAll('#filtered tbody th')).map(e => e.textContent)"
    assert browser.run(first) == ["77", "right", "unknown"]
    assert browser.run("return document.querySelector('[aria-sort]').textContent") == "F1, mentions"
    browser.click("#filtered [aria-sort] button")
    assert browser.run(first) == ["right", "77", "unknown"]
    browser.click("#filtered thead th:nth-child(1) button")
    assert browser.run(first) == ["77", "right", "unknown"]
    browser.click("#filtered tbody a")
    assert browser.text("header").lstrip().startswith("All articles")
    browser.click("header a")
    assert browser.text("h1") == "3 articles"


def test_an_article_is_found_by_typing(browser: Any, index: Path) -> None:
    browser.open(index)
    browser.type("#search", "righ")
    assert browser.shown("#filtered tbody th") == ["right"]
    assert browser.text("#shown") == "1 row"


def test_a_long_title_ends_in_an_ellipsis_and_the_folder_is_named(annotated: BioCDocument, tmp_path: Path) -> None:
    annotated.passages[0].text = "Zinc and glutathione in yeast " + "x" * 300
    write([annotated, annotated], tmp_path / "run.json", "biocjson")
    written = write_views(str(tmp_path / "run.json"), tmp_path / "list.html", None, lambda i, n: None, print)
    assert written.folder == tmp_path / "list"
    title = rows(written.index)[0]["Title"]
    assert len(title) == 200
    assert title.endswith("x…")
    assert "in the folder <b>list</b> beside this file" in written.index.read_text("utf-8")
