"""What an article says elsewhere about a name: votes inside the article, abbreviations, proteins, the lexicon.

Each rule is a switch of `PostProcessing`; docs/tagger.md tells what each is worth. A rule sees one article and
keeps nothing of it. Overlaps: what the model found stands; what a rule adds never overlaps anything that was
there before; of two additions the one further left is made, and of those the longer one.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Protocol

from corpora.document import Definition, Span
from corpora.errors import ConfigurationError
from nlmchem.tagging.boundaries import joined_by_brackets, opens_sentence, repair
from nlmchem.tagging.context import PROTEIN_WORDS, at_word_bounds
from nlmchem.tagging.scoring import ScoredPassage
from nlmchem.tagging.tokens import TOKEN

__all__ = ["Find", "LexiconVoter", "PassageFinds", "PostProcessing", "post_process"]

MOST = 0.5
"""A surface that has this support on the mean of its free occurrences is tagged in all of them (Kim et al. 2022)."""
FEW = 0.3
"""One that has less than this is tagged in none."""
LEXICON_SUPPORT = 0.2
"""A name of the lexicon counts where the model sees at least this probability of a mention in it."""
SHORTEST = 2
"""Surfaces with fewer characters are not spread over an article: `C` is carbon here and a panel's letter there."""


class LexiconVoter(Protocol):
    """The lexicon tagger, as far as it is asked here."""

    def find(self, text: str) -> Sequence[tuple[int, int, object]]: ...


@dataclass(frozen=True, slots=True)
class PostProcessing:
    """The switches, in the order in which the rules run."""

    boundaries: bool = True
    proteins: bool = True
    lexicon: bool = False
    vote: bool = True
    abbreviations: bool = True

    @classmethod
    def parse(cls, names: str) -> PostProcessing:
        """From `vote,abbreviations` (these alone), `all`, `none` or `default`. Raises `ConfigurationError`."""
        known = [field.name for field in fields(cls)]
        given = [name.strip() for name in names.split(",") if name.strip()]
        if given == ["default"]:
            return cls()
        unknown = [name for name in given if name not in (*known, "all", "none")]
        if unknown:
            raise ConfigurationError(f"no post-processing is called {unknown[0]!r}; choose of {', '.join(known)}")
        return cls(**{name: "all" in given or name in given for name in known})


@dataclass(frozen=True, slots=True)
class Find:
    """A mention in a passage: start and end (exclusive) in its text, and how sure it is (0..1)."""

    start: int
    end: int
    score: float


def _start(find: Find) -> int:
    return find.start


@dataclass(slots=True)
class PassageFinds:
    """A passage on its way through the rules. `finds` do not overlap and stand in the order of the text."""

    text: str
    scored: Sequence[ScoredPassage]
    finds: list[Find] = field(default_factory=list)

    def free(self, start: int, end: int) -> bool:
        """Whether nothing that was found touches start..end."""
        before = bisect_left(self.finds, end, key=_start) - 1
        return before < 0 or self.finds[before].end <= start

    def add(self, finds: Iterable[Find]) -> None:
        """Add what does not overlap, from left to right, the longer one first."""
        for find in sorted(finds, key=lambda find: (find.start, -find.end)):
            if self.free(find.start, find.end):
                insort(self.finds, find, key=_start)


def post_process(
    passages: Sequence[PassageFinds],
    switches: PostProcessing,
    definitions: Sequence[Definition] = (),
    lexicon: LexiconVoter | None = None,
) -> None:
    """Apply the rules that are switched on to the passages of one article, in place."""
    if switches.boundaries:
        for passage in passages:
            passage.finds = _repaired(passage)
    if switches.proteins:
        for passage in passages:
            passage.finds = [find for find in passage.finds if not part_of_protein(passage.text, find.start, find.end)]
    if switches.lexicon and lexicon is not None:
        for passage in passages:
            passage.add(_named(passage, lexicon))
    if switches.vote or switches.abbreviations:
        _vote(passages, definitions if switches.abbreviations else (), every=switches.vote, proteins=switches.proteins)
    if switches.boundaries:
        # Last, for votes spread a symbol to where it is none.
        for passage in passages:
            passage.finds = [f for f in passage.finds if not opens_sentence(passage.text, (f.start, f.end))]


def _repaired(passage: PassageFinds) -> list[Find]:
    mended: list[Find] = []
    for find in passage.finds:
        span = repair(passage.text, (find.start, find.end))
        if span is None or (mended and mended[-1].end > span[0]):
            continue
        if mended and joined_by_brackets(passage.text, mended[-1].end, span[0]):
            mended[-1] = replace(mended[-1], end=span[1])
        else:
            mended.append(replace(find, start=span[0], end=span[1]))
    return mended


# -- proteins -----------------------------------------------------------------------------------

# `glutamate receptor`, `Ca2+ channel`, `glutathione S-transferase`, `cytochrome P450 reductase`, and the first half of
# `serine/threonine kinase`. Publishers write hyphens in more ways than one.
_FOLLOWING = re.compile(r"(?:/[^\W_]{1,12})?[ \-‐‑](?:[0-9A-Zα-ω]{1,2}[-‐‑ ])?([^\W\d_]{2,40})")
_ENZYME = re.compile(r"[a-z]{2,}(?:ases?)")
_NO_ENZYME = re.compile(r"(?:b|c|datab|decre|dise|e|incre|le|ph|phr|ple|purch|rele)ases?|oleases?")


