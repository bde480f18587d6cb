"""Whole trainings: folds, seeds, leakage, time limits, the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from bioc import BioCDocument, BioCPassage
from command_line import invoke

import corpora
from corpora.errors import ConfigurationError, ResourceError
from corpora.model.metadata import join_key
from nlmchem.tagging.models.loading import cutter_of
from nlmchem.tagging.training import run as training_run
from nlmchem.tagging.training import stage as training
from nlmchem.tagging.training.data import TrainingCorpus, examples, fold_of
from nlmchem.tagging.training.folders import base_tokenizer
from nlmchem.tagging.training.plan import StageOptions, TaggerTraining, TrainingPlan
from nlmchem.tagging.training.run import run
from nlmchem.tagging.training.scores import bare

QUICK = StageOptions(rate=3e-3, passes=2, batch=128, dropout=0.0)
OPTIONS = TaggerTraining(window=64, first=QUICK, second=QUICK)


def backwards(document: BioCDocument, number: int) -> BioCDocument:
    """A copy whose windows differ from those of the article."""
    copy: BioCDocument = deepcopy(document)
    for passage in copy.passages:
        passage.text = passage.text[::-1]
    return copy


def test_a_fold_is_not_trained_on_its_held_out_articles(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, set[str]] = {}
    real = training_run.train_stage

    def recording(base: Path, folder: Path, given: list, *rest: object) -> training.Stage:
        seen[folder.parent.name] = {" ".join(map(str, example.ids)) for example in given}
        return real(base, folder, given, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(training_run, "train_stage", recording)
    base = make_model("bert", labels=None)
    plan = TrainingPlan(
        base,
        tmp_path,
        [TrainingCorpus("own", tuple(articles))],
        [TrainingCorpus("outside", tuple(bare(d) for d in articles[:1]))],
        folds=2,
        options=OPTIONS,
        augmenters=[backwards],
    )
    outcome = run(plan)
    assert outcome.finished
    cutter = cutter_of(base_tokenizer(base))
    folds = fold_of(articles, 2)
    for number in (0, 1):
        for document in articles:
            if folds[join_key(document)] == number:
                own = {" ".join(map(str, example.ids)) for example in examples([document], cutter, 64)}
                assert not own & seen[f"fold-{number}"]
    summary = json.loads((tmp_path / "scores.json").read_text())
    assert summary["parts"].keys() == {"seed-7/fold-0", "seed-7/fold-1"}
    assert len(summary["articles"]) == len(articles)
    assert summary["strict"].keys() == {"precision", "recall", "f1"}
    assert "On articles that the model was not trained on" in (outcome.models[0] / "README.md").read_text()


def test_windows_of_an_earlier_training_are_replayed(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, list[str]] = {}
    real = training_run.train_stage

    def recording(base: Path, folder: Path, given: list, *rest: object) -> training.Stage:
        seen[folder.parent.name] = [" ".join(map(str, example.ids)) for example in given]
        return real(base, folder, given, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(training_run, "train_stage", recording)
    base = make_model("bert", labels=None)
    cutter = cutter_of(base_tokenizer(base))
    own, earlier = (examples(part, cutter, 64) for part in (articles[:1], articles[1:]))
    for number in (1, 1000):
        target, replay = [TrainingCorpus("own", tuple(articles[:1]))], [TrainingCorpus("earlier", tuple(articles[1:]))]
        plan = TrainingPlan(
            base, tmp_path / str(number), target, replay=replay, options=replace(OPTIONS, replayed=number)
        )
        run(plan)
        replayed = seen["all"][len(own) :]
        assert len(replayed) == min(number, len(earlier))
        assert set(replayed) <= {" ".join(map(str, example.ids)) for example in earlier}
    assert "| replay | earlier |" in (tmp_path / "1" / "seed-7" / "all" / "model" / "README.md").read_text()


def test_leakage_is_reported_before_training_and_in_the_card(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path
) -> None:
    other = BioCDocument.of_passages(BioCPassage.of_text("Bees were fed on syrup, and flew far over the hills."))
    other.id = "another article"
    outside, dev = TrainingCorpus("outside", tuple(articles[:2])), TrainingCorpus("dev", (articles[0], other))
    plan = TrainingPlan(make_model("bert"), tmp_path / "out", (), (outside,), dev=dev, options=OPTIONS)
    reports: list[str] = []
    (model,) = run(plan, reports.append).models
    assert "of dev are also in outside" in reports[0]
    assert reports[0] in (model / "README.md").read_text("utf-8")
    clean = replace(plan, out=tmp_path / "clean", dev=TrainingCorpus("dev", (other,)))
    (model,) = run(clean, reports.append).models
    assert "No article of dev is in outside" in (model / "README.md").read_text("utf-8")


def test_a_complete_model_is_not_trained_again_and_has_no_checkpoints(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = TrainingPlan(
        make_model("bert", labels=None), tmp_path, [TrainingCorpus("own", tuple(articles[:2]))], options=OPTIONS
    )
    (folder,) = run(plan).models
    assert not (folder.parent / "checkpoints").exists()
    assert {file.suffix for file in folder.iterdir()} == {".json", ".safetensors", ".md"}
    monkeypatch.setattr(training_run, "train_stage", lambda *_: pytest.fail("trained again"))
    assert run(plan).models == (folder,)


def without_labels(corpus: TrainingCorpus) -> TrainingCorpus:
    return replace(corpus, documents=tuple(map(bare, corpus.documents)))


@pytest.mark.parametrize(
    ("differing", "change"),
    [
        ("base", lambda plan, model: replace(plan, base=model("bert", labels=None, seed=1))),
        ("corpus", lambda plan, _: replace(plan, target=[TrainingCorpus("own", plan.target[0].documents[:1])])),
        (
            "corpus",
            lambda plan, _: replace(plan, target=[TrainingCorpus("own", tuple(map(bare, plan.target[0].documents)))]),
        ),
        ("silver", lambda plan, _: replace(plan, silver=plan.target)),
        ("window", lambda plan, _: replace(plan, options=replace(OPTIONS, window=96))),
        ("folds", lambda plan, _: replace(plan, folds=2)),
        ("augment", lambda plan, _: replace(plan, augmenters=[backwards])),
        (
            "passes of the second stage",
            lambda plan, _: replace(plan, options=replace(OPTIONS, second=replace(QUICK, passes=3))),
        ),
    ],
)
def test_a_folder_of_another_training_is_refused(
    make_model: Callable[..., Path],
    articles: list[BioCDocument],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    differing: str,
    change: Callable[[TrainingPlan, Callable[..., Path]], TrainingPlan],
) -> None:
    target = [TrainingCorpus("own", tuple(articles[:2]))]
    plan = TrainingPlan(make_model("bert", labels=None), tmp_path / "out", target, options=OPTIONS)
    (model,) = run(plan).models
    weights = (model / "model.safetensors").read_bytes()
    monkeypatch.setattr(training_run, "train_stage", lambda *_: pytest.fail("trained again"))
    with pytest.raises(ConfigurationError, match=rf"another configuration \(({differing}) differ\); name a new folder"):
        run(change(plan, make_model))
    assert (model / "model.safetensors").read_bytes() == weights
    assert run(replace(plan, options=replace(OPTIONS, seconds=60.0))).models == (model,)


@pytest.mark.parametrize(
    "content",
    ["{}", "[]", '{"articles": {"1": [[1], [2]]}}', '{"articles": {"1": [[1, 1, 1, "a"], [1, 1, 1, 1]]}}', "x"],
)
def test_damaged_scores_of_a_model_are_named(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path, content: str
) -> None:
    target = [TrainingCorpus("own", tuple(articles))]
    plan = TrainingPlan(make_model("bert", labels=None), tmp_path / "out", target, folds=2, only=[0], options=OPTIONS)
    (model,) = run(plan).models
    (model.parent / "scores.json").write_text(content)
    with pytest.raises(ResourceError, match=r"fold-0/scores\.json"):
        run(plan)


def test_a_time_limit_reports_what_was_reached_and_how_to_continue(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = TrainingPlan(
        make_model("bert", labels=None), tmp_path, [TrainingCorpus("own", tuple(articles[:2]))], seeds=(1, 2)
    )
    plan = replace(plan, options=OPTIONS)
    limited = replace(plan, options=replace(OPTIONS, seconds=0.0))
    reports: list[str] = []
    stopped = run(limited, reports.append)
    assert (stopped.finished, stopped.models, stopped.scores) == (False, (), None)
    assert "seed-1/all reached step 1 of " in str(stopped.cutoff), "each run takes at least one step"
    assert reports[-1] == str(stopped.cutoff)
    train_stage = training_run.train_stage
    monkeypatch.setattr(training_run, "train_stage", lambda *given: train_stage(*given[:6], None, *given[7:]))
    assert str(run(limited).cutoff) == (
        "the time limit stopped the training with 1 of 2 models complete, seed-2/all was not started; "
        "run the same command again to continue"
    )
    monkeypatch.undo()
    assert run(plan).finished


def test_seeds_must_be_different_numbers(tmp_path: Path, articles: list[BioCDocument]) -> None:
    target = [TrainingCorpus("own", tuple(articles))]
    for seeds in ((), (1, 1), (-1,)):
        with pytest.raises(ConfigurationError, match="different numbers from 0 up"):
            TrainingPlan(tmp_path, tmp_path / "out", target, seeds=seeds)


def test_one_model_per_seed(make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path) -> None:
    target = [TrainingCorpus("own", tuple(articles[:1]))]
    plan = TrainingPlan(make_model("bert", labels=None), tmp_path, target, seeds=(3, 5), options=OPTIONS)
    assert [model.parent.parent.name for model in run(plan).models] == ["seed-3", "seed-5"]


@pytest.mark.parametrize("other", [".git", "seed-1", "base-of-mine", ".ipynb_checkpoints"])
def test_a_folder_of_the_user_is_refused_before_training(
    other: str, tmp_path: Path, articles: list[BioCDocument]
) -> None:
    (tmp_path / "out" / other).mkdir(parents=True)
    (tmp_path / "out" / other / "config").write_text("mine")
    (tmp_path / "out" / "scores.json").write_text("mine")
    with pytest.raises(ConfigurationError, match="was not written by nlmchem and is not empty"):
        run(TrainingPlan(tmp_path / "none", tmp_path / "out", [TrainingCorpus("own", tuple(articles))]))
    assert (tmp_path / "out" / "scores.json").read_text() == "mine"


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without CUDA")
def test_a_missing_device_is_reported_before_training(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path
) -> None:
    options, target = replace(OPTIONS, device="cuda"), [TrainingCorpus("own", tuple(articles))]
    with pytest.raises(ResourceError, match="no CUDA device found; use device="):
        run(TrainingPlan(make_model("bert", labels=None), tmp_path / "out", target, options=options))
    assert not (tmp_path / "out").exists()


def test_a_bad_base_is_reported_before_training(tmp_path: Path, articles: list[BioCDocument]) -> None:
    with pytest.raises(ResourceError, match="no base model"):
        run(TrainingPlan(tmp_path / "none", tmp_path / "out", [TrainingCorpus("own", tuple(articles))]))
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(ResourceError, match="a pickle such as"):
        run(TrainingPlan(tmp_path, tmp_path / "out", [TrainingCorpus("own", tuple(articles))]))


def test_the_command_trains_two_stages_and_prints_the_result(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path
) -> None:
    corpora.write(articles[:3], tmp_path / "target.xml")
    corpora.write(articles[3:5], tmp_path / "outside.pubtator", "pubtator")
    corpora.write(articles[5:], tmp_path / "dev.xml")
    base = make_model("bert", labels=None)
    arguments = [
        "tagger", "--base", base, "--corpus", tmp_path / "target.xml", "--first", tmp_path / "outside.pubtator",
        "--silver", tmp_path / "dev.xml", "--dev", tmp_path / "dev.xml", "--window", "64", "--passes", "2",
        "--batch", "128", "--out", tmp_path / "out",
        "--json",
    ]  # fmt: skip
    result = invoke(["train", *arguments])
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {"finished": True, "scores": None}
    card = (tmp_path / "out" / "seed-7" / "all" / "model" / "README.md").read_text()
    assert "| first | outside.pubtator | 2 |" in card
    assert "| second | dev.xml | 1 | 0.5 |" in card
