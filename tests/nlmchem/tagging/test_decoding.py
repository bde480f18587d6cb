"""Decoding: only legal sequences, the best of them, words never cut."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.errors import ConfigurationError
from nlmchem.tagging.inference.labels import LabelSet, Scheme, legal, roles_of_spans, spans_of_roles
from nlmchem.tagging.inference.scoring import best_roles

SCHEMES = st.sampled_from(list(Scheme))


@st.composite
def passages(draw: st.DrawFn) -> tuple[Scheme, np.ndarray, np.ndarray]:
    scheme = draw(SCHEMES)
    length = draw(st.integers(1, 5))
    chance = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scores = chance.dirichlet(np.ones(scheme.size), size=length).astype(np.float32)
    glued = chance.random(length) < 0.4
    return scheme, scores, glued


def weight(roles: tuple[int, ...], scheme: Scheme, scores: np.ndarray, glued: np.ndarray) -> float | None:
    """The weight of a sequence by definition; None where it is not legal."""
    between, inside, start, end = legal(scheme)
    if not (start[roles[0]] and end[roles[-1]]):
        return None
    emissions = np.log(scores.astype(float))
    total = sum(emissions[at, role] for at, role in enumerate(roles))
    for at in range(1, len(roles)):
        if not (inside if glued[at] else between)[roles[at - 1], roles[at]]:
            return None
    return float(total)


@settings(deadline=None)
@given(passages())
def test_the_best_legal_sequence_is_returned(passage: tuple) -> None:
    scheme, scores, glued = passage
    every = {roles: weight(roles, scheme, scores, glued) for roles in product(range(scheme.size), repeat=len(scores))}
    best = max(value for value in every.values() if value is not None)
    found = every[tuple(best_roles(scores, glued, scheme).tolist())]
    assert found is not None, "the sequence is not legal"
    assert found == pytest.approx(best, abs=1e-5)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 5)), max_size=6))
def test_spans_are_equal_after_conversion_to_roles_and_back(drawn: list[tuple[int, int]]) -> None:
    spans: list[tuple[int, int]] = []
    for start, size in sorted(drawn):
        if not spans or spans[-1][1] <= start:
            spans.append((start, start + size))
    roles = roles_of_spans(spans, 30)
    assert spans_of_roles(roles) == spans
    between, _, _, _ = legal(Scheme.BIO)
    assert between[roles[:-1], roles[1:]].all()


def test_usual_label_names_are_parsed() -> None:
    bioes = LabelSet.parse({0: "O", 1: "S-CHEM", 2: "B-CHEM", 3: "I-CHEM", 4: "E-CHEM", 5: "B-Disease", 6: "I-Disease"})
    assert (bioes.scheme, bioes.roles) == (Scheme.BILOU, (0, 4, 1, 2, 3, 0, 0))
    assert LabelSet.parse({0: "B", 1: "I", 2: "O"}).roles == (1, 2, 0)
    assert LabelSet.parse({0: "O", 1: "B-Drug", 2: "I-Drug"}).scheme is Scheme.BIO


@pytest.mark.parametrize(
    ("names", "roles"),
    [
        (["O", "B-SIMPLE_CHEMICAL", "I-SIMPLE_CHEMICAL", "B-GENE", "I-GENE"], (0, 1, 2, 0, 0)),
        (["O", "B-Drugs", "I-Drugs"], (0, 1, 2)),
        (["O", "B-TRIVIAL", "I-TRIVIAL", "B-SYSTEMATIC", "I-SYSTEMATIC"], (0, 1, 2, 1, 2)),
        (["O", "B-drug_n", "I-drug_n", "B-brand", "I-brand", "B-Other", "I-Other"], (0, 1, 2, 1, 2, 0, 0)),
        (["O", "I-Chemical"], (0, 2)),
        (["I-CHEM", "O", "I-Disease"], (2, 0, 0)),
        (["O", "CHEMICAL"], (0, 2)),
        (["Disease", "Substance", "O"], (0, 2, 0)),
    ],
)
def test_the_type_of_chemicals_has_several_usual_names(names: list[str], roles: tuple[int, ...]) -> None:
    assert LabelSet.parse(dict(enumerate(names))).roles == roles


def test_labels_of_other_types_count_as_outside() -> None:
    labels = LabelSet.parse({0: "O", 1: "B-Chemical", 2: "I-Chemical", 3: "B-Gene", 4: "I-Gene"})
    reduced = labels.reduce(np.array([[0.1, 0.2, 0.3, 0.15, 0.25]], dtype=np.float32))
    assert reduced[0] == pytest.approx([0.5, 0.2, 0.3])


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (["LABEL_0", "LABEL_1"], "LABEL_0"),
        (["O", "B-Disease", "I-Disease", "B-Gene", "I-Gene"], "its labels mark Disease, Gene, and no type is a usual"),
        (["O", "B-Disease", "I-Disease"], "its labels mark Disease, and no type is a usual name of chemicals"),
        (["O", "B-GENE"], "its labels mark GENE"),
        (["O", "I-DrugDosage"], "its labels mark DrugDosage"),
        (["O", "B-Chemical"], 'I is missing.*labels="O,I-Chemical"'),
        (["B-Chemical", "I-Chemical"], "O is missing"),
        (["O", "B-Chemical", "I-Chemical", "L-Chemical"], "U is missing"),
        (["O", "POS", "NEG"], "does not have the form"),
    ],
)
def test_label_sets_without_chemicals_are_refused(names: list[str], reason: str) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        LabelSet.parse(dict(enumerate(names)))
