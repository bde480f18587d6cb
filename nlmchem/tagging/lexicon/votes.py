"""Lexicons that vote beside a model: the starter lexicon always, another one where it is named as a tagger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from sieves.lexicon.lexicon import Lexicon

__all__ = ["LexiconVotes", "lexicon_votes", "starter_votes"]

STARTER_WEIGHT = 0.5
"""Its names were chosen, one by one, as those that mean a chemical in almost any article."""
LEXICON_WEIGHT = 0.3
"""All of MeSH has names of proteins, of roles, of words besides: they need a model's word. docs/tagger.md has more."""


class LexiconVoter(Protocol):
    """The lexicon tagger, as far as it is asked here."""

    def find(self, text: str) -> Sequence[tuple[int, int, object]]: ...


@dataclass(frozen=True, slots=True)
class LexiconVotes:
    """A lexicon with a vote: what it names has that much more support (0..1) than the model gives it.

    With 0.5 its names stand, whatever the model says; with 0.3 where the model gives them 0.2.
    """

    voter: LexiconVoter
    weight: float


@cache
def starter_votes() -> LexiconVotes:
    """The starter lexicon's."""
    from nlmchem.tagging.lexicon.tagger import LexiconTagger

    return LexiconVotes(LexiconTagger(Lexicon.open(None)), STARTER_WEIGHT)


def lexicon_votes(lexicon: Lexicon) -> LexiconVotes:
    """Another lexicon's. All of its names are held in memory: 320 MB for the whole of MeSH."""
    from nlmchem.tagging.lexicon.tagger import LexiconTagger

    return LexiconVotes(LexiconTagger(lexicon), LEXICON_WEIGHT)
