"""Weights for sentences: which text has which, and how `benchmarks/retrain/sense_sentences.py` fits them."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from small_world import CELLS, TUMOURS, text

from benchmarks.retrain.sense_sentences import add_sentences
from corpora.datasets.acronyms import AcronymSample
from indexing.learning.linear import Linear
from nlmchem.abbreviations.inventory import InventorySense
from nlmchem.companions.senses.choice import (
    ARTICLE,
    COSINE,
    FOREIGN,
    PARTS,
    SENTENCE,
    ChoiceModel,
    SenseWeights,
    read_choice,
    write_choice,
)
from nlmchem.companions.senses.resolver import WEIGHTS, open_resolver

CARD = {"commit": "none", "command": "none"}


def samples() -> list[AcronymSample]:
    found = []
    for number in range(60):
        topic, long = (CELLS, "endoplasmic reticulum") if number % 2 else (TUMOURS, "estrogen receptor")
        words = ("the", "ER", *text(topic, number, 1).split())
        found.append(AcronymSample(str(number), words, 1, "ER", long))
    return found


@pytest.fixture(scope="module")
def fitted(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fitted")
    shutil.copytree(trained, folder, dirs_exist_ok=True)
    add_sentences(folder, samples(), CARD)
    return folder


def test_all_sets_are_fitted_and_those_of_articles_stay(fitted: Path, trained: Path, tmp_path: Path) -> None:
    before, after = (read_choice(folder / WEIGHTS) for folder in (trained, fitted))
    assert list(after.parts) == list(PARTS)
    write_choice(tmp_path / "before", ChoiceModel({ARTICLE: before.parts[ARTICLE]}))
    write_choice(tmp_path / "after", ChoiceModel({ARTICLE: after.parts[ARTICLE]}))
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()
    for path in sorted(trained.iterdir()):
        assert path.name == WEIGHTS or path.read_bytes() == (fitted / path.name).read_bytes()


def test_fitting_gives_the_same_bytes_again(fitted: Path, trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained, tmp_path, dirs_exist_ok=True)
    add_sentences(tmp_path, samples(), CARD)
    assert (tmp_path / WEIGHTS).read_bytes() == (fitted / WEIGHTS).read_bytes()


def test_a_sentence_decides_among_the_senses_of_both_dictionaries(fitted: Path) -> None:
    resolver = open_resolver(fitted)
    other = [InventorySense("endoplasmic reticulum", 1), InventorySense("estrogen receptor", 1)]
    for topic, sense in ((CELLS, "endoplasmic reticulum"), (TUMOURS, "estrogen receptor")):
        counts = Counter(text(topic, 907, 1).lower().replace(".", "").split())
        own = resolver.inventory.senses("ER")
        assert own[int(np.argmax(resolver.probabilities("ER", counts)))].long_form == sense
        found = resolver.probabilities("ER", counts, other)
        assert other[int(np.argmax(found))].long_form == sense
        assert found.sum() < 1


def test_each_text_has_the_nearest_weights_of_a_model() -> None:
    one = Linear.of({COSINE: (0.0, 1.0, 1.0)})
    whole = ChoiceModel({name: SenseWeights(one, one) for name in PARTS})
    names = {id(weights): name for name, weights in whole.parts.items()}

    def chosen(model: ChoiceModel, **text: bool) -> str:
        return names[id(model.weights(**text))]

    assert chosen(whole, short=False, foreign=True, read=True) == ARTICLE
    assert chosen(whole, short=True) == SENTENCE
    assert chosen(whole, short=True, read=True) == f"{SENTENCE}, encoder"
    assert chosen(whole, short=True, foreign=True) == FOREIGN
    assert chosen(whole, short=True, foreign=True, read=True) == f"{FOREIGN}, encoder"
    assert chosen(ChoiceModel({ARTICLE: whole.parts[ARTICLE]}), short=True, foreign=True, read=True) == ARTICLE
