"""Scores are equal to the last bit for all batch sizes, orders, numbers of threads and other articles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from bioc import BioCDocument
from tiny_models import write_early_exit

import corpora
from corpora.formats import registry
from corpora.model.passages import passage_text
from nlmchem.tagging.inference.scoring import ScoredPassage, TokenClassifier
from nlmchem.tagging.kernel.arithmetic import FLOAT32, INT8
from nlmchem.tagging.models.bert import FloatBert
from nlmchem.tagging.models.folders import read_json
from nlmchem.tagging.models.loading import load_model
from nlmchem.tagging.models.torch_networks import Bert, computed
from nlmchem.tagging.tagger import NeuralTagger, TaggerOptions
from nlmchem.tagging.training.folders import store
from nlmchem.tagging.training.scores import bare

from_folder = load_model


def texts_of(articles: list[BioCDocument]) -> list[list[str]]:
    # Lengths of all kinds, one passage longer than a window, one that fills its window to the brim.
    own = [[passage_text(passage) for passage in document.passages] for document in articles]
    return [*own, ["NaCl " * 200, "", "short"], ["a " * 62], ["a " * 61]]


def same(these: list[list[ScoredPassage]], those: list[list[ScoredPassage]]) -> bool:
    flat = [(one, two) for a, b in zip(these, those, strict=True) for one, two in zip(a, b, strict=True)]
    return all(np.array_equal(one.probabilities, two.probabilities) for one, two in flat)


KINDS = ("bert", "roberta", "deberta-v2", "stored", "early")
MODELS = [(kind, arithmetic) for arithmetic in (FLOAT32, INT8) for kind in KINDS]


@pytest.fixture(params=MODELS, ids="-".join)
def model(request: pytest.FixtureRequest, make_model: Callable[..., Path], tmp_path: Path) -> TokenClassifier:
    kind, arithmetic = request.param
    if arithmetic == INT8:
        request.getfixturevalue("compiled")
    if kind in ("stored", "early"):
        store(make_model("bert"), tmp_path / "stored")
        if kind == "early":
            write_early_exit(tmp_path / "stored", margin=0.0)
        return from_folder(tmp_path / "stored", arithmetic=arithmetic)
    return from_folder(make_model(kind), arithmetic=arithmetic)


def test_scores_do_not_depend_on_batches_threads_or_other_articles(
    model: TokenClassifier, articles: list[BioCDocument]
) -> None:
    texts = texts_of(articles)
    reference, coverage = model.score(texts, budget=4096)
    assert coverage.unseen == 0
    assert coverage.computed > coverage.pieces, "the long passage should have had overlapping windows"
    for budget in (1, 64, 300, 512, 1 << 20):
        assert same(reference, model.score(texts, budget)[0]), f"{budget} pieces a batch"
    assert same(reference[::-1], model.score(texts[::-1])[0]), "order of articles"
    assert same(reference, [model.score([own])[0][0] for own in texts]), "articles one by one"
    for threads in (2, 3):
        torch.set_num_threads(threads)
        for budget in (64, 4096):
            assert same(reference, model.score(texts, budget)[0]), f"{threads} threads, {budget} pieces a batch"


def test_a_batch_that_does_not_fit_into_memory_is_halved(model: TokenClassifier, articles: list[BioCDocument]) -> None:
    texts = texts_of(articles)
    reference, _ = model.score(texts)
    sizes: list[int] = []

    def with_little_memory(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        sizes.append(len(ids))
        if len(ids) > 2:
            raise MemoryError("CUDA out of memory")
        return model.network(ids, mask)

    assert same(reference, replace(model, network=with_little_memory).score(texts)[0])
    assert max(sizes) > 2


def test_a_window_that_does_not_fit_into_memory_is_an_error_of_the_article(model: TokenClassifier) -> None:
    def without_memory(*_: object) -> np.ndarray:
        raise MemoryError("CUDA out of memory")

    with pytest.raises(corpora.ArticleError, match="not enough memory"):
        replace(model, network=without_memory).score([["some text"]])


def test_a_lack_of_memory_in_torch_is_a_memory_error() -> None:
    def without_memory(ids: torch.Tensor) -> torch.Tensor:
        raise torch.OutOfMemoryError("CUDA out of memory")

    with pytest.raises(MemoryError, match="CUDA out of memory"):
        computed("cpu", without_memory, np.zeros(1))
    with pytest.raises(RuntimeError, match="must match"):
        computed("cpu", lambda a, b: a + b, np.zeros(2), np.zeros(3))


@pytest.mark.parametrize("kind", [FloatBert, Bert])
def test_a_stored_model_has_the_scores_of_transformers_except_for_rounding(
    kind: type[FloatBert] | type[Bert], make_model: Callable[..., Path], tmp_path: Path, articles: list[BioCDocument]
) -> None:
    from safetensors.numpy import load_file

    folder = make_model("bert")
    theirs = from_folder(folder)
    ours = kind(read_json(folder / "config.json"), load_file(folder / "model.safetensors"))
    ids = np.random.default_rng(0).integers(5, 100, (3, 32))
    mask = np.ones_like(ids)
    mask[1, 20:] = 0
    expected, found = theirs.network(ids, mask), ours(ids, mask)
    shown = mask.astype(bool)
    assert np.allclose(expected[shown], found[shown], atol=1e-5)

    store(folder, tmp_path / "stored")
    stored = from_folder(tmp_path / "stored")
    assert stored.labels == theirs.labels
    exact, rounded = (model.score(texts_of(articles))[0] for model in (theirs, stored))
    differences = [
        np.abs(one.probabilities - two.probabilities).max(initial=0)
        for a, b in zip(exact, rounded, strict=True)
        for one, two in zip(a, b, strict=True)
    ]
    assert 0 < max(differences) < 0.2


@pytest.mark.parametrize("arithmetic", [FLOAT32, INT8])
def test_the_bytes_of_the_output_do_not_depend_on_chunks(
    arithmetic: str, make_model: Callable[..., Path], articles: list[BioCDocument], request: pytest.FixtureRequest
) -> None:
    if arithmetic == INT8:
        request.getfixturevalue("compiled")
    folder = make_model("bert")

    def annotated(size: int, budget: int) -> list[bytes]:
        tagger = NeuralTagger([from_folder(folder, arithmetic=arithmetic)], TaggerOptions(budget=budget))
        copies = [bare(document) for document in articles]
        for at in range(0, len(copies), size):
            tagger(copies[at : at + size])
        return [registry.writable("biocxml").dumps(document, print) for document in copies]

    assert annotated(1, 64) == annotated(6, 4096) == annotated(4, 100)
    assert b'key="score">0.' in b"".join(annotated(6, 4096))
