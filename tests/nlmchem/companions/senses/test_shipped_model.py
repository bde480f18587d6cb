"""The dictionary and the model of senses that ship give the scores that were recorded when they were made.

To record the scores again after another training:

    python tests/support/shipped_scores.py tests/nlmchem/companions/senses/test_shipped_model.py
"""

from __future__ import annotations

import pytest
from shipped_scores import Model, assert_recorded, paper

from nlmchem.companions.senses.resolver import open_resolver
from sieves.lexicon.lexicon import Lexicon


def senses(_: Lexicon) -> dict[str, float]:
    answers = open_resolver().resolve(paper())
    named = ((answer.form, ((answer.long_form, answer.score), *answer.alternatives)) for answer in answers)
    return {f"{form}: {long}": score for form, own in named for long, score in own}


MODELS = (senses,)


@pytest.mark.parametrize("model", MODELS)
def test_the_scores_are_those_that_were_recorded(model: Model) -> None:
    assert_recorded(__file__, model)
