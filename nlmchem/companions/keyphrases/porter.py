"""The Porter stemmer, with the three departures of its author's own program.

Source: Porter 1980, Program 14:130-137. The departures are those of the program that the author distributes
(tartarus.org/martin/PorterStemmer): words of one or two letters stay as they are, `bli` becomes `ble` instead of
`abli` becoming `able`, and `logi` becomes `log`. The keys of SemEval-2010 task 5 were stemmed in this way. The stemmer
`porter` of snowballstemmer has none of the departures (126 of the 65,931 words of `corpora.words` have another stem),
and takes about ten times as long. Long forms of abbreviations have the newer stemmer `english` of that package
(`nlmchem.abbreviations.dictionary`): it groups 3,290 of these words otherwise, so dictionaries would change.
"""

from __future__ import annotations

import re
from zlib import crc32

from corpora.words.short_texts import cached

_VOWELS = frozenset("aeiou")
_WORD = re.compile(r"[a-z]+")

_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"), ("logi", "log"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
)  # fmt: skip


def stemmed(phrase: str) -> str:
    """A phrase in lower case, with each run of the letters a to z stemmed and one blank between words.

    `Encoder/decoders of real-time video` -> `encod/decod of real-time video`.
    """
    return " ".join(map(_token, phrase.lower().split()))


def word_hash(stem: str) -> int:
    """The hash of a stemmed word, the same on every machine."""
    return crc32(stem.encode())


@cached(1 << 16)
def _token(token: str) -> str:
    return _WORD.sub(lambda match: stem(match.group()), token)


def stem(word: str) -> str:
    """The stem of a word of the letters a to z in lower case."""
    if len(word) <= 2:
        return word
    word = _step_1c(_step_1b(_step_1a(word)))
    word = _step_4(_replaced(_replaced(word, _STEP_2), _STEP_3))
    return _step_5(word)


def _consonant(word: str, place: int) -> bool:
    letter = word[place]
    if letter in _VOWELS:
        return False
    return letter != "y" or place == 0 or not _consonant(word, place - 1)


def _shape(word: str) -> str:
    """`c` for each consonant and `v` for each vowel; y is a vowel behind a consonant."""
    shape = ""
    for letter in word:
        vowel = letter in _VOWELS or (letter == "y" and shape[-1:] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    """The number of sequences of a vowel and a consonant: m in the paper."""
    return _shape(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _consonant(word, len(word) - 1)


def _ends_cvc(word: str) -> bool:
    """Whether a word ends with consonant, vowel, consonant, and the last is not w, x or y: `*o` in the paper."""
    return _shape(word)[-3:] == "cvc" and word[-1] not in "wxy"


def _step_1a(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _step_1b(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix):
            return _restored(word.removesuffix(suffix)) if _has_vowel(word.removesuffix(suffix)) else word
    return word


def _restored(word: str) -> str:
    """The end of a word without `ed` or `ing`: `hop(p)`, `fil(e)`, `conflat(e)`."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _ends_double(word) and word[-1] not in "lsz":
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_cvc(word) else word


def _step_1c(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and _has_vowel(word[:-1]) else word


def _replaced(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    """Steps 2 and 3: the rule of the longest suffix that matches."""
    matching = [rule for rule in rules if word.endswith(rule[0])]
    if not matching:
        return word
    suffix, other = max(matching, key=lambda rule: len(rule[0]))
    rest = word.removesuffix(suffix)
    return rest + other if _measure(rest) > 0 else word


def _step_4(word: str) -> str:
    if not word.endswith(_STEP_4):
        return word
    suffix = max((suffix for suffix in _STEP_4 if word.endswith(suffix)), key=len)
    rest = word.removesuffix(suffix)
    if suffix == "ion" and not rest.endswith(("s", "t")):
        return word
    return rest if _measure(rest) > 1 else word


def _step_5(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_cvc(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
