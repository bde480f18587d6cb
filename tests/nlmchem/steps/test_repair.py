"""The options of the step `repair` (tests/nlmchem/tagging/test_repair.py has its stage)."""

from __future__ import annotations

from typing import Any

import pytest

from corpora.errors import OptionError
from nlmchem.run.plan import Configuration
from nlmchem.steps.repair import RepairOptions


def checked(**options: Any) -> RepairOptions:
    found = Configuration.of(**{"steps": ("repair",), **options}).parse().options(RepairOptions)
    assert found is not None
    return found


def test_the_decision_is_that_of_the_lexicon_and_the_type_is_chemical() -> None:
    assert (checked().decision, checked().repair_types) == ("knowledge", ("Chemical",))
    assert checked(repair_types=("drug", "Chemical", "drug")).repair_types == ("Chemical", "drug")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"steps": ("tag", "repair")}, "steps contains tag and repair"),
        ({"decision": "rules", "rules": "none"}, "rules and the decision leave nothing to repair"),
        ({"decision": "learnt"}, "decision must be knowledge or rules with the step repair"),
        # The option belongs to another step of the run.
        ({"steps": ("repair", "normalize"), "existing": "error"}, "existing cannot be error with the step repair"),
        ({"steps": ("repair", "index"), "existing": "error"}, "existing cannot be error with the step repair"),
    ],
)
def test_options_that_contradict_each_other_are_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        checked(**options)
