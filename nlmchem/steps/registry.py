"""The list of all steps, in the order in which they run. Installed packages add to it by the entry point
`nlmchem.steps`."""

from __future__ import annotations

from typing import Any

from nlmchem.steps import abbreviate, expand, index, keyphrases, normalize, repair, tag
from nlmchem.steps.step import Step

__all__ = ["STEPS"]

_BUILT_IN: tuple[Step[Any], ...] = (
    abbreviate.STEP,
    expand.STEP,
    tag.STEP,
    repair.STEP,
    normalize.STEP,
    index.STEP,
    keyphrases.STEP,
)


def _ordered() -> dict[str, Step[Any]]:
    return {step.name: step for step in _BUILT_IN}


STEPS: dict[str, Step[Any]] = _ordered()
"""Steps by name, in the order in which they run."""
