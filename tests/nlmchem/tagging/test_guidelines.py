"""A model tags by the guidelines of one of its training corpora (`--guidelines`)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import nlmchem
from corpora.errors import ConfigurationError, ResourceError
from nlmchem.engine import runner
from nlmchem.engine.executors import InlineExecutor
from nlmchem.run.plan import Configuration, Job
from nlmchem.steps.tag import TagOptions
from nlmchem.tagging.inference.scoring import TokenClassifier
from nlmchem.tagging.models.folders import number_of
from nlmchem.tagging.models.loading import open_model
from nlmchem.tagging.registry import TaggerChoice
from nlmchem.tagging.rules.post_processing import Rules
from nlmchem.tagging.training.plan import StageOptions

TEXT = "Mice were given glucose and bisphenol A daily."
QUICK = StageOptions(rate=3e-3, passes=1, batch=128, dropout=0.0)


def logits(model: object) -> np.ndarray:
    assert isinstance(model, TokenClassifier)
    ids = model.cutter([TEXT])[0].ids[None].astype(np.int64)
    return model.network(ids, np.ones_like(ids))


def test_the_model_receives_the_guidelines(trained: Path) -> None:
    plain, other = open_model(trained), open_model(trained, guidelines="other")
    assert not np.array_equal(logits(plain), logits(other))
    assert np.array_equal(logits(other), logits(replace(plain, cutter=replace(plain.cutter, guidelines=1))))
    # The probabilities of models that read the same pieces are averaged; these two do not.
    assert plain.cutter.version != other.cutter.version


def test_guidelines_that_a_model_was_not_trained_with(trained: Path, make_model: Callable[..., Path]) -> None:
    assert number_of(trained, "other") == 1
    for wrong in ("bc5cdr", ""):
        with pytest.raises(
            ConfigurationError, match=rf"the guidelines '{wrong}'; choose other, or leave the option out"
        ):
            number_of(trained, wrong)
    with pytest.raises(ConfigurationError, match="was not trained with the guidelines 'other'; leave the option out"):
        open_model(make_model("bert"), guidelines="other")


def test_they_are_checked_for_each_model_before_any_work(trained: Path, make_model: Callable[..., Path]) -> None:
    assert set(TaggerChoice((str(trained), "lexicon"), guidelines="other").versions()) == {"tagger 1", "tagger 2"}
    with pytest.raises(ConfigurationError, match="guidelines 'other'"):
        TaggerChoice((str(trained), str(make_model("bert"))), guidelines="other").versions()


def test_the_facts_of_a_damaged_model(trained: Path) -> None:
    (trained / "nlmchem.json").write_text("[")
    with pytest.raises(ResourceError, match=r"nlmchem.json cannot be read"):
        number_of(trained, "other")


def test_the_embedded_model_has_those_of_four_corpora() -> None:
    with pytest.raises(ConfigurationError, match="choose bc5cdr, biored, drugprot, chemdner, or leave the option out"):
        nlmchem.load(lexicon="starter", guidelines="craft")
    for name in ("bc5cdr", "biored", "drugprot", "chemdner"):
        pipe = nlmchem.load(lexicon="starter", steps=["tag"], guidelines=name, decision="rules")
        assert "glucose" in [mention.text for mention in pipe(TEXT).mentions]


def test_a_manifest_has_the_guidelines(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "LocalExecutor", InlineExecutor)
    (tmp_path / "a.txt").write_text(TEXT)
    configuration = Configuration.of(steps=("tag",), tagger=str(trained), guidelines="other", lexicon="starter").parse()
    runner.annotate_folder(Job([str(tmp_path / "a.txt")], configuration), tmp_path / "out")
    steps = json.loads((tmp_path / "out" / "manifest.json").read_text())["configuration"]["steps"]
    assert steps["tag"]["options"]["guidelines"] == "other"


def test_with_guidelines_neither_rules_nor_a_decision_follow_nlm_chem() -> None:
    """CHEMDNER marks chemicals in names of proteins, and so does the model by its guidelines."""
    text = "Glutamate receptor blockers and potassium channel openers were given."
    usual = nlmchem.load(lexicon="starter", steps=["tag"])(text)
    by_chemdner = nlmchem.load(lexicon="starter", steps=["tag"], guidelines="chemdner")(text)
    assert [mention.text for mention in usual.mentions] == []
    assert [mention.text for mention in by_chemdner.mentions] == ["Glutamate", "potassium"]


def test_rules_and_decision_that_are_given_count() -> None:
    given = Configuration.of(guidelines="chemdner", decision="knowledge", rules="all").parse().options(TagOptions)
    assert given is not None
    assert (given.decision, given.rules) == ("knowledge", "all")
    assert Rules.parse("all", "chemdner") == Rules()
