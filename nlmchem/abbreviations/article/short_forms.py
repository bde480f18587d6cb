"""Where the short forms of an article occur in its texts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from corpora.model.document import Span

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
