"""String keys: under which spellings a name and a mention are the same.

`plain` is a question of layout, `readings` of case, `relaxed` of punctuation, Greek letters and accents, `bag` of
word order. Each is coarser than the one before; a sieve says which one it has used.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from corpora.model import greek

__all__ = [
    "FOLDED_LENGTH",
    "bag",
    "fold_key",
    "natural_order",
    "plain",
    "plurals",
    "readings",
    "relaxed",
    "singular",
    "stable_start",
    "tidy",
]

FOLDED_LENGTH = 6
"""Names of this many characters or more may be matched in any case."""

_SMALL_LETTERS = re.compile(r"[^\W\d_A-Z]{3}")
_NO_WORD = re.compile(r"[\W_]+")
_LOCANT = re.compile(r"\d")
_PART = re.compile(r"\d+(?:['\s]*,\s*\d+)*['\s-]*[a-z]*|[a-z]+")
_BAG_LENGTH = 12
"""Shorter names have no locants whose order could differ, but formulae whose order counts."""

# One character for one character, so that offsets stay what they are.
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d\u207b\u208b", "-"),
        **dict.fromkeys("\u2018\u2019\u02b9\u2032\u00b4", "'"),
        **dict.fromkeys("\u2022\u2219\u22c5\u2027\u30fb", "\u00b7"),
        **dict.fromkeys("\u207a\u208a", "+"),
        **dict.fromkeys("\t\n\r\v\f\u00a0\u202f\u205f\u3000", " "),
        **{chr(code): " " for code in range(0x2000, 0x200B)},
        **dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789", strict=True)),
        "\u00b5": "\u03bc",
    }
)
_GREEK = greek.NAME_OF | {greek.FINAL_SIGMA: "sigma", "ϕ": "phi", "ϵ": "epsilon", "ϑ": "theta", "ß": "beta"}
_GREEK_LETTER = re.compile(f"[{''.join(_GREEK)}]")
# British and American, old and new: one of each pair stands for both.
_SPELLINGS = (
    ("sulph", "sulf"),
    ("oestr", "estr"),
    ("haem", "hem"),
    ("aluminium", "aluminum"),
    ("caesium", "cesium"),
    ("foetal", "fetal"),
    ("leuco", "leuko"),
    ("oesoph", "esoph"),
)
_UNSTABLE = re.compile(
    f"(?:{'|'.join(sorted({old[:size] for old, _ in _SPELLINGS for size in range(1, len(old))}, key=len)[::-1])})$"
)
"""What one of the spellings may begin with, at the end of a key."""


def plain(text: str) -> str:
    """The text with one dash, one prime, one middle dot, one blank, and digits on the line.

    Each character gives exactly one, so offsets hold. What is a question of layout (`Ca²⁺`, `2′`, a
    no-break space) is then no question of names.
    """
    # What is printable and ASCII is plain; a table for every character is slow.
    return text if text.isascii() and text.isprintable() else text.translate(_PLAIN)


def tidy(name: str) -> str:
    """The text in plain characters, with single blanks.

    >>> tidy(" Ca²⁺  ions ")
    'Ca2+ ions'
    """
    return " ".join(plain(name).split())


def fold_key(name: str) -> str | None:
    """What a name is matched by in any case; None where its case must be kept."""
    if len(name) < FOLDED_LENGTH or not _SMALL_LETTERS.search(name):
        return None
    return name.casefold()


def readings(text: str) -> Iterator[tuple[str, str]]:
    """How a text in plain characters may stand for a name: (`name` or `key`, value), best first.

    The text itself; of three characters or more, without the capital of a sentence's first word; and, as the
    `fold_key` of a name, in any case.
    """
    yield "name", text
    if len(text) >= 3 and text[0].isupper() and text[1:].islower():
        yield "name", text[0].lower() + text[1:]
    yield "key", text.casefold()


@lru_cache(maxsize=65536)
def relaxed(text: str) -> str:
    """Letters and digits only, folded: accents dropped, Greek letters by their names, one English spelling.

    Texts that differ only in case have the same key. A text without letters or digits is its own key.

    >>> relaxed("β-Oestradiol"), relaxed("beta estradiol"), relaxed("·+")
    ('betaestradiol', 'betaestradiol', '·+')
    """
    folded = plain(text).casefold()
    if not folded.isascii():
        # Greek first: NFKD would make a micro sign of a mu and leave the rest alone.
        folded = _GREEK_LETTER.sub(lambda letter: _GREEK[letter[0]], unicodedata.normalize("NFC", folded))
        folded = "".join(c for c in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(c)).casefold()
        folded = _GREEK_LETTER.sub(lambda letter: _GREEK[letter[0]], folded)
    key = folded.replace(" ", "").replace("-", "")
    if not key.isalnum():
        key = _NO_WORD.sub("", key)
    for old, new in _SPELLINGS:
        if old in key:
            key = key.replace(old, new)
    return key or folded


def stable_start(text: str) -> str:
    """The beginning of the `relaxed` key of every text that begins with `text`.

    A letter or two at the end of the key may change with the letters that follow (`ha` with `em`), so they are left
    out. Empty for a text without letters and digits.

    >>> stable_start("alpha"), stable_start("benzene"), stable_start("(")
    ('alp', 'benzene', '')
    """
    return _UNSTABLE.sub("", relaxed(text)) if any(map(str.isalnum, text)) else ""


def bag(text: str) -> str | None:
    """The parts of a systematic name in alphabetical order: substituents may change places, each with its locants.

    None for names without locants or of fewer than 12 characters, where order tells names apart.

    >>> bag("2-chloro-4-methyl-6-nitropyridine") == bag("4-methyl-2-chloro-6-nitropyridine")
    True
    >>> bag("2-chloro-4-methyl-6-nitropyridine") == bag("4-chloro-2-methyl-6-nitropyridine")
    False
    """
    if len(text) < _BAG_LENGTH or not _LOCANT.search(text):
        return None
    parts = _PART.findall(_GREEK_LETTER.sub(lambda letter: _GREEK[letter[0]], plain(text).casefold()))
    return " ".join(sorted(_NO_WORD.sub("", part) for part in parts)) if len(parts) > 1 else None


def singular(text: str) -> str | None:
    """A text without its plural s, where at least three characters are left; None where it has none.

    Two would make calcium of `Cas`.
    """
    return text[:-1] if len(text) > 3 and text.endswith("s") else None


def plurals(text: str) -> Iterator[str]:
    """The other number of a word of three letters or more: plural for singular, singular for plural.

    >>> list(plurals("fatty acids")), list(plurals("alcohol")), list(plurals("ATPs"))
    (['fatty acid'], ['alcohols'], ['ATP'])
    """
    if len(text) < 3 or not text[-1].isalpha():
        return
    if text.endswith("ies") and len(text) > 5:
        yield text[:-3] + "y"
    if text.endswith("s"):
        if len(text) > 3 and not text.endswith(("ss", "us", "is")):
            yield text[:-1]
        if text.endswith(("xes", "ses", "ches", "zes")):
            yield text[:-2]
    elif text.islower():
        yield f"{text}es" if text.endswith(("x", "ch", "sh")) else f"{text}s"
    elif text[-1].islower() and len(text) > 3:
        yield f"{text}s"


def natural_order(name: str) -> str | None:
    """An index entry as running text has it; None where there is nothing to turn.

    >>> natural_order("benzoic acid, 4-hydroxy-"), natural_order("Acids, Fatty"), natural_order("2,4-D")
    ('4-hydroxybenzoic acid', 'Fatty Acids', None)
    """
    head, comma, rest = name.rpartition(", ")
    if not comma or len(head) < 3 or not rest:
        return None
    if rest.endswith("-") and ", " not in rest:
        return rest[:-1] + head if head[0].isalpha() else rest + head
    return f"{rest} {head}" if ", " not in head and rest[0].isalpha() and "(" not in rest else None
