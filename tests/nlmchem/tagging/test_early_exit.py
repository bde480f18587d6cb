"""Pieces that leave a model before its last layer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_models import write_early_exit

from corpora.errors import ResourceError
from corpora.storage.atomic import sha256_of
from nlmchem.tagging.kernel.arithmetic import Kernel
from nlmchem.tagging.models.bert import BESIDE, staying
from nlmchem.tagging.models.loading import load_model
from nlmchem.tagging.models.weights import EARLY_EXIT_FILE
from nlmchem.tagging.training.folders import store

TEXTS = [["Mice were given NaCl for two days.", "The level of dopamine rose, whereas Ca2+ fell (p < 0.05)."] * 3]


@pytest.fixture
def stored(make_model: Callable[..., Path], tmp_path: Path) -> Path:
    store(make_model("bert"), tmp_path / "stored")
    return tmp_path / "stored"


def probabilities(folder: Path, arithmetic: str) -> np.ndarray:
    scored, _ = load_model(folder, arithmetic=arithmetic).score(TEXTS)
    return np.concatenate([passage.probabilities for passages in scored for passage in passages])


@given(st.lists(st.lists(st.floats(-1, 9), min_size=1, max_size=20), min_size=1, max_size=5), st.floats(0, 6))
def test_a_piece_leaves_if_it_and_those_near_it_in_its_window_are_surely_outside(
    windows: list[list[float]], margin: float
) -> None:
    logits = np.array([(odds, 0.0, -1.0) for window in windows for odds in window], dtype=np.float32)
    lengths = [len(window) for window in windows]
    stays = staying(logits, lengths, margin)
    at = 0
    for window in windows:
        sure = [np.float32(odds) >= margin for odds in window]
        for place in range(1, len(window) - 1):
            assert stays[at + place] == (not all(sure[max(0, place - BESIDE) : place + BESIDE + 1]))
        assert stays[at]
        assert stays[at + len(window) - 1]
        at += len(window)


def test_a_score_that_is_no_number_stays() -> None:
    logits = np.array([(9, 0), (9, 0), (np.nan, 0), (9, 0), (9, 0)], dtype=np.float32)
    assert staying(logits, [5], 3.0).all()
    assert not staying(np.repeat(logits[:1], 5, axis=0), [5], 3.0)[1:4].any()


@pytest.mark.parametrize("arithmetic", ["float32", "int8"])
def test_a_margin_that_no_piece_reaches_gives_the_scores_of_all_layers(
    arithmetic: str, stored: Path, compiled: Kernel
) -> None:
    whole = probabilities(stored, arithmetic)
    write_early_exit(stored, margin=1e9)
    assert np.array_equal(probabilities(stored, arithmetic), whole)


@pytest.mark.parametrize("arithmetic", ["float32", "int8"])
def test_pieces_that_leave_have_the_scores_of_the_probe(arithmetic: str, stored: Path, compiled: Kernel) -> None:
    write_early_exit(stored, margin=-1e9)
    all_leave = probabilities(stored, arithmetic)
    odds = np.log(all_leave[:, 0] / all_leave[:, 1:].max(axis=1))
    margin = float(np.quantile(odds, 0.02))
    write_early_exit(stored, margin=margin)
    same = (probabilities(stored, arithmetic) == all_leave).all(axis=1)
    assert 0 < same.sum() < len(same)
    assert (odds[same] > margin - 1e-4).all()


def test_both_arithmetics_let_nearly_the_same_pieces_leave(stored: Path, compiled: Kernel) -> None:
    write_early_exit(stored, margin=0.5)
    exact, rounded = (probabilities(stored, arithmetic) for arithmetic in ("float32", "int8"))
    assert (np.abs(exact - rounded).max(axis=1) < 0.25).mean() > 0.9


def test_the_exit_is_part_of_the_version_of_a_model(stored: Path) -> None:
    before = load_model(stored).version
    write_early_exit(stored, margin=3.0)
    assert load_model(stored).version != before


def test_an_exit_that_is_damaged_or_of_another_model_is_reported(stored: Path) -> None:
    (stored / EARLY_EXIT_FILE).write_bytes(b"cut off")
    with pytest.raises(ResourceError, match=rf"its {EARLY_EXIT_FILE} cannot be read"):
        load_model(stored)
    write_early_exit(stored, margin=3.0)
    from safetensors.numpy import load_file, save_file

    weights = load_file(stored / EARLY_EXIT_FILE)
    right = {"layers": "1", "margin": "3", "model": sha256_of(stored / "model.int8.safetensors")}
    for facts in ({**right, "layers": "2"}, {**right, "layers": "0"}, {**right, "model": "0" * 64}):
        save_file(weights, stored / EARLY_EXIT_FILE, facts)
        with pytest.raises(ResourceError, match="is that of another model"):
            load_model(stored)
    save_file({**weights, "probe.weight": weights["probe.weight"][:, :-1].copy()}, stored / EARLY_EXIT_FILE, right)
    with pytest.raises(ResourceError, match="is that of another model"):
        load_model(stored)
    save_file(weights, stored / EARLY_EXIT_FILE, {**right, "layers": "one"})
    with pytest.raises(ResourceError, match="cannot be read"):
        load_model(stored)
