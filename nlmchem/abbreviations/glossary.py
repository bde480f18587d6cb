"""The meanings of the short forms of one article: where they apply, where they occur, and texts with them expanded.

The scope of a definition is its article.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from corpora.model.document import Definition, Span
from corpora.words.english import plural, singular
from corpora.words.folding import fold

SURE = 0.95
"""The least score of a definition that a later one with a higher score does not replace."""


@dataclass(frozen=True, slots=True)
class Sense:
    """A definition, and the offset (code points) from which it applies."""

    begin: int
    definition: Definition


@dataclass(frozen=True, slots=True)
class Glossary:
    """All definitions of an article, in text order, and the senses of each short form.

    The definition with the highest score applies to the whole article, also to the text before it (of equal scores
    the first). A definition with another long form applies from its position on. An earlier one than the best is in
    `definitions` but never applies if its score is below `SURE`: it may be misread.
    """

    definitions: tuple[Definition, ...] = ()
    senses: Mapping[str, tuple[Sense, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, definitions: Iterable[Definition]) -> Glossary:
        """The glossary of the definitions of one article, given in any order."""
        ordered = tuple(sorted(definitions, key=lambda item: (_place(item), item.short_span, item.long_span)))
        by_form: dict[str, list[Definition]] = {}
        for definition in ordered:
            by_form.setdefault(definition.short_form, []).append(definition)
        return cls(ordered, {form: tuple(_senses(same_form)) for form, same_form in by_form.items()})

    def __iter__(self) -> Iterator[str]:
        """The short forms, in the order of their first definition."""
        return iter(self.senses)

    def __contains__(self, short_form: object) -> bool:
        return short_form in self.senses

    def __len__(self) -> int:
        return len(self.senses)

    @property
    def written_forms(self) -> frozenset[str]:
        """The short forms, and the singular of plurals: `FFA`, if the article defines `FFAs`."""
        return frozenset(self.senses).union(
            form[:-1] for form in self.senses if form.endswith("s") and form[:-1].isupper() and len(form) > 2
        )

    def meaning(self, short_form: str, offset: int | None = None) -> Definition | None:
        """The definition that applies at an offset (None: the one for the whole article); None if there is none."""
        senses = self.senses.get(short_form)
        if not senses:
            return None
        if offset is None:
            return senses[0].definition
        return senses[max(0, bisect_right(senses, offset, key=lambda sense: sense.begin) - 1)].definition


def _place(definition: Definition) -> int:
    return min(definition.short_span[0], definition.long_span[0])


def _senses(definitions: list[Definition]) -> Iterator[Sense]:
    best = max(definitions, key=lambda definition: definition.score or 0.0)
    sure = [earlier for earlier in definitions[: definitions.index(best)] if (earlier.score or 0.0) >= SURE]
    current = None
    for definition in (*sure, *definitions[definitions.index(best) :]):
        # Long forms that differ only in case, hyphens or number are one sense.
        key = singular(" ".join(fold(definition.long_form).replace("-", " ").split()))
        if key != current:
            yield Sense(0 if current is None else _place(definition), definition)
            current = key


Occurrence = tuple[str, Span]
"""A short form and its span in the text, without a plural s."""

_END = re.compile(r"s?(?![^\W_])")


class ShortFormFinder:
    """Finds short forms as whole words, longest first.

    A plural s may follow. A hyphen ends a word (`DHA-rich`), but not for a single letter. A single letter also must
    not be next to a full stop, a degree sign or a number, as in `37 °C` or `C. elegans`. At a place of a text there is
    one look-up for each length of the short forms, however many there are.
    """

    def __init__(self, short_forms: Iterable[str]) -> None:
        forms = sorted(set(short_forms) - {""})
        self._forms = frozenset(form for form in forms if len(form) > 1)
        lengths: defaultdict[str, set[int]] = defaultdict(set)
        for form in self._forms:
            lengths[form[0]].add(len(form))
        self._lengths = {first: sorted(sizes, reverse=True) for first, sizes in lengths.items()}
        first = _letters(form[0] for form in forms)
        self._start = re.compile(rf"(?<![^\W_]){first}") if forms else None
        letters = [form for form in forms if len(form) == 1]
        # Where a single letter begins, a longer form can begin as well.
        self._single = re.compile(rf"(?<![^\s(])(?<!\d )(?<!° ){_letters(letters)}(?![^\s),;])") if letters else None

    def occurrences(self, text: str, offset: int = 0) -> Iterator[Occurrence]:
        """Every occurrence in a text, without overlaps. `offset` is added to the spans."""
        at = 0
        while self._start is not None and (match := self._start.search(text, at)):
            start = match.start()
            end = self._end(text, start)
            at = end or start + 1
            if end:
                yield text[start:end], (start + offset, end + offset)

    def _end(self, text: str, start: int) -> int:
        """The end of the longest short form that begins at a place; 0 if there is none."""
        for length in self._lengths.get(text[start], ()):
            end = start + length
            if end <= len(text) and text[start:end] in self._forms and _END.match(text, end):
                return end
        return start + 1 if self._single is not None and self._single.match(text, start) else 0


def _letters(letters: Iterable[str]) -> str:
    """A regular expression for one of some characters."""
    return f"[{''.join(map(re.escape, sorted(set(letters))))}]"


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an expanded text, its span in the original, and the definition that was used (None: copied)."""

    expanded: Span
    original: Span
    definition: Definition | None


