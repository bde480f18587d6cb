"""One stage: checkpoints, early stopping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from accelerate.state import AcceleratorState
from bioc import BioCDocument

from corpora.errors import OptionError
from nlmchem.tagging.models.loading import cutter_of
from nlmchem.tagging.training import module as training
from nlmchem.tagging.training.data import examples
from nlmchem.tagging.training.folders import base_tokenizer
from nlmchem.tagging.training.plan import StageOptions, TaggerTraining
from nlmchem.tagging.training.stage import _arguments as arguments
from nlmchem.tagging.training.stage import train_stage

QUICK = StageOptions(rate=3e-3, passes=2, batch=128, dropout=0.0)
OPTIONS = TaggerTraining(window=64, first=QUICK, second=QUICK)


def test_a_stage_that_was_stopped_continues_to_the_same_weights(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path
) -> None:
    base = make_model("bert", labels=None)
    given = examples(articles[:3], cutter_of(base_tokenizer(base)), 64)
    stage = replace(QUICK, passes=2, dropout=0.1)
    whole = train_stage(base, tmp_path / "whole", given, stage, OPTIONS)
    stops = 0
    while not (done := train_stage(base, tmp_path / "torn", given, stage, OPTIONS, until=0.0)).finished:
        stops += 1
        assert stops < 100
    assert stops >= 3, "with a time limit of 0 every call makes one step"
    assert done.steps == whole.steps
    for one, two in zip(whole.learner.module.parameters(), done.learner.module.parameters(), strict=True):
        assert torch.equal(one, two)


def test_a_checkpoint_that_a_killed_training_did_not_finish_is_not_used(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path
) -> None:
    base = make_model("bert", labels=None)
    given = examples(articles[:3], cutter_of(base_tokenizer(base)), 64)
    whole = train_stage(base, tmp_path / "whole", given, QUICK, OPTIONS)
    for torn, left in (("absent", None), ("cut", '{"best_metric": nu')):
        folder = tmp_path / torn
        assert not train_stage(base, folder, given, QUICK, OPTIONS, until=0.0).finished
        unfinished = folder / "checkpoint-99"
        unfinished.mkdir()
        if left is not None:
            (unfinished / "trainer_state.json").write_text(left)
        done = train_stage(base, folder, given, QUICK, OPTIONS)
        assert done.steps == whole.steps
        for one, two in zip(whole.learner.module.parameters(), done.learner.module.parameters(), strict=True):
            assert torch.equal(one, two)
        assert not unfinished.exists()


def test_training_stops_early_and_keeps_the_best_pass(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path
) -> None:
    base = make_model("bert", labels=None)
    given = examples(articles, cutter_of(base_tokenizer(base)), 64)
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
    assert len(seen) == 4, "training ends after two passes without gain"
    assert torch.equal(module_weights(), seen[1])


def test_a_batch_in_parts_gives_the_steps_and_the_gradients_of_the_whole_batch(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path
) -> None:
    base = make_model("bert", labels=None)
    # Windows of one length: the mean of the parts is the mean of the batch.
    given = examples(articles[:1], cutter_of(base_tokenizer(base)), 64)[:1] * 8
    whole = train_stage(base, tmp_path / "whole", given, QUICK, OPTIONS)
    parts = train_stage(base, tmp_path / "parts", given, QUICK, replace(OPTIONS, accumulate=2))
    assert parts.steps == whole.steps == 8
    for one, two in zip(whole.learner.module.parameters(), parts.learner.module.parameters(), strict=True):
        assert torch.allclose(one, two, atol=1e-4)


def test_settings_that_cannot_work_are_refused() -> None:
    with pytest.raises(OptionError, match="accumulate is 3, but a batch has 2 windows; give a smaller number"):
        replace(OPTIONS, accumulate=3)
    with pytest.raises(OptionError, match='precision float16 needs a GPU; add device="cuda", or use bfloat16'):
        replace(OPTIONS, precision="float16")
    assert replace(OPTIONS, precision="float16", device="cuda:1").precision == "float16"


@pytest.mark.parametrize(("named", "used"), [("cuda", "cuda:0"), ("cuda:1", "cuda:1")])
def test_training_uses_the_named_gpu_alone(
    named: str, used: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No GPU is here, so torch is made to report two."""
    chosen: list[torch.device] = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda *_: False)
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    try:
        made = arguments(tmp_path, QUICK, replace(OPTIONS, device=named), (2, 1), 8, scored=False)
        assert (made.device, made.n_gpu, made.train_batch_size) == (torch.device(used), 1, 2)
        assert chosen[-1] == torch.device(used)
    finally:
        # The state of the process, which later trainings on the CPU share.
        AcceleratorState._reset_state(reset_partial_state=True)
