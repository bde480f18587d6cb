"""Evaluation of pairs and of tagged acronyms, in Python and on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bioc import BioCCollection, BioCDocument, BioCPassage, biocxml
from command_line import invoke

from corpora.errors import ConfigurationError, InputError
from nlmchem.abbreviations import annotate
from nlmchem.evaluation.abbreviations import compare_pairs, read_pairs, score_identification, tagged_spans
from nlmchem.evaluation.scores import total

TEXT = "Oil of palmitic acid (PA) and oleic acid (OA); PA rose."


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    lines = [
        {"id": "1", "pairs": [["PA", "palmitic acid"], ["EPA", "eicosapentaenoic acid"]]},
        {"id": "2", "pairs": []},
    ]
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def run(tmp_path: Path) -> Path:
    collection = BioCCollection()
    for id, text in (("1", TEXT), ("2", "Nothing.")):
        document = BioCDocument()
        document.id = id
        passage = BioCPassage()
        passage.offset, passage.text = 0, text
        document.add_passage(passage)
        annotate(document)
        collection.add_document(document)
    path = tmp_path / "run.xml"
    path.write_text(biocxml.dumps(collection), encoding="utf-8")
    return path


def call(command: str, *arguments: object) -> tuple[int, str]:
    result = invoke([*command.split(), *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout


def test_a_pair_counts_once_per_document(gold: Path, run: Path) -> None:
    documents = compare_pairs(read_pairs(str(gold)), read_pairs(str(run)))
    first, second = documents
    assert first.right == (("PA", "palmitic acid"),)
    assert first.missed == (("EPA", "eicosapentaenoic acid"),)
    assert first.false == (("OA", "oleic acid"),)
    assert second.counts.gold == second.counts.predicted == 0
    counts = total(one.counts for one in documents)
    assert (counts.precision, counts.recall, counts.f1) == (0.5, 0.5, 0.5)


def test_pairs_of_a_missing_document_are_missed() -> None:
    pair = ("PA", "palmitic acid")
    [document] = compare_pairs({"1": frozenset([pair])}, {})
    assert document.missed == (pair,)


def test_spaces_in_a_pair_are_normalized(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text('{"id": 7, "pairs": [["P A", "palmitic\\n acid"]]}\n', encoding="utf-8")
    assert read_pairs(str(path)) == {"7": frozenset([("P A", "palmitic acid")])}


def test_the_number_of_a_broken_line_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text('{"id": "1", "pairs": []}\n{"id": "2"}\n', encoding="utf-8")
    with pytest.raises(InputError, match="line 2"):
        read_pairs(str(path))


def test_the_command_lists_misses_and_false_alarms(gold: Path, run: Path) -> None:
    code, out = call("evaluate abbreviations", gold, run)
    assert code == 0
    assert "P 0.5000  R 0.5000  F1 0.5000" in out
    assert "1\tmissed\tEPA\teicosapentaenoic acid" in out
    assert "1\tfalse alarm\tOA\toleic acid" in out


def test_the_command_prints_json_per_document_and_in_total(gold: Path, run: Path) -> None:
    _, out = call("evaluate abbreviations", gold, run, "--json")
    answer = json.loads(out)
    assert answer["strict"] == {"precision": 0.5, "recall": 0.5, "f1": 0.5, "tp": 1, "fp": 1, "fn": 1}
    assert answer["documents"]["1"]["missed"] == [["EPA", "eicosapentaenoic acid"]]
    assert set(answer["documents"]) == {"1", "2"}


def test_the_command_prints_a_table(gold: Path, run: Path) -> None:
    _, out = call("evaluate abbreviations", gold, run, "--tsv")
    assert out.splitlines()[1] == "*\t0.5000\t0.5000\t0.5000\t2\t2\t1"


def test_a_run_of_other_documents_is_rejected(gold: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text('{"id": "99", "pairs": []}\n', encoding="utf-8")
    with pytest.raises(ConfigurationError, match="no document id in common"):
        call("evaluate abbreviations", gold, other)


def test_the_output_of_the_list_command_can_be_read(gold: Path, run: Path, tmp_path: Path) -> None:
    code, out = call("abbreviations", run, "--json")
    assert code == 0
    rows = [json.loads(line) for line in out.splitlines()]
    assert rows[0] == {
        "document": "1",
        "short_form": "PA",
        "long_form": "palmitic acid",
        "strategy": "FirstLet",
        "score": 0.9982,
        "short_start": TEXT.index("PA"),
        "long_start": TEXT.index("palmitic"),
    }
    printed = tmp_path / "printed.jsonl"
    printed.write_text(out, encoding="utf-8")
    _, answer = call("evaluate abbreviations", gold, printed, "--json")
    assert json.loads(answer)["strict"]["tp"] == 1


def test_the_list_command_prints_one_line_per_definition(run: Path) -> None:
    _, out = call("abbreviations", run)
    assert out.splitlines()[2].split("\t") == ["1", "OA", "oleic acid", "FirstLet", "0.9982", "42", "30"]


def test_the_list_command_continues_after_a_broken_file(run: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.xml"
    broken.write_text("<collection><document>", encoding="utf-8")
    code, out = call("abbreviations", broken, run)
    assert code == 3
    assert len(out.splitlines()) == 3, "a header and two definitions"


def test_spans_are_read_from_bio_labels() -> None:
    labels = ["B-long", "I-long", "O", "B-short", "B-short", "I-long", "O"]
    assert tagged_spans(labels) == {("long", 0, 2), ("short", 3, 4), ("short", 4, 5), ("long", 5, 6)}


def test_a_span_counts_if_range_and_type_are_correct() -> None:
    gold = {"a": ["B-long", "I-long", "B-short", "O"]}
    score = score_identification(gold, {"a": ["B-long", "O", "B-short", "B-short"]})
    assert (score.short.precision, score.short.recall) == (0.5, 1.0)
    assert (score.long.precision, score.long.recall) == (0.0, 0.0)
    assert score.mean.f1 == pytest.approx((2 / 3 + 0) / 2)
    assert score.f1_of_means == pytest.approx(2 * 0.25 * 0.5 / 0.75)


@pytest.mark.parametrize("predicted", [{}, {"a": ["O"]}])
def test_sentences_must_be_the_same(predicted: dict[str, list[str]]) -> None:
    with pytest.raises(ConfigurationError, match="same sentences"):
        score_identification({"a": ["O", "O"]}, predicted)


def test_tagged_sentences_are_scored_by_the_same_command(tmp_path: Path) -> None:
    rows = [{"id": "a", "tokens": ["an", "NGF"], "labels": ["O", "B-short"]}]
    path = tmp_path / "tagged.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    code, out = call("evaluate abbreviations", path, path, "--json")
    assert code == 0
    assert json.loads(out)["short"]["f1"] == 1.0
