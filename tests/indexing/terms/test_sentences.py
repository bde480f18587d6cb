"""Index terms by sentences with attention (benchmarks): the sentences that are read, and what the head learns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from bioc import BioCDocument

from benchmarks.seeds import sentences
from indexing.terms.candidates import candidates_of

pytest.importorskip("scipy")
pytest.importorskip("torch")

Article = Callable[..., BioCDocument]


def test_sentences_of_a_candidate(article: Article) -> None:
    found = candidates_of(
        article(
            [
                ("TITLE", "Uptake of zinc"),
                ("ABSTRACT", "Roots grow. They need zinc and more zinc. The end."),
                ("METHODS", "A zinc plate."),
            ]
        )
    )
    read = list(sentences.sentences_of(found, found.candidates[0]))
    assert [text for text, _ in read] == ["Uptake of zinc", "They need zinc and more zinc."]
    assert all(text[slice(*span)] == "zinc" for text, span in read)


def test_attention_learns_from_the_sentence_that_counts() -> None:
    """One of three sentences of each candidate tells its label."""
    random = np.random.default_rng(0)
    labels = np.arange(120) % 2 == 0
    vectors = random.normal(size=(360, 30))
    vectors[::3, 0] = np.where(labels, 5, -5)
    vectors[::3, 1] = 5
    known = sentences.Bags(vectors, np.repeat(np.arange(120), 3))
    train, test = np.arange(80), np.arange(80, 121)
    added = sentences.scores(known, np.zeros(121), np.append(labels, False), train, test)
    assert np.mean((added[:40] > 0) == labels[80:]) > 0.9
    # The last candidate has no sentences.
    assert added[40] == 0
