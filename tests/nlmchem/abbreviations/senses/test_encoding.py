"""The evidence of an encoder of sentences: what it changes, and what it leaves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from bioc import BioCPassage
from small_world import CELLS, TUMOURS, using

from nlmchem.abbreviations.senses.encoding import AROUND, SentenceEvidence, sentence_at
from nlmchem.abbreviations.senses.inventory import Inventory, InventorySense
from nlmchem.abbreviations.senses.resolver import Resolver

AXES = {"cell": (1.0, 0.0), "tumour": (0.0, 1.0)}


class Topics:
    """An encoder with one axis for each topic word; other texts are between both."""

    version = "topics"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += texts
        rows = np.array([next((axis for word, axis in AXES.items() if word in text), (1.0, 1.0)) for text in texts])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


LONGS = ["sense of cell", "sense of tumour"]


def test_the_nearer_long_form_wins_and_the_sum_stays() -> None:
    scores = np.array([0.5, 0.3])
    changed = SentenceEvidence(Topics(), weight=2.0).changed(scores, ["a tumour"], LONGS)
    assert changed.sum() == pytest.approx(0.8)
    # The odds of both senses change by exp(weight * difference of the cosines).
    assert changed[1] / changed[0] == pytest.approx(0.3 / 0.5 * np.exp(2.0))


def test_a_sentence_between_both_senses_changes_nothing() -> None:
    scores = np.array([0.5, 0.3])
    assert SentenceEvidence(Topics()).changed(scores, ["neither"], LONGS) == pytest.approx(scores)


@pytest.mark.parametrize(("scores", "sentences"), [([0.5], ["a tumour"]), ([0.5, 0.3], [])])
def test_one_sense_or_no_sentence_asks_nothing(scores: list[float], sentences: list[str]) -> None:
    encoder = Topics()
    assert SentenceEvidence(encoder).changed(np.array(scores), sentences, LONGS).tolist() == scores
    assert not encoder.asked


def test_probabilities_of_zero_stay_finite() -> None:
    assert SentenceEvidence(Topics()).changed(np.zeros(2), ["a tumour"], LONGS).tolist() == [0.0, 0.0]


def test_a_long_form_is_encoded_once() -> None:
    encoder = Topics()
    evidence = SentenceEvidence(encoder)
    for _ in range(3):
        evidence.changed(np.array([0.5, 0.3]), ["a tumour"], LONGS)
    assert encoder.asked.count(LONGS[0]) == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("One is here. The ER\n was seen! Two are there.", "The ER"),
        ("One is here. The ER was seen! Two are there.", "The ER was seen!"),
        ("The ER", "The ER"),
        ("x" * 500 + "ER" + "y" * 500, "x" * AROUND + "ER" + "y" * AROUND),
    ],
    ids=["line break", "marks", "whole", "long"],
)
def test_the_sentence_around_a_place(text: str, sentence: str) -> None:
    passage = BioCPassage.of_text(text)
    passage.offset = 100
    start = 100 + text.index("ER")
    assert sentence_at((passage, (start, start + 2))) == sentence


def test_a_resolver_with_an_encoder_reads_the_sentences() -> None:
    senses = (InventorySense("sense of cell", 3), InventorySense("sense of tumour", 2))
    plain = Resolver(Inventory({"ER": senses}), version="v")
    resolver = plain.with_sentences(SentenceEvidence(Topics()))
    [before] = plain.resolve(using(CELLS, 1, "In this tumour the ER was seen."))
    [after] = resolver.resolve(using(CELLS, 1, "In this tumour the ER was seen."))
    assert (before.long_form, after.long_form) == ("sense of cell", "sense of tumour")
    assert after.score + sum(score for _, score in after.alternatives) == pytest.approx(
        before.score + sum(score for _, score in before.alternatives)
    )
    assert plain.version == "v"
    assert resolver.version == "v:topics:weight=10"


def test_a_trained_resolver_keeps_its_choice_where_the_encoder_has_no_opinion(resolver: Resolver) -> None:
    document = using(TUMOURS, 3)
    [plain] = resolver.resolve(document)
    [asked] = resolver.with_sentences(SentenceEvidence(Topics())).resolve(document)
    assert asked.long_form == plain.long_form
    assert asked.score == pytest.approx(plain.score)
