"""Words of English biomedical text with their counts, and stop words.

benchmarks/retrain/word_list.py makes the lists from open full text. A list of stop words that one room alone needs
stands in that room, such as the words that do not begin a phrase.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

_PACKAGE = "corpora.words"
COMMON = 200
LINKING_WORDS = frozenset("a an and by for from in of on or the to with".split())  # noqa: SIM905
"""The articles, prepositions and conjunctions inside long forms and names: `bovine serum albumin in the serum`."""


@cache
def known_words() -> frozenset[str]:
    """Words of at least three letters, in lower case."""
    return frozenset(row.split("\t", 1)[0] for row in _rows())


@cache
def common_words() -> frozenset[str]:
    """Common words: those that occur at least `COMMON` times in the text of the list."""
    return frozenset(row.split("\t")[0] for row in _rows() if int(row.split("\t")[1]) >= COMMON)


@cache
def word_counts() -> Mapping[str, int]:
    """How often each word occurs in the text that the list was made from."""
    return {word: int(count) for word, count, *_ in (row.split("\t") for row in _rows())}


@cache
def one_letter_words() -> frozenset[str]:
    """Words that are abbreviated by their first letter in some text, as `temperature (T)`."""
    return frozenset(row.split("\t", 1)[0] for row in _rows() if row.count("\t") == 2)


@cache
def stop_words() -> frozenset[str]:
    """All words without a meaning of their own: `of`, `the`, `between`."""
    return frozenset(files(_PACKAGE).joinpath("stop_words.tsv").read_text("ascii").split())


@cache
def _rows() -> tuple[str, ...]:
    return tuple(files(_PACKAGE).joinpath("words.tsv").read_text("ascii").splitlines())
