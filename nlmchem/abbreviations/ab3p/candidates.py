"""Brackets that may contain a short form, and the text before them. Source: Sohn et al. 2008, "Candidates"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from corpora.model.document import Span

LONGEST_WINDOW = 10
"""The number of tokens before a bracket that may belong to a long form."""

LONGEST_INSIDE = 10
"""The maximum number of tokens inside a bracket. Longer brackets are remarks."""

REACH = 400
"""The maximum number of characters of `LONGEST_WINDOW` tokens. It keeps the time linear for text without spaces."""

LONGEST_WORD = 60
"""The maximum number of characters of a word that begins with a bracket."""


class Bracket(NamedTuple):
    """A bracket pair that may define something.

    `inside`: the span of its content. `opener`: the position of the opening bracket. `floor` and `ceiling`: the start
    and end of the text before it. Other brackets may follow this text, as the citation in `growth factor [12] (GF)`.
    `attached`: there is no space before the bracket, and it is not a full-width one after a word, which contains its
    space.
    """

    inside: Span
    opener: int
    floor: int
    ceiling: int
    attached: bool


_WIDE = str.maketrans("（）［］【】〔〕", "()[][][]")
_WIDE_BRACKET = re.compile("[（）［］【】〔〕]")
_BRACKET = re.compile(r"[()\[\]]")
_PARTNER = {"(": ")", "[": "]", ")": "(", "]": "["}
_CUT = re.compile(r"[;,](?=\s)|[；，、]")
_QUOTES = "\"“”„‟'‘’‚‛«»‹›`´＂"
_QUOTED = re.compile(rf"[{_QUOTES}]+([^\s{_QUOTES}]+?)[.,;:]?[{_QUOTES}]+")
# A hyphen at the end of a line may divide a word.
_DIVIDED = re.compile(r"(?<=[^\W\d_][-\xad])[ \t\r]*\n\s*(?=[^\W\d_])")
_SOFT_HYPHEN = "\xad"
_REJECTED = re.compile(
    r"(?:author's transl|proceedings|see|and|comment|letter|eg|e\.g\.|ie|i\.e\.|mean|age|std|range|young|old|male"
    r"|female)$|(?:=|eg\.|eg,|see |see,|p<|P<|(?:i\.e|e\.g|cf|viz|et al)\b)."
)
_CITATION = re.compile(r"\d{1,3}(?:[,–-]\d{1,3}){0,20}(?=[.,;:]?\s|$)")
_CAPITALS = re.compile(r"[\w-]*[A-Z][\w-]*[A-Z][\w-]*")
_NO_LETTER = re.compile(r"[\W\d_]*(?:\s|$)|\d{3}|\d+(?:\s|$)")


def with_plain_brackets(text: str) -> str:
    """The text with ASCII brackets for full-width ones; of the same length."""
    return text if text.isascii() or not _WIDE_BRACKET.search(text) else text.translate(_WIDE)


def brackets(original: str) -> Iterator[Bracket]:
    """Every bracket pair that contains a word and may define something, inner pairs before outer ones."""
    text = with_plain_brackets(original)
    open_at: dict[str, list[tuple[int, int]]] = {")": [], "]": []}
    closed, ceiling = -3, 0
    for match in _BRACKET.finditer(text):
        position, mark = match.start(), match.group()
        if mark in "([":
            follows = position - closed <= 2 and text[closed + 1 : position].isspace()
            open_at[_PARTNER[mark]].append((position, ceiling if follows else position))
            continue
        stack = open_at[mark]
        if stack:
            opener, ends = stack.pop()
            wide = original[opener] != text[opener]
            if not opener or wide or text[opener - 1].isspace():
                closed, ceiling = position, ends
            bracket = _bracket(text, opener, position, stack[-1][0] + 1 if stack else 0, ends, wide)
            if bracket is not None:
                yield bracket


def _bracket(text: str, opener: int, closer: int, floor: int, ceiling: int, wide: bool) -> Bracket | None:
    if not 2 <= closer - opener <= REACH or opener == 0:
        return None
    inside = text[opener + 1 : closer].lstrip()
    if _NO_LETTER.match(inside) or _REJECTED.match(inside):
        return None
    # `(h)alpha` is a word. `(DMSO)6` is a short form with a citation that was superscript.
    sticks = not wide and text[closer + 1 : closer + 2].isalnum()
    if sticks and not (_CITATION.match(text, closer + 1) and _CAPITALS.fullmatch(inside)):
        return None
    before = text[opener - 1]
    attached = not before.isspace() and before not in "([" and not (wide and before.isalnum())
    return Bracket((opener + 1, closer), opener, max(floor, ceiling - REACH), ceiling, attached)


def trimmed(text: str, start: int, end: int) -> Span:
    """The span without spaces at its ends."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


