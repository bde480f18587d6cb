"""The encoder that ships: what it computes, and folders that cannot be used. The small ones are random and our own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tiny_transformer import write_tiny_transformer

from benchmarks.retrain.vocabulary import store
from corpora.errors import ResourceError
from nlmchem.companions.senses.encoders import EMBEDDED, EmbeddedEncoder, SentenceEncoder
from nlmchem.tagging.kernel.arithmetic import kernel
from sieves.dense.encoders import open_transformer

KERNEL = pytest.mark.skipif(kernel() is None, reason="the kernel was not built")
BOTH = pytest.mark.parametrize("arithmetic", [pytest.param("int8", marks=KERNEL), "float32"])
TEXTS = ["zinc uptake", "a much longer sentence about the uptake of zinc by roots", "", "zinc " * 200, "lead"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a local transformer, and beside it the same with int8 weights."""
    folder = write_tiny_transformer(tmp_path_factory.mktemp("encoders") / "float32")
    stored(folder, folder.parent / "int8")
    return folder


def stored(folder: Path, out: Path) -> Path:
    tokenizer, model = open_transformer(folder)
    store(model, tokenizer.backend_tokenizer, out)
    return out


@BOTH
def test_its_rows_are_nearly_those_of_the_float32_transformer(tiny: Path, arithmetic: str) -> None:
    texts = [text for text in TEXTS if len(text) < 100]
    exact = SentenceEncoder(tiny).encode(texts)
    found = EmbeddedEncoder(tiny.parent / "int8", arithmetic).encode(texts)
    assert (exact * found).sum(axis=1) == pytest.approx(1, abs=1e-3)


@BOTH
def test_a_row_has_unit_length_and_does_not_depend_on_other_texts(tiny: Path, arithmetic: str) -> None:
    encoder = EmbeddedEncoder(tiny.parent / "int8", arithmetic)
    rows = encoder.encode(TEXTS)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1)
    assert all((encoder.encode([text])[0] == row).all() for text, row in zip(TEXTS, rows, strict=True))
    assert encoder.encode([]).shape == (0, rows.shape[1])


def test_the_same_encoder_gives_the_same_bytes(tiny: Path, tmp_path: Path) -> None:
    again = stored(tiny, tmp_path / "again")
    for path in sorted(again.iterdir()):
        assert path.read_bytes() == (tiny.parent / "int8" / path.name).read_bytes()


@pytest.mark.parametrize("name", ["config.json", "nlmchem.json", "tokenizer.json", "model.int8.safetensors"])
def test_a_damaged_or_missing_file_is_one_sentence(tiny: Path, tmp_path: Path, name: str) -> None:
    path = stored(tiny, tmp_path / "damaged") / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    for _ in range(2):
        with pytest.raises(ResourceError) as raised:
            EmbeddedEncoder(path.parent)
        assert str(path.parent) in str(raised.value)
        assert "\n" not in str(raised.value)
        path.unlink(missing_ok=True)


def test_the_encoder_that_ships_is_compact_and_has_a_card() -> None:
    files = {path.name: path.stat().st_size for path in EMBEDDED.iterdir()}
    assert sorted(files) == ["README.md", "config.json", "model.int8.safetensors", "nlmchem.json", "tokenizer.json"]
    assert sum(files.values()) < 18_000_000
    assert json.loads((EMBEDDED / "config.json").read_text("utf-8"))["vocab_size"] == 16_000


def test_the_encoder_that_ships_knows_what_is_near() -> None:
    rows = EmbeddedEncoder().encode(
        ["The ejection fraction fell after the infarction.", "heart failure", "silicon chip"]
    )
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.1


@KERNEL
def test_with_the_kernel_neither_torch_nor_transformers_is_imported() -> None:
    code = (
        "import sys\nfrom nlmchem.companions.senses.encoders import EmbeddedEncoder\n"
        "EmbeddedEncoder(arithmetic='int8').encode(['zinc'])\n"
        "assert not {'torch', 'transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
