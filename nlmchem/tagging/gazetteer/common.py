"""Names of chemicals that are also common words."""

from __future__ import annotations

from nlmchem.abbreviations.ab3p.words import word_counts
from sieves.lexicon.lexicon import Match

__all__ = ["COMMON_NAME", "COMMON_SYNONYM", "is_common"]

COMMON_NAME = 1000
"""A word that occurs so often in 8,225 open articles is common."""
COMMON_SYNONYM = 300
"""The same for a word that is not the preferred name of its concept."""


def is_common(text: str, match: Match) -> bool:
    """Whether a name that was found as `text` is a common word of biomedical articles."""
    most = COMMON_NAME if match.name == match.preferred_name else COMMON_SYNONYM
    return text.isalpha() and word_counts().get(text.lower(), 0) >= most
