"""The spans of an article that may be mentions: those of the tagger, of its second choice, of the lexicon, variants."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from corpora.model.document import Span
from nlmchem.deciding.coordination import is_coordination
from nlmchem.deciding.meanings import Meanings
from nlmchem.deciding.other_meanings import no_chemicals_in
from nlmchem.deciding.parts_of_names import ends_other_name, is_material, without_class
from nlmchem.deciding.rare_words import CAPITALIZED, is_rare_word, misspelt_words
from nlmchem.deciding.suppliers import is_inside
from nlmchem.deciding.whole_names import is_whole_name
from nlmchem.tagging.inference.spans import PassageSpans
from nlmchem.tagging.rules.boundaries import repair
from nlmchem.tagging.rules.notations import is_notation
from nlmchem.tagging.tokenization.tokens import at_word_bounds

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
    whole = [
        span
        for span in marked
        if is_notation(text[slice(*span)])
        or is_coordination(text[slice(*span)])
        or is_material(text[slice(*span)])
        or (span in names and is_whole_name(text, span, meanings))
    ]
    spans = dict.fromkeys([*marked, *second_choice(passage), *named, *misspelt_words(passage, meanings)])
    for span in list(spans):
        if span[1] - span[0] <= LONGEST:
            spans.update(dict.fromkeys(_variants(text, span, meanings)))
    elsewhere = no_chemicals_in(text) if spans else []
    possible = (
        span
        for span in spans
        if not is_inside(span, elsewhere)
        and without_class(text, span) == span
        and not ends_other_name(text, span, meanings)
    )
    fixed, known = _Cover(whole), set(marked)
    free = (span for span in possible if not fixed.contains(span))
    return sorted(span for span in free if span in known or _is_possible(text, span))


class _Cover:
    """Spans that do not overlap, in the order of the text."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._spans = spans
        self._starts = [start for start, _ in spans]

    def contains(self, span: Span) -> bool:
        """Whether a span lies in one of the spans and is not equal to it."""
        at = bisect_right(self._starts, span[0]) - 1
        return at >= 0 and span[1] <= self._spans[at][1] and span != self._spans[at]


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
        yield from _between(start, end, places)
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


def _between(start: int, end: int, places: Sequence[Span]) -> Iterator[Span]:
    yield from zip([start, *(last for _, last in places)], [*(first for first, _ in places), end], strict=True)


def _is_possible(text: str, span: Span) -> bool:
    start, end = span
    return 0 < end - start <= LONGEST and any(map(str.isalpha, text[start:end])) and at_word_bounds(text, start, end)
