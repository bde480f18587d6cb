"""Finds the occurrences of the short forms of a glossary in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from corpora.model.document import Span

__all__ = ["Occurrence", "occurrences", "pattern"]

Occurrence = tuple[str, Span]
"""A short form and its span in the text, without a plural s."""


def pattern(short_forms: Iterable[str]) -> re.Pattern[str] | None:
    """A regular expression that finds short forms as whole words, longest first; None if there are none.

    A plural s may follow. A hyphen ends a word (`DHA-rich`), but not for a single letter. A single letter also must
    not be next to a full stop, a degree sign or a number, as in `37 °C` or `C. elegans`.
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
    """Every occurrence of the short forms of a pattern in a text. `offset` is added to the spans."""
    if found is None:
        return
    for match in found.finditer(text):
        start, end = match.span(match.lastindex or 0)
        yield match[match.lastindex or 0], (start + offset, end + offset)
