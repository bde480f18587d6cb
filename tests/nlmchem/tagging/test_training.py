"""Training: labels are what was marked, a killed run goes on, folds never see what they are scored on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from bioc import BioCDocument, BioCPassage
from safetensors.torch import load_file
from typer.testing import CliRunner

import corpora
from corpora.errors import ConfigurationError, ResourceError
from corpora.model.document import add_mention, join_key, mentions, passage_text
from nlmchem.cli.train import app
from nlmchem.tagging.models.labels import Scheme, legal, spans_of_roles
from nlmchem.tagging.models.loading import cutter_of
from nlmchem.tagging.training import run as training_run
from nlmchem.tagging.training import stage as training
from nlmchem.tagging.training.augmenters import NAMES, augmenters_of
from nlmchem.tagging.training.data import IGNORED, Corpus, augmented, examples, fold_of, read_corpus, without_mentions
from nlmchem.tagging.training.module import Collator, make_module
from nlmchem.tagging.training.options import StageOptions, TrainingOptions
from nlmchem.tagging.training.run import Plan, run
from nlmchem.tagging.training.scores import ArticleScore, article_scores, bare, compare, strict_f
from nlmchem.tagging.training.stage import base_cutter, train_stage

QUICK = StageOptions(rate=3e-3, passes=2, batch=128, dropout=0.0)
OPTIONS = TrainingOptions(window=64, first=QUICK, second=QUICK)


@pytest.mark.parametrize("architecture", ["bert", "roberta", "deberta-v2"])
@pytest.mark.parametrize("scheme", list(Scheme))
def test_labels_of_windows_are_the_mentions_that_were_marked(
    make_model: Callable[..., Path], articles: list[BioCDocument], architecture: str, scheme: Scheme
) -> None:
    cutter = cutter_of(base_cutter(make_model(architecture)))
    document = articles[0]
    found = 0
    for example in examples([document], cutter, scheme, 1024):
        assert len(example.ids) == len(example.labels)
        found += len(spans_of_roles(np.maximum(example.labels, 0)))
        assert example.labels[0] == example.labels[-1] == IGNORED
    assert found == sum(1 for _ in mentions(document))
    texts = [passage_text(passage) for passage in document.passages]
    for encoded, passage in zip(cutter(texts), document.passages, strict=True):
        for mention in mentions(document):
            if mention.passage is passage:
                start, end = (place - passage.offset for place in mention.spans[0])
                assert encoded.span(*encoded.pieces(start, end)) == (start, end)


@pytest.mark.parametrize("scheme", list(Scheme))
def test_a_mention_that_a_window_cuts_is_not_learnt_from_there(make_model: Callable[..., Path], scheme: Scheme) -> None:
    document = BioCDocument()
    passage = BioCPassage()
    passage.offset, passage.text = 0, "a " * 100
    document.add_passage(passage)
    for start in range(0, 190, 24):
        add_mention(passage, [(start, start + 19)], id=str(start), annotator="gold")
    for example in examples([document], cutter_of(base_cutter(make_model("bert"))), scheme, 48):
        labels = [label if label != IGNORED else 0 for label in example.labels.tolist()]
        between, _, _, _ = legal(scheme)
        assert all(between[one, two] for one, two in pairwise(labels))
        assert all(last - first == 10 for first, last in spans_of_roles(labels))


def test_windows_without_mentions_are_the_target_s_negatives(
    make_model: Callable[..., Path], articles: list[BioCDocument]
) -> None:
    cutter = cutter_of(base_cutter(make_model("bert")))
    given = examples([articles[0], bare(articles[1])], cutter, Scheme.BIO, 64)
    assert 0 < len(without_mentions(given)) < len(given)


def test_weights_of_silver_count_in_the_loss(make_model: Callable[..., Path], articles: list[BioCDocument]) -> None:
    base = make_model("bert", labels=None)
    cutter = cutter_of(base_cutter(base))
    for crf in (False, True):
        torch.manual_seed(1)
        module = make_module(base, Scheme.BIO, crf, 0.0, 0.0).eval()
        given = examples(articles[:1], cutter, Scheme.BIO, 64)
        whole = module(**Collator(cutter.padding)(given))["loss"]
        half = module(**Collator(cutter.padding)([replace(example, weight=0.5) for example in given]))["loss"]
        assert half.item() == pytest.approx(whole.item() / 2, rel=1e-5)


@pytest.mark.parametrize(
    ("labels", "scheme", "rows"),
    [
        (["O", "B-Chemical", "I-Chemical"], Scheme.BIO, [0, 1, 2]),
        (["O", "B-Chemical", "I-Chemical"], Scheme.BILOU, [0, 1, 2, 2, 1]),
        (["B-Chemical", "I-Chemical", "O"], Scheme.BIO, [2, 0, 1]),
        (["B-Disease", "I-Disease", "B-Chemical", "I-Chemical", "O"], Scheme.BILOU, [4, 2, 3, 3, 2]),
        (["O", "B-Chemical", "I-Chemical", "L-Chemical", "U-Chemical"], Scheme.BIO, [0, 1, 2]),
    ],
)
def test_a_base_that_is_a_tagger_lends_its_head(
    make_model: Callable[..., Path], labels: list[str], scheme: Scheme, rows: list[int]
) -> None:
    base = make_model("bert", labels=labels)
    lent = load_file(base / "model.safetensors")
    made = make_module(base, scheme, False).classifier.state_dict()
    for name in ("classifier.weight", "classifier.bias"):
        assert torch.equal(made[name], lent[name][rows])


def test_a_head_of_unnamed_labels_of_another_number_is_made_anew(make_model: Callable[..., Path]) -> None:
    base = make_model("bert", labels=["LABEL_0", "LABEL_1"])
    assert make_module(base, Scheme.BIO, False).classifier.state_dict()["classifier.weight"].shape[0] == 3


def test_padding_changes_no_loss(make_model: Callable[..., Path], articles: list[BioCDocument]) -> None:
    base = make_model("bert", labels=None)
    cutter = cutter_of(base_cutter(base))
    for crf in (False, True):
        module = make_module(base, Scheme.BIO, crf, 0.0, 0.0).eval()
        given = examples(articles[:1], cutter, Scheme.BIO, 64)[:1]
        batch = Collator(cutter.padding)(given)
        wide = {
            name: torch.nn.functional.pad(tensor, (0, 32), value={"labels": IGNORED}.get(name, 0))
            if tensor.dim() == 2
            else tensor
            for name, tensor in batch.items()
        }
        assert module(**batch)["loss"].item() == pytest.approx(module(**wide)["loss"].item(), rel=1e-4)


def test_folds_are_even_and_fixed_by_the_id(articles: list[BioCDocument]) -> None:
    folds = fold_of(articles, 3)
    assert folds == fold_of(articles[::-1], 3)
    assert sorted(folds.values()) == [0, 0, 1, 1, 2, 2]
    with pytest.raises(ConfigurationError, match="cannot be dealt into 7 folds"):
        fold_of(articles, 7)


def test_folds_never_see_what_they_are_scored_on(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, set[str]] = {}
    real = training_run.train_stage

    def watching(base: Path, folder: Path, given: list, *rest: object) -> training.Stage:
        seen[folder.parent.name] = {" ".join(map(str, example.ids)) for example in given}
        return real(base, folder, given, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(training_run, "train_stage", watching)
    base = make_model("bert", labels=None)
    plan = Plan(
        base,
        tmp_path,
        [Corpus("own", tuple(articles))],
        [Corpus("outside", tuple(bare(d) for d in articles[:1]))],
        folds=2,
        options=replace(OPTIONS, negatives=1.0),
        augmenters=augmenters_of("random,case,greek"),
    )
    outcome = run(plan)
    assert outcome.finished
    cutter = cutter_of(base_cutter(base))
    folds = fold_of(articles, 2)
    for number in (0, 1):
        for document in articles:
            if folds[join_key(document)] == number:
                own = {" ".join(map(str, example.ids)) for example in examples([document], cutter, Scheme.BIO, 64)}
                assert not own & seen[f"fold-{number}"]
                assert articles.index(document) == 0 or not own & seen[f"first-fold-{number}"]
    told = json.loads((tmp_path / "scores.json").read_text())
    assert told["parts"].keys() == {"seed-7/fold-0", "seed-7/fold-1"}
    assert len(told["articles"]) == len(articles)
    assert f"{told['strict']['f1']:.4f}" != ""
    assert "On articles that were not trained on" in (outcome.models[0] / "README.md").read_text()


def test_articles_that_are_learnt_from_and_scored_on_are_named_before_training_and_in_the_card(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path
) -> None:
    other = BioCDocument.of_passages(BioCPassage.of_text("Bees were fed on syrup, and flew far over the hills."))
    other.id = "another article"
    outside, dev = Corpus("outside", tuple(articles[:2])), Corpus("dev", (articles[0], other))
    plan = Plan(make_model("bert"), tmp_path / "out", (), (outside,), dev=dev, options=OPTIONS)
    told: list[str] = []
    (model,) = run(plan, told.append).models
    assert "of dev are also in outside" in told[0]
    assert told[0] in (model / "README.md").read_text("utf-8")
    clean = replace(plan, out=tmp_path / "clean", dev=Corpus("dev", (other,)))
    (model,) = run(clean, told.append).models
    assert "No article of dev is in outside" in (model / "README.md").read_text("utf-8")


def test_a_run_out_of_time_goes_on_and_ends_where_an_undisturbed_one_does(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path
) -> None:
    base = make_model("bert", labels=None)
    given = examples(articles[:3], cutter_of(base_cutter(base)), Scheme.BIO, 64)
    stage = replace(QUICK, passes=2, dropout=0.1)
    whole = train_stage(base, tmp_path / "whole", given, stage, OPTIONS)
    stops = 0
    while not (done := train_stage(base, tmp_path / "torn", given, stage, OPTIONS, until=0.0)).finished:
        stops += 1
        assert stops < 100
    assert stops >= 3, "time over from the beginning: every call does one step"
    assert done.steps == whole.steps
    for one, two in zip(whole.module.parameters(), done.module.parameters(), strict=True):
        assert torch.equal(one, two)


def test_what_is_trained_is_not_trained_again_and_nothing_of_the_training_is_exported(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan(make_model("bert", labels=None), tmp_path, [Corpus("own", tuple(articles[:2]))], options=OPTIONS)
    waiting = run(replace(plan, options=replace(OPTIONS, seconds=0.0)))
    assert (waiting.finished, waiting.models) == (False, ())
    (folder,) = run(plan).models
    assert not (folder.parent / "checkpoints").exists()
    assert {file.suffix for file in folder.iterdir()} == {".json", ".safetensors", ".md"}
    monkeypatch.setattr(training_run, "train_stage", lambda *_: pytest.fail("trained again"))
    assert run(plan).models == (folder,)


def test_training_stops_early_and_keeps_the_best_pass(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path
) -> None:
    base = make_model("bert", labels=None)
    given = examples(articles, cutter_of(base_cutter(base)), Scheme.BIO, 64)
    scores = iter([0.1, 0.5, 0.3, 0.2, 0.9])
    seen: list[torch.Tensor] = []

    def score(model: object) -> float:
        seen.append(module_weights())
        return next(scores)

    kept: list[training.TaggerModule] = []
    real = training.make_module
    try:
        training.make_module = lambda *a: kept.append(real(*a)) or kept[0]  # type: ignore[func-returns-value,assignment]

        def module_weights() -> torch.Tensor:
            return kept[0].classifier.classifier.weight.detach().clone()  # type: ignore[union-attr]

        done = train_stage(base, tmp_path, given, replace(QUICK, passes=5, patience=2), OPTIONS, score)
    finally:
        training.make_module = real
    assert done.best == 0.5
    assert len(seen) == 4, "two passes without gain end it"
    assert torch.equal(module_weights(), seen[1])


def test_counts_are_those_of_the_definition(articles: list[BioCDocument]) -> None:
    gold = {((0, 5),), ((10, 14),), ((20, 30),)}
    found = {((0, 5),), ((12, 18),), ((40, 41),)}
    score = compare(gold, found)
    assert (score.strict.found, score.strict.right) == (1, 1)
    assert (score.approximate.found, score.approximate.right) == (2, 2)
    assert score.approximate.precision == pytest.approx(2 / 3)
    perfect = article_scores(lambda copies: None, [bare(document) for document in articles])
    assert strict_f(perfect) == 0.0
    assert all(isinstance(value, ArticleScore) for value in perfect.values())


def test_augmented_articles_are_as_true_as_gold(articles: list[BioCDocument]) -> None:
    from corpora.model.invariant import check

    corpus = Corpus("own", tuple(articles))
    for name in [name for name in NAMES if name not in ("synonym", "other")]:
        changed = augmented(corpus, augmenters_of(name), 2, seed=3)
        assert len(changed.documents) == 2 * len(articles)
        assert not [fault for document in changed.documents for fault in check(document)]
        assert changed == augmented(corpus, augmenters_of(name), 2, seed=3) or [
            passage.text for d in changed.documents for passage in d.passages
        ] == [
            passage.text for d in augmented(corpus, augmenters_of(name), 2, seed=3).documents for passage in d.passages
        ]
    with pytest.raises(ConfigurationError, match="no augmentation is called 'sinonym'"):
        augmenters_of("sinonym")


def test_a_base_that_cannot_be_used_is_told_before_any_training(tmp_path: Path, articles: list[BioCDocument]) -> None:
    with pytest.raises(ResourceError, match="no base model"):
        run(Plan(tmp_path / "none", tmp_path / "out", [Corpus("own", tuple(articles))]))
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(ResourceError, match="a pickle such as"):
        run(Plan(tmp_path, tmp_path / "out", [Corpus("own", tuple(articles))]))


def test_a_corpus_without_chemicals_is_refused(tmp_path: Path, articles: list[BioCDocument]) -> None:
    corpora.write([bare(document) for document in articles], tmp_path / "bare.xml")
    with pytest.raises(ConfigurationError, match="no mention of type Chemical"):
        read_corpus(str(tmp_path / "bare.xml"))


def test_the_command_trains_in_two_stages_and_says_where(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path
) -> None:
    corpora.write(articles[:3], tmp_path / "target.xml")
    corpora.write(articles[3:5], tmp_path / "outside.pubtator", "pubtator")
    corpora.write(articles[5:], tmp_path / "dev.xml")
    base = make_model("bert", labels=None)
    arguments = [
        "tagger", "--base", base, "--corpus", tmp_path / "target.xml", "--first", tmp_path / "outside.pubtator",
        "--silver", tmp_path / "dev.xml", "--dev", tmp_path / "dev.xml", "--window", "64", "--passes", "2",
        "--batch", "128", "--head", "crf", "--scheme", "bilou", "--augment", "random", "--out", tmp_path / "out",
        "--json",
    ]  # fmt: skip
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {"finished": True, "scores": None}
    card = (tmp_path / "out" / "seed-7" / "all" / "model" / "README.md").read_text()
    assert "| first | outside.pubtator | 2 |" in card
    assert "| second | dev.xml | 1 | 0.5 |" in card
