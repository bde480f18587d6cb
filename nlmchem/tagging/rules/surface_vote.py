"""The majority inside an article: one name is tagged in all of its places or in none.

After Kim et al. 2022 (DMIS at BioCreative VII), who count labels; here probabilities are added up, so that places
which the model nearly tagged count too, and what a lexicon names has a vote beside the model's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from corpora.model.document import Definition, Span
from nlmchem.tagging.inference.spans import Find, PassageFinds
from nlmchem.tagging.lexicon.context import at_word_bounds
from nlmchem.tagging.rules.proteins import part_of_protein
from nlmchem.tagging.tokenization.tokens import TOKEN

__all__ = ["MOST", "SHORTEST", "vote_on_surfaces"]

MOST = 0.5
"""A surface that has this support is tagged in all of its places, else in none."""
SHORTEST = 2
"""Surfaces with fewer characters are not voted on: `C` is carbon here and a panel's letter there."""


@dataclass(slots=True)
class _Tally:
    """How often the surfaces of one group stand in the article, tagged and free (not tagged)."""

    tagged: list[tuple[PassageFinds, Find]] = field(default_factory=list)
    free: list[tuple[PassageFinds, Span]] = field(default_factory=list)

    @property
    def support(self) -> float:
        """The mean over the group's surfaces of the mean over a surface's occurrences; at most 1.

        So a long form has as much to say as its abbreviation, which an article uses ten times as often and which
        tells a model little.
        """
        of_surface: dict[str, list[float]] = {}
        for passage, find in self.tagged:
            sure = find.score + passage.named.get((find.start, find.end), 0.0)
            of_surface.setdefault(passage.text[find.start : find.end], []).append(sure)
        for passage, (start, end) in self.free:
            of_surface.setdefault(passage.text[start:end], []).append(passage.support(start, end))
        return min(1.0, fmean(map(fmean, of_surface.values())))


def vote_on_surfaces(
    passages: Sequence[PassageFinds], definitions: Sequence[Definition], every: bool, proteins: bool
) -> None:
    """Tag each surface of one article in all of its free places or in none, in place.

    `every`: all surfaces are voted on, else only abbreviations with their long forms. `proteins`: places in
    proteins' names have no vote.
    """
    surfaces = {passage.text[find.start : find.end] for passage in passages for find in passage.finds}
    surfaces |= {passage.text[start:end] for passage in passages for start, end in passage.named}
    groups = _groups(surfaces, definitions, every)
    if groups:
        _apply(passages, _tallies(passages, groups, proteins))


def _tallies(passages: Sequence[PassageFinds], groups: Mapping[str, str], proteins: bool) -> Iterable[_Tally]:
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
    return tallies.values()


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
        support = tally.support
        if support >= MOST:
            for passage, (start, end) in tally.free:
                added.setdefault(id(passage), []).append(Find(start, end, support))
        else:
            for passage, find in tally.tagged:
                dropped.setdefault(id(passage), set()).add(find)
    for passage in passages:
        gone = dropped.get(id(passage), set())
        passage.finds = [find for find in passage.finds if find not in gone]
        passage.add(added.get(id(passage), ()))
