"""Decisions by name: `knowledge`, `learnt` (the embedded model), or the path of a model."""

from __future__ import annotations

from pathlib import Path

from nlmchem.deciding.decision import Decision, DecisionModel, read_model
from nlmchem.deciding.knowledge import Knowledge
from sieves.lexicon.lexicon import Lexicon

KNOWLEDGE = "knowledge"
"""The decision by knowledge alone."""
LEARNT = "learnt"
"""The decision model that comes with the package; `default.md` is its card."""
_EMBEDDED = Path(__file__).with_name("default.json")


def open_decision(name: str, lexicon: Lexicon, explain: bool = False) -> Knowledge | Decision:
    """The decision with a name, or of a model file.

    `explain`: whether the mentions get reasons. Raises `ResourceError` for a missing or damaged model.
    """
    if name == KNOWLEDGE:
        return Knowledge(lexicon, explain=explain)
    return Decision(lexicon, _model(name), explain)


def version_of(name: str) -> str:
    """`knowledge`, or the sha256 of a model. Raises `ResourceError` as `open_decision` does."""
    return KNOWLEDGE if name == KNOWLEDGE else _model(name).version


def _model(name: str) -> DecisionModel:
    return read_model(_EMBEDDED if name == LEARNT else Path(name))
