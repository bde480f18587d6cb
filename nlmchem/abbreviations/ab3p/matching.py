"""Finds the long form of a short form in a window, and rejects what cannot be a short form or a long form.

Source: Sohn et al. 2008, "Short forms", "Long forms" and "Strategies". Not in Ab3P: a long form does not begin with a
prefix (`anti-`, names of constructs); `type 1 ...`, `1, 3-...` and `protein phosphatase 2A (PP2A)` begin one word
earlier; marks at the ends are removed; the rewritings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from corpora.model.document import Definition, Span
from corpora.words.english import LINKING_WORDS, common_words, known_words, one_letter_words, stop_words
from corpora.words.folding import alphanumeric, fold
from nlmchem.abbreviations.ab3p.alignment import ADDED, NOTATION, ROTATED, TRIALS, aligned, first_letters, group
from nlmchem.abbreviations.ab3p.candidates import AMOUNT, FUNCTION_WORDS, MatchingCharacter, TokenWindow, unbroken
from nlmchem.abbreviations.ab3p.rewriting import index_first, name_begin, rewritings

MOST_LETTERS = 10
LONGEST = 40
"""The maximum number of characters of a short form. Ab3P only limits the letters."""
LEAST_CUT = 2
"""The least number of letters that a cut-off word lacks. One letter is a plural."""

_PLURAL = re.compile(r"[A-Z]+s")
_DIGITS = "0123456789"
_WELL_FOUNDED = ("FirstLet", "WithinWrdF", "ContLet")


class Reading(NamedTuple):
    """A possible definition: the spans of short form and long form in a text, the strategy, and the score."""

    short: Span
    long: Span
    strategy: str
    score: float

    @property
    def is_well_founded(self) -> bool:
        """Whether the strategy only uses words by their first letter. Needed if the layout is weak evidence."""
        return self.strategy.rpartition("+")[2].startswith(_WELL_FOUNDED)

    def definition(self, text: str, offset: int) -> Definition:
        """The definition for this reading of `text`. `offset` is added to its spans."""
        return Definition(
            text[slice(*self.short)],
            text[slice(*self.long)],
            (self.short[0] + offset, self.short[1] + offset),
            (self.long[0] + offset, self.long[1] + offset),
            self.strategy,
            self.score,
        )


def admitted(short: str) -> bool:
    """Whether a text may be a short form (Sohn et al. 2008, "Short forms"). It may also begin with a square bracket."""
    if not short or len(short) > LONGEST or not (short[0].isalnum() or short[0] == "["):
        return False
    letters = sum(map(str.isalpha, short))
    return 1 <= letters <= MOST_LETTERS and len(short.split()) <= 2 and _balanced(short)


def match(text: str, short: Span, window: TokenWindow | None) -> Reading | None:
    """The definition of the short form at a span by a window of `text`, found by the first strategy that succeeds.

    None if none succeeds, if there is no window, or if the text at `short` cannot be a short form.
    """
    form = text[slice(*short)]
    if window is None or not admitted(form) or window.spans[-1][1] - window.spans[0][0] < len(form):
        return None
    folded = fold(form)
    if _cannot_be_short_form(form) and not is_cut_off(folded, window.tokens):
        return None
    if folded in window.tokens:
        # A long form never contains its short form, so it begins after it.
        last = len(window.tokens) - 1 - window.tokens[::-1].index(folded)
        if (window := window.behind(window.spans[last][1])) is None:
            return None
    for trial in _trials(form, window):
        if trial.hit is None:
            continue
        start = _begin_of(text, folded, trial, trial.hit)
        long = _without_marks(text, start, window.spans[-1][1])
        if (amount := AMOUNT.match(text, *long)) and not AMOUNT.match(f"{form} "):
            return match(text, short, window.behind(amount.end()))
        found = text[slice(*long)]
        # Words in brackets after a list in running text: `team, fair adjustments (trades)`.
        if (", " in found and form.islower()) or not is_long_form(found, folded):
            continue
        reading = Reading(short, long, trial.strategy, trial.score)
        if not (trial.rewritten and is_symbol(found)) and (form not in WELL_KNOWN or reading.is_well_founded):
            return reading
    return None


class _Trial(NamedTuple):
    """The alignment by a strategy, if there is one: its first character in a window, which may be rewritten."""

    strategy: str
    score: float
    hit: MatchingCharacter | None
    window: TokenWindow
    rewritten: bool = False


def _trials(form: str, window: TokenWindow) -> Iterator[_Trial]:
    """The strategies of Ab3P in order, then chemical notation and the rewritings, which Ab3P does not have."""
    characters = alphanumeric(form)
    # Ab3P does not accept `[Ca2+]i` as a short form.
    if form[0] != "[" and window.could_hold(characters):
        rotated = index_first(form)
        for name, score in TRIALS[group(form)]:
            if rotated and not name.startswith("FirstLet"):
                # Initials with the index first are tried before letters inside words.
                yield _Trial(f"{ROTATED}+FirstLet", ADDED[ROTATED], first_letters(rotated, window), window)
                rotated = None
            if name == "FirstLetOneChSF":
                hit = _one_letter(form, characters, window)
            elif name == "FirstLetGenS":
                is_plural = _PLURAL.fullmatch(form) and window.tokens[-1].endswith("s")
                hit = aligned("FirstLetGen2", characters[:-1], window) if is_plural else None
            else:
                hit = aligned(name, characters, window)
            yield _Trial(name, score, hit, window)
    begin = name_begin(form, window)
    if begin is not None:
        yield _Trial(NOTATION, ADDED[NOTATION], MatchingCharacter(window.starts[begin], begin, True, True), window)
    for kind, characters, changed, strategy in rewritings(form, window):
        hit = aligned(strategy, characters, changed)
        yield _Trial(f"{kind}+{strategy}", ADDED[kind], hit, changed, rewritten=True)


def _one_letter(form: str, letter: str, window: TokenWindow) -> MatchingCharacter | None:
    """The last word, if it begins with the letter and is a word that is abbreviated by one letter."""
    word = window.tokens[-1]
    if len(word) < 2 or word[0] != letter or word in stop_words():
        return None
    # In an enumeration of an article, any known word: `genioglossus (G)`. Not in Ab3P.
    if word not in one_letter_words() and not (form.isupper() and word in known_words()):
        return None
    last = len(window.tokens) - 1
    return MatchingCharacter(window.starts[last], last, True, True)


_LEADING = " \n\xad{\"'`‘’“”«»/,;:.*†‡§-–—"
_TRAILING = '"`‘“”«»/,;:*†‡§–—'
# `HKIII-green fluorescent protein`, `Cla4p-...`: names of constructs have capitals and often a number.
_CONSTRUCT = re.compile(r"(?=.*[A-Z].*[A-Z0-9])[A-Za-z]+[0-9]*[a-z]?")
_PREFIXES = frozenset({"anti", "non"})
_LOCANT = re.compile(r"[0-9]+['′]?(?:-[0-9a-z'′-]+)?,")
_BARE_NUMBER = re.compile(r"[0-9]+|[ivx]+")
_NUMBERED_THINGS = frozenset({"class", "grade", "group", "phase", "stage", "subtype", "type"})
_NUMBERED = re.compile(r"[0-9]+['′]?-")


def _begin_of(text: str, folded: str, trial: _Trial, hit: MatchingCharacter) -> int:
    """The offset of the first character of a long form. Ab3P uses the whole token of the first hit."""
    window, token = trial.window, hit.token
    start = window.spans[token][0]
    by_initials = trial.strategy.rpartition("+")[2].startswith("FirstLet")
    if not hit.first:
        behind = start + hit.position - window.starts[token]
        prefix = text[start:behind]
        head, mark = prefix[:-1], prefix[-1:]
        is_construct = _CONSTRUCT.fullmatch(head) is not None
        if (
            prefix.endswith(("--", "—", "–", "{"))
            or (mark == "/" and is_construct)
            or (mark == "-" and by_initials and (head in _PREFIXES or is_construct))
        ):
            return behind
    if not token:
        return start
    # The token before belongs to the long form in three cases, although no character of the short form refers to it.
    before, here = window.tokens[token - 1], window.tokens[token]
    locant = _NUMBERED.match(here) and _LOCANT.fullmatch(text[slice(*window.spans[token - 1])])
    numbered = _BARE_NUMBER.fullmatch(here) and before in _NUMBERED_THINGS
    may_be_head = not by_initials and before not in FUNCTION_WORDS and before[0] == folded[0] and before.isalpha()
    if locant or numbered or (may_be_head and (len(here) == 1 or folded[:2] == here[0] * 2)):
        return window.spans[token - 1][0]
    return start


def _without_marks(text: str, start: int, end: int) -> Span:
    """A long form without punctuation at its ends: quotes, slashes, dashes, commas."""
    while (
        start < end and text[start] in _LEADING and not (text[start] == "-" and text[start - 1 : start] in (")", "]"))
    ):
        start += 1
    while end > start and text[end - 1] in _TRAILING:
        end -= 1
    if end > start and text[end - 1] in "'’" and start and text[start - 1] in "'‘’":
        end -= 1
    return start, end


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
# Authors, and two things that a sign joins: `Rana et al.`, `prostate±pelvic`.
_JOINED = re.compile(r"\bet al\b|\w ?± ?\w")
_NO_END = LINKING_WORDS - {"a"}
"""No long form ends with one. `Chlorophyll a` ends with a label."""
WELL_KNOWN = frozenset(
    "AIDS ATP BMI CDC DNA ECG EEG ELISA EU FDA HIV HPLC ICU MRI NIH PCR RNA UK USA WHO".split()  # noqa: SIM905
)
"""Short forms that articles do not define by loose letters: `WHO` is not `women's raised cholesterol`."""


def _balanced(text: str) -> bool:
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


def _cannot_be_short_form(short: str) -> bool:
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

    Not in Ab3P: a long form does not begin or end with a function word, cross the end of a sentence or a sign that
    joins, contain a finite verb, or consist of one token that contains the short form (`Ras (H-Ras)`).
    """
    long = unbroken(long)
    if not long or not _balanced(long) or _JOINED.search(long):
        return False
    folded = fold(long)
    words = long.split()
    if f" {short} " in f" {folded} " or words[0] in FUNCTION_WORDS or words[-1] in _NO_END:
        return False
    # An address, a place, a figure, an introductory adverb.
    if _ADDRESS.search(long) or _COUNTRY.search(long) or _NUMBERED_REFERENCE.match(long) or _TRANSITION.match(long):
        return False
    # Another spelling of the short form.
    if len(long) <= 2 * len(short) and alphanumeric(long) == alphanumeric(short):
        return False
    if _SENTENCE_END.search(long) or _VERB.search(long):
        return False
    # The short form with a prefix or suffix: `H-Ras`, `Xyz1C`.
    is_variant = is_symbol(long) or (" " not in long and len(short) > 3 and folded.endswith(short))
    return not (short in folded and is_variant)
