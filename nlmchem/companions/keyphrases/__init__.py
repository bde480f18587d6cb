"""Keyphrases: the phrases of an article that state what it is about, ranked by a learnt model."""

from __future__ import annotations

from nlmchem.companions.keyphrases.annotations import Keyphrase

__all__ = ["Keyphrase"]