def first_piece(text: str, span: Span) -> Span:
    """The span up to the first comma or semicolon that is followed by a space."""
    cut = _CUT.search(text, *span)
    return trimmed(text, span[0], cut.start() if cut else span[1])


def unquoted(text: str, span: Span) -> Span:
    """A span without quotes around it, and without a mark before the closing one: `"BMI,"`."""
    start, end = span
    if text[start:end][:1] not in _QUOTES:
        return span
    while start < end and text[start] in _QUOTES:
        start += 1
    while end > start and text[end - 1] in _QUOTES:
        end -= 1
    return start, end - 1 if end < span[1] and text[end - 1] in ".,;:" else end


def quoted_word(text: str, span: Span) -> Span | None:
    """The only quoted word in a span; None if there are several or none."""
    words = [match.span(1) for match in _QUOTED.finditer(text, *span)]
    return words[0] if len(words) == 1 else None


def unbroken(text: str) -> str:
    """A text as written on one line: without soft hyphens, and with one space or a hyphen for a line break.

    >>> unbroken("dexa-\\nmethasone"), unbroken("gamma\\nray")
    ('dexa-methasone', 'gamma ray')
    """
    if "\n" in text:
        text = " ".join(_DIVIDED.sub("", text).split())
    return text.replace(_SOFT_HYPHEN, "")


def tokens_between(text: str, start: int, end: int) -> list[Span]:
    """The last tokens of `text[start:end]`, separated by spaces. Free brackets are separate tokens.

    A word that a line break divides is one token.
    """
    piece = text[start:end]
    spans: list[Span] = []
    reached = len(piece)
    for token in reversed(piece.rsplit(None, LONGEST_WINDOW)[-LONGEST_WINDOW:]):
        at = piece.rindex(token, 0, reached)
        spans.append((start + at, start + at + len(token)))
        reached = at
    spans.reverse()
    if "\n" in piece:
        spans = _joined(text, spans)
    if _BRACKET.search(text, spans[0][0] if spans else start, end):
        spans = [piece for span in spans for piece in _split_at_free_brackets(text, span)]
    return spans[-LONGEST_WINDOW:]


def _joined(text: str, spans: Sequence[Span]) -> list[Span]:
    joined: list[Span] = []
    for span in spans:
        gap = _DIVIDED.match(text, joined[-1][1]) if joined else None
        if gap and gap.end() == span[0]:
            joined[-1] = joined[-1][0], span[1]
        else:
            joined.append(span)
    return joined


def _split_at_free_brackets(text: str, run: Span) -> Iterator[Span]:
    """Split a run without spaces at free brackets: those at its start, and closing ones that do not open in it."""
    start, end = run
    reached = start
    attached: list[int] = []
    for match in _BRACKET.finditer(text, start, end):
        position, mark = match.start(), match.group()
        if mark in "([":
            if position > reached or _belongs_to_word(text[position : min(end, position + LONGEST_WORD)]):
                attached.append(position)
                continue
        elif attached:
            attached.pop()
            continue
        if position > reached:
            yield reached, position
        yield position, position + 1
        reached = position + 1
    if reached < end:
        yield reached, end


def _belongs_to_word(run: str) -> bool:
    """Whether a bracket at the start of a token is part of the word, as in `(h)alpha`."""
    closer = _PARTNER[run[0]]
    last = run.rfind(closer)
    return last > 0 and run.count(run[0]) == run.count(closer) and run[last + 1 : last + 2].isalnum()
