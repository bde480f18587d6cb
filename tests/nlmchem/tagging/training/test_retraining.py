"""The command that makes the embedded model again, on a tiny model and tiny corpora."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from bioc import BioCDocument
from command_line import exit_code

import corpora
from benchmarks.retrain import tagger as retrain
from corpora.model.document import mentions, set_identifiers
from corpora.model.passages import passage_text
from nlmchem.tagging.models.loading import load_model
from nlmchem.tagging.tagger import NeuralTagger
from nlmchem.tagging.training.scores import bare


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrain, "_nlmchem", lambda *arguments: exit_code(*arguments) == 0)


@pytest.fixture
def data(tmp_path: Path, articles: list[BioCDocument]) -> Path:
    """A packed folder of training data: two articles per corpus, and their text."""
    folder = tmp_path / "data"
    folder.mkdir()
    for document in articles:
        for mention in mentions(document):
            set_identifiers(mention, ["MESH:D000001"])
    for name, place in (
        ("nlmchem", 0),
        ("bc5cdr", 2),
        ("chemdner", 3),
        ("biored", 4),
        ("drugprot", 5),
    ):
        corpora.write(articles[place : place + 1 + (place == 0)], folder / "own.jsonl", "jsonl")
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress((folder / "own.jsonl").read_bytes(), mtime=0))
    with lzma.open(folder / "text.jsonl.xz", "wt", encoding="utf-8") as stream:
        for document in articles:
            text = "\n".join(passage_text(passage) for passage in document.passages)
            stream.write(json.dumps({"id": document.id, "text": text}) + "\n")
    return folder


def arguments(base: Path, data: Path, tmp_path: Path) -> list[str]:
    given = ["--base", base, "--data", data, "--out", tmp_path / "out", "--inputs", tmp_path / "inputs.json"]
    given += ["--passes", 1, "--threads", 1]
    return [str(word) for word in given]


@pytest.mark.slow
def test_all_steps_make_a_model_whose_card_names_commit_command_and_inputs(
    make_model: Callable[..., Path],
    data: Path,
    articles: list[BioCDocument],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = arguments(make_model("bert", labels=None), data, tmp_path)
    assert retrain.main([*given, "--record"]) == 0
    assert retrain.main([*given, "--minutes", "0"]) == 3, "the time limit is reported by the exit status"
    assert "run the same command again" in capsys.readouterr().err
    assert retrain.main([*given, "--until", "first"]) == 0
    assert not (tmp_path / "out" / "second").exists()
    assert retrain.main(given) == 0
    model = tmp_path / "out" / "model"
    card = (model / "README.md").read_text("utf-8")
    for name, digest in json.loads((tmp_path / "inputs.json").read_text()).items():
        assert f"| {name} | `{digest}` |" in card
    assert "- Commit: `" in card
    assert "- Command: `python -m benchmarks.retrain.tagger --base MINILM" in card
    assert str(tmp_path / "out") not in card
    assert "| replay | bc5cdr.jsonl.gz | 1 |" in card
    assert "| second | nlmchem.jsonl.gz | 2 | 1 | CC0 1.0 | NLM-Chem" in card
    assert (model / "NOTICE").is_file()
    tagger = NeuralTagger([load_model(model)])
    tagger([bare(document) for document in articles])
    assert tagger.coverage.pieces > 0
    monkeypatch.setattr(retrain, "_script", lambda *_: pytest.fail("a complete step was repeated"))
    assert retrain.main(given) == 0


@pytest.mark.slow
def test_two_trainings_on_silver_articles_continue_from_a_first_training(
    make_model: Callable[..., Path],
    data: Path,
    articles: list[BioCDocument],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    rounds = [tmp_path / "silver-1", tmp_path / "silver-2"]
    for silver in rounds:
        silver.mkdir()
    first = make_model("bert")
    (first / "README.md").write_text("| first | own | 3 |\n", "utf-8")
    given = [*arguments(first, data, tmp_path), "--first", str(first)]
    given += [word for silver in rounds for word in ("--silver", str(silver))]
    assert retrain.main([*given, "--record"]) == 0
    with pytest.raises(SystemExit, match="has no silver articles"):
        retrain.main(given)
    for silver, own in zip(rounds, (articles[3:], articles[:1]), strict=True):
        (silver / "0").mkdir()
        corpora.write(own, silver / "0" / "a.jsonl", "jsonl")
    assert retrain.main(given) == 0
    card = (tmp_path / "out" / "model" / "README.md").read_text("utf-8")
    assert "Number of articles: 3, then 1." in card
    assert "--silver SILVER1 --silver SILVER2" in card
    assert {"silver-1.done", "silver-2.done"} <= {file.name for file in (tmp_path / "out").iterdir()}
    assert not (tmp_path / "out" / "first").exists()


def test_the_first_training_can_start_from_pieces_of_our_own_and_from_pretraining(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[list[str]] = []
    unfinished: set[str] = set()

    def called(name: str, *arguments: object) -> bool:
        calls.append([name, *map(str, arguments)])
        return name not in unfinished

    monkeypatch.setattr(retrain, "_script", lambda module, *arguments: called(module.__name__, *arguments))
    monkeypatch.setattr(retrain, "_nlmchem", lambda *arguments: called("nlmchem", *arguments))
    (tmp_path / "base").mkdir()
    given = [*arguments(tmp_path / "base", data, tmp_path), "--own-pieces", "24000", "--pretrain", "5000"]
    assert retrain.main([*given, "--record"]) == 0
    unfinished.add("benchmarks.retrain.pretraining")
    assert retrain.main([*given, "--until", "first"]) == 3, "the time limit can end the pretraining"
    unfinished.clear()
    assert retrain.main([*given, "--until", "first"]) == 0
    learnt, stopped, pretrained, first = calls
    assert learnt[0] == "benchmarks.retrain.vocabulary"
    assert learnt[-3:] == ["--learn", "--pieces", "24000"]
    assert stopped == pretrained, "it continues"
    out = tmp_path / "out"
    assert pretrained[: pretrained.index("--threads")] == [
        "benchmarks.retrain.pretraining", "--base", str(out / "base"), "--data", str(data),
        "--out", str(out / "pretrained"), "--pieces", "5000",
    ]  # fmt: skip
    assert first[first.index("--base") + 1] == str(out / "pretrained" / "model")
    with pytest.raises(SystemExit, match="was made from other inputs"):
        retrain.main(given[:-2])


def test_changed_and_missing_inputs_are_reported_before_the_first_step(
    make_model: Callable[..., Path], data: Path, tmp_path: Path
) -> None:
    given = arguments(make_model("bert", labels=None), data, tmp_path)
    assert retrain.main([*given, "--record"]) == 0
    (data / "biored.jsonl.gz").write_bytes(gzip.compress(b"{}\n"))
    with pytest.raises(SystemExit, match=r"these inputs differ from those recorded in inputs.json: biored;"):
        retrain.main(given)
    (data / "biored.jsonl.gz").unlink()
    with pytest.raises(SystemExit, match=r"cannot read the input .*biored"):
        retrain.main(given)
    assert not list((tmp_path / "out").iterdir())


def test_the_recorded_inputs_are_those_of_the_full_command() -> None:
    recorded = json.loads(retrain.INPUTS.read_text("utf-8"))
    assert recorded.keys() == {"base", *retrain.CORPORA}
    assert all(len(digest) == 64 for digest in recorded.values())
