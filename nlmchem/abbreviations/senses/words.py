"""The words of a text, as counts. Plural endings are removed by a rule, without a list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

__all__ = ["STOP_WORDS", "counts_of", "folded", "long_form_words", "words"]

STOP_WORDS = frozenset("a an and by for from in of on or the to with".split())  # noqa: SIM905
_WORD = re.compile(r"[^\W\d_][^\W_]+")


def words(text: str) -> list[str]:
    """The words of a text in lower case: at least two characters, the first one a letter. Hyphens divide words."""
    return _WORD.findall(text.lower())


def folded(word: str) -> str:
    """A word without a plural s.

    >>> [folded(word) for word in ("receptors", "glass", "virus", "analysis", "gas")]
    ['receptor', 'glass', 'virus', 'analysis', 'gas']
    """
    return word[:-1] if len(word) > 4 and word[-1] == "s" and word[-2] not in "sui" else word


def counts_of(texts: Iterable[str]) -> Counter[str]:
    """How often each folded word occurs in texts."""
    raw: Counter[str] = Counter()
    for text in texts:
        raw.update(words(text))
    return _folded_counts(raw)


def _folded_counts(raw: Mapping[str, int]) -> Counter[str]:
    found: Counter[str] = Counter()
    for word, number in raw.items():
        found[folded(word)] += number
    return found


def long_form_words(long_form: str) -> list[str]:
    """The folded words of a long form without articles and prepositions, unless there are no other words."""
    found = [folded(word) for word in words(long_form)]
    return [word for word in found if word not in STOP_WORDS] or found
