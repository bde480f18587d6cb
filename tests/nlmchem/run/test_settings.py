"""Options of steps as text."""

from __future__ import annotations

import pytest

from corpora.errors import OptionError
from nlmchem.run.plan import Configuration
from nlmchem.run.settings import with_settings


def test_an_option_of_a_step_is_set_by_the_name_of_the_step() -> None:
    configuration = with_settings(Configuration(), ["tag.min_score=0.9", "normalize.sieves=exact,ion"])
    assert (configuration.min_score, configuration.sieves) == (0.9, ("exact", "ion"))
    assert with_settings(Configuration(), ["tag.min-score=0.1", "tag.min_score=0.2"]).min_score == 0.2
    assert with_settings(Configuration(), ["tag.explain=true"]).explain is True


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
        with_settings(Configuration(), [setting])
    assert sentence in str(caught.value)
