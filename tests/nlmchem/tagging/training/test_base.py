"""Base models: folders, int8 folders, the embedded model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from bioc import BioCDocument
from safetensors.torch import load_file

from corpora.errors import ConfigurationError, ResourceError
from nlmchem.tagging.models import folders
from nlmchem.tagging.models.folders import version_of
from nlmchem.tagging.models.loading import classes_of, cutter_of, load_model
from nlmchem.tagging.models.weights import dequantise, read_quantised
from nlmchem.tagging.training.data import TrainingCorpus
from nlmchem.tagging.training.folders import base_tokenizer, check_base, open_base, receives, store
from nlmchem.tagging.training.module import make_module
from nlmchem.tagging.training.plan import StageOptions, TaggerTraining, TrainingPlan
from nlmchem.tagging.training.run import run

QUICK = StageOptions(rate=3e-3, passes=1, batch=128, dropout=0.0)
OPTIONS = TaggerTraining(window=64, first=QUICK, second=QUICK)
TEXT = "Mice were given NaCl and Aspirin."


@pytest.fixture
def stored(make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path) -> Path:
    """A model with int8 weights that was trained with letter case, as the embedded model."""
    options = TaggerTraining(window=64, second=QUICK, letter_case=True)
    target = [TrainingCorpus("own", tuple(articles[:2]))]
    (model,) = run(TrainingPlan(make_model("bert", labels=None), tmp_path / "first", target, options=options)).models
    store(model, tmp_path / "stored")
    return tmp_path / "stored"


def test_a_folder_with_float_weights_is_used_as_it_is(make_model: Callable[..., Path], tmp_path: Path) -> None:
    base = make_model("bert")
    assert open_base(base, tmp_path) == base


def test_int8_weights_are_expanded_to_float32(stored: Path, tmp_path: Path) -> None:
    base = open_base(stored, tmp_path / "out")
    weights = load_file(base / "model.safetensors")
    assert {weight.dtype for weight in weights.values()} == {torch.float32}
    for name, weight in dequantise(read_quantised(stored)).items():
        assert np.array_equal(weights[name], weight)
    assert open_base(stored, tmp_path / "out") == base, "an existing copy is used again"


def test_a_stored_model_replaces_only_files_that_nobody_has_changed(
    make_model: Callable[..., Path], stored: Path, tmp_path: Path
) -> None:
    model = tmp_path / "first" / "seed-7" / "all" / "model"
    before = version_of(stored)
    store(model, stored)
    store(model, stored, name="other")
    assert version_of(stored) != before
    card = stored / "README.md"
    card.write_text("my notes")
    before = version_of(stored)
    with pytest.raises(ConfigurationError, match=r"README.md was not written by nlmchem, or was changed since"):
        store(model, stored)
    assert (version_of(stored), card.read_text()) == (before, "my notes")
    assert not list(tmp_path.glob(".*")), "nothing is left beside it"


def test_an_expanded_base_has_the_logits_of_the_tagger(stored: Path, tmp_path: Path) -> None:
    base = open_base(stored, tmp_path / "out")
    assert receives(base, "letter_case")
    module = make_module(base, TaggerTraining(letter_case=True)).eval()
    tagger = load_model(stored)
    ids = torch.from_numpy(cutter_of(base_tokenizer(base), module.cased)([TEXT])[0].ids).long()[None]
    assert torch.equal(ids, torch.from_numpy(tagger.cutter([TEXT])[0].ids).long()[None])
    mask = torch.ones_like(ids)
    assert np.allclose(module(ids, mask)["logits"].detach(), tagger.network(ids.numpy(), mask.numpy()), atol=0.05)


def test_training_continues_from_the_embedded_model(
    stored: Path, articles: list[BioCDocument], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "FOLDER", stored)
    target = [TrainingCorpus("own", tuple(articles[:2]))]
    (model,) = run(TrainingPlan(Path("default"), tmp_path / "out", target, options=OPTIONS)).models
    assert json.loads((model / "nlmchem.json").read_text())["letter_case"] is True, "letter case comes from the base"
    card = (model / "README.md").read_text()
    assert f"Base model: the embedded model, sha256 `{load_model(stored).version}`" in card
    before, after = load_model(stored), load_model(model)
    ids = after.cutter([TEXT])[0].ids[None].astype(np.int64)
    assert not np.array_equal(before.network(ids, np.ones_like(ids)), after.network(ids, np.ones_like(ids)))


def test_the_embedded_model_can_be_expanded(tmp_path: Path) -> None:
    base = open_base(Path("default"), tmp_path)
    check_base(base)
    assert receives(base, "letter_case")
    assert receives(base, "gazetteer")
    module = make_module(base, TaggerTraining(letter_case=True, gazetteer=True)).eval()
    tagger = load_model(folders.FOLDER)
    ids = torch.from_numpy(tagger.cutter([TEXT])[0].ids).long()[None]
    mask = torch.ones_like(ids)
    assert np.allclose(module(ids, mask)["logits"].detach(), tagger.network(ids.numpy(), mask.numpy()), atol=0.05)
    cutter = cutter_of(base_tokenizer(base), module.cased, classes_of({"gazetteer": True}))
    assert cutter([TEXT])[0].ids.tolist() == ids[0].tolist()


def test_a_folder_without_weights_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ResourceError, match=r"has no model\.safetensors"):
        open_base(tmp_path, tmp_path / "out")
