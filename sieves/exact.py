"""The first sieve: the mention's own text, looked up in the lexicon."""

from __future__ import annotations

from collections.abc import Sequence

from bioc import BioCDocument

from corpora.document import Evidence, Mention, mentions, set_identifiers
from sieves.lexicon import Lexicon, Match, singular

__all__ = ["SIEVE", "ExactNormalizer"]

SIEVE = "exact"


class ExactNormalizer:
    """A stage that gives each chemical mention the concepts of the name that it is written as.

    Mentions that carry an `identifier` already, `-` among them, are left as they are. Where the lexicon
    does not have the text, nor the text without its plural s, the mention gets `-`. No infon that was there
    is overwritten. An exact match has no degrees, so no score is written: the score of a mention stays that
    of whoever found it.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        for document in documents:
            for mention in mentions(document):
                if not mention.sought:
                    self._link(mention)
        self._lexicon.check()

    def find(self, text: str) -> Match | None:
        """The best concept that a text names; None where the lexicon knows none."""
        one = singular(text)
        found = self._lexicon.lookup(text) or (self._lexicon.lookup(one) if one else ())
        return found[0] if found else None

    def _link(self, mention: Mention) -> None:
        match = self.find(mention.text)
        if match is None:
            set_identifiers(mention, ())
        else:
            set_identifiers(mention, match.identifiers, _new(mention.evidence, match))


def _new(known: Evidence, match: Match) -> Evidence:
    """What the match has to say, less what the mention says already."""
    return Evidence(
        sieve=SIEVE if known.sieve is None else None,
        matched_name=match.name if known.matched_name is None else None,
    )
