"""Decisions by the names of `--decision`: `knowledge`, or the path of a model."""

from __future__ import annotations

from pathlib import Path

from nlmchem.deciding.decision import Decision
from nlmchem.deciding.evidence import FEATURES
from nlmchem.deciding.knowledge import Knowledge
from nlmchem.deciding.trees import read_trees
from sieves.lexicon.lexicon import Lexicon

__all__ = ["KNOWLEDGE", "open_decision", "version_of"]

KNOWLEDGE = "knowledge"
"""The decision by knowledge alone."""


def open_decision(name: str, lexicon: Lexicon, explain: bool = False) -> Knowledge | Decision:
    """The decision with a name, or of a model file.

    `explain`: whether the mentions get reasons. Raises `ResourceError` for a missing or damaged model.
    """
    if name == KNOWLEDGE:
        return Knowledge(lexicon, explain=explain)
    return Decision(lexicon, read_trees(Path(name), FEATURES), explain)


def version_of(name: str) -> str:
    """`knowledge`, or the sha256 of a model. Raises `ResourceError` as `open_decision` does."""
    return KNOWLEDGE if name == KNOWLEDGE else read_trees(Path(name), FEATURES).version
