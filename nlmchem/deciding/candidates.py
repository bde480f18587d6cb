"""The spans of an article that may be mentions: those of the tagger, of its second choice, of the lexicon, variants.

And words that open articles hardly have: trade names, misspelt names. Models do not know them, and mark few of them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from corpora.model.document import Span
from corpora.words.english import word_counts
from nlmchem.deciding.knowledge import between, is_in_other_name, is_whole, is_whole_name, without_class
from nlmchem.deciding.meanings import Meanings, TextMeaning
from nlmchem.deciding.other_meanings import is_inside, is_title, no_chemicals_in
from nlmchem.tagging.inference.spans import PassageSpans
from nlmchem.tagging.rules.boundaries import repair
from nlmchem.tagging.tokenization.tokens import at_word_bounds
from sieves.lexicon.concepts import CHEMICAL_KIND

LOW = 0.2
"""The least probability of a piece of being in a mention, for spans of second choice."""
SEARCHED = 0.01
"""The least probability of a piece, or of a neighbour, of being in a mention, for names of the lexicon."""
LONGEST = 300
"""Characters of the longest candidate that is not a span of the tagger."""
_SEPARATOR = re.compile(r"(?: ?/ ?|[-‐‑–]|,? (?:and|or|plus|with) |, )(?=[\w(\[])")
_LABEL = re.compile(r" \(?[\w.,-]{1,6}\)?$")
_BRACKET = re.compile(r" ?\([^()]{1,40}\)$")
_FIRST = re.compile(r"[^\s]{1,30} (?=[\w(\[])")
_LAST = re.compile(r" [^\s]{1,30}$")
_NEXT = re.compile(r"(?:[ -]|(?<=[a-z])\n(?=[a-z]))[A-Za-z]{3,20}(?!\w)")


def candidates_of(passage: PassageSpans, named: Sequence[Span], meanings: Meanings) -> list[Span]:
    """The candidates of a passage, in the order of the text. `named`: the spans of the lexicon."""
    text = passage.text
    marked = [(span.start, span.end) for span in passage.spans]
    names = set(named)
    # Parts of these spans are no candidates.
    whole = [
        span
        for span in marked
        if is_whole(text[slice(*span)]) or (span in names and is_whole_name(text, span, meanings))
    ]
    starts = [start for start, _ in whole]

    def in_whole(span: Span) -> bool:
        at = bisect_right(starts, span[0]) - 1
        return at >= 0 and span[1] <= whole[at][1] and span != whole[at]

    spans = dict.fromkeys([*marked, *second_choice(passage), *named, *misspelt_words(passage, meanings)])
    for span in list(spans):
        if span[1] - span[0] <= LONGEST:
            spans.update(dict.fromkeys(_variants(text, span, meanings)))
    elsewhere, known = no_chemicals_in(text) if spans else [], set(marked)
    return sorted(
        span
        for span in spans
        if not is_inside(span, elsewhere)
        and without_class(text, span) == span
        and not is_in_other_name(text, span, meanings)
        and not in_whole(span)
        and (span in known or _is_possible(text, span))
    )


def possible(passage: PassageSpans) -> NDArray[np.bool_] | None:
    """For each character, whether names of the lexicon are searched for there; None: everywhere.

    The search takes most of the time of a decision. A piece that the model puts into a mention with a probability below
    `SEARCHED`, and whose neighbours are as improbable, is left out. Taggers without probabilities leave nothing out.
    """
    if not passage.scored:
        return None
    edges = np.zeros(len(passage.text) + 1, dtype=np.int64)
    for scored in passage.scored:
        inside = np.concatenate(([0.0], 1.0 - scored.probabilities[:, 0], [0.0]))
        near = np.maximum(np.maximum(inside[:-2], inside[2:]), inside[1:-1]) >= SEARCHED
        np.add.at(edges, scored.encoded.starts[near], 1)
        np.add.at(edges, scored.encoded.ends[near], -1)
    mask: NDArray[np.bool_] = np.cumsum(edges[:-1]) > 0
    for word in CAPITALIZED.finditer(passage.text):
        if is_rare_word(word[0]):
            mask[slice(*word.span())] = True
    return mask


def second_choice(passage: PassageSpans) -> Iterator[Span]:
    """The runs of pieces that a model puts into a mention with a probability of at least `LOW`."""
    for scored in passage.scored:
        inside = 1.0 - scored.probabilities[:, 0] >= LOW
        if not inside.any():
            continue
        bounds = np.flatnonzero(np.diff(np.concatenate(([False], inside, [False]))))
        begins = scored.probabilities[:, 1] > 0.5
        for first, last in zip(bounds[::2].tolist(), bounds[1::2].tolist(), strict=True):
            cuts = [first, *(int(at) for at in np.flatnonzero(begins[first + 1 : last]) + first + 1), last]
            for cut in pairwise(cuts):
                span = scored.encoded.span(*cut)
                if span is not None and span[1] - span[0] <= LONGEST:
                    repaired = repair(passage.text, span)
                    if repaired is not None:
                        yield repaired


def _variants(text: str, span: Span, meanings: Meanings) -> Iterator[Span]:
    """Parts of a span, and the span with the next word where the lexicon has it."""
    start, end = span
    places = [match.span() for match in _SEPARATOR.finditer(text, start + 1, end)]
    if 0 < len(places) <= 6:
        yield from between(start, end, places)
        for place in places if len(places) > 1 else ():
            yield start, place[0]
            yield place[1], end
    for pattern in (_LABEL, _BRACKET, _LAST):
        match = pattern.search(text, start + 1, end)
        if match is not None:
            yield start, match.start()
    first = _FIRST.match(text, start, end)
    if first is not None:
        yield first.end(), end
    following = _NEXT.match(text, end)
    if following is not None and meanings.is_known_chemical(text[start : following.end()]):
        yield start, following.end()


def _is_possible(text: str, span: Span) -> bool:
    start, end = span
    return 0 < end - start <= LONGEST and any(map(str.isalpha, text[start:end])) and at_word_bounds(text, start, end)


# -- rare words ---------------------------------------------------------------------------------

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
    shown = {place for place in words if _is_shown(passage, place)}
    doubtful = [place for place in words if place not in shown]
    chosen: list[Span] = []
    # The doubtful ones from both sides, because one word of a list shows the next.
    for place in [*filter(shown.__contains__, words), *doubtful, *reversed(doubtful)]:
        if place not in shown and (place[1] in ends or not _is_listed(text, place, starts, ends)):
            continue
        word = text[slice(*place)]
        if is_misspelt(word, meanings.of(word)):
            chosen.append(place)
            starts.add(place[0])
            ends.add(place[1])
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
