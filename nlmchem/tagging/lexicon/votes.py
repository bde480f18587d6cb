"""Lexicons that vote together with a model: always the starter lexicon, and the one of `--tagger default,lexicon`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from sieves.lexicon.lexicon import STARTER, Lexicon

__all__ = ["LexiconVotes", "lexicon_votes", "starter_votes"]

STARTER_WEIGHT = 0.5
"""The names of the starter lexicon were selected one by one: they mean a chemical in almost every article."""
LEXICON_WEIGHT = 0.3
"""The whole of MeSH also has names of proteins, roles and common words. A model must support them, too."""


class LexiconVoter(Protocol):
    """The part of the lexicon tagger that votes use."""

    def find(self, text: str) -> Sequence[tuple[int, int, object]]: ...


@dataclass(frozen=True, slots=True)
class LexiconVotes:
    """A lexicon and the support (0 to 1) that it adds to a span.

    With 0.5 its names are tagged whatever the model predicts, with 0.3 if the model predicts at least 0.2.
    """

    voter: LexiconVoter
    weight: float


@cache
def starter_votes() -> LexiconVotes:
    """The votes of the starter lexicon."""
    from nlmchem.tagging.lexicon.tagger import LexiconTagger

    return LexiconVotes(LexiconTagger(Lexicon.open(STARTER)), STARTER_WEIGHT)


def lexicon_votes(lexicon: Lexicon) -> LexiconVotes:
    """The votes of another lexicon."""
    from nlmchem.tagging.lexicon.tagger import LexiconTagger

    return LexiconVotes(LexiconTagger(lexicon), LEXICON_WEIGHT)