@dataclass(frozen=True, slots=True)
class Expansion:
    """A text with expanded short forms. `pieces` cover the whole text and map it to the original."""

    text: str
    pieces: tuple[Piece, ...]

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """The definitions that were used, in text order."""
        return tuple(piece.definition for piece in self.pieces if piece.definition is not None)

    def origin(self, start: int, end: int) -> Span:
        """The span of the original text that corresponds to `text[start:end]`.

        Copied text maps character by character. Any part of a long form maps to the whole short form. Raises
        `ValueError` if the span is empty or outside the text.
        """
        if not 0 <= start < end <= len(self.text):
            raise ValueError(f"no text at {start}..{end} in an expansion of {len(self.text)} characters")
        return self._origin(start)[0], self._origin(end - 1)[1]

    def _origin(self, position: int) -> Span:
        index = bisect_right(self.pieces, position, key=lambda piece: piece.expanded[0]) - 1
        piece = self.pieces[index]
        if piece.definition is not None:
            return piece.original
        at = piece.original[0] + position - piece.expanded[0]
        return at, at + 1


class Expander:
    """Expands the short forms of the glossary of one article."""

    def __init__(self, glossary: Glossary) -> None:
        self._glossary = glossary
        self._short_forms = ShortFormFinder(glossary.written_forms)

    def long_form(self, surface: str, offset: int | None = None) -> str | None:
        """The long form of a short form, in the same number; None if the surface is not a short form.

        `FFAs` becomes `free fatty acids` if FFA is defined, and FFA becomes `free fatty acid` if FFAs is defined.
        `offset`: the position of the surface in the document (None: any).
        """
        meaning = self._meaning(surface, offset)
        return meaning[1] if meaning else None

    def expand(self, surface: str, offset: int | None = None) -> Expansion | None:
        """A surface with all short forms expanded; None if it contains no short form."""
        whole = self._meaning(surface, offset)
        if whole:
            return Expansion(whole[1], (Piece((0, len(whole[1])), (0, len(surface)), whole[0]),))
        pieces: list[Piece] = []
        parts: list[str] = []
        reached = length = 0

        def add(text: str, original: Span, definition: Definition | None) -> None:
            nonlocal length
            if text:
                pieces.append(Piece((length, length + len(text)), original, definition))
                parts.append(text)
                length += len(text)

        for form, (start, end) in self._short_forms.occurrences(surface):
            if surface[end : end + 1] == "s" and form + "s" not in self._glossary:
                end += 1
            meaning = self._meaning(surface[start:end], None if offset is None else offset + start)
            if meaning:
                add(surface[reached:start], (reached, start), None)
                add(meaning[1], (start, end), meaning[0])
                reached = end
        if not reached:
            return None
        add(surface[reached:], (reached, len(surface)), None)
        return Expansion("".join(parts), tuple(pieces))

    def _meaning(self, surface: str, offset: int | None) -> tuple[Definition, str] | None:
        """The definition of a surface, and its long form in the number of the surface."""
        in_number: Callable[[str], str] = str
        definition = self._glossary.meaning(surface, offset)
        if definition is None and surface.endswith("s"):
            definition, in_number = self._glossary.meaning(surface[:-1], offset), plural
        elif definition is None:
            definition, in_number = self._glossary.meaning(surface + "s", offset), singular
        return (definition, in_number(" ".join(definition.long_form.split()))) if definition else None
