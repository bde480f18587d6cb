"""Marks the names of a lexicon: the longest name that begins and ends at word boundaries.

Time is linear in the length of the text and memory in the number of mentions. At each word the tagger looks at no more
than `WINDOW` characters.
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

__all__ = ["HEAD", "MENTION_PREFIX", "WINDOW", "LexiconTagger", "NamedSpan"]

WINDOW = 200
"""Characters of the longest name that is searched for. Authors do not spell longer names consistently."""
HEAD = 3
"""The number of first tokens by which names are indexed."""
MENTION_PREFIX = "C"
"""The prefix of the ids of mentions."""

NamedSpan = tuple[int, int, str]
"""Start and end (exclusive) in the text, and the text as it was looked up.

There is no concept, because names of all years are marked, also names without a concept in the year of the lexicon.
"""


@dataclass(frozen=True, slots=True)
class _Index:
    """The names to search for, their fold keys, and their first tokens.

    `heads` maps the first tokens of names (folded and joined) to the numbers of tokens of these names. `HEAD` tokens
    are specific enough: thousands of names begin with `2-`, but few with `2-amino`.
    """

    names: frozenset[str]
    keys: frozenset[str]
    heads: dict[str, tuple[int, ...]]

    def has(self, text: str) -> bool:
        return any(value in (self.names if column == "name" else self.keys) for column, value in readings(text))


class LexiconTagger:
    """A stage that adds a mention for every name of the lexicon in the text.

    The mentions have no score. `skip_sections`: values of `section_type` (such as `REF`) whose passages are skipped.
    """

    def __init__(self, lexicon: Lexicon, skip_sections: frozenset[str] = frozenset()) -> None:
        self._skip = frozenset(section.upper() for section in skip_sections)
        self._annotator = annotator("lexicon", lexicon.version)
        names = {name for name, _ in lexicon.names() if len(name) <= WINDOW} - NOT_IN_TEXT
        self._names = _index(names | DECOYS)
        self._decoys = _index(DECOYS)
        self._firsts = frozenset(_head(name, 1) for name in names | DECOYS)

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        for document in documents:
            ids = fresh_ids(document, MENTION_PREFIX)
            for passage in document.passages:
                if section_type(passage) not in self._skip:
                    self._tag(passage, ids)

    def find(self, text: str) -> list[NamedSpan]:
        """The names in a text, from left to right, without overlaps."""
        shown = plain(text)
        found: list[NamedSpan] = []
        reached = 0
        for token in TOKEN.finditer(shown):
            start = token.start()
            if start < reached or not self._may_begin(token.group().casefold()):
                continue
            hit = self._longest(shown, start)
            if hit is None:
                continue
            # A rejected name is skipped as a whole: no name is searched for inside `glutamate receptor`.
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
        """The end of the longest name that begins at `start`, and the name as it was looked up."""
        tokens = TOKEN.finditer(text[start : start + WINDOW])
        ends: list[int] = []
        sizes: set[int] = set()
        head = ""
        for token in islice(tokens, HEAD):
            ends.append(start + token.end())
            head += token.group().casefold()
            sizes.update(self._names.heads.get(head, ()), self._names.heads.get(head.removesuffix("s"), ()))
        if not sizes:
            return None
        ends += [start + token.end() for token in islice(tokens, max(0, max(sizes) - HEAD))]
        for size in sorted(sizes, reverse=True):
            if size > len(ends):
                continue
            end = ends[size - 1]
            name = self._known_form(" ".join(text[start:end].split()))
            if name is not None and at_word_bounds(text, start, end):
                return end, name
        return None

    def _known_form(self, text: str) -> str | None:
        """The text or its singular, if it is a name; None otherwise."""
        return next((form for form in (text, singular(text)) if form and self._names.has(form)), None)


def _index(names: Iterable[str]) -> _Index:
    known = frozenset(names)
    heads: dict[str, set[int]] = {}
    for name in known:
        heads.setdefault(_head(name, HEAD), set()).add(len(TOKEN.findall(name)))
    keys = frozenset(key for key in map(fold_key, known) if key is not None)
    return _Index(known, keys, {head: tuple(sorted(sizes)) for head, sizes in heads.items()})


def _head(name: str, tokens: int) -> str:
    return "".join(token.group().casefold() for token in islice(TOKEN.finditer(name), tokens))
