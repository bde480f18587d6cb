"""Comparisons: checks of the input, joined documents, curves, and output as text, TSV and JSON."""

from __future__ import annotations

from typing import Any

import pytest

from corpora.errors import ConfigurationError
from corpora.model.hierarchy import Hierarchy
from nlmchem.evaluation.articles import Side, article, join
from nlmchem.evaluation.comparison import ScoringOptions, TrackTask, as_objects, as_table, as_text, compare, verify
from nlmchem.evaluation.curves import curve, run_curve

TREE = Hierarchy({"MESH:D1": [], "MESH:D2": ["MESH:D1"]})


def quiet(sentence: str) -> None:
    pass


# -- bad input ----------------------------------------------------------------------------------


def test_an_unknown_type_is_an_error_that_lists_the_types(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3)), build.mention((4, 6)), build.mention((0, 3), type="OTHER")]])
    with pytest.raises(ConfigurationError, match=r"type 'Foo'.*Chemical \(2\), OTHER \(1\).*with type$"):
        compare(TrackTask.SPANS, gold, [gold], ScoringOptions(type="Foo"), quiet)


def test_no_annotations_at_all(build: Any) -> None:
    empty = build.side(a=[[]])
    with pytest.raises(ConfigurationError, match="no annotations"):
        compare(TrackTask.SPANS, empty, [empty], ScoringOptions(), quiet)


def test_approximate_identifiers_need_a_hierarchy(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3), id="MESH:D1")]])
    with pytest.raises(ConfigurationError, match='parents="FILE"'):
        compare(TrackTask.IDENTIFIERS, gold, [gold], ScoringOptions(approximate=True), quiet)


def test_unknown_identifiers_are_reported_once_for_each_side(build: Any) -> None:
    gold = build.side("gold", a=[[build.mention((0, 3), id="MESH:D1,-")]])
    run = build.side(a=[[build.mention((0, 3), id="MESH:X,MESH:D2")]], b=[[build.mention((0, 3), id="MESH:X")]])
    reports: list[str] = []
    compare(
        TrackTask.IDENTIFIERS, gold, [run], ScoringOptions(approximate=True, hierarchy=TREE, samples=0), reports.append
    )
    assert reports == [
        "run: 1 identifier without an entry in the parents file (MESH:X): "
        "they have no ancestors, so only exact matches count"
    ]


def test_differences_of_texts_are_found(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3))]])
    other = Side("run", (article(build.document("a", [], text="abx")), article(build.document("b", []))))
    assert [difference.document for difference in verify(gold, other)] == ["a", "b"]
    assert verify(gold, gold) == []


# -- joining ------------------------------------------------------------------------------------


def test_documents_with_different_ids_are_joined_by_key(build: Any) -> None:
    mine, other = build.document("12", [build.mention((0, 3))]), build.document("file-7", [build.mention((0, 3))])
    other.infons["article-id_pmc"] = "PMC12"
    [pair] = join(Side("gold", (article(mine),)), Side("run", (article(other),)))
    assert (pair.document, len(pair.gold.annotations), len(pair.predicted.annotations)) == ("12", 1, 1)


def test_documents_with_equal_ids_are_merged(build: Any) -> None:
    once = build.article("a", [build.mention((0, 3))])
    again = build.article("a", [build.mention((5, 8))])
    [pair] = join(Side("gold", (once, again)), Side("run", ()))
    assert len(pair.gold.annotations) == 2


def test_every_run_has_an_entry_for_every_document(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3))]])
    one, other = (
        build.side("one", a=[[]], b=[[build.mention((0, 3))]]),
        build.side("other", a=[[build.mention((0, 3))]]),
    )
    comparison = compare(TrackTask.SPANS, gold, [one, other], ScoringOptions(samples=20), quiet)
    assert comparison.documents == ("a", "b")
    assert [result.strict.score.f1 for result in comparison.results] == [0.0, 1.0]


# -- curves -------------------------------------------------------------------------------------


