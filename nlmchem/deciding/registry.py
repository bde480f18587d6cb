"""Decisions by name: `knowledge`, `learnt` (the embedded model), or the path of a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from nlmchem.deciding.calibration import Calibration
from nlmchem.deciding.decision import Decision, DecisionModel, read_model
from nlmchem.deciding.knowledge import Knowledge
from sieves.lexicon.lexicon import Lexicon

KNOWLEDGE = "knowledge"
"""The decision by knowledge alone."""
LEARNT = "learnt"
"""The decision model that comes with the package; `default.md` is its card."""
_EMBEDDED = Path(__file__).with_name("default.json")


def open_decision(
    name: str, lexicon: Lexicon, explain: bool = False, calibrated: bool = True, target: float | None = None
) -> Knowledge | Decision:
    """The decision with a name, or of a model file.

    `explain`: whether the mentions get reasons. `calibrated`: whether the calibration of the model holds.
    `target`: as in `Decision`.
    Raises `ResourceError` for a missing or damaged model.
    """
    if name == KNOWLEDGE:
        return Knowledge(lexicon, explain=explain)
    model = _model(name)
    return Decision(lexicon, model if calibrated else replace(model, calibration=None), explain, target)


def calibration_of(name: str) -> Calibration | None:
    """The calibration of a decision; None if it has none. Raises `ResourceError` as `open_decision` does."""
    return None if name == KNOWLEDGE else _model(name).calibration


def version_of(name: str) -> str:
    """`knowledge`, or the sha256 of a model. Raises `ResourceError` as `open_decision` does."""
    return KNOWLEDGE if name == KNOWLEDGE else _model(name).version


def _model(name: str) -> DecisionModel:
    return read_model(_EMBEDDED if name == LEARNT else Path(name))
