"""Brackets of mentions: each has its partner in the mention, or is not part of it.

A bracket without partner stands where a model cut a word (`LIG)3` of `Fe(LIG)3`), joined two names
(`retinol (vitamin A` before ` palmitate)`), or marked a part of a remark. In the first case the span grows to the whole
word, in the second both names stay, otherwise the longer part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from corpora.model.document import Span
from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan
from nlmchem.tagging.tokenization.tokens import CLOSING, PAIRS, is_balanced, unpaired

LONGEST = 500
"""Characters. The brackets of longer spans are not checked, because no real name is that long."""
_REACH = 60
"""Characters that a span may grow by to reach the partner of a bracket and the end of its word."""
_WORD_END = frozenset(" \t\n\r\u00a0,;")
_EDGE = frozenset(",;:-‐–")
FEWEST = 2
"""Letters of a part that stays when a span is cut."""
_MULTIPLIED = re.compile(r"(?:bis|tris|tetrakis)$", re.IGNORECASE)
_DESCRIPTOR = re.compile(r"(?:[±+−–-]|[\d,;'′’αβRSEZrs]|cis|trans|rac|rel)+")
"""What stands in brackets at the start of a name: `(6S)-`, `(±)-`, `(2,3)-`. Other brackets there end another name."""


def balance(passage: PassageSpans) -> None:
    """Balance the brackets of the spans of a passage, in place. Spans do not grow into one another."""
    spans = sorted(passage.spans, key=lambda span: (span.start, span.end))
    kept: list[ScoredSpan] = []
    for at, span in enumerate(spans):
        before = kept[-1].end if kept else 0
        after = spans[at + 1].start if at + 1 < len(spans) else len(passage.text)
        free = min(before, span.start), max(after, span.end)
        for start, end in balanced(passage.text, (span.start, span.end), free):
            kept.append(replace(span, start=start, end=end))
    passage.spans = kept


def across_brackets(text: str, spans: Sequence[ScoredSpan]) -> list[ScoredSpan]:
    """The spans of a text, with one span for a name that a model divides at a bracket.

    The second has the partner of the bracket (`2,2′-azobis` + `2-methylpropionamidine) dihydrochloride`), or the first
    ends with a number of the groups in the brackets: `N,N'-methylenebis` + `acrylamide`.
    """
    whole: list[ScoredSpan] = []
    for span in spans:
        end = _end_of_name(text, whole[-1], span) if whole else None
        if end is None:
            whole.append(span)
        else:
            whole[-1] = replace(whole[-1], end=end, score=min(whole[-1].score, span.score))
    return whole


def _end_of_name(text: str, before: ScoredSpan, span: ScoredSpan) -> int | None:
    """The end of the name that two spans form; None if they are two names."""
    if span.start - before.end != 1 or text[before.end] not in PAIRS or span.end - before.start > LONGEST:
        return None
    is_divided = bool(unpaired(text[span.start : span.end])[1])
    end = span.end
    if not is_divided and _MULTIPLIED.search(text, before.start, before.end) and text[end : end + 1] in CLOSING:
        is_divided, end = True, end + 1
    return end if is_divided and is_balanced(text[before.start : end]) else None


def balanced(text: str, span: Span, free: Span) -> list[Span]:
    """The span with only paired brackets, or its parts that have only paired brackets. It may grow inside `free`."""
    start, end = span
    if end - start > LONGEST or is_balanced(text[start:end]):
        return [span]
    grown = _grown(text, span, free)
    parts = [grown] if grown is not None else _cut(text, span)
    return [part for part in parts if sum(map(str.isalpha, text[slice(*part)])) >= FEWEST]


def _grown(text: str, span: Span, free: Span) -> Span | None:
    """The span with the partners of its brackets, if all are in the words that it cuts."""
    start, end = span
    opened, closed = unpaired(text[start:end])
    if closed:
        first = _to_opening(text, start, start + closed[-1], free[0])
        if first is None:
            return None
        start = first
        opened, closed = unpaired(text[start:end])
    if opened:
        last = _to_closing(text, end, start + opened[0], free[1])
        if last is None:
            return None
        end = last
    return (start, end) if is_balanced(text[start:end]) else None


def _cut(text: str, span: Span) -> list[Span]:
    """The parts of the span without unpaired brackets.

    After a blank an opening bracket separates two names, and both stay. At other brackets the part with more letters
    stays.
    """
    start, end = span
    opened, closed = unpaired(text[start:end])
    if not (opened or closed):
        return [span]
    bracket = start + (closed or opened)[0]
    before, after = _stripped(text, start, bracket), _stripped(text, bracket + 1, end)
    if not closed and bracket > start and text[bracket - 1].isspace():
        return [*_cut(text, before), *_cut(text, after)]
    return _cut(text, max(before, after, key=lambda part: sum(map(str.isalpha, text[slice(*part)]))))


def _to_opening(text: str, start: int, closing: int, free: int) -> int | None:
    """The start of the word that has the partner of the bracket at `closing` before the span; None if there is none."""
    depth, partner = 1, None
    first = start
    while first > max(free, start - _REACH) and text[first - 1] not in _WORD_END:
        letter = text[first - 1]
        if letter in CLOSING:
            depth += 1
        elif letter in PAIRS:
            if depth == 0:
                break
            depth -= 1
            if depth == 0 and partner is None:
                partner = first - 1
        first -= 1
    if partner is None or depth:
        return None
    if first == partner and not _DESCRIPTOR.fullmatch(text, partner + 1, closing):
        return None
    return first


def _to_closing(text: str, end: int, opening: int, free: int) -> int | None:
    """The end of the partner of the bracket at `opening`, if it is in the same word after the span.

    After a blank, a bracket begins a remark (`ferrocene ((3)E1g)`), which is no part of the name.
    """
    if opening and text[opening - 1].isspace():
        return None
    depth = 1
    for at in range(end, min(free, end + _REACH)):
        letter = text[at]
        if letter in _WORD_END and depth == 1 and letter != ",":
            return None
        if letter in PAIRS:
            depth += 1
        elif letter in CLOSING:
            depth -= 1
            if depth == 0:
                return at + 1 if CLOSING[letter] == text[opening] else None
    return None


def _stripped(text: str, start: int, end: int) -> Span:
    """The span without blanks, commas and hyphens at its edges."""
    while start < end and (text[start].isspace() or text[start] in _EDGE):
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] in _EDGE):
        end -= 1
    return start, end
