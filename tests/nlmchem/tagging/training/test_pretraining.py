"""Pretraining of the encoder (benchmarks/train_default/pretrain.py) on a tiny model and a short text."""

from __future__ import annotations

import json
import lzma
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import torch
from loaded_benchmark import ROOT, load_benchmark
from torch import Tensor

SPECIAL = 4
"""The ids 0 to 3 are special in this file; 1 begins a window and 2 ends it."""


class Tokenizer:
    all_special_ids = (0, 1, 2, 3)
    mask_token_id = 3
    vocab_size = 40


class Encoder(torch.nn.Module):
    class config:
        hidden_size = 8
        vocab_size = 40


@pytest.fixture
def pretrain(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks" / "train_default"))
    monkeypatch.delitem(sys.modules, "sources", raising=False)
    return load_benchmark("train_default/pretrain")


def windows_of(pieces: Tensor, number: int, length: int) -> Tensor:
    starts = torch.arange(number)[:, None] * length
    ids = pieces[(starts + torch.arange(length)) % len(pieces)].long()
    ids[:, 0], ids[:, -1] = 1, 2
    return ids


def test_a_replaced_piece_stands_beside_the_same_neighbour_elsewhere_in_the_text(pretrain: ModuleType) -> None:
    generator = torch.Generator().manual_seed(0)
    pieces = torch.randint(SPECIAL, 40, (500,), generator=generator, dtype=torch.int32)
    ids = windows_of(pieces, 10, 32)
    shown, places = pretrain.Replaced(Tokenizer(), Encoder(), pieces).changed(ids, generator)
    assert len(places) == len(set(places.tolist())) == int(320 * pretrain.MASKED)
    assert not torch.isin(ids.flatten()[places], torch.arange(SPECIAL)).any(), "special pieces stay"
    pairs = set(zip(pieces[:-1].tolist(), pieces[1:].tolist(), strict=True))
    before, old, new = ids.flatten().tolist(), ids.flatten(), shown.flatten()
    changed = (old != new).nonzero().flatten().tolist()
    assert set(changed) <= set(places.tolist())
    assert len(changed) > len(places) / 2
    for at in changed:
        piece = int(new[at])
        assert (before[at - 1], piece) in pairs or (piece, before[at + 1]) in pairs


def test_a_piece_whose_neighbour_is_not_in_the_text_stays(pretrain: ModuleType) -> None:
    ids = torch.tensor([[1, 10, 11, 12, 2]])
    task = pretrain.Replaced(Tokenizer(), Encoder(), torch.full((50,), 20, dtype=torch.int32))
    shown, places = task.changed(ids, torch.Generator().manual_seed(0))
    assert len(places) == 1
    assert shown.equal(ids)


def test_masks_are_shown_for_most_of_the_drawn_pieces(pretrain: ModuleType) -> None:
    generator = torch.Generator().manual_seed(0)
    ids = windows_of(torch.randint(SPECIAL, 40, (500,), generator=generator), 20, 32)
    shown, places = pretrain.Masked(Tokenizer(), "cpu").changed(ids, generator)
    masks = shown.flatten()[places] == Tokenizer.mask_token_id
    assert 0.6 < masks.float().mean() < 0.95
    assert (shown != ids).sum() <= len(places)


@pytest.mark.slow
def test_the_result_is_a_model_folder_that_a_second_call_continues_from(
    pretrain: ModuleType,
    make_model: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with lzma.open(tmp_path / "text.jsonl.xz", "wt", encoding="utf-8") as stream:
        for number in range(5):
            stream.write(
                json.dumps({"id": str(number), "text": "Sodium chloride was added to the water. " * 20}) + "\n"
            )
    words = ["pretrain.py", "--data", tmp_path, "--base", make_model("bert", labels=None), "--out", tmp_path / "run"]
    words += ["--objective", "replaced", "--device", "cpu", "--minutes", "0.02", "--batch", "2", "--length", "32"]
    monkeypatch.setattr(sys, "argv", [str(word) for word in words])
    pretrain.main()
    assert {"config.json", "model.safetensors", "tokenizer.json", "pretraining.json"} <= {
        file.name for file in (tmp_path / "run").iterdir()
    }
    assert json.loads((tmp_path / "run" / "pretraining.json").read_text())["steps"] > 0
    capsys.readouterr()
    pretrain.main()
    assert str(tmp_path / "run") in capsys.readouterr().out.splitlines()[0]
