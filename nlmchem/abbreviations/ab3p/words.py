"""Words of English biomedical text, which the conditions of Ab3P use.

benchmarks/retrain/word_list.py makes the list from open full text.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

_PACKAGE = "nlmchem.abbreviations.ab3p"
COMMON = 200


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
    """Words without a meaning of their own: `of`, `the`, `between`."""
    return frozenset(files(_PACKAGE).joinpath("stop_words.tsv").read_text("ascii").split())


@cache
def _rows() -> tuple[str, ...]:
    return tuple(files(_PACKAGE).joinpath("words.tsv").read_text("ascii").splitlines())
