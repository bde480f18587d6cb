"""`nlmchem evaluate` on the command line: output formats, and error messages of one sentence."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Ran, invoke

from corpora.errors import ConfigurationError, NlmchemError
from corpora.writing import write
from nlmchem.evaluation.bootstrap import SAMPLES, SEED
from nlmchem.report.commands import Scoring


def call(*arguments: object) -> Ran:
    return invoke(["evaluate", *arguments])


def refused(*arguments: object) -> NlmchemError:
    result = call(*arguments)
    assert isinstance(result.exception, ConfigurationError), result.output
    assert "\n" not in str(result.exception)
    assert result.stdout == ""
    return result.exception


@pytest.fixture
def files(build: Any, tmp_path: Path) -> Path:
    """gold.xml, good.xml and other.json of two documents, and parents.json."""
    gold = [
        build.document("1", [build.mention((0, 3), id="MESH:D1"), build.term("MESH:D1")], []),
        build.document("2", [], [build.mention((5, 8), id="MESH:D2")]),
    ]
    other = [
        build.document("1", [build.mention((0, 4), id="MESH:D2"), build.term("MESH:D2")], []),
        build.document("2", [], [build.mention((5, 8), id="MESH:D2")]),
    ]
    write(gold, tmp_path / "gold.xml")
    write(gold, tmp_path / "good.xml")
    write(other, tmp_path / "other.json", "biocjson")
    (tmp_path / "parents.json").write_text(json.dumps({"MESH:D1": [], "MESH:D2": ["MESH:D1"]}))
    return tmp_path


def test_spans_as_json(files: Path) -> None:
    result = call("spans", files / "gold.xml", files / "good.xml", files / "other.json", "--approximate", "--json")
    assert result.exit_code == 0, result.output
    good, other = (json.loads(line) for line in result.stdout.splitlines())
    assert good["strict"]["f1"] == 1.0
    # other: 0-4 for 0-3 is wrong strictly, right approximately; 5-8 is right.
    assert (other["strict"]["tp"], other["strict"]["fp"], other["strict"]["fn"]) == (1, 1, 1)
    assert other["approximate"]["f1"] == 1.0
    assert other["documents"]["1"]["strict"]["f1"] == 0.0
    assert good["strict"]["better_than"] == [] or good["strict"]["wins"]["other"] >= 0.95


def test_identifiers_with_parents(files: Path) -> None:
    result = call(
        "identifiers", files / "gold.xml", files / "other.json", "--approximate", "--json", "--parents",
        files / "parents.json",
    )  # fmt: skip
    [run] = (json.loads(line) for line in result.stdout.splitlines())
    # 1: {D1} against {D2}, augmented {D1} against {D2, D1}: P .5, R 1, F 2/3; 2: 1, 1, 1. Mean F .8333.
    assert run["approximate"]["f1"] == 0.833333
    assert run["strict"]["tp"] == 1


def test_indexing_as_tsv(files: Path) -> None:
    result = call("indexing", files / "gold.xml", files / "other.json", "--tsv")
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert rows[1][:6] == ["other", "strict", "*", "0.0000", "0.0000", "0.0000"]


def test_equal_calls_print_equal_output(files: Path) -> None:
    arguments = ("spans", files / "gold.xml", files / "other.json", "--json")
    assert call(*arguments).stdout == call(*arguments).stdout
    assert call(*arguments).stdout != call(*arguments, "--seed", "8").stdout


def test_different_texts_are_listed_and_not_scored(build: Any, files: Path) -> None:
    write([build.document("1", [], [], text="abx"), build.document("3", [])], files / "bad.xml")
    result = call("spans", files / "gold.xml", files / "bad.xml")
    assert isinstance(result.exception, ConfigurationError)
    assert result.stdout == ""
    assert "document '1', passage 1: the texts differ from character 2" in result.stderr
    assert "document '2': is not in bad" in result.stderr
    assert "document '3': is not in the gold standard" in result.stderr
    assert "4 differences" in str(result.exception)
    assert "no_verify=True" in str(result.exception)


def test_no_verify_scores_different_texts(build: Any, files: Path) -> None:
    write([build.document("1", [build.mention((0, 3))], text="abx")], files / "bad.xml")
    result = call("spans", files / "gold.xml", files / "bad.xml", "--no-verify", "--json")
    # Gold abc, predicted abx at the same place: not equal; document 2 is missed.
    assert json.loads(result.stdout)["strict"]["fn"] == 2


def test_a_type_that_does_not_exist(files: Path) -> None:
    assert "no annotation of type 'Gene'" in str(
        refused("spans", files / "gold.xml", files / "good.xml", "--type", "Gene")
    )


def test_the_hierarchy_that_ships_is_used_without_parents(files: Path) -> None:
    done = invoke(["evaluate", "identifiers", files / "gold.xml", files / "good.xml", "--approximate"])
    assert done.exit_code == 0
    assert "the approximate scores use the hierarchy of MeSH 2026" in done.output


def test_a_broken_parents_file(files: Path) -> None:
    (files / "broken.json.gz").write_bytes(gzip.compress(b'{"MESH:D1": ["MESH:D1"]}'))
    error = refused("identifiers", files / "gold.xml", files / "good.xml", "--parents", files / "broken.json.gz")
    assert "its own ancestor" in str(error)


def test_json_and_tsv_exclude_each_other(files: Path) -> None:
    assert "cannot be used together" in str(refused("spans", files / "gold.xml", files / "good.xml", "--json", "--tsv"))


def test_a_file_that_is_not_there(files: Path) -> None:
    assert "nowhere.xml" in str(refused("spans", files / "gold.xml", files / "nowhere.xml"))


def test_a_run_without_annotations_is_scored_and_reported(build: Any, files: Path) -> None:
    write([build.document("1", [], []), build.document("2", [], [])], files / "empty.xml")
    result = call("spans", files / "gold.xml", files / "empty.xml", "--json")
    assert json.loads(result.stdout)["strict"]["f1"] == 0.0
    assert "empty has no annotation of type 'Chemical'" in result.stderr


def test_the_command_line_has_the_defaults_of_the_bootstrap() -> None:
    # The defaults are stated twice, because --help must not load numpy.
    defaults = Scoring(gold="gold", runs=("run",))
    assert (defaults.samples, defaults.seed) == (SAMPLES, SEED)
