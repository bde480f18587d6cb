"""English words: lists with counts, stop words, the words of a text as counts, singular and plural.

benchmarks/retrain/word_list.py makes the lists from open full text. A list of stop words that one room alone needs
stands in that room, such as the words that do not begin a phrase.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.resources import files

_PACKAGE = "corpora.words"
COMMON = 200
LINKING_WORDS = frozenset("a an and by for from in of on or the to with".split())  # noqa: SIM905
"""The articles, prepositions and conjunctions inside long forms and names: `bovine serum albumin in the serum`."""

_WORD = re.compile(r"[^\W\d_][^\W_]+")
_DIGITS = "0123456789"
# Bytes of UTF-8: what is neither a letter nor a digit of ASCII, nor a part of another character, divides words.
_TO_BLANKS = bytes(byte if byte > 127 or chr(byte).isalnum() else 32 for byte in range(256))
_HEAD = re.compile(r"(?P<head>.*?[^\W\d_])(?P<rest> (?:of|for|in|to|with|from|at|on|by) .*)", re.DOTALL)
_IRREGULAR = {
    "analysis": "analyses", "atlas": "atlases", "axis": "axes", "bacterium": "bacteria", "base": "bases",
    "bias": "biases", "crisis": "crises", "criterion": "criteria", "gas": "gases", "lens": "lenses",
    "mitochondrion": "mitochondria", "nucleus": "nuclei", "phenomenon": "phenomena", "thesis": "theses",
}  # fmt: skip
_SINGULAR = {plural: singular for singular, plural in _IRREGULAR.items()}
_UNCHANGED = frozenset(
    "caries diabetes faeces feces herpes measles rabies scabies series species subspecies".split()  # noqa: SIM905
)
_SINGULAR_ENDINGS = {
    "ies": ("y", "ie"), "ches": ("ch", "che"), "shes": ("sh", "she"), "sses": ("ss", "sse"), "xes": ("x", "xe"),
    "uses": ("use", "us"), "ases": ("ase", "asis"), "eses": ("esis", "ese"), "oses": ("ose", "osis"),
    "yses": ("ysis", "yse"),
}  # fmt: skip
"""Plural endings with more than one singular: of two forms the one that is more frequent in the list of words counts,
and the first where neither is more frequent."""

# -- lists --------------------------------------------------------------------------------------


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


# -- the words of a text ------------------------------------------------------------------------


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
    counts: dict[str, int] = {}
    # The pattern, which knows all of Unicode, takes 1.6 times as long on articles.
    text = "\n".join(texts).lower().encode("utf-8", "surrogatepass").translate(_TO_BLANKS)
    for token, number in Counter(text.decode("utf-8", "surrogatepass").split()).items():
        for word in (token.lstrip(_DIGITS),) if token.isascii() else _WORD.findall(token):
            if len(word) > 1:
                counts[word] = counts.get(word, 0) + number
    # A folded word does not end in s, so that it is not folded again.
    for word in [word for word in counts if word[-1] == "s" and folded(word) != word]:
        counts[folded(word)] = counts.get(folded(word), 0) + counts.pop(word)
    return Counter(counts)


def long_form_words(long_form: str) -> list[str]:
    """The folded words of a long form without articles and prepositions, unless there are no other words."""
    folded_words = [folded(word) for word in words(long_form)]
    return [word for word in folded_words if word not in LINKING_WORDS] or folded_words


# -- singular and plural of noun phrases, as far as long forms need them -------------------------


def plural(phrase: str) -> str:
    """The plural of a noun phrase: of the head in `body of water`, otherwise of the last word.

    >>> plural("free fatty acid"), plural("unit of blood"), plural("T-cell assay"), plural("assembly")
    ('free fatty acids', 'units of blood', 'T-cell assays', 'assemblies')
    """
    return _inflect(phrase, _plural_word)


def singular(phrase: str) -> str:
    """The singular of a noun phrase. Words in -ss, -us and -is do not change.

    >>> singular("free fatty acids"), singular("units of blood"), singular("status"), singular("viruses")
    ('free fatty acid', 'unit of blood', 'status', 'virus')
    """
    return _inflect(phrase, _singular_word)


def _inflect(phrase: str, change: Callable[[str], str]) -> str:
    parts = _HEAD.fullmatch(phrase)
    head, rest = (parts["head"], parts["rest"]) if parts else (phrase, "")
    before, blank, word = head.rpartition(" ")
    return f"{before}{blank}{change(word)}{rest}"


def _plural_word(word: str) -> str:
    low = word.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low in _UNCHANGED or (low.endswith("s") and not low.endswith(("ss", "us", "is"))):
        return word
    if low.endswith("sis"):
        return word[:-2] + "es"
    if low.endswith(("s", "x", "ch", "sh")):
        return word + "es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def _singular_word(word: str) -> str:
    low = word.lower()
    if low in _SINGULAR:
        return _SINGULAR[low]
    if low in _UNCHANGED or low in _IRREGULAR:
        return word
    for plural, singulars in _SINGULAR_ENDINGS.items():
        if low.endswith(plural) and len(low) > max(4, len(plural)):
            stem, counts = len(word) - len(plural), word_counts()
            # Of equal counts the first is the greatest.
            return word[:stem] + max(singulars, key=lambda ending: counts.get(low[:stem] + ending, 0))
    if low.endswith("s") and not low.endswith(("ss", "us", "is")) and len(low) > 2:
        return word[:-1]
    return word
