"""Expands short forms: a mention that is a short form, or that contains one."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from corpora.model.document import Definition, Span
from corpora.words.inflection import plural, singular
from nlmchem.abbreviations.article.glossary import Glossary
from nlmchem.abbreviations.article.short_forms import ShortFormFinder


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
        self._short_forms = ShortFormFinder(_forms(glossary))

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
            piece = Piece((0, len(whole[1])), (0, len(surface)), whole[0])
            return Expansion(whole[1], (piece,))
        return self._inside(surface, offset)

    def _inside(self, surface: str, offset: int | None) -> Expansion | None:
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
        definition = self._glossary.meaning(surface, offset)
        if definition:
            return definition, _one_line(definition.long_form)
        if surface.endswith("s"):
            definition = self._glossary.meaning(surface[:-1], offset)
            return (definition, plural(_one_line(definition.long_form))) if definition else None
        definition = self._glossary.meaning(surface + "s", offset)
        return (definition, singular(_one_line(definition.long_form))) if definition else None


def _forms(glossary: Glossary) -> set[str]:
    """Short forms as defined, and their singular: `FFA` if the article defines `FFAs`."""
    forms = set(glossary)
    return forms | {form[:-1] for form in forms if form.endswith("s") and form[:-1].isupper() and len(form) > 2}


def _one_line(text: str) -> str:
    return " ".join(text.split())
