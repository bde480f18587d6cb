"""Marks what a lexicon names: the longest name that begins at a word and ends at one.

Time grows with the length of the text and memory with the number of mentions, whatever the text: from any
word no more than `WINDOW` characters are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from bioc import BioCDocument, BioCPassage

from corpora.model.document import add_mention, annotator, fresh_ids, passage_text, section_type
from nlmchem.tagging.lexicon.context import DECOYS, NOT_IN_TEXT, at_word_bounds, part_of_longer_name
from nlmchem.tagging.tokenization.tokens import TOKEN
from sieves.lexicon.lexicon import Lexicon, fold_key, plain, readings, singular

__all__ = ["HEAD", "MENTION_PREFIX", "WINDOW", "Found", "LexiconTagger"]

WINDOW = 200
"""The longest name that is sought, in characters; no two authors write a longer one alike."""
HEAD = 3
"""By how many tokens the beginning of a name is known."""
MENTION_PREFIX = "C"
"""What the ids of mentions begin with."""

Found = tuple[int, int, str]
"""Start and end (exclusive) in the text, and the text as it was looked up.

Without a concept: names of every year are marked, also those that have no concept in the year of the lexicon.
"""


@dataclass(frozen=True, slots=True)
class _Index:
    """What is sought: names, their fold keys, and how they begin.

    `heads` gives for the first tokens of names, folded and joined, how many tokens such names have.
    `HEAD` tokens tell enough: `2-` begins thousands of names, `2-amino` few.
    """

    names: frozenset[str]
    keys: frozenset[str]
    heads: dict[str, tuple[int, ...]]

    def has(self, text: str) -> bool:
        return any(value in (self.names if column == "name" else self.keys) for column, value in readings(text))


class LexiconTagger:
    """A stage that adds a mention for every name of the lexicon in the text.

    Its mentions have no score: a name is in the lexicon or it is not. `skip_sections` are values of
    `section_type` (`REF`) whose passages are left out.
    """

    def __init__(self, lexicon: Lexicon, skip_sections: frozenset[str] = frozenset()) -> None:
        self._skip = frozenset(section.upper() for section in skip_sections)
        self._annotator = annotator("lexicon", lexicon.version)
        names = {name for name, _ in lexicon.names() if len(name) <= WINDOW} - NOT_IN_TEXT
        self._sought = _index(names | DECOYS)
        self._decoys = _index(DECOYS)
        self._firsts = frozenset(_head(name, 1) for name in names | DECOYS)

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        for document in documents:
            ids = fresh_ids(document, MENTION_PREFIX)
            for passage in document.passages:
                if section_type(passage) not in self._skip:
                    self._tag(passage, ids)

    def find(self, text: str) -> list[Found]:
        """The names in a text, from left to right; no two overlap."""
        shown = plain(text)
        found: list[Found] = []
        reached = 0
        for token in TOKEN.finditer(shown):
            start = token.start()
            if start < reached or not self._may_begin(token.group().casefold()):
                continue
            hit = self._longest(shown, start)
            if hit is None:
                continue
            # What a name stands in is passed over with it: nothing is sought inside `glutamate receptor`.
            reached, name = hit
            if self._decoys.has(name) or part_of_longer_name(shown, start, reached):
                continue
            found.append((start, reached, name))
        return found

    def _tag(self, passage: BioCPassage, ids: Iterator[str]) -> None:
        text = passage_text(passage)
        for start, end, _ in self.find(text):
            span = (passage.offset + start, passage.offset + end)
            add_mention(passage, [span], id=next(ids), annotator=self._annotator, text=text)

    def _may_begin(self, token: str) -> bool:
        return token in self._firsts or (token.endswith("s") and token[:-1] in self._firsts)

    def _longest(self, text: str, start: int) -> tuple[int, str] | None:
        """The end of the longest name that begins at `start`, and the name as it is looked up."""
        tokens = TOKEN.finditer(text[start : start + WINDOW])
        ends: list[int] = []
        sizes: set[int] = set()
        head = ""
        for token in islice(tokens, HEAD):
            ends.append(start + token.end())
            head += token.group().casefold()
            sizes.update(self._sought.heads.get(head, ()), self._sought.heads.get(head.removesuffix("s"), ()))
        if not sizes:
            return None
        ends += [start + token.end() for token in islice(tokens, max(0, max(sizes) - HEAD))]
        for size in sorted(sizes, reverse=True):
            if size > len(ends):
                continue
            end = ends[size - 1]
            name = self._name(" ".join(text[start:end].split()))
            if name is not None and at_word_bounds(text, start, end):
                return end, name
        return None

    def _name(self, text: str) -> str | None:
        """The text, or its singular, if it is sought."""
        return next((form for form in (text, singular(text)) if form and self._sought.has(form)), None)


def _index(names: Iterable[str]) -> _Index:
    sought = frozenset(names)
    heads: dict[str, set[int]] = {}
    for name in sought:
        heads.setdefault(_head(name, HEAD), set()).add(len(TOKEN.findall(name)))
    keys = frozenset(key for key in map(fold_key, sought) if key is not None)
    return _Index(sought, keys, {head: tuple(sorted(sizes)) for head, sizes in heads.items()})


def _head(name: str, tokens: int) -> str:
    return "".join(token.group().casefold() for token in islice(TOKEN.finditer(name), tokens))
