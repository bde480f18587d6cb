"""Whether a text with the `relaxed` key of a name is another spelling of the name.

A `relaxed` key ignores punctuation, blanks and case, so other texts can have it: `benzene.`, `diet or` (the name
`Dietor`), `Musk` (the name `MuSK`).
"""

from __future__ import annotations

import re

from nlmchem.tagging.tokenization.bracket_pairs import PAIRS, is_balanced
from sieves.lexicon.keys import FOLDED_LENGTH, relaxed

__all__ = ["is_spelling"]

_LAST = frozenset((*PAIRS.values(), "+"))
"""What a name can end with, besides letters and digits."""
_BETWEEN_WORDS = re.compile(r"(?<!\d) (?!\d)")
_NO_WORD = re.compile(r"[\W_]")


def is_spelling(text: str, name: str) -> bool:
    """Whether `text` is a spelling of `name`. Both are in plain characters and have the same `relaxed` key."""
    if not _is_whole(text) or len(_BETWEEN_WORDS.findall(text)) > len(_NO_WORD.findall(name)):
        return False
    # In short names the case counts.
    return len(relaxed(text)) >= FOLDED_LENGTH or _NO_WORD.sub("", text) == _NO_WORD.sub("", name)


def _is_whole(text: str) -> bool:
    """Whether a text has letters, and no punctuation around it."""
    if not any(map(str.isalpha, text)) or not is_balanced(text):
        return False
    if text[0] in PAIRS and is_balanced(text[1:-1]):
        return False
    return (text[0].isalnum() or text[0] in PAIRS) and (text[-1].isalnum() or text[-1] in _LAST)