def test_curve_of_a_worked_example() -> None:
    # 4 gold items; predictions: .9 right, .7 right and wrong, .2 right.
    found = curve([(0.7, False), (0.9, True), (0.2, True), (0.7, True)], gold=4)
    assert found is not None
    assert found.thresholds == (0.9, 0.7, 0.2)
    # From .9: 1 of 1, 1 of 4. From .7: 2 of 3, 2 of 4. From .2: 3 of 4, 3 of 4.
    assert [round(value, 4) for value in found.precision] == [1.0, 0.6667, 0.75]
    assert [round(value, 4) for value in found.recall] == [0.25, 0.5, 0.75]
    assert [round(value, 4) for value in found.f1] == [0.4, 0.5714, 0.75]
    assert found.best == 2


def test_no_scores_no_curve() -> None:
    assert curve([(None, True)], gold=1) is None
    assert curve([], gold=1) is None


def test_an_identifier_has_the_score_of_its_best_mention(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3), id="MESH:D1")]])
    run = build.side(
        a=[[build.mention((0, 3), id="MESH:D1", score=0.3), build.mention((5, 8), id="MESH:D1", score=0.8)]]
    )
    comparison = compare(TrackTask.IDENTIFIERS, gold, [run], ScoringOptions(samples=0), quiet)
    found = run_curve(comparison, comparison.results[0])
    assert found is not None
    assert found.thresholds == (0.8,)


def test_a_curve_ends_at_the_score_of_the_run(build: Any) -> None:
    gold = build.side(a=[[build.mention((0, 3)), build.mention((5, 8))]])
    run = build.side(a=[[build.mention((0, 3), score=0.9), build.mention((10, 12), score=0.4)]])
    comparison = compare(TrackTask.SPANS, gold, [run], ScoringOptions(samples=0), quiet)
    found = run_curve(comparison, comparison.results[0])
    assert found is not None
    assert found.f1[-1] == comparison.results[0].strict.score.f1


# -- tables -------------------------------------------------------------------------------------


@pytest.fixture
def comparison(build: Any) -> Any:
    gold = build.side("gold", a=[[build.mention((0, 3), id="MESH:D1")]], b=[[]])
    good = build.side("good", a=[[build.mention((0, 3), id="MESH:D1")]], b=[[]])
    poor = build.side("poor", a=[[build.mention((0, 4), id="MESH:D2")]], b=[[]])
    options = ScoringOptions(approximate=True, hierarchy=TREE, samples=40)
    return compare(TrackTask.IDENTIFIERS, gold, [good, poor], options, quiet)


def test_json_is_one_object_for_each_run(comparison: Any) -> None:
    good, poor = as_objects(comparison)
    assert (good["run"], poor["run"]) == ("good", "poor")
    assert {key: good["strict"][key] for key in ("precision", "recall", "f1", "tp", "fp", "fn")} == {
        "precision": 1.0, "recall": 1.0, "f1": 1.0, "tp": 1, "fp": 0, "fn": 0,
    }  # fmt: skip
    # poor: {D2} against {D1}: {D2, D1} against {D1}: precision .5, recall 1, F .6667.
    assert poor["approximate"]["f1"] == 0.666667
    assert poor["documents"]["a"]["strict"]["fp"] == 1
    assert poor["documents"]["b"]["approximate"] is None
    assert set(good["strict"]["wins"]) == {"poor"}


def test_tsv_has_the_run_and_every_document(comparison: Any) -> None:
    table = as_table(comparison)
    rows = [list(table.columns), *map(list, table.rows)]
    assert {len(row) for row in rows} == {12}
    assert [row[:3] for row in rows[1:]] == [
        [run, measure, document]
        for run in ("good", "poor")
        for measure in ("strict", "approximate")
        for document in ("*", "a", "b")
    ]


def test_text_marks_better_runs(comparison: Any) -> None:
    text = "\n".join(as_text(comparison))
    assert "good" in text
    assert "share of samples" in text
    assert "seed 7" in text
