"""The words of a text, as counts. Plural endings are removed by a rule, without a list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

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
    found = Counter(words("\n".join(texts)))
    # A folded word does not end in s, so that it is not folded again.
    for word in [word for word in found if word[-1] == "s" and folded(word) != word]:
        found[folded(word)] += found.pop(word)
    return found


def long_form_words(long_form: str) -> list[str]:
    """The folded words of a long form without articles and prepositions, unless there are no other words."""
    found = [folded(word) for word in words(long_form)]
    return [word for word in found if word not in STOP_WORDS] or found
