"""Models of an architecture that an installed package adds: they are opened and trained by its entries."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from plugin_entries import add_entries

from corpora.errors import ConfigurationError, ResourceError
from nlmchem.tagging.models import folders as architectures
from nlmchem.tagging.models.folders import Architecture
from nlmchem.tagging.models.loading import labels_of, open_model
from nlmchem.tagging.training import learner as kinds
from nlmchem.tagging.training.learner import TOKEN_CLASSIFIER, LearnerKind, kind_of

SPEAKER = Architecture("a speaker", ("speaker",), lambda folder, device: (folder.name, device))  # type: ignore[arg-type, return-value]


@pytest.fixture
def model(make_model: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a model whose architecture a package has."""
    add_entries(monkeypatch, architectures, "ARCHITECTURES", speaker=SPEAKER)
    return _of_type(make_model("bert"), "speaker")


def _of_type(folder: Path, type: str) -> Path:
    config: dict[str, Any] = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"model_type": type}), "utf-8")
    return folder


def test_its_entry_opens_the_model(model: Path) -> None:
    assert open_model(model, "cpu") == (model.name, "cpu")
    with pytest.raises(ConfigurationError, match="it is a speaker, which has no labels; leave out labels"):
        labels_of(model, ("O", "B-Chemical", "I-Chemical"))


def test_a_type_that_no_package_has_is_refused(make_model: Callable[..., Path]) -> None:
    with pytest.raises(ResourceError, match="it is of type 'listener', not one of bert"):
        open_model(_of_type(make_model("bert"), "listener"))


def test_a_token_classifier_imports_no_plugin(make_model: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(architectures, "ARCHITECTURES", None)
    assert open_model(make_model("bert")).name == "tiny-bert"


def test_it_is_trained_by_the_learner_of_its_name(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match=f"{model} is a speaker, which cannot be trained; name another base"):
        kind_of(model)
    kind = LearnerKind(*[lambda *_: None] * 4)  # type: ignore[arg-type, list-item, return-value]
    add_entries(monkeypatch, kinds, "KINDS", speaker=kind)
    monkeypatch.setattr(kinds, "architecture_of", lambda folder: ("speaker", SPEAKER))
    assert kind_of(model) is kind


def test_other_bases_are_token_classifiers(make_model: Callable[..., Path]) -> None:
    assert kind_of(Path("default")) is TOKEN_CLASSIFIER
    assert kind_of(make_model("roberta")) is TOKEN_CLASSIFIER
