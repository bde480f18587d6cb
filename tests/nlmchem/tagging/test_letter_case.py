"""A model whose tokenizer folds capitals is shown them all the same, where it was trained so."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from bioc import BioCDocument

from corpora.errors import ResourceError
from nlmchem.tagging.models.loading import cutter_of, load_model
from nlmchem.tagging.tokenization.word_pieces import CASES, cases_of, joined, taken_apart
from nlmchem.tagging.training.data import TrainingCorpus
from nlmchem.tagging.training.folders import base_tokenizer, store
from nlmchem.tagging.training.module import make_module
from nlmchem.tagging.training.plan import StageOptions, TaggerTraining, TrainingPlan
from nlmchem.tagging.training.run import run

QUICK = StageOptions(rate=3e-3, passes=2, batch=128, dropout=0.0)
OPTIONS = TaggerTraining(window=64, first=QUICK, second=QUICK, letter_case=True)


@pytest.mark.parametrize(
    ("piece", "case"),
    [("no", 0), ("2+", 0), ("β", 0), ("", 0), ("Ca", 1), ("Nitric", 1), ("NO", 2), ("DHA3", 2), ("Δ9", 3), ("N", 3),
     ("mRNA", 4), ("dATP", 4), ("NaCl", 4)],
)  # fmt: skip
def test_the_case_of_a_piece_is_that_of_its_letters(piece: str, case: int) -> None:
    text = f"X {piece} x"
    assert cases_of(text, np.array([2], np.int32), np.array([2 + len(piece)], np.int32)).tolist() == [case]


def test_ids_contain_the_case() -> None:
    ids, cases = np.array([0, 7, 299], np.int32), np.array([0, CASES - 1, 2], np.int32)
    both = joined(ids, cases, 300)
    assert both.dtype == np.int32
    assert both[0] == ids[0]
    again = taken_apart(torch.from_numpy(both), 300)
    assert again[0].tolist() == ids.tolist()
    assert again[1].tolist() == cases.tolist()


def test_words_that_differ_only_in_capitals_have_different_ids(make_model: Callable[..., Path]) -> None:
    tokenizer = base_tokenizer(make_model("bert"))
    one, other = (cutter_of(tokenizer)(["No effect of NO"])[0], cutter_of(tokenizer, 300)(["No effect of NO"])[0])
    assert one.ids[0] == one.ids[-1]
    assert other.ids[0] != other.ids[-1]
    assert (other.ids % 300).tolist() == one.ids.tolist()
    assert cutter_of(tokenizer).version != cutter_of(tokenizer, 300).version


@pytest.mark.parametrize("architecture", ["bert", "electra", "roberta"])
def test_before_training_the_case_does_not_change_scores(make_model: Callable[..., Path], architecture: str) -> None:
    base = make_model(architecture)
    texts = ["Mice were given NaCl and Aspirin."]
    tokenizer = base_tokenizer(base)
    plain, shown = (make_module(base, TaggerTraining(letter_case=case)).eval() for case in (False, True))
    size = shown.cased
    for module, cutter in ((plain, cutter_of(tokenizer)), (shown, cutter_of(tokenizer, size))):
        ids = torch.from_numpy(cutter(texts)[0].ids).long()[None]
        module.told = module(ids, torch.ones_like(ids))["logits"]
    assert torch.equal(plain.told, shown.told)


def test_a_model_without_segments_cannot_use_the_case(make_model: Callable[..., Path]) -> None:
    with pytest.raises(ResourceError, match="no segment embeddings"):
        make_module(make_model("deberta-v2"), TaggerTraining(letter_case=True))


def test_a_model_is_trained_stored_and_used_with_the_case(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path
) -> None:
    base = make_model("bert", labels=None)
    first, second = (TrainingCorpus(name, tuple(articles)) for name in "ab")
    plan = TrainingPlan(base, tmp_path / "out", [first], [second], folds=2, only=[0], options=OPTIONS)
    (folder,) = run(plan, lambda _: None).models
    assert json.loads((folder / "nlmchem.json").read_text())["letter_case"] is True
    exact = load_model(folder)
    store(folder, tmp_path / "stored")
    stored = load_model(tmp_path / "stored")
    texts = ["Mice were given NaCl, nacl and NACL."]
    ids = exact.cutter(texts)[0].ids[None].astype(np.int64)
    assert np.array_equal(ids[0], stored.cutter(texts)[0].ids)
    assert len(set(taken_apart(ids, exact.cutter.cased)[1][0].tolist())) == 4
    mask = np.ones_like(ids)
    assert np.allclose(exact.network(ids, mask), stored.network(ids, mask), atol=0.2)
    folded = taken_apart(ids, exact.cutter.cased)[0]
    assert not np.array_equal(exact.network(ids, mask), exact.network(folded, mask))
