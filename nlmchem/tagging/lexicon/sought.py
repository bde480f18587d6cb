"""Which names of a lexicon mean a chemical in a text.

A lexicon of all of MeSH also has names of proteins, enzymes, nucleic acids and roles, and names that are common words
(`Treatment`, `Solution`). The kind of the concept and the frequency of the word decide. The thresholds were chosen on
the training parts of BC5CDR, BioRED and CHEMDNER; docs/measurements/lexicon.md has the figures.
"""

from __future__ import annotations

from functools import cache

from nlmchem.tagging.gazetteer.common import is_common
from nlmchem.tagging.lexicon.context import NOT_IN_TEXT
from sieves.lexicon.kinds import CHEMICAL_KIND, kind_of
from sieves.lexicon.lexicon import STARTER, Lexicon, Match

__all__ = ["Sought"]


class Sought:
    """Decides for one lexicon. Hand-picked names (the starter lexicon) are always chemicals."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._chosen = _starter()
        self._is_mesh = "year" in lexicon.meta

    def means_something_else(self, text: str, match: Match) -> bool:
        """Whether a name mostly means something else in texts: it is not searched for, but shorter names may be."""
        if match.name.casefold() in NOT_IN_TEXT:
            return True
        return self._is_mesh and is_common(text, match) and not self._chosen.spelt(text)

    def is_chemical(self, text: str, match: Match) -> bool:
        """Whether a name means a chemical. If not, no shorter name inside it is searched for."""
        if not self._is_mesh or self._chosen.spelt(text):
            return True
        # The ids of a mixture are joined; only layers have mixtures, and they are chemicals.
        trees = self._lexicon.trees(match.identifier)
        return kind_of(trees) == CHEMICAL_KIND if trees else "," in match.identifier


@cache
def _starter() -> Lexicon:
    return Lexicon.open(STARTER)
