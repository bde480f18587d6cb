"""Brackets that may contain a short form, and the tokens before them, in which its long form is searched for.

Source: Sohn et al. 2008, "Candidates" and "Filters".
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

from corpora.model.document import Span
from corpora.words.english import known_words, stop_words
from corpora.words.folding import fold

LONGEST_WINDOW = 10
"""The number of tokens before a bracket that may belong to a long form."""

REACH = 400
"""The maximum number of characters of `LONGEST_WINDOW` tokens. It keeps the time linear for text without spaces."""

LONGEST_WORD = 60
"""The maximum number of characters of a word that begins with a bracket."""

_WORDS = (
    "a an and as at by for from in into is of on onto or plus than that the their these this those to upon via while "
    "with within without"
)
FUNCTION_WORDS = frozenset(_WORDS.split())
"""Words at which no long form begins."""

_WIDE = str.maketrans("（）［］【】〔〕", "()[][][]")
_WIDE_BRACKET = re.compile("[（）［］【】〔〕]")
_BRACKET = re.compile(r"[()\[\]]")
_PARTNER = {"(": ")", "[": "]", ")": "(", "]": "["}
_CUT = re.compile(r"[;,](?=\s)|[；，、]")
_QUOTES = "\"“”„‟'‘’‚‛«»‹›`´＂"
QUOTED_WORD = re.compile(rf"[{_QUOTES}]+([^\s{_QUOTES}]+?)[.,;:]?[{_QUOTES}]+")
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
_KIND = "(?:M|mol|[glL])"
# `mM`, `ng` also without a number, `M`, `kg` only after one. No times: they can begin a name (`6 min walk test`).
AMOUNT = re.compile(rf"(?:[mnµμ]{_KIND}|(?:(?<=\d )|[\d.]+)(?:[kmnpµμ]?{_KIND}|I?U))(?:/\S+)?\s+(?:of )?")
"""The amount of a substance, or its unit, in front of its name: `10 mM `, `mg/ml of `."""
_SEQUENCES = {
    sequence[0]: sequence
    for sequence in (("i", "ii", "iii", "iv", "v", "vi"), ("I", "II", "III", "IV", "V", "VI"), "abcdef", "ABCDEF")
}


class Bracket(NamedTuple):
    """A bracket pair that may define something."""

    inside: Span
    opener: int
    floor: int
    """The start of the text before the bracket."""
    ceiling: int
    """The end of this text. Other brackets may follow it, as the citation in `growth factor [12] (GF)`."""
    attached: bool
    """No space precedes the bracket. A full-width one after a word contains its space."""


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
        if not stack:
            continue
        opener, ends = stack.pop()
        wide = original[opener] != text[opener]
        if not opener or wide or text[opener - 1].isspace():
            closed, ceiling = position, ends
        if opener and 2 <= position - opener <= REACH and _may_define(text, opener, position, wide):
            before = text[opener - 1]
            attached = not before.isspace() and before not in "([" and not (wide and before.isalnum())
            floor = max(stack[-1][0] + 1 if stack else 0, ends - REACH)
            yield Bracket((opener + 1, position), opener, floor, ends, attached)


def _may_define(text: str, opener: int, closer: int, wide: bool) -> bool:
    inside = text[opener + 1 : closer].lstrip()
    if _NO_LETTER.match(inside) or _REJECTED.match(inside):
        return False
    # `(h)alpha` is a word. `(DMSO)6` is a short form with a citation that was superscript.
    sticks = not wide and text[closer + 1 : closer + 2].isalnum()
    return not sticks or (_CITATION.match(text, closer + 1) is not None and _CAPITALS.fullmatch(inside) is not None)


def without_enumerations(text: str, brackets: Sequence[Bracket]) -> list[Bracket]:
    """The brackets without those that number list items: two or more in the order (a) (b), (i) (ii), (x1) (x2)."""
    labels = [text[slice(*trimmed(text, *bracket.inside))] for bracket in brackets]
    kept: list[Bracket] = []
    index = 0
    while index < len(brackets):
        label = labels[index]
        numbered = (f"{label[:-1]}{number}" for number in count(1))
        items = numbered if label.endswith("1") else iter(_SEQUENCES.get(label, ()))
        length = 0
        while index + length < len(labels) and labels[index + length] == next(items, None):
            length += 1
        if length < 2:
            kept.append(brackets[index])
            length = 1
        index += length
    return kept


def trimmed(text: str, start: int, end: int) -> Span:
    """The span without spaces at its ends."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


