"""String keys: which spellings of a name and a mention are the same.

`plain` ignores layout, `readings` case, `relaxed` punctuation, Greek letters and accents, and `bag` word order: each
ignores more than the one before.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from corpora.words.folding import FINAL_SIGMA, GREEK_NAME_OF, SOFT_HYPHEN, without_markup
from corpora.words.short_texts import cached

FOLDED_LENGTH = 6
"""Names of this many characters or more may be matched in any case."""

_SMALL_LETTERS = re.compile(r"[^\W\d_A-Z]{3}")
_NO_WORD = re.compile(r"[\W_]+")
_LOCANT = re.compile(r"\d")
_PART = re.compile(r"\d+(?:['\s]*,\s*\d+)*['\s-]*[a-z]*|[a-z]+")
_BAG_LENGTH = 12
"""Characters. Shorter names are formulae, in which the order counts."""

# One character for one character, so that offsets do not change.
_PLAIN = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d\u207b\u208b", "-"),
    **dict.fromkeys("\u2018\u2019\u02b9\u2032\u00b4", "'"),
    **dict.fromkeys("\u2022\u2219\u22c5\u2027\u30fb", "\u00b7"),
    **dict.fromkeys("\u207a\u208a", "+"),
    **dict.fromkeys("\t\n\r\v\f\u00a0\u202f\u205f\u3000", " "),
    **{chr(code): " " for code in range(0x2000, 0x200B)},
    **dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789", strict=True)),
    "\u00b5": "\u03bc",
}
_NOT_PLAIN = re.compile(f"[{re.escape(''.join(_PLAIN))}]")
_GREEK = GREEK_NAME_OF | {FINAL_SIGMA: "sigma", "ϕ": "phi", "ϵ": "epsilon", "ϑ": "theta", "ß": "beta"}
_GREEK_LETTER = re.compile(f"[{''.join(_GREEK)}]")
# British and American, old and new spellings: the second of each pair stands for both.
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
UNITED = re.compile("|".join(old for old, _ in _SPELLINGS))
"""Letters that `relaxed` replaces."""
_UNSTABLE = re.compile(
    f"(?:{'|'.join(sorted({old[:size] for old, _ in _SPELLINGS for size in range(1, len(old))}, key=len)[::-1])})$"
)
"""What one of the spellings may begin with, at the end of a key."""


def plain(text: str) -> str:
    """The text with one kind of dash, prime, middle dot and blank, and with digits on the line.

    Each character gives exactly one character, so offsets do not change. Names then match in any layout (`Ca²⁺`, `2′`,
    a no-break space).
    """
    if text.isascii() and text.isprintable():
        return text
    # Ten times as fast as `str.translate`: texts have few kinds of these characters.
    for character in set(_NOT_PLAIN.findall(text)):
        text = text.replace(character, _PLAIN[character])
    return text


def tidy(name: str) -> str:
    """The text in plain characters, with single blanks, without markup and soft hyphens.

    >>> tidy(" Ca²⁺  ions ")
    'Ca2+ ions'
    """
    shown = without_markup(name)
    return " ".join(plain(shown.replace(SOFT_HYPHEN, "")).split())


def fold_key(name: str) -> str | None:
    """The key that matches a name in any case; None if its case must be kept."""
    if len(name) < FOLDED_LENGTH or not _SMALL_LETTERS.search(name):
        return None
    return name.casefold()


def readings(text: str) -> Iterator[tuple[str, str]]:
    """The names that a text in plain characters may stand for: (`name` or `key`, value), best first.

    These are the text itself, the text without the capital of the first word of a sentence (three characters or more),
    and the text as the `fold_key` of a name, in any case.
    """
    yield "name", text
    if len(text) >= 3 and text[0].isupper() and text[1:].islower():
        yield "name", text[0].lower() + text[1:]
    yield "key", text.casefold()


@cached(65536)
def relaxed(text: str) -> str:
    """Letters and digits only, folded: accents dropped, Greek letters by their names, one English spelling.

    Texts that differ only in case have the same key. The key of a text without letters or digits is the text.

    >>> relaxed("β-Oestradiol"), relaxed("beta estradiol"), relaxed("·+")
    ('betaestradiol', 'betaestradiol', '·+')
    """
    folded = plain(text).casefold()
    if not folded.isascii():
        # Greek first: NFKD turns a micro sign into a mu and does not change other Greek letters.
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
    """The parts of a systematic name in alphabetical order. Names with substituents in another order have the same bag.

    A part is a substituent with its locants. None for names without locants or with fewer than 12 characters: their
    order counts.

    >>> bag("2-chloro-4-methyl-6-nitropyridine") == bag("4-methyl-2-chloro-6-nitropyridine")
    True
    >>> bag("2-chloro-4-methyl-6-nitropyridine") == bag("4-chloro-2-methyl-6-nitropyridine")
    False
    """
    if len(text) < _BAG_LENGTH or not _LOCANT.search(text):
        return None
    parts = _PART.findall(_GREEK_LETTER.sub(lambda letter: _GREEK[letter[0]], plain(text).casefold()))
    return " ".join(sorted(_NO_WORD.sub("", part) for part in parts)) if len(parts) > 1 else None


def digits(text: str) -> str:
    """The digits of a text: other locants, charges or chain lengths make another chemical."""
    return "".join(filter(str.isdigit, text))


def singular(text: str) -> str | None:
    """A text without its last s, if at least three characters are left; None otherwise.

    A spelling for queries, not the singular of an English word (`corpora.words.english`): `species` gives `specie`,
    which is no name and costs nothing. What ships (gazetteers, decisions) was made with this rule. With two characters
    `Cas` would become calcium.
    """
    return text[:-1] if len(text) > 3 and text.endswith("s") else None


def plurals(text: str) -> Iterator[str]:
    """The plural of a singular, and the singular of a plural, for words of three letters or more.

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
    """An inverted index entry in the order of running text; None if it is not inverted.

    >>> natural_order("benzoic acid, 4-hydroxy-"), natural_order("Acids, Fatty"), natural_order("2,4-D")
    ('4-hydroxybenzoic acid', 'Fatty Acids', None)
    """
    head, comma, rest = name.rpartition(", ")
    if not comma or len(head) < 3 or not rest:
        return None
    if rest.endswith("-") and ", " not in rest:
        return rest[:-1] + head if head[0].isalpha() else rest + head
    return f"{rest} {head}" if ", " not in head and rest[0].isalpha() and "(" not in rest else None
