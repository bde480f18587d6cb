"""The embedded kind of encoder, and the dense fallback with it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from corpora.errors import ResourceError
from sieves.dense.encoders import BagEncoder, bags, open_encoder
from sieves.dense.fallback import DenseFallback, NameVectors
from sieves.dense.training import DenseSettings, train
from sieves.lexicon.lexicon import Lexicon

SMALL = DenseSettings(buckets=512, width=16, concepts=8, minutes=0.01, check_every=5)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> BagEncoder:
    """Random directions for n-grams: names that share most of them are near each other."""
    path = tmp_path_factory.mktemp("encoder") / "weights.safetensors"
    save_file({"ngrams": np.random.default_rng(0).normal(size=(4096, 64)).astype(np.float16)}, path)
    return BagEncoder.open(path)


def test_a_vector_has_unit_length_and_does_not_depend_on_other_names(encoder: BagEncoder) -> None:
    names = ["ethanol", "β-carotene", "", "x" * 10_000, "·"]
    rows = encoder.encode(names)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert all((encoder.encode([name])[0] == row).all() for name, row in zip(names, rows, strict=True))
    assert encoder.encode([]).shape == (0, 64)


def test_grams_do_not_depend_on_case_punctuation_and_greek_spelling() -> None:
    grams = [bags([name], 512)[0].tolist() for name in ("β-Carotene", "beta carotene", "BETA-CAROTENE")]
    assert grams[0] == grams[1] == grams[2]
    assert all(0 <= gram < 512 for gram in grams[0])


def test_the_nearest_name_answers_above_the_threshold(mesh: Path, encoder: BagEncoder) -> None:
    with Lexicon.open(mesh) as lexicon:
        vectors = NameVectors.of(lexicon, mesh, encoder)
        found = DenseFallback(lexicon, vectors, encoder, 0.7)(["docosahexaenoic acidd", "quite another thing", "·"])
    assert list(found) == ["docosahexaenoic acidd"]
    candidate = found["docosahexaenoic acidd"]
    assert (candidate.identifiers, candidate.sieve) == (("MESH:D000010",), "dense")
    assert candidate.score is not None
    assert 0.7 <= candidate.score <= 1


def test_vectors_are_made_once_and_broken_ones_are_refused(mesh: Path, encoder: BagEncoder, tmp_path: Path) -> None:
    copy = tmp_path / "mesh.sqlite"
    copy.write_bytes(mesh.read_bytes())
    with Lexicon.open(copy) as lexicon:
        NameVectors.of(lexicon, copy, encoder)
        (file,) = tmp_path.glob("*.npy")
        first = file.read_bytes()
        NameVectors.of(lexicon, copy, encoder)
        assert file.read_bytes() == first
        file.write_bytes(first[:50])
        with pytest.raises(ResourceError, match="are broken"):
            NameVectors.of(lexicon, copy, encoder)


@pytest.mark.parametrize("content", [None, b"", b"\x80\x04pickle", b"\x08\x00\x00\x00\x00\x00\x00\x00{}      "])
def test_missing_or_broken_weights_are_refused(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "w.safetensors").write_bytes(content)
    with pytest.raises(ResourceError, match="no dense encoder at"):
        open_encoder(str(tmp_path / "w.safetensors"))


def test_training_writes_weights_and_a_card(mesh: Path, tmp_path: Path) -> None:
    with Lexicon.open(mesh) as lexicon:
        train(lexicon, tmp_path / "d.safetensors", SMALL, lambda _: None)
    card = json.loads((tmp_path / "d.json").read_text())
    assert card["sha256"] == BagEncoder.open(tmp_path / "d.safetensors").version
    assert card["steps"] > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.json", "d.safetensors"]
