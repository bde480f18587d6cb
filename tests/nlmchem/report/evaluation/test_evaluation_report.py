"""`nlmchem evaluate --report`: the page, the charts as files, and all errors in a table."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from bioc import BioCDocument
from command_line import invoke

pytest.importorskip("matplotlib", reason="reports need the extra report")

from corpora.errors import ConfigurationError
from corpora.model.hierarchy import Hierarchy
from corpora.writing import write
from nlmchem.evaluation.articles import Side, article
from nlmchem.evaluation.comparison import ScoringOptions, TrackTask, compare
from nlmchem.report.charts import Chart
from nlmchem.report.errors import error_lists
from nlmchem.report.evaluation_report import write_report

TREE = Hierarchy({"MESH:D015032": ["MESH:D008670"], "MESH:D005978": ["MESH:D010455"], "MESH:D000001": ["MESH:D010455"]})
RUN = "<b>run</b> & \"quoted\" <script>document.title='owned'</script>"


def written(
    task: TrackTask,
    gold: BioCDocument,
    annotated: BioCDocument,
    folder: Path,
    samples: int = 200,
    names: tuple[str, str] = (RUN, "other"),
) -> None:
    """Write a report of two runs: the prediction, and the gold standard itself."""
    runs = [Side(names[0], (article(annotated),)), Side(names[1], (article(gold),))]
    options = ScoringOptions(approximate=True, hierarchy=TREE, samples=samples)
    comparison = compare(task, Side("gold", (article(gold),)), runs, options, lambda sentence: None)
    write_report(comparison, folder, TREE, None)


@pytest.fixture
def no_png(monkeypatch: pytest.MonkeyPatch) -> None:
    """PNG files take most of the time of a report: tests of other things have empty ones."""
    monkeypatch.setattr(Chart, "png", lambda chart: b"")


@pytest.mark.parametrize("task", list(TrackTask))
def test_every_task_has_a_page_charts_and_a_table_of_errors(
    task: TrackTask, gold: BioCDocument, annotated: BioCDocument, tmp_path: Path
) -> None:
    written(task, gold, annotated, tmp_path)
    page = (tmp_path / "index.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    names = {path.stem for path in (tmp_path / "figures").glob("*.svg")}
    assert {"intervals-strict", "bootstrap-strict", "bootstrap-approximate", "precision-recall", "threshold-1"} <= names
    assert {path.stem for path in (tmp_path / "figures").glob("*.png")} == names
    for path in (tmp_path / "figures").glob("*.svg"):
        ElementTree.parse(path)
    with (tmp_path / "errors.tsv").open(encoding="utf-8", newline="") as stream:
        head, *rows = csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
    assert head[:3] == ["run", "list", "field_1"]
    assert rows
    assert {len(row) for row in rows} == {len(head)}
    assert all("=" in cell for row in rows for cell in row[2:] if cell)


@pytest.mark.usefixtures("no_png")
def test_the_report_is_the_same_every_time(gold: BioCDocument, annotated: BioCDocument, tmp_path: Path) -> None:
    for name in ("one", "two"):
        written(TrackTask.SPANS, gold, annotated, tmp_path / name)
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file())
    assert files
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_without_matplotlib_the_command_stops_before_any_work(
    gold: BioCDocument, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write([gold], tmp_path / "gold.xml")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    source = str(tmp_path / "gold.xml")
    result = invoke(["evaluate", "spans", source, source, "--report", str(tmp_path / "report")])
    assert isinstance(result.exception, ConfigurationError)
    expected = 'report needs the package matplotlib; install it: pip install "nlmchem[report]"'
    assert str(result.exception) == expected
    assert result.output == ""
    assert not (tmp_path / "report").exists()


@pytest.mark.usefixtures("no_png")
def test_without_bootstrap_runs_are_not_ranked(gold: BioCDocument, annotated: BioCDocument, tmp_path: Path) -> None:
    written(TrackTask.SPANS, gold, annotated, tmp_path, samples=0)
    page = (tmp_path / "index.html").read_text("utf-8")
    assert "Paired bootstrap" not in page
    assert not (tmp_path / "figures" / "bootstrap-strict.svg").exists()


@pytest.mark.usefixtures("no_png")
def test_errors_tsv_contains_all_errors(gold: BioCDocument, annotated: BioCDocument, tmp_path: Path) -> None:
    written(TrackTask.IDENTIFIERS, gold, annotated, tmp_path, names=("run", "other"))
    rows = [line.split("\t") for line in (tmp_path / "errors.tsv").read_text("utf-8").splitlines()]
    wrong = {row[2]: row[3:] for row in rows if row[:2] == ["run", "Wrong identifiers"]}
    # Gold has MESH:D005978 (glutathione) as well, by "GSH was", so it is not wrong.
    assert set(wrong) == {"Identifier=MESH:D012965", "Identifier=MESH:D010710"}
    missed = {row[2] for row in rows if row[:2] == ["run", "Missed identifiers"]}
    assert missed == {"Identifier=MESH:D000001", "Identifier=-"}
    assert not [row for row in rows if row[0] == "other" and row[1] in ("Wrong identifiers", "Missed identifiers")]


@pytest.mark.parametrize("tree", [TREE, None])
def test_distances_of_wrong_identifiers_need_a_hierarchy(
    gold: BioCDocument, annotated: BioCDocument, tree: Hierarchy | None
) -> None:
    sides = Side("gold", (article(gold),)), Side("run", (article(annotated),))
    comparison = compare(TrackTask.IDENTIFIERS, sides[0], [sides[1]], ScoringOptions(samples=0), lambda sentence: None)
    by_sieve = error_lists(comparison, comparison.results[0], tree, None)[0]
    assert ("Wrong, no path in the tree" in by_sieve.head) == (tree is not None)
    assert {len(row) for row in by_sieve.rows} == {len(by_sieve.head)}


# -- in the browser -----------------------------------------------------------------------------


@pytest.mark.usefixtures("no_png")
def test_without_scores_the_page_has_a_sentence_instead_of_curves(gold: BioCDocument, tmp_path: Path) -> None:
    for passage in gold.passages:
        for annotation in passage.annotations:
            annotation.infons.pop("score", None)
    written(TrackTask.SPANS, gold, gold, tmp_path)
    assert "No prediction has a score" in (tmp_path / "index.html").read_text("utf-8")


@pytest.mark.usefixtures("no_png")
def test_the_page_loads_nothing_and_its_policy_blocks_nothing(
    browser: Any, gold: BioCDocument, annotated: BioCDocument, tmp_path: Path
) -> None:
    written(TrackTask.SPANS, gold, annotated, tmp_path)
    browser.errors()
    browser.open(tmp_path / "index.html")
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    assert browser.errors() == []
    assert browser.count("figure svg") >= 6
    assert browser.run("return document.title") != "owned"
    assert "<script>" in browser.text("#scores-strict")


@pytest.mark.usefixtures("no_png")
def test_errors_are_found_by_typing_and_by_run(
    browser: Any, gold: BioCDocument, annotated: BioCDocument, tmp_path: Path
) -> None:
    written(TrackTask.SPANS, gold, annotated, tmp_path)
    browser.open(tmp_path / "index.html")
    every = len(browser.shown("#filtered tbody tr"))
    browser.type("#search", "gsh was")
    found = browser.shown("#filtered tbody tr")
    assert 0 < len(found) < every
    assert all("gsh was" in row.lower() for row in found)
    assert browser.text("#shown") == f"{len(found)} rows"
    browser.run("const s = document.getElementById('run'); s.value = '2'; s.dispatchEvent(new Event('change'))")
    assert browser.shown("#filtered section[data-run='1'] h3") == []
    assert browser.shown("#filtered section[data-run='2'] h3") == ["other"]


@pytest.mark.usefixtures("no_png")
def test_links_of_the_contents_have_targets(
    browser: Any, gold: BioCDocument, annotated: BioCDocument, tmp_path: Path
) -> None:
    written(TrackTask.IDENTIFIERS, gold, annotated, tmp_path)
    browser.open(tmp_path / "index.html")
    script = "return Array.from(document.querySelectorAll('nav a')).filter(a => !document.querySelector(a.hash)).length"
    assert browser.count("nav a") == 5
    assert browser.run(script) == 0
    browser.click("nav a[href='#documents']")
    assert browser.run("return location.hash") == "#documents"


@pytest.mark.usefixtures("no_png")
def test_figures_follow_light_and_dark(
    browser: Any, gold: BioCDocument, annotated: BioCDocument, tmp_path: Path
) -> None:
    written(TrackTask.SPANS, gold, annotated, tmp_path)
    try:
        for scheme, color in (("light", "rgb(27, 31, 36)"), ("dark", "rgb(232, 234, 237)")):
            browser.scheme(scheme)
            browser.open(tmp_path / "index.html")
            assert browser.style("figure svg text.fill-ink", "fill") == browser.style("body", "color") == color
    finally:
        browser.scheme("light")
