"""Errors in an evaluation report: each with its context, and with links to its place on the page of the article."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from bioc import BioCDocument
from lxml import html

pytest.importorskip("matplotlib", reason="reports need the extra report")

from nlmchem.evaluation.articles import Side, article
from nlmchem.evaluation.comparison import Comparison, ScoringOptions, TrackTask, compare
from nlmchem.report import evaluation_report
from nlmchem.report.charts import Chart
from nlmchem.report.errors import AROUND, error_lists
from nlmchem.report.evaluation_report import write_report


@pytest.fixture(autouse=True)
def no_png(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Chart, "png", lambda chart: b"")


def compared(task: TrackTask, gold: BioCDocument, *runs: BioCDocument) -> Comparison:
    sides = [Side(f"run {number}", (article(run),)) for number, run in enumerate(runs, 1)]
    return compare(task, Side("gold", (article(gold),)), sides, ScoringOptions(samples=0), lambda sentence: None)


def table(comparison: Comparison, caption: str) -> list[tuple[str, ...]]:
    [found] = [one for one in error_lists(comparison, comparison.results[0], None, None) if one.caption == caption]
    return list(found.rows)


def test_each_mention_that_is_wrong_has_its_context(annotated: BioCDocument, gold: BioCDocument) -> None:
    rows = table(compared(TrackTask.SPANS, gold, annotated), "Errors in their context")
    false = [
        ("77", "INTRO", "false", before, "", mention, after)
        for before, mention, after in (
            ("Yeast kept ", "glutathione", " (GSH) low while zinc was high. PBS was the buffer…"),
            ("Yeast kept glutathione (", "GSH", ") low while zinc was high. PBS was the buffer."),
            ("Yeast kept glutathione (GSH) low while ", "zinc", " was high. PBS was the buffer."),
            ("…t kept glutathione (GSH) low while zinc was high. ", "PBS", " was the buffer."),
        )
    ]
    assert rows[:4] == false
    assert all(len(row[3].strip("…")) <= AROUND >= len(row[6].strip("…")) for row in rows)
    assert rows[4:] == [
        ("77", "METHODS", "boundaries", "", "GSH was", "GSH", " measured twice."),
        ("77", "METHODS", "missed", "GSH was ", "measured", "", " twice."),
    ]


def test_an_identifier_has_an_example(annotated: BioCDocument, gold: BioCDocument) -> None:
    rows = table(compared(TrackTask.IDENTIFIERS, gold, annotated), "Wrong identifiers")
    assert rows[0][-2] == "…t kept glutathione (GSH) low while zinc was high. [PBS] was the buffer."


def test_links_lead_to_the_mentions(annotated: BioCDocument, gold: BioCDocument, tmp_path: Path) -> None:
    write_report(compared(TrackTask.SPANS, gold, annotated), tmp_path, None, None)
    tree = html.document_fromstring((tmp_path / "index.html").read_text("utf-8"))
    page = html.document_fromstring((tmp_path / "articles" / "77.html").read_text("utf-8"))
    seen = []
    for link in tree.xpath("//td/a[contains(@href, '#')]"):
        path, _, element = link.get("href").partition("#")
        assert path == "articles/77.html"
        assert page.get_element_by_id(element).text_content() == link.text_content()
        seen.append(element)
    assert seen == ["m2", "m3", "m4", "m5", "g2", "m6", "g3"]
    assert page.xpath("string(//header//a/@href)") == "../index.html"


@pytest.mark.parametrize("task", list(TrackTask))
def test_all_links_of_a_report_of_two_runs_have_targets(
    task: TrackTask, annotated: BioCDocument, gold: BioCDocument, tmp_path: Path
) -> None:
    write_report(compared(task, gold, annotated, gold), tmp_path, None, None)
    tree = html.document_fromstring((tmp_path / "index.html").read_text("utf-8"))
    links = [link.get("href") for link in tree.xpath("//tbody//a")]
    assert {link.partition("#")[0] for link in links} == {"articles/1/77.html", "articles/2/77.html"}
    for link in links:
        path, _, element = unquote(link).partition("#")
        page = html.document_fromstring((tmp_path / path).read_text("utf-8"))
        assert not element or element in page.xpath("//@id")


def test_documents_with_the_lowest_score_are_first(annotated: BioCDocument, gold: BioCDocument, tmp_path: Path) -> None:
    right, other = deepcopy(gold), deepcopy(gold)
    right.id = "11"
    sides = Side("gold", (article(right), article(other))), Side("run", (article(right), article(annotated)))
    comparison = compare(TrackTask.SPANS, sides[0], [sides[1]], ScoringOptions(samples=0), lambda sentence: None)
    write_report(comparison, tmp_path, None, None)
    tree = html.document_fromstring((tmp_path / "index.html").read_text("utf-8"))
    rows = [[cell.text_content() for cell in row] for row in tree.xpath("//table[@id='documents-strict']/tbody/tr")]
    assert rows == [["77", "0.3636"], ["11", "1.0000"]]


def test_many_articles_have_no_pages_and_a_sentence_names_the_way_out(
    annotated: BioCDocument, gold: BioCDocument, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation_report, "PAGES", 1)
    reports: list[str] = []
    write_report(compared(TrackTask.SPANS, gold, annotated, gold), tmp_path, None, None, reports.append)
    assert reports == [
        "the report has no pages of articles, because there would be 2; "
        "make those of a run with `nlmchem view RUN --gold GOLD -o FOLDER`"
    ]
    assert not (tmp_path / "articles").exists()
    tree = html.document_fromstring((tmp_path / "index.html").read_text("utf-8"))
    assert not tree.xpath("//tbody//a")


def test_a_click_on_an_error_shows_the_place_in_the_article(
    browser: Any, annotated: BioCDocument, gold: BioCDocument, tmp_path: Path
) -> None:
    write_report(compared(TrackTask.SPANS, gold, annotated), tmp_path, None, None)
    browser.open(tmp_path / "index.html")
    browser.click("a[href$='#g2']")
    assert browser.run("return document.querySelector(':target').textContent") == "GSH was"
    assert "overlap with different boundaries" in browser.text("#details")
    browser.click("#next-error")
    assert browser.text("#position") == "error 7 of 7"
    browser.click("header a")
    assert browser.text("h1") == "Spans: run 1"


def test_a_hostile_article_is_text_in_all_pages_of_a_report(
    browser: Any, hostile: BioCDocument, tmp_path: Path
) -> None:
    bare = deepcopy(hostile)
    for passage in bare.passages:
        passage.annotations[:] = []
        passage.relations[:] = []
    for task in (TrackTask.SPANS, TrackTask.IDENTIFIERS):
        write_report(compared(task, hostile, bare), tmp_path / task, None, None)
        browser.errors()
        browser.open(tmp_path / task / "index.html")
        assert browser.run("return document.title") != "owned"
        assert browser.count("img") == 0
        browser.click("tbody a")
        assert "articles/" in browser.run("return location.href")
        assert browser.run("return document.title") != "owned"
        assert browser.count("img") == 0
        assert browser.errors() == []
