"""Rejects texts that cannot be short forms or long forms, even if their letters match."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpora.words.english import common_words
from corpora.words.folding import alphanumeric, fold
from nlmchem.abbreviations.ab3p.candidates import unbroken
from nlmchem.abbreviations.ab3p.window import FUNCTION_WORDS

_REFERENCE = re.compile(r"(?:Figs?|Figures?|Tabs?|Tables?|Refs?|Eqs?|Eqns?|Suppl?|Sect?)\b")
_NUMBERED_REFERENCE = re.compile(rf"{_REFERENCE.pattern}\.? ?S?\d")
# Numbers of compounds, (I), (II), and oxidation states. IV, VI and XI are also common abbreviations.
_NUMERAL = re.compile(r"III?|VIII?|IX|XIII?")
_ADDRESS = re.compile(r"://|www\.|@")
# `Similarly, para-hydroxybenzoate`: an introductory adverb is not part of a name.
_TRANSITION = re.compile(r"(?:[A-Z]?[a-z]+ly|[Hh]owever|[Tt]hus|[Hh]ere|[Tt]herefore|[Mm]oreover|[Ff]urthermore), ")
# `SA (SA ≥ 99%, Sigma-Aldrich, USA)`: a supplier.
_COUNTRY = re.compile(
    r", (?:USA|U\.S\.A\.?|UK|Australia|Belgium|Canada|China|Denmark|England|France|Germany|India|Israel|Italy|Japan"
    r"|Korea|(?:The )?Netherlands|Spain|Sweden|Switzerland|Taiwan)$"
)
_SENTENCE_END = re.compile(r"[a-z)\]]{2}[.?!]\s+[A-Z]")
_VERB = re.compile(r"\b(?:is|are|was|were|be|been|has|have|had|can|could|may|might|that|which|who|whose)\b")
_LONG_WORD = re.compile(r"[a-z]{10}")


_DIGITS = "0123456789"
LEAST_CUT = 2
"""The least number of letters that a cut-off word lacks. One letter is a plural."""


def balanced(text: str) -> bool:
    """Whether there are as many closing as opening brackets of each kind."""
    return text.count("(") == text.count(")") and text.count("[") == text.count("]")


def is_symbol(text: str) -> bool:
    """Whether a text is one token in the form of a symbol: with a capital, a digit or a mark, without a long word.

    >>> [is_symbol(token) for token in ("H-Ras", "Arf.GTP", "D-Galactosamine", "glutathione")]
    [True, True, False, False]
    """
    if " " in text or _LONG_WORD.search(text):
        return False
    return any(not (character.islower() or character == "-") for character in text[1:])


def cannot_be_short_form(short: str) -> bool:
    """Whether a short form is an ordinary word (possibly with a number), a Roman numeral or the number of a figure."""
    word = short.rstrip(_DIGITS)
    if len(word) > 3 and word[1:].islower() and fold(word) in common_words():
        return True
    return _REFERENCE.match(short) is not None or _NUMERAL.fullmatch(short) is not None


def is_cut_off(short: str, tokens: Sequence[str]) -> bool:
    """Whether a folded word with a number is the start of a longer word with the same number, at the end of tokens.

    >>> is_cut_off("pygo2", ["of", "pygopus2"]), is_cut_off("notch1", ["notched", "1"]), is_cut_off("type2", ["types"])
    (True, True, False)
    """
    word = short.rstrip(_DIGITS)
    number = short[len(word) :]
    if not number or not tokens[-1].endswith(number):
        return False
    name = tokens[-1].removesuffix(number) or "".join(tokens[-2:-1])
    return name.startswith(word) and len(name) >= len(word) + LEAST_CUT


def is_long_form(long: str, short: str) -> bool:
    """Whether a text may be the long form of a folded short form (Sohn et al. 2008, "Long forms").

    Not in Ab3P: a long form does not begin with a function word, cross the end of a sentence, contain a finite verb,
    or consist of one token that contains the short form (`Ras (H-Ras)`).
    """
    long = unbroken(long)
    if not long or not balanced(long):
        return False
    folded = fold(long)
    if f" {short} " in f" {folded} ":
        return False
    if long.split(None, 1)[0] in FUNCTION_WORDS or _is_noise(long, short):
        return False
    if _SENTENCE_END.search(long) or _VERB.search(long):
        return False
    return not (short in folded and _is_variant(long, folded, short))


def _is_variant(long: str, folded: str, short: str) -> bool:
    """Whether a text is the short form with a prefix or suffix: `H-Ras`, `Xyz1C`."""
    return is_symbol(long) or (" " not in long and len(short) > 3 and folded.endswith(short))


def _is_noise(long: str, short: str) -> bool:
    """Whether a text is an address, a place, a figure, another spelling of the short form, or begins with an adverb."""
    if _ADDRESS.search(long) or _COUNTRY.search(long) or _NUMBERED_REFERENCE.match(long) or _TRANSITION.match(long):
        return True
    return len(long) <= 2 * len(short) and alphanumeric(long) == alphanumeric(short)
