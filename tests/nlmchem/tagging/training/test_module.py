"""The trained module: its head, its loss and padding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from bioc import BioCDocument
from safetensors.torch import load_file

from nlmchem.tagging.models.loading import cutter_of
from nlmchem.tagging.training.data import IGNORED, examples
from nlmchem.tagging.training.folders import base_tokenizer
from nlmchem.tagging.training.module import Learner, make_module
from nlmchem.tagging.training.plan import StageOptions, TaggerTraining

STAGE = StageOptions(rate=1e-4, passes=1, dropout=0.0)


def test_the_loss_is_weighted_by_the_corpus(make_model: Callable[..., Path], articles: list[BioCDocument]) -> None:
    base = make_model("bert", labels=None)
    cutter = cutter_of(base_tokenizer(base))
    learner = Learner(base, STAGE, TaggerTraining())
    module = learner.module.eval()
    given = examples(articles[:1], cutter, 64)
    whole = module(**learner.collate(given))["loss"]
    half = module(**learner.collate([replace(example, weight=0.5) for example in given]))["loss"]
    assert half.item() == pytest.approx(whole.item() / 2, rel=1e-5)


@pytest.mark.parametrize(
    ("labels", "rows"),
    [
        (["O", "B-Chemical", "I-Chemical"], [0, 1, 2]),
        (["B-Chemical", "I-Chemical", "O"], [2, 0, 1]),
        (["B-Disease", "I-Disease", "B-Chemical", "I-Chemical", "O"], [4, 2, 3]),
        (["O", "B-Chemical", "I-Chemical", "L-Chemical", "U-Chemical"], [0, 1, 2]),
    ],
)
def test_training_starts_from_the_head_of_a_tagger(
    make_model: Callable[..., Path], labels: list[str], rows: list[int]
) -> None:
    base = make_model("bert", labels=labels)
    lent = load_file(base / "model.safetensors")
    made = make_module(base, TaggerTraining()).classifier.state_dict()
    for name in ("classifier.weight", "classifier.bias"):
        assert torch.equal(made[name], lent[name][rows])


def test_a_base_without_chemical_labels_gets_a_new_head(make_model: Callable[..., Path]) -> None:
    base = make_model("bert", labels=["LABEL_0", "LABEL_1"])
    assert make_module(base, TaggerTraining()).classifier.state_dict()["classifier.weight"].shape[0] == 3


def test_padding_does_not_change_the_loss(make_model: Callable[..., Path], articles: list[BioCDocument]) -> None:
    base = make_model("bert", labels=None)
    cutter = cutter_of(base_tokenizer(base))
    learner = Learner(base, STAGE, TaggerTraining())
    module = learner.module.eval()
    batch = learner.collate(examples(articles[:1], cutter, 64)[:1])
    wide = {
        name: torch.nn.functional.pad(tensor, (0, 32), value={"labels": IGNORED}.get(name, 0))
        if tensor.dim() == 2
        else tensor
        for name, tensor in batch.items()
    }
    assert module(**batch)["loss"].item() == pytest.approx(module(**wide)["loss"].item(), rel=1e-4)
