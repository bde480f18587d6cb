"""Scripts that measure further information for the indexer: windows of words, sentences, attention."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from bioc import BioCDocument
from loaded_benchmark import load_benchmark

from indexing.terms.candidates import candidates_of

pytest.importorskip("scipy")
pytest.importorskip("torch")

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "indexing"))
words = load_benchmark("indexing/words")
sentences = load_benchmark("indexing/sentences")

Article = Callable[..., BioCDocument]


def test_a_window_has_the_nearest_words_and_no_names_of_chemicals(article: Article) -> None:
    found = candidates_of(article([("METHODS", "We bought 5 g of zinc and copper from a shop.")]))
    window = words._Words(found).window(0, 17, 21)
    assert window[0][:3] == ["of", "g", words.NUMBER]
    assert window[1][:3] == ["and", words.CHEMICAL, "from"]
    features = list(words.features_of(*window))
    assert {"<0of", ">0and", "<<g of", ">>and \x01", "<>of and", "~shop"} <= set(features)


def test_windows_of_titles_are_not_read(article: Article) -> None:
    found = candidates_of(article([("TITLE", "Uptake of zinc"), ("METHODS", "A copper plate")]))
    copper, zinc = (words.vectors(found)[row].nnz for row in range(2))
    assert copper > 0 == zinc


def test_words_beside_topics_get_weights(article: Article) -> None:
    papers = [
        article(
            [
                ("TITLE", f"On {topic}"),
                ("ABSTRACT", f"Effects of {topic} in roots."),
                ("METHODS", f"{other} was bought"),
            ]
        )
        for topic, other in [("zinc", "copper"), ("copper", "zinc"), ("rutin", "copper")] * 10
    ]
    titles = words.learnt([candidates_of(paper) for paper in papers])
    copper, zinc = titles.columns(candidates_of(papers[0]))[:, 0]
    assert zinc > copper
    assert titles.columns(candidates_of(article([]))).shape == (0, 2)


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