def first_piece(text: str, span: Span) -> Span:
    """The span up to the first comma or semicolon that is followed by a space, without quotes."""
    cut = _CUT.search(text, *span)
    return unquoted(text, trimmed(text, span[0], cut.start() if cut else span[1]))


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


def unbroken(text: str) -> str:
    """A text as written on one line: without soft hyphens, and with one space or a hyphen for a line break.

    >>> unbroken("dexa-\\nmethasone"), unbroken("gamma\\nray")
    ('dexa-methasone', 'gamma ray')
    """
    if "\n" in text:
        text = " ".join(_DIVIDED.sub("", text).split())
    return text.replace(_SOFT_HYPHEN, "")


class MatchingCharacter(NamedTuple):
    """A character of a window to which a character of the short form may be assigned."""

    position: int
    token: int
    first: bool
    """It is the first character of its token."""
    start: bool
    """It is the first character, or it follows a character that is neither a letter nor a digit."""


class TokenWindow:
    """The folded tokens of a text in which a long form is searched for. `spans`: of each token in the text."""

    __slots__ = ("_hits", "spans", "starts", "text", "tokens")

    def __init__(self, tokens: Sequence[str], spans: Sequence[Span]) -> None:
        self.spans = spans
        self.tokens = tokens
        self.text = " ".join(tokens)
        self.starts: list[int] = []
        reached = 0
        for token in tokens:
            self.starts.append(reached)
            reached += len(token) + 1
        self._hits: dict[str, tuple[MatchingCharacter, ...]] = {}

    @classmethod
    def between(cls, text: str, start: int, end: int) -> TokenWindow | None:
        """The window of the last tokens of `text[start:end]`; None if there are none."""
        spans = _tokens_between(text, start, end)
        return cls([fold(unbroken(text[begin:stop])) for begin, stop in spans], spans) if spans else None

    def behind(self, place: int) -> TokenWindow | None:
        """The window of the tokens that begin at a place of the text or later; None without such a token."""
        left = [number for number, span in enumerate(self.spans) if span[0] >= place]
        return TokenWindow(self.tokens[left[0] :], self.spans[left[0] :]) if left else None

    def hits(self, character: str) -> tuple[MatchingCharacter, ...]:
        """Every position of a character, from right to left."""
        known = self._hits.get(character)
        if known is not None:
            return known
        places: list[MatchingCharacter] = []
        position = self.text.rfind(character)
        while position >= 0:
            token = bisect_right(self.starts, position) - 1
            first = position == self.starts[token]
            places.append(MatchingCharacter(position, token, first, first or not self.text[position - 1].isalnum()))
            position = self.text.rfind(character, 0, position)
        self._hits[character] = tuple(places)
        return self._hits[character]

    def is_stop(self, token: int) -> bool:
        """Whether a token is a stop word."""
        return self.tokens[token] in stop_words()

    def ends_in_word(self, hit: MatchingCharacter) -> bool:
        """Whether the rest of a token, starting at a hit, is a known word."""
        return self.tokens[hit.token][hit.position - self.starts[hit.token] :] in known_words()

    def could_hold(self, characters: str) -> bool:
        """Whether the window contains the characters in their order. If not, no alignment is possible."""
        reached = len(self.text)
        for character in reversed(characters):
            reached = self.text.rfind(character, 0, reached)
            if reached < 0:
                return False
        return True


def _tokens_between(text: str, start: int, end: int) -> list[Span]:
    """The last tokens of `text[start:end]`, separated by spaces. Free brackets are separate tokens."""
    piece = text[start:end]
    spans: list[Span] = []
    reached = len(piece)
    for token in reversed(piece.rsplit(None, LONGEST_WINDOW)[-LONGEST_WINDOW:]):
        at = piece.rindex(token, 0, reached)
        spans.append((start + at, start + at + len(token)))
        reached = at
    spans.reverse()
    if "\n" in piece:
        # A word that a line break divides is one token.
        joined: list[Span] = []
        for span in spans:
            gap = _DIVIDED.match(text, joined[-1][1]) if joined else None
            if gap and gap.end() == span[0]:
                joined[-1] = joined[-1][0], span[1]
            else:
                joined.append(span)
        spans = joined
    if _BRACKET.search(text, spans[0][0] if spans else start, end):
        spans = [part for span in spans for part in _split_at_free_brackets(text, span)]
    return spans[-LONGEST_WINDOW:]


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