def part_of_protein(text: str, start: int, end: int) -> bool:
    """Whether what follows the span makes a protein's name of it (Erdengasileng et al. 2022, post-processing)."""
    following = _FOLLOWING.match(text, end)
    if following is None:
        return False
    word = following[1].lower()
    return word in PROTEIN_WORDS or (_ENZYME.fullmatch(word) is not None and _NO_ENZYME.fullmatch(word) is None)


# -- the lexicon --------------------------------------------------------------------------------


def _named(passage: PassageFinds, lexicon: LexiconVoter) -> list[Find]:
    found: list[Find] = []
    for start, end, _ in lexicon.find(passage.text):
        support = _support(passage, start, end)
        if support >= LEXICON_SUPPORT:
            found.append(Find(start, end, support))
    return found


def _support(passage: PassageFinds, start: int, end: int) -> float:
    """The mean over the models of what they think of a span."""
    values = [scored.support(start, end) for scored in passage.scored]
    return sum(values) / len(values) if values else 0.0


# -- votes --------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Tally:
    """How often the surfaces of one group stand in the article, tagged and free (not tagged)."""

    tagged: list[tuple[PassageFinds, Find]] = field(default_factory=list)
    free: list[tuple[PassageFinds, Span]] = field(default_factory=list)

    @property
    def support(self) -> float:
        """The mean over all occurrences of how sure the models are of each."""
        sure = [find.score for _, find in self.tagged] + [_support(passage, *span) for passage, span in self.free]
        return sum(sure) / len(sure)


def _vote(passages: Sequence[PassageFinds], definitions: Sequence[Definition], every: bool, proteins: bool) -> None:
    surfaces = {passage.text[find.start : find.end] for passage in passages for find in passage.finds}
    groups = _groups(surfaces, definitions, every)
    if not groups:
        return
    tallies: dict[str, _Tally] = {}
    beginnings = _beginnings(groups)
    for passage in passages:
        for find in passage.finds:
            group = groups.get(passage.text[find.start : find.end])
            if group is not None:
                tallies.setdefault(group, _Tally()).tagged.append((passage, find))
        for start, surface in _occurrences(passage.text, beginnings):
            end = start + len(surface)
            if proteins and part_of_protein(passage.text, start, end):
                # It is rightly unmarked there, which says nothing of the name elsewhere.
                continue
            if at_word_bounds(passage.text, start, end) and passage.free(start, end):
                tallies.setdefault(groups[surface], _Tally()).free.append((passage, (start, end)))
    _apply(passages, tallies.values())


def _groups(surfaces: set[str], definitions: Sequence[Definition], every: bool) -> dict[str, str]:
    """The surfaces that are voted on, and the name of the group in which each one's votes are counted.

    An abbreviation and its long form are one group: what is defined is the same thing (Erdengasileng et al. 2022).
    """
    groups = {surface: surface for surface in surfaces if len(surface) >= SHORTEST} if every else {}
    for definition in definitions:
        short, long = definition.short_form, definition.long_form
        if (short in surfaces or long in surfaces) and min(len(short), len(long)) >= SHORTEST:
            name = groups.get(long, long)
            groups[long] = name
            groups[short] = name
    return groups


def _beginnings(surfaces: Iterable[str]) -> dict[str, list[str]]:
    """The surfaces by the token that they begin with, longest first."""
    found: dict[str, list[str]] = {}
    for surface in sorted(surfaces, key=lambda surface: (-len(surface), surface)):
        token = TOKEN.search(surface)
        if token is not None and token.start() == 0:
            found.setdefault(token.group(), []).append(surface)
    return found


def _occurrences(text: str, beginnings: Mapping[str, Sequence[str]]) -> Iterator[tuple[int, str]]:
    """Where surfaces stand in a text, from left to right, the longest at each place; they do not overlap."""
    reached = 0
    for token in TOKEN.finditer(text):
        if token.start() < reached:
            continue
        for surface in beginnings.get(token.group(), ()):
            if text.startswith(surface, token.start()):
                reached = token.start() + len(surface)
                yield token.start(), surface
                break


def _apply(passages: Sequence[PassageFinds], tallies: Iterable[_Tally]) -> None:
    added: dict[int, list[Find]] = {}
    dropped: dict[int, set[Find]] = {}
    for tally in tallies:
        if not tally.tagged:
            continue
        support = tally.support
        if support >= MOST:
            for passage, (start, end) in tally.free:
                added.setdefault(id(passage), []).append(Find(start, end, support))
        elif support < FEW:
            for passage, find in tally.tagged:
                dropped.setdefault(id(passage), set()).add(find)
    for passage in passages:
        gone = dropped.get(id(passage), set())
        passage.finds = [find for find in passage.finds if find not in gone]
        passage.add(added.get(id(passage), ()))
