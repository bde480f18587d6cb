"""Where the short forms of a glossary stand in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from corpora.model.document import Span

__all__ = ["Occurrence", "occurrences", "pattern"]

Occurrence = tuple[str, Span]
"""A short form, and where it stands: (start, end) in the text; the plural s is not part of it."""


def pattern(short_forms: Iterable[str]) -> re.Pattern[str] | None:
    """What finds the short forms as whole words, longest first; None where there are none.

    A plural s may follow. Next to a hyphen is a word's end (`DHA-rich`), but not for a single letter, which also has
    no point, degree sign or number beside it: the C of `37 °C` or of `C. elegans` is none of ours.
    """
    longer = sorted((form for form in short_forms if len(form) > 1), key=lambda form: (-len(form), form))
    single = sorted(form for form in short_forms if len(form) == 1)
    parts = []
    if longer:
        parts.append(rf"(?<![^\W_])({'|'.join(map(re.escape, longer))})(?=s?(?![^\W_]))")
    if single:
        parts.append(rf"(?<![^\s(])(?<!\d )(?<!° )({'|'.join(map(re.escape, single))})(?![^\s),;])")
    return re.compile("|".join(parts)) if parts else None


def occurrences(text: str, found: re.Pattern[str] | None, offset: int = 0) -> Iterator[Occurrence]:
    """Every occurrence of the pattern's short forms in a text; `offset` is added to the places."""
    if found is None:
        return
    for match in found.finditer(text):
        start, end = match.span(match.lastindex or 0)
        yield match[match.lastindex or 0], (start + offset, end + offset)
