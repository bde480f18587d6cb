"""Vectors of terms: of the term's own pieces, in its sentence, and independent of everything else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from corpora.errors import ResourceError
from nlmchem.tagging.models.loading import TermVectors

SENTENCE = "Aspirin and zinc rose."


@pytest.fixture(scope="module")
def vectors() -> TermVectors:
    return TermVectors()


def test_a_vector_depends_on_its_sentence_and_term_only(vectors: TermVectors) -> None:
    both = vectors.of([SENTENCE, "Zinc fell in all of the many other cases."], [(12, 16), (0, 4)])
    alone = vectors.of([SENTENCE], [(12, 16)])
    assert both.shape == (2, 384)
    assert (both[0] == alone[0]).all()
    assert not np.allclose(both[0], vectors.of([SENTENCE], [(0, 7)])[0])
    assert not np.allclose(both[0], vectors.of(["Copper and zinc fell."], [(11, 15)])[0])


def test_the_term_in_a_very_long_sentence_is_read(vectors: TermVectors) -> None:
    long = "word " * 400 + "zinc" + " word" * 400
    found = vectors.of([long, "word " * 400 + "lead" + " word" * 400], [(2_000, 2_004)] * 2)
    assert not np.allclose(found[0], found[1])


def test_a_term_without_pieces_has_the_vector_of_its_sentence(vectors: TermVectors) -> None:
    blank, empty = vectors.of(["zinc  rose", " "], [(4, 6), (0, 1)])
    assert np.isfinite(blank).all()
    assert (empty == 0).all()


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResourceError):
        TermVectors(str(tmp_path))
