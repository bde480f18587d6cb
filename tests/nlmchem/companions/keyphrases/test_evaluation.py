"""Scores of keyphrases, on examples that are worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpora.errors import ConfigurationError, InputError
from nlmchem.companions.keyphrases.evaluation import (
    as_object,
    as_text,
    check,
    compare,
    read_predictions,
    read_standard,
    score,
    united,
)

KEYS = {"a": (("zinc",), ("qualiti of servic", "servic qualiti"), ("water",)), "b": (("copper",),)}


def test_a_key_counts_once_whatever_its_variants() -> None:
    found = compare(KEYS["a"], ["servic qualiti", "qualiti of servic", "iron"])
    # One of three predictions and one of three keys: the second variant is a wrong prediction.
    assert (found.gold, found.found, found.predicted, found.right) == (3, 1, 3, 1)


def test_only_the_first_predictions_count() -> None:
    assert compare(KEYS["a"], ["iron", "zinc"], 1).right == 0
    assert compare(KEYS["a"], ["iron", "zinc"], 2).right == 1


def test_micro_and_macro_scores() -> None:
    one = score({"author": KEYS}, {"a": ("zinc", "water", "iron", "gold"), "b": ("silver", "copper")}, (5,))[0]
    # Micro: 3 right of 6 predicted, 4 keys. P 1/2, R 3/4, F 0.6.
    assert (one.micro.precision, one.micro.recall) == (0.5, 0.75)
    assert one.micro.f1 == pytest.approx(0.6)
    # Article a: P 2/4, R 2/3. Article b: P 1/2, R 1. Means 1/2 and 5/6, F 0.625.
    assert one.macro_precision == pytest.approx(0.5)
    assert one.macro_recall == pytest.approx(5 / 6)
    assert one.macro_f1 == pytest.approx(0.625)


def test_a_document_without_predictions_counts_with_recall_0() -> None:
    one = score({"author": KEYS}, {"a": ("zinc",)}, (5,))[0]
    assert one.documents == 2
    assert one.micro.recall == 0.25
    assert one.macro_recall == pytest.approx((1 / 3 + 0) / 2)


def test_combined_keys_are_the_union() -> None:
    found = united({"author": {"a": (("zinc",), ("x", "y"))}, "reader": {"a": (("y", "z"),), "b": (("zinc",),)}})
    assert found["combined"] == {"a": (("zinc",), ("x", "y", "z")), "b": (("zinc",),)}
    assert list(united({"author": {}})) == ["author"]


def test_a_folder_of_keys_gives_all_groups(tmp_path: Path) -> None:
    (tmp_path / "train.author.json").write_text(json.dumps({"a": [["Zinc ions"], ["services quality", "qualities"]]}))
    (tmp_path / "train.author.stem.json").write_text(json.dumps({"a": [["not this"]]}))
    (tmp_path / "train.reader.stem.json").write_text(json.dumps({"a": [["water uptak"]]}))
    found = read_standard(str(tmp_path))
    assert found["author"] == {"a": (("zinc ion",), ("servic qualiti", "qualiti"))}
    assert found["reader"] == {"a": (("water uptak",),)}
    assert len(found["combined"]["a"]) == 3


JATS = """<article><front><article-meta><article-id pub-id-type="pmc">7</article-id><title-group><article-title>Zinc
</article-title></title-group><kwd-group><kwd>zinc uptake</kwd><kwd>roots</kwd></kwd-group></article-meta></front>
</article>"""


def test_keywords_of_the_authors_are_keys(tmp_path: Path) -> None:
    (tmp_path / "7.nxml").write_text(JATS)
    assert read_standard(str(tmp_path / "7.nxml")) == {"author": {"7": (("zinc uptak",), ("root",))}}


def test_articles_without_keywords_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Zinc.")
    with pytest.raises(InputError, match="no article has separate keywords"):
        read_standard(str(tmp_path / "a.txt"))


def test_doubled_predictions_count_once_and_are_reported(tmp_path: Path) -> None:
    line = {"document": "a", "keyphrases": [{"phrase": "Zinc ions"}, {"phrase": "zinc ion"}, {"phrase": "water"}]}
    (tmp_path / "run.jsonl").write_text(f"{json.dumps(line)}\n\n{json.dumps(line)}\n")
    reports: list[str] = []
    assert read_predictions(str(tmp_path / "run.jsonl"), reports.append) == {"a": ("zinc ion", "water")}
    assert [report.partition(": ")[2] for report in reports] == [
        "document 'a' has 1 phrase twice; each counts once",
        "document 'a' occurs twice; the first one counts",
    ]


def test_predictions_as_json(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"a": ["Zinc ions", ["water", "H2O"]]}))
    assert read_predictions(str(tmp_path / "run.json")) == {"a": ("zinc ion", "water")}


def test_a_broken_line_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text('{"document": "a", "keyphrases": []}\n{"keyphrases": []}\n')
    with pytest.raises(InputError, match=r"run.jsonl, line 2: not keyphrases of an article"):
        read_predictions(str(tmp_path / "run.jsonl"))


def test_documents_on_one_side_only_are_reported() -> None:
    reports: list[str] = []
    check({"author": KEYS}, {"a": (), "c": ()}, reports.append)
    assert len(reports) == 2
    with pytest.raises(ConfigurationError, match="no document id in common"):
        check({"author": KEYS}, {"c": ()})


def test_the_table_and_the_json() -> None:
    scores = score({"author": KEYS}, {"a": ("zinc", "iron")}, (5, None))
    lines = list(as_text(scores))
    assert lines[1].split() == ["author", "5", "2", "50.00", "25.00", "33.33", "25.00", "16.67", "20.00"]
    assert lines[2].split()[1] == "all"
    assert as_object(scores)["author"]["5"]["counts"] == {"keys": 4, "predicted": 2, "right": 1}
