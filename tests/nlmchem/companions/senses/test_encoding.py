"""The evidence of an encoder of sentences: what it changes, and what it leaves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from bioc import BioCPassage
from small_world import CELLS, TUMOURS, text, using

from indexing.learning.linear import Linear
from nlmchem.abbreviations.inventory import Inventory, InventorySense
from nlmchem.companions.senses.choice import COSINE
from nlmchem.companions.senses.resolver import AROUND, Resolver, SentenceEvidence, sentence_at

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


def evidence(weight: float = 10.0, encoder: Topics | None = None) -> SentenceEvidence:
    return SentenceEvidence(encoder or Topics(), Linear.of({COSINE: (0.0, 1.0, weight)}))


def decided(
    scores: list[float], sentences: list[str], by: SentenceEvidence, fitted: Linear | None = None
) -> np.ndarray:
    [found] = by.decided([(np.array(scores), sentences, LONGS, fitted)])
    return found


def test_the_nearer_long_form_wins_and_the_sum_stays() -> None:
    changed = decided([0.5, 0.3], ["a tumour"], evidence(2.0))
    assert changed.sum() == pytest.approx(0.8)
    # The odds of both senses change by exp(weight * difference of the cosines).
    assert changed[1] / changed[0] == pytest.approx(0.3 / 0.5 * np.exp(2.0))


def test_a_weight_that_was_fitted_with_the_probabilities_also_changes_another_sense() -> None:
    fitted = Linear.of({COSINE: (0.5, 1.0, 2.0)})
    values = np.array([0.5 * np.exp(2.0 * -0.5), 0.3 * np.exp(2.0 * 0.5)])
    changed = decided([0.5, 0.3], ["a tumour"], evidence(), fitted)
    assert changed == pytest.approx(values / (values.sum() + 0.2))


def test_a_sentence_between_both_senses_changes_nothing() -> None:
    assert decided([0.5, 0.3], ["neither"], evidence()) == pytest.approx([0.5, 0.3])


@pytest.mark.parametrize(
    ("scores", "sentences"),
    [([0.5], ["a tumour"]), ([0.5, 0.3], []), ([0.0, 0.0], ["a tumour"]), ([0.9, 0.008], ["a tumour"])],
    ids=["one sense", "no sentence", "no probability", "a sense that cannot win"],
)
def test_where_nothing_can_change_the_encoder_is_not_asked(scores: list[float], sentences: list[str]) -> None:
    encoder = Topics()
    assert decided(scores, sentences, evidence(encoder=encoder)).tolist() == scores
    assert not encoder.asked


def test_each_text_is_encoded_once_and_the_last_ones_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlmchem.companions.senses.resolver.KEPT", 3)
    encoder = Topics()
    by = evidence(encoder=encoder)
    scores = np.array([0.5, 0.3])
    doubt = scores, ["a tumour"], LONGS, None
    by.decided([doubt, doubt])
    by.decided([doubt])
    assert encoder.asked == ["a tumour", *LONGS]
    by.decided([(scores, ["another"], LONGS, None)])
    by.decided([doubt])
    assert encoder.asked[3:] == ["another", "a tumour"]


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
    resolver = plain.with_sentences(evidence())
    document = using(CELLS, 1, "In this tumour the ER was seen.", text(CELLS, 2, 9))
    [before], [after] = plain.resolve(document), resolver.resolve(document)
    assert (before.long_form, after.long_form) == ("sense of cell", "sense of tumour")
    assert after.score + sum(score for _, score in after.alternatives) == pytest.approx(
        before.score + sum(score for _, score in before.alternatives)
    )
    assert plain.version == "v"
    assert resolver.version == "v:topics:weight=10"


def test_a_trained_resolver_keeps_its_choice_where_the_encoder_has_no_opinion(resolver: Resolver) -> None:
    document = using(TUMOURS, 3)
    [plain] = resolver.resolve(document)
    [asked] = resolver.with_sentences(evidence()).resolve(document)
    assert asked.long_form == plain.long_form
    assert asked.score == pytest.approx(plain.score)
