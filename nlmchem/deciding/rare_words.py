"""Words that open articles hardly have: trade names, misspelt names. Models do not know them, and mark few of them."""

from __future__ import annotations

import re
from collections.abc import Container

import numpy as np

from corpora.model.document import Span
from corpora.words.english import word_counts
from nlmchem.deciding.meanings import Meanings, TextMeaning
from nlmchem.deciding.other_meanings import is_title
from nlmchem.tagging.inference.spans import PassageSpans
from sieves.lexicon.concepts import CHEMICAL_KIND

RARE = 30
"""Places in 8,225 open articles."""
LEAST = 0.03
"""The least mean probability of the pieces of an unknown word."""
_VERBS = (
    r"(?<![^\W_])(?i:administered|continued|discontinued|gave|given(?: after| before| with)?|got|ingested|prescribed"
    r"|receiv(?:e|ed|es|ing)|start(?:ed|ing)|stopped|swallowed|tak(?:e|en|es|ing)|took"
    r"|(?:therapy|treat(?:ed|ing|ment)) with|(?:changed|switched) (?:from|to)|(?:doses?|levels?|mg|tablets?)(?: of)?)"
)
_GIVEN = re.compile(rf"{_VERBS}\s?$")
"""What people do with a drug."""
_LONGEST_VERB = 18
_DOSED = re.compile(
    r" (?:\d+(?:\.\d+)? ?(?:[mμµ]?c?g|IU|ml|mL)(?![^\W_])|(?:capsules?|doses?|overdose|tablets?|therapy)(?![^\W_])"
    r"|(?:(?:was|were) )?(?:added|administered|discontinued|given|prescribed|started|stopped)(?![^\W_]))"
)
"""What follows the name of a drug."""
_JOIN = re.compile(r"(?:, ?(?:and |or )?| and | or |; |/| & )")
_JOIN_BEFORE = re.compile(rf"{_JOIN.pattern}$")
_LONGEST_JOIN = 6
_ALSO_GIVEN = re.compile(rf"{_VERBS}\s(?=[^.;:!?]+(?:,|,? and|,? or|,? plus) $)")
"""`took aspirin for pain and metforman for diabetes`."""
_LONGEST_CLAUSE = 80
PLAIN_WORD = re.compile(r"(?<![\w\[\]-])[A-Za-z][a-z]{5,15}(?![\w\[\]-])")
_DERIVED = re.compile(r"(?:able|ful|less|like|ness)$")
_STARTS = re.compile(r"(?:^|[.:!?\n] ?)$")
CAPITALIZED = re.compile(r"(?<![^\W_])[A-Z][a-z]{3,19}(?![^\W_])")


def is_brand(text: str, span: Span, sense: TextMeaning) -> bool:
    """Whether a span is a trade name of a drug or a material in the lexicon, and no other word: `Glucophage`.

    In a title, and at the start of a sentence, all words have a capital: there only a word that open articles do not
    have is a trade name (`Muse` and `Planum` are other words, and so is `Smokeless`, which is derived from one).
    """
    word = text[slice(*span)]
    if sense.sieve != "trade" or CAPITALIZED.fullmatch(word) is None or not is_rare_word(word):
        return False
    stem = _DERIVED.sub("", word.lower())
    is_word = word.lower() in word_counts() or (stem != word.lower() and not is_rare_word(stem))
    return not (is_word and (_STARTS.search(text, max(0, span[0] - 2), span[0]) or is_title(text, span)))


def misspelt_words(passage: PassageSpans, meanings: Meanings) -> list[Span]:
    """The words that are misspelt headings, where something shows that they are chemicals.

    A model does not rule them out, or they are given or taken as drugs, or they are in a list with a mention, with
    another such word, or with what is given.
    """
    text = passage.text
    ends, starts = {span.end for span in passage.spans}, {span.start for span in passage.spans}
    words = [word.span() for word in PLAIN_WORD.finditer(text) if word[0].lower() not in word_counts()]
    chosen: list[Span] = []

    def choose(place: Span) -> None:
        word = text[slice(*place)]
        if is_misspelt(word, meanings.of(word)):
            chosen.append(place)
            starts.add(place[0])
            ends.add(place[1])

    shown = {place for place in words if _is_shown(passage, place)}
    for place in words:
        if place in shown:
            choose(place)
    doubtful = [place for place in words if place not in shown]
    # From both sides, because one word of a list shows the next.
    for place in [*doubtful, *reversed(doubtful)]:
        if place[1] not in ends and _is_listed(text, place, starts, ends):
            choose(place)
    return sorted(chosen)


def _is_listed(text: str, place: Span, starts: Container[int], ends: Container[int]) -> bool:
    """Whether a word is in a list with a mention. `starts`, `ends`: of the mentions."""
    start, end = place
    join = _JOIN_BEFORE.search(text, max(0, start - _LONGEST_JOIN), start)
    following = _JOIN.match(text, end)
    if (join is not None and join.start() in ends) or (following is not None and following.end() in starts):
        return True
    given = _ALSO_GIVEN.search(text, max(0, start - _LONGEST_CLAUSE), start)
    return given is not None and any(at in ends for at in range(given.end(), start))


def _is_shown(passage: PassageSpans, place: Span) -> bool:
    """Whether a model does not rule out that a word is a chemical, or the words beside it are said of drugs."""
    text, (start, end) = passage.text, place
    if _GIVEN.search(text, max(0, start - _LONGEST_VERB), start) or _DOSED.match(text, end):
        return True
    for scored in passage.scored:
        first = np.searchsorted(scored.encoded.ends, start, "right")
        last = np.searchsorted(scored.encoded.starts, end, "left")
        if first < last and (1.0 - scored.probabilities[first:last, 0]).mean() >= LEAST:
            return True
    return False


def is_misspelt(text: str, sense: TextMeaning) -> bool:
    """Whether a text is a misspelt heading and no other word: `asprin`, `warfarine`, `amlodipin`."""
    if PLAIN_WORD.fullmatch(text) is None or text.lower() in word_counts() or sense.kind != CHEMICAL_KIND:
        return False
    word, name = text.casefold(), sense.candidates[0].matched_name.casefold()
    return sense.sieve == "edit" or (sense.sieve == "stem" and name in (word[:-1], f"{word}e"))


def is_rare_word(word: str) -> bool:
    """Whether open articles have a word in few places."""
    return word_counts().get(word.lower(), 0) < RARE
