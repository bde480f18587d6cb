"""Options of steps as text."""

from __future__ import annotations

import pytest

from corpora.errors import OptionError
from nlmchem.run.plan import DEFAULT_STEPS
from nlmchem.run.registry import settings_of


def test_an_option_of_a_step_is_set_by_the_name_of_the_step() -> None:
    values = settings_of(["tag.min_score=0.9", "normalize.sieves=exact,ion"], DEFAULT_STEPS)
    assert values == {"min_score": 0.9, "sieves": ("exact", "ion")}
    assert settings_of(["tag.min-score=0.1", "tag.min_score=0.2"], DEFAULT_STEPS) == {"min_score": 0.2}
    assert settings_of(["tag.explain=true"], DEFAULT_STEPS) == {"explain": True}


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("min_score=0.9", "set must be STEP.OPTION=VALUE, such as tag.min_score=0.9, not 'min_score=0.9'"),
        ("tag.min_score", "not 'tag.min_score'"),
        ("repair.repair_types=x", "set names the step 'repair'; the steps of this run are abbreviate, tag, "),
        ("tag.sieves=exact", "set names the option 'sieves'; the step tag has "),
        ("abbreviate.x=1", "the step abbreviate has none"),
        ("tag.min_score=high", "min_score must be a number, not 'high'"),
    ],
)
def test_another_text_is_refused(setting: str, sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        settings_of([setting], DEFAULT_STEPS)
    assert sentence in str(caught.value)
