"""Embeddings of case, class and guidelines of a piece: separate in training, one table in a finished model."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from bioc import BioCDocument

from corpora.errors import ConfigurationError, ResourceError
from nlmchem.tagging.gazetteer.classes import CLASSES
from nlmchem.tagging.models.loading import load_model
from nlmchem.tagging.tokenization.word_pieces import CASES
from nlmchem.tagging.training.data import TrainingCorpus, without
from nlmchem.tagging.training.folders import store
from nlmchem.tagging.training.module import PieceKinds
from nlmchem.tagging.training.plan import StageOptions, TaggerTraining, TrainingPlan
from nlmchem.tagging.training.run import run

QUICK = StageOptions(rate=3e-3, passes=1, batch=128, dropout=0.0)
TEXT = "Mice were given NaCl and Aspirin."


def random_kinds(classes: int = 3, guidelines: int = 2) -> PieceKinds:
    kinds = PieceKinds(4, classes, guidelines)
    torch.manual_seed(1)
    for weight in kinds.parameters():
        torch.nn.init.normal_(weight)
    return kinds


def test_the_embedding_of_a_piece_is_the_sum_of_three() -> None:
    kinds = random_kinds()
    number = (1 * 3 + 2) * CASES + 4
    expected = kinds.guidelines[1] + kinds.classes[2] + kinds.cases[4]
    assert torch.allclose(kinds(torch.tensor([[number]]))[0, 0], expected)


def test_a_base_with_segments_starts_all_cases_from_the_first_segment() -> None:
    rows = torch.randn(2, 4)
    assert torch.equal(PieceKinds.of(rows, 3, (0, 0)).table(), rows[0].expand(2 * 3 * CASES, 4))


def test_a_base_with_cases_keeps_them() -> None:
    rows = torch.randn(CASES, 4)
    assert torch.equal(PieceKinds.of(rows, 3, (0,)).table()[:CASES], rows)


def test_training_continues_from_a_merged_table() -> None:
    kinds = random_kinds(guidelines=1)
    assert torch.allclose(PieceKinds.of(kinds.table().detach(), 3, (0,)).table(), kinds.table(), atol=1e-6)


def test_guidelines_of_the_base_are_kept_and_new_ones_start_from_the_target() -> None:
    kinds = random_kinds(guidelines=3)
    table = kinds.table().detach()
    found = PieceKinds.of(table, 3, (0, 2, 0)).table()
    size = 3 * CASES
    assert torch.allclose(found[:size], table[:size], atol=1e-6)
    assert torch.allclose(found[size : 2 * size], table[2 * size :], atol=1e-6)
    assert torch.allclose(found[2 * size :], table[:size], atol=1e-6)


def logits(model: Path) -> np.ndarray:
    loaded = load_model(model)
    ids = loaded.cutter([TEXT])[0].ids[None].astype(np.int64)
    return loaded.network(ids, np.ones_like(ids))


def test_a_trained_model_states_what_it_receives(trained: Path) -> None:
    facts = json.loads((trained / "nlmchem.json").read_text())
    assert (facts["letter_case"], facts["gazetteer"], facts["styles"]) == (True, True, ["", "other"])
    assert json.loads((trained / "config.json").read_text())["type_vocab_size"] == 2 * CLASSES * CASES


def test_the_same_model_with_int8_weights_gives_nearly_the_same_logits(trained: Path, tmp_path: Path) -> None:
    store(trained, tmp_path / "int8")
    assert np.allclose(logits(trained), logits(tmp_path / "int8"), atol=0.05)


def test_training_goes_on_with_the_gazetteer_of_the_base(
    trained: Path, articles: list[BioCDocument], tmp_path: Path
) -> None:
    target = [TrainingCorpus("own", tuple(articles[:2]))]
    options = TaggerTraining(window=64, second=QUICK)
    (model,) = run(TrainingPlan(trained, tmp_path / "again", target, options=options)).models
    assert json.loads((model / "nlmchem.json").read_text())["gazetteer"] is True


def test_a_table_of_another_size_is_refused(trained: Path) -> None:
    config = json.loads((trained / "config.json").read_text())
    (trained / "config.json").write_text(json.dumps(config | {"type_vocab_size": 7}))
    with pytest.raises(ResourceError, match="7 embeddings for the case and the class of pieces"):
        load_model(trained)


def test_options_that_need_each_other() -> None:
    with pytest.raises(ConfigurationError, match="needs letter_case"):
        TaggerTraining(gazetteer=True)


def test_left_out_articles_are_removed_and_counted(articles: list[BioCDocument]) -> None:
    lines: list[str] = []
    kept = without(
        [TrainingCorpus("own", tuple(articles))], [TrainingCorpus("test", tuple(articles[:2]))], lines.append
    )
    assert [document.id for document in kept[0].documents] == [document.id for document in articles[2:]]
    assert lines == ["own: 2 of 6 articles left out (leave_out)"]
