"""Vectors of word pieces: how words are divided, what a text is, and files that cannot be used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from corpora.errors import ResourceError
from nlmchem.companions.senses.vectors import PieceVectors, embedded_vectors, read_vectors, write_vectors

PIECES = ["cell", "tumour", "##s", "t"]
ROWS = np.array([[1, 0], [0, 1], [0.5, 0.5], [3, 3]], dtype=np.float32)


def test_a_word_is_its_longest_pieces_from_the_left() -> None:
    vectors = PieceVectors(PIECES, ROWS)
    assert vectors.pieces_of("tumours") == [1, 2]
    assert vectors.pieces_of("t") == [3]
    assert vectors.pieces_of("cellx") == [], "a piece is unknown"


def test_a_text_is_the_direction_of_the_sum_of_its_pieces() -> None:
    vectors = PieceVectors(PIECES, ROWS)
    assert vectors.text_vector({"cells": 2}) == pytest.approx(np.array([3, 1]) / np.sqrt(10))
    assert vectors.text_vector({"unknown": 1}).tolist() == [0, 0]
    assert vectors.cosines({"cell": 1}, ["Cell", "tumour", "?"]) == pytest.approx([1, 0, 0])


def test_a_file_keeps_vectors_to_a_hundredth(tmp_path: Path) -> None:
    write_vectors(tmp_path / "v", PIECES, ROWS)
    read = read_vectors(tmp_path / "v")
    assert read.text_vector({"cells": 1}) == pytest.approx(
        PieceVectors(PIECES, ROWS).text_vector({"cells": 1}), abs=0.01
    )


def test_a_file_of_another_kind_is_one_sentence(tmp_path: Path) -> None:
    from safetensors.numpy import save

    write_vectors(tmp_path / "v", PIECES, ROWS)
    whole = (tmp_path / "v").read_bytes()
    for content in (whole[: len(whole) // 2], save({"other": ROWS}), b""):
        (tmp_path / "v").write_bytes(content)
        with pytest.raises(ResourceError, match="damaged, or of another kind") as raised:
            read_vectors(tmp_path / "v")
        assert "\n" not in str(raised.value)
    with pytest.raises(ResourceError, match="cannot be read"):
        read_vectors(tmp_path / "absent")


def test_the_embedded_vectors_know_what_is_near() -> None:
    near, far = embedded_vectors().cosines(
        {"heart": 1, "blood": 1, "pressure": 1}, ["cardiac output", "computer program"]
    )
    assert near > far
