"""Smaller models: some layers of a base, and the probabilities of a teacher."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from bioc import BioCDocument
from safetensors.torch import load_file

from corpora.errors import OptionError, ResourceError
from nlmchem.tagging.inference.labels import Scheme
from nlmchem.tagging.models.loading import cutter_of, load_model
from nlmchem.tagging.training.base import base_tokenizer
from nlmchem.tagging.training.data import TrainingCorpus, examples
from nlmchem.tagging.training.layers import with_layers
from nlmchem.tagging.training.module import Collator, make_module
from nlmchem.tagging.training.plan import StageOptions, TaggerTraining, TrainingPlan
from nlmchem.tagging.training.run import run
from nlmchem.tagging.training.teaching import teacher_of

QUICK = StageOptions(rate=3e-3, passes=2, batch=128, dropout=0.0)
OPTIONS = TaggerTraining(window=64, first=QUICK, second=QUICK)


def test_a_base_with_some_layers_has_the_weights_of_these_layers(
    make_model: Callable[..., Path], tmp_path: Path
) -> None:
    base = make_model("bert")
    student = with_layers(base, tmp_path, [1])
    before, after = load_file(base / "model.safetensors"), load_file(student / "model.safetensors")
    name = "bert.encoder.layer.{}.output.dense.weight"
    assert torch.equal(after[name.format(0)], before[name.format(1)])
    assert name.format(1) not in after
    assert json.loads((student / "config.json").read_text())["num_hidden_layers"] == 1
    assert with_layers(base, tmp_path, [1]) == student, "an existing copy is used again"
    assert with_layers(base, tmp_path, [0]) != student


@pytest.mark.parametrize("layers", [(1, 0), (0, 0), (0, 2), (-1, 0)])
def test_layers_that_the_base_lacks_are_refused(
    make_model: Callable[..., Path], tmp_path: Path, layers: tuple[int, ...]
) -> None:
    with pytest.raises(OptionError, match=r"different numbers from 0 to 1, in ascending order"):
        with_layers(make_model("bert"), tmp_path, layers)


def test_layers_of_an_unknown_model_are_refused(make_model: Callable[..., Path], tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"config\.json has no num_hidden_layers"):
        with_layers(make_model("distilbert"), tmp_path, [0])


def test_a_student_has_its_layers_and_learns_from_its_teacher(
    trained: Path, articles: list[BioCDocument], tmp_path: Path
) -> None:
    target = [TrainingCorpus("own", tuple(articles))]
    options = replace(OPTIONS, layers=(0,), teacher=trained, guidelines=("other",), letter_case=True, gazetteer=True)
    plan = TrainingPlan(trained, tmp_path / "student", target, options=options)
    (model,) = run(plan).models
    student, teacher = load_model(model), load_model(trained)
    assert json.loads((model / "config.json").read_text())["num_hidden_layers"] == 1
    settings = json.loads((model / "nlmchem.json").read_text())["trained"]
    assert (settings["layers"], settings["teacher"], settings["taught"]) == ([0], teacher.version, 0.5)
    texts = ["Mice were given NaCl for two days."]
    (own,), (its,) = (
        [passage.probabilities for passage in tagger.score([texts])[0][0]] for tagger in (student, teacher)
    )
    assert own.shape == its.shape


def test_the_loss_of_a_student_is_least_at_the_probabilities_of_its_teacher(
    make_model: Callable[..., Path], articles: list[BioCDocument]
) -> None:
    base = make_model("bert")
    cutter = cutter_of(base_tokenizer(base))
    module = make_module(base, Scheme.BIO, False, 0.0, 0.0).eval()
    module.taught = 1.0
    teacher = teacher_of(base, replace(OPTIONS, teacher=make_model("bert", seed=1)))
    assert teacher is not None
    batch = Collator(cutter.padding, teacher)(examples(articles[:1], cutter, Scheme.BIO, 64))
    logits = batch["teacher"].clone()

    def loss(given: torch.Tensor) -> float:
        weights = torch.ones(len(given))
        return module._loss(given, batch["labels"], batch["attention_mask"], weights, batch["teacher"]).item()

    assert loss(logits) < loss(logits + 0.5 * torch.randn(logits.shape, generator=torch.Generator().manual_seed(1)))
    assert loss(logits + 1.0) == pytest.approx(loss(logits), rel=1e-5), "only probabilities count"
    module.taught = 0.0
    plain = module(**{name: tensor for name, tensor in batch.items() if name != "teacher"})["loss"].item()
    assert module(**batch)["loss"].item() == pytest.approx(plain, rel=1e-6)


def test_a_teacher_with_other_pieces_or_labels_is_refused(
    make_model: Callable[..., Path], trained: Path, tmp_path: Path
) -> None:
    base = make_model("bert")
    with pytest.raises(OptionError, match="another letter_case or gazetteer"):
        teacher_of(base, replace(OPTIONS, teacher=trained))
    with pytest.raises(OptionError, match="no probabilities of single pieces"):
        teacher_of(base, replace(OPTIONS, teacher=base, crf=True))
    with pytest.raises(OptionError, match="other labels"):
        teacher_of(base, replace(OPTIONS, teacher=base, scheme=Scheme.BILOU))
    options = replace(OPTIONS, letter_case=True, gazetteer=True, teacher=trained)
    with pytest.raises(OptionError, match="other guidelines"):
        teacher_of(trained, options)


def test_windows_are_those_of_the_teacher(trained: Path) -> None:
    options = replace(OPTIONS, letter_case=True, gazetteer=True, guidelines=("other",), teacher=trained)
    network = teacher_of(trained, options)
    assert network is not None
    ids = load_model(trained).cutter(["Mice were given NaCl."])[0].ids[None].astype(np.int64)
    assert network(ids, np.ones_like(ids)).shape == (1, ids.shape[1], 3)
