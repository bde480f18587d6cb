"""The text as taggers and lexicons read it, of the same length: without capitals of titles and numbers of references.

Sentences in capitals have their words in small letters, and their short forms in capitals: `EFFECT OF UREA, ATP AND
CGMP` becomes `effect of urea, ATP and cGMP`. Numbers of references directly after the name of a chemical, whose raised
digits are lost (`aspirin1,2`, `glucose12`), become blanks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from corpora.words.english import stop_words, word_counts
from corpora.words.short_texts import cached
from sieves.chemistry.elements import ELEMENTS
from sieves.lexicon.keys import relaxed
from sieves.lexicon.lexicon import Lexicon

_SENTENCE = re.compile(r"[^\n.!?]+(?:[.!?](?!\s)[^\n.!?]*)*")
_WORD = re.compile(r"[A-Z]+(?![^\W_])")
_CAPITALS = re.compile(r"[A-Z]{2,}")
_SHORTEST = 4
"""Letters of the shortest word that is folded; shorter ones are short forms, or stop words."""
_MOST_SMALL = 0.1
"""Share of small letters (`mRNA`, `pH`) in a sentence in capitals."""
_COMMON = 200
"""A word that occurs so often in 8,225 open articles shows that capitals are a sentence and no list of codes."""
_ELEMENTS = frozenset(ELEMENTS.values())
_VOWEL = re.compile(r"[AEIOUY]")


def folded(text: str, is_short_form: Callable[[str], bool] | None = None) -> str:
    """The text with the words of its sentences in capitals in small letters.

    `is_short_form`: whether a word is a short form as it is written (None: the words that the default lexicon has as
    names, such as `EDTA` and `cGMP`).
    """
    if not _CAPITALS.search(text):
        return text
    stays = is_short_form or _is_name_in_capitals
    return _SENTENCE.sub(
        lambda sentence: _folded(sentence[0], stays) if _in_capitals(sentence[0]) else sentence[0], text
    )


def _in_capitals(sentence: str) -> bool:
    words = {word.lower() for word in _WORD.findall(sentence)}
    common = [word for word in words if len(word) > _SHORTEST and word_counts().get(word, 0) >= _COMMON]
    stops = [word for word in words if len(word) > 1 and word in stop_words()]
    if len(words) < 2 or len(common) + len(stops) < 2:
        return False
    letters = [letter for letter in sentence if letter.isalpha()]
    return sum(map(str.islower, letters)) <= _MOST_SMALL * len(letters)


def _folded(sentence: str, stays: Callable[[str], bool]) -> str:
    def small(match: re.Match[str]) -> str:
        word = match[0]
        if sentence[: match.start()].endswith("(") and sentence.startswith(")", match.end()):
            return word
        if (len(word) > 1 and word.lower() in stop_words()) or word.lower() in _ELEMENTS:
            return word.lower()
        if len(word) < _SHORTEST or stays(word):
            return word
        if stays(word[0].lower() + word[1:]):
            return word[0].lower() + word[1:]
        return word.lower() if _VOWEL.search(word) else word

    return re.sub(r"(?<![^\W_])[A-Z]+(?![^\W_])", small, sentence)


@cached(4096)
def _is_name_in_capitals(word: str) -> bool:
    return any(match.name == word for match in _lexicon().spelt(word))


@lru_cache(maxsize=1)
def _lexicon() -> Lexicon:
    return Lexicon.open().undated()


_GOES_ON = "and|are|as|at|but|by|for|had|has|have|in|is|on|or|to|was|were|with"
_CITED = re.compile(
    r"(?<![\w-])(?P<word>[A-Za-z][a-z]{4,})"
    r"(?:(?P<list>\d{1,3}(?:[,–-]\d{1,3})+)(?![\w-])"
    # One number is also part of a name, so it counts only where the sentence goes on.
    rf"|(?P<number>\d{{1,3}})(?=[.,;:)]?$|[.,;:)] | (?:{_GOES_ON})\b))"
)


def without_citations(text: str, lexicon: Lexicon) -> str:
    """The text with blanks for such numbers: the lexicon has the word, but not with the number.

    >>> with Lexicon.open() as lexicon:
    ...     print(without_citations("aspirin1,2 and polysorbate80 as before", lexicon))
    aspirin    and polysorbate80 as before
    """

    def blanked(match: re.Match[str]) -> str:
        word, number = match["word"], match["list"] or match["number"]
        first = re.split(r"\D", number)[0]
        is_name = lexicon.has_key(relaxed(word)) and not lexicon.has_key(relaxed(word + first))
        # `iodine131` is an isotope.
        return word + " " * len(number) if is_name and word.lower() not in _ELEMENTS else match[0]

    return _CITED.sub(blanked, text)
