"""The solver of pairs that ships gives the scores that were recorded when it was made.

To record the scores again after another training:

    python tests/support/shipped_scores.py tests/nlmchem/companions/pairs/test_shipped_model.py
"""

from __future__ import annotations

import numpy as np
import pytest
from shipped_scores import TEXTS, Model, assert_recorded

from nlmchem.companions.pairs.features import open_features
from nlmchem.companions.pairs.pair import ContextPair
from nlmchem.companions.pairs.solver import Solver
from sieves.lexicon.lexicon import Lexicon


def pairs(lexicon: Lexicon) -> dict[str, float]:
    sentences = [text for _, _, text in TEXTS]
    terms = (("cadmium", 1, "Cd", 4), ("EDTA", 1, "EDTA", 4), ("glutathione", 2, "GSH", 3), ("cadmium", 0, "zinc", 2))
    make = open_features(lexicon)
    model = Solver(make).model
    scores = {}
    for term, first, other, second in terms:
        one, two = sentences[first], sentences[second]
        spans = [(text.index(own), text.index(own) + len(own)) for own, text in ((term, one), (other, two))]
        pair = ContextPair(term, other, one, two, spans[0], spans[1], "", None, "1")
        values, _ = make.of(pair)
        row = np.array([values[name] for name in model.linear.features])
        scores[f"{term}, {other}"] = float(model.probabilities(row))
    return scores


MODELS = (pairs,)


@pytest.mark.parametrize("model", MODELS)
def test_the_scores_are_those_that_were_recorded(model: Model) -> None:
    assert_recorded(__file__, model)
