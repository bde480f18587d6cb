"""The two networks of the founding papers that do not ship (benchmarks/seeds): what they compute on small inputs."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
import torch

from benchmarks.seeds import lstm_crf
from benchmarks.seeds.graph_network import neighbours
from corpora.datasets.samples import AcronymSentence


def test_the_loss_of_the_crf_is_that_of_all_paths() -> None:
    torch.manual_seed(0)
    model = lstm_crf.Tagger(5, 5, 3)
    moves = torch.randn(3, 3)
    model.moves.data = moves
    scores, gold = torch.randn(1, 4, 3), torch.tensor([[0, 2, 1, 1]])

    def of(path: tuple[int, ...]) -> float:
        steps = sum(float(scores[0, at, label]) for at, label in enumerate(path))
        return steps + sum(float(moves[a, b]) for a, b in pairwise(path))

    paths = list(product(range(3), repeat=4))
    every = torch.logsumexp(torch.tensor([of(path) for path in paths]), 0)
    loss = model.loss(scores, gold, torch.ones(1, 4, dtype=torch.bool))
    assert float(loss.detach()) == pytest.approx(float(every) - of((0, 2, 1, 1)), abs=1e-4)
    assert tuple(model.decode(scores[0])) == max(paths, key=of)


def test_the_tagger_labels_every_token_after_each_epoch() -> None:
    train = [AcronymSentence(str(at), ("the", "ER", "rises"), ("O", "B-short", "O")) for at in range(4)]
    found = list(lstm_crf.tagged(train, train[:2], epochs=2))
    assert len(found) == 2
    assert {name: len(labels) for name, labels in found[-1].items()} == {"0": 3, "1": 3}


def test_a_word_has_edges_to_two_words_on_both_sides() -> None:
    long, short = neighbours([list("abcde"), ["a"]])
    assert long[2].tolist() == [1] * 5
    assert long[0].tolist() == [1, 1, 1, 0, 0]
    assert short.tolist() == [[1]]
