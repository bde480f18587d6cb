"""The model of keyphrases that ships gives the scores that were recorded when it was made.

To record the scores again after another training:

    python tests/support/shipped_scores.py tests/nlmchem/companions/keyphrases/test_shipped_model.py
"""

from __future__ import annotations

import pytest
from shipped_scores import Model, assert_recorded, paper

from nlmchem.companions.keyphrases.model import open_ranker
from sieves.lexicon.lexicon import Lexicon


def keyphrases(_: Lexicon) -> dict[str, float]:
    return {candidate.stem: candidate.score for candidate in open_ranker().explain(paper()).candidates}


MODELS = (keyphrases,)


@pytest.mark.parametrize("model", MODELS)
def test_the_scores_are_those_that_were_recorded(model: Model) -> None:
    assert_recorded(__file__, model)
