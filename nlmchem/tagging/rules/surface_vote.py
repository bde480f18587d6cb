"""The vote inside an article: a surface is tagged at all of its occurrences or at none.

After Kim et al. 2022 (DMIS at BioCreative VII), who count labels. This module averages probabilities instead, so that
occurrences with a probability just below the threshold count too, and adds the support of lexicons.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from corpora.model.document import Definition, Span
from corpora.model.short_forms import Scopes
from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan
from nlmchem.tagging.lexicon.lead import is_lead
from nlmchem.tagging.lexicon.proteins import part_of_protein
from nlmchem.tagging.rules.boundaries import with_charge
from nlmchem.tagging.tokenization.tokens import TOKEN, at_word_bounds, lengths_by_first_token

MOST = 0.5
"""A surface with at least this support is tagged at all of its occurrences, otherwise at none."""
SHORTEST = 2
"""Characters. There is no vote on shorter surfaces: `C` may be carbon in one place and a panel in another."""


@dataclass(slots=True)
class _GroupOccurrences:
    """The occurrences of the surfaces of one group in an article: tagged ones and free ones (not tagged)."""

    tagged: list[tuple[PassageSpans, ScoredSpan]] = field(default_factory=list)
    free: list[tuple[PassageSpans, Span]] = field(default_factory=list)

    @property
    def support(self) -> float:
        """The mean over the surfaces of the group of the mean over the occurrences of a surface; at most 1.

        A long form has the same weight as its abbreviation, although an article uses the abbreviation ten times as
        often. The long form is easier to classify for a model.
        """
        of_surface: dict[str, list[float]] = {}
        for passage, span in self.tagged:
            support = span.score + passage.bonus.get((span.start, span.end), 0.0)
            of_surface.setdefault(passage.text_of(span), []).append(support)
        for passage, (start, end) in self.free:
            of_surface.setdefault(passage.text[start:end], []).append(passage.support(start, end))
        return min(1.0, fmean(map(fmean, of_surface.values())))


def vote_on_surfaces(
    passages: Sequence[PassageSpans], definitions: Sequence[Definition], every: bool, proteins: bool
) -> None:
    """Tag each surface of one article at all of its free occurrences or at none, in place.

    `every`: vote on all surfaces, otherwise only on abbreviations with their long forms. `proteins`: occurrences in
    protein names do not count.
    """
    surfaces = {passage.text_of(span) for passage in passages for span in passage.spans}
    surfaces |= {passage.text[start:end] for passage in passages for start, end in passage.bonus}
    groups = _groups(surfaces, definitions, every)
    if groups:
        _apply(passages, _tallies(passages, groups, Scopes.of(definitions), proteins))


def _tallies(
    passages: Sequence[PassageSpans], groups: Mapping[str, str], scopes: Scopes, proteins: bool
) -> Iterable[_GroupOccurrences]:
    """The tally of each group. A short form with several long forms counts for its long form at each place."""
    tallies: dict[str, _GroupOccurrences] = {}
    lengths = lengths_by_first_token(groups)

    def group_at(passage: PassageSpans, start: int, surface: str) -> str | None:
        return scopes.long_form(surface, passage.offset + start) or groups.get(surface)

    for passage in passages:
        for span in passage.spans:
            group = group_at(passage, span.start, passage.text_of(span))
            if group is not None:
                tallies.setdefault(group, _GroupOccurrences()).tagged.append((passage, span))
        for start, surface in _occurrences(passage.text, groups, lengths):
            end = with_charge(passage.text, start, start + len(surface))
            if proteins and part_of_protein(passage.text, start, end):
                # Not tagging it there is right and is no evidence about other occurrences.
                continue
            group = group_at(passage, start, surface)
            if group and at_word_bounds(passage.text, start, end) and passage.free(start, end):
                tallies.setdefault(group, _GroupOccurrences()).free.append((passage, (start, end)))
    return tallies.values()


def _groups(surfaces: set[str], definitions: Sequence[Definition], every: bool) -> dict[str, str]:
    """The surfaces to vote on, and the group of each. The vote is counted for each group.

    An abbreviation and its long form are one group, because they mean the same (Erdengasileng et al. 2022).
    """
    voting = (surface for surface in surfaces if len(surface) >= SHORTEST and not is_lead(surface))
    groups = {surface: surface for surface in voting} if every else {}
    for definition in definitions:
        short, long = definition.short_form, definition.long_form
        if is_lead(long):
            continue
        if (short in surfaces or long in surfaces) and min(len(short), len(long)) >= SHORTEST:
            name = groups.get(long, long)
            groups[long] = name
            groups[short] = name
    return groups


def _occurrences(
    text: str, surfaces: Container[str], lengths: Mapping[str, Sequence[int]]
) -> Iterator[tuple[int, str]]:
    """The occurrences of surfaces in a text, in order: the longest at each place, no overlaps.

    `lengths`: of the surfaces, by their first token.
    """
    reached = 0
    for token in TOKEN.finditer(text):
        if token.start() < reached:
            continue
        for length in lengths.get(token.group(), ()):
            surface = text[token.start() : token.start() + length]
            if surface in surfaces:
                reached = token.start() + len(surface)
                yield token.start(), surface
                break


def _apply(passages: Sequence[PassageSpans], tallies: Iterable[_GroupOccurrences]) -> None:
    added: dict[int, list[ScoredSpan]] = {}
    dropped: dict[int, set[ScoredSpan]] = {}
    for tally in tallies:
        support = tally.support
        if support >= MOST:
            for passage, (start, end) in tally.free:
                added.setdefault(id(passage), []).append(ScoredSpan(start, end, support))
        else:
            for passage, span in tally.tagged:
                dropped.setdefault(id(passage), set()).add(span)
    for passage in passages:
        lost = dropped.get(id(passage), set())
        passage.spans = [span for span in passage.spans if span not in lost]
        passage.add(added.get(id(passage), ()))
