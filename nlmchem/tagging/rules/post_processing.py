"""Post-processing: which spans of a model stay, and which are added, by rules about one article.

Each rule is a field of `Rules`. docs/measurements/tagger.md has the gain of each rule. A rule stores nothing. Spans of
the model come first: a span that a rule adds never overlaps an existing span. Of two overlapping additions the one that
starts first is made, or the longer one if both start at the same place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from statistics import fmean
from typing import Protocol

from corpora.errors import ConfigurationError
from corpora.model.document import Definition, Span
from corpora.model.short_forms import Scopes
from nlmchem.tagging.inference.spans import MOST, PassageSpans, ScoredSpan
from nlmchem.tagging.rules.boundaries import (
    RESIDUES,
    across_brackets,
    balance,
    completed,
    joined_by_brackets,
    listed,
    no_name,
    opens_sentence,
    repair,
    with_charge,
)
from nlmchem.tagging.rules.meanings import OF_PROTEINS, has_other_meaning, is_lead, metal_places, part_of_protein
from nlmchem.tagging.rules.notations import mark_notations, notations
from nlmchem.tagging.tokenization.tokens import TOKEN, at_word_bounds, lengths_by_first_token
from sieves.lexicon.keys import plain


class LexiconVoter(Protocol):
    """The part of the lexicon tagger that votes use."""

    def find(self, texts: Sequence[str]) -> Sequence[Sequence[tuple[int, int, object]]]: ...


@dataclass(frozen=True, slots=True)
class LexiconVotes:
    """A lexicon and the support (0 to 1) that it adds to a span.

    With 0.5 its names are tagged whatever the model predicts, with 0.3 if the model predicts at least 0.2.
    """

    voter: LexiconVoter
    weight: float


OF_ALL_GUIDELINES = "boundaries,vote,abbreviations"
"""The rules that do not depend on what a corpus marks. The others follow NLM-Chem: CHEMDNER, DrugProt and BC5CDR mark
chemicals in names of proteins, and BioRED leaves out many names of the lexicon."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Which rules run, in the order in which they run."""

    boundaries: bool = True
    notations: bool = True
    proteins: bool = True
    residues: bool = True
    codes: bool = True
    lexicon: bool = True
    lead: bool = True
    vote: bool = True
    abbreviations: bool = True

    @classmethod
    def parse(cls, names: str, guidelines: str | None = None) -> Rules:
        """Parse `vote,abbreviations` (only these rules), `all`, `none` or `default`. Raises `ConfigurationError`.

        `guidelines`: what the model follows (None: the guidelines of its target). With None, `default` means all rules;
        with guidelines, `OF_ALL_GUIDELINES`.
        """
        known = [field.name for field in fields(cls)]
        given = [name.strip() for name in names.split(",") if name.strip()]
        if given == ["default"]:
            return cls() if guidelines is None else cls.parse(OF_ALL_GUIDELINES)
        unknown = [name for name in given if name not in (*known, "all", "none")]
        if unknown:
            raise ConfigurationError(f"there is no rule {unknown[0]!r}; choose from {', '.join(known)}, all, none")
        return cls(**{name: "all" in given or name in given for name in known})


def post_process(
    passages: Sequence[PassageSpans],
    rules: Rules,
    definitions: Sequence[Definition] = (),
    lexicons: Sequence[LexiconVotes] = (),
) -> None:
    """Apply the rules that are switched on to the passages of one article, in place."""
    if rules.boundaries:
        for passage in passages:
            passage.spans = _with_correct_boundaries(passage)
    shown = [notations(plain(passage.text)) if rules.notations else [] for passage in passages]
    if rules.notations:
        for passage, written in zip(passages, shown, strict=True):
            mark_notations(passage, written)
    if rules.proteins:
        _remove(passages, lambda passage, span: part_of_protein(passage.text, span.start, span.end))
    if rules.residues:
        _remove(passages, lambda passage, span: is_placed(passage.text_of(span)))
    # Residues with a position, notations outside of proteins and compound codes add to the support of spans.
    codes = codes_in(passage.text for passage in passages) if rules.codes else ()
    placed = [residues(passage.text) if rules.residues else [] for passage in passages]
    for passage, written, of_passage in zip(passages, shown, placed, strict=True):
        outside = [span for span in written if not part_of_protein(passage.text, *span)]
        passage.bonus = dict.fromkeys([*of_passage, *outside, *places(passage.text, codes)], MOST)
    if rules.lexicon:
        # Of several supports that a span has, the largest counts.
        for lexicon in lexicons:
            named = lexicon.voter.find([passage.text for passage in passages])
            for passage, names in zip(passages, named, strict=True):
                for start, end, _ in names:
                    if end - start >= SHORTEST:
                        passage.bonus[start, end] = max(lexicon.weight, passage.bonus.get((start, end), 0.0))
    if rules.lead:
        # The word `lead` is marked where it is the metal, and nowhere else. The vote leaves this word out.
        for passage, metal in zip(passages, metal_places([passage.text for passage in passages]), strict=True):
            passage.spans = [
                span
                for span in passage.spans
                if not is_lead(passage.text_of(span)) or not has_other_meaning(passage.text, (span.start, span.end))
            ]
            passage.add(ScoredSpan(*place, max(MOST, min(1.0, passage.support(*place)))) for place in metal)
    if rules.vote or rules.abbreviations:
        known = definitions if rules.abbreviations else ()
        vote_on_surfaces(passages, known, every=rules.vote, proteins=rules.proteins)
    if rules.proteins:
        proteins = short_forms_of_proteins(passages)
        _remove(passages, lambda passage, span: passage.text_of(span) in proteins)
    for passage, of_passage in zip(passages, placed, strict=True):
        # No vote removes residues with a position.
        sure = dict.fromkeys(of_passage if rules.vote else [*passage.bonus, *of_passage])
        supports = [(span, passage.support(*span)) for span in sure]
        passage.add(ScoredSpan(*span, min(1.0, support)) for span, support in supports if support >= MOST)
    if rules.boundaries:
        # Runs last, because the vote adds symbols at the start of sentences.
        for passage in passages:
            passage.spans = [
                span
                for span in passage.spans
                if not no_name(passage.text, place := (span.start, span.end))
                and not opens_sentence(passage.text, place)
            ]
            # After the votes: parts of a cut span are no evidence for other occurrences of their texts.
            balance(passage)


def _remove(passages: Sequence[PassageSpans], unwanted: Callable[[PassageSpans, ScoredSpan], bool]) -> None:
    for passage in passages:
        passage.spans = [span for span in passage.spans if not unwanted(passage, span)]


def _with_correct_boundaries(passage: PassageSpans) -> list[ScoredSpan]:
    text = passage.text
    corrected: list[ScoredSpan] = []
    for span in across_brackets(text, passage.spans):
        for part in listed(text, (span.start, span.end)):
            repaired = repair(text, part)
            if repaired is not None:
                repaired = completed(text, repaired)
            if repaired is None or no_name(text, repaired) or (corrected and corrected[-1].end > repaired[0]):
                continue
            if corrected and joined_by_brackets(text, corrected[-1].end, repaired[0]):
                corrected[-1] = replace(corrected[-1], end=repaired[1])
            else:
                corrected.append(replace(span, start=repaired[0], end=repaired[1]))
    return corrected


# Compound codes, found by the words that introduce them: `the curcumin analog FLLL32`. The code alone does not show
# what it is: `FLLL32` could also be a protein or a cell line. If an article calls a code an inhibitor, a compound or a
# drug once, all occurrences of the code are chemicals. In the training parts of BC5CDR, BioRED and DrugProt 952 of
# 1,040 occurrences of such codes are marked, and 24 are part of a longer name (docs/measurements/tagger.md).

_COMPOUND_CODE = r"([A-Z][A-Za-z&]{0,5}[- ]?\d{2,7}(?:,\d{3}){0,2}[A-Za-z]?)(?![\w-]|,\d)"
_KIND = r"(?:agonist|analogu?e?|antagonist|blocker|compound|derivative|drug|inhibitor)"
_CODE_BEHIND = re.compile(rf"\b[a-z]{{0,20}}{_KIND}s?,? \(?{_COMPOUND_CODE}")
_CODE_BEFORE = re.compile(rf"(?<![\w-]){_COMPOUND_CODE}(?:,| is| was)? an? (?:[\w-]{{1,30}} ){{0,4}}{_KIND}\b")
_NO_CODE = re.compile(r"(?:[EILT][CD]|GI|CC|OD)[ -]?\d+|(?:[Ff]ig|[Rr]ef|[Tt]able|No|Type|CYP|GPR|HIV|[Ii]n)[- ]?\d.*")


def codes_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The codes that the texts of one article introduce as compounds, sorted."""
    codes = {match[1] for text in texts for pattern in (_CODE_BEHIND, _CODE_BEFORE) for match in pattern.finditer(text)}
    return tuple(sorted(code for code in codes if not _NO_CODE.fullmatch(code)))


def places(text: str, codes: Iterable[str]) -> Iterator[Span]:
    """The occurrences of the codes in a text, as separate words or before a hyphen."""
    for code in codes:
        at = text.find(code)
        while at >= 0:
            if at_word_bounds(text, at, at + len(code)):
                yield at, at + len(code)
            at = text.find(code, at + len(code))


_SHORT_FORM = re.compile(r"(?=.{2,8}$)[A-Z][A-Za-z0-9-]*[A-Z0-9]")
_STRAIN = re.compile(r"(?<![^\W_])strains? $")
_TIMES = 2
"""How often an article must call a short form a gene, a protein or a strain; once is not enough evidence."""


def short_forms_of_proteins(passages: Iterable[PassageSpans]) -> set[str]:
    """The short forms among the spans of one article that the article calls a gene, a protein or a strain.

    `the AMO gene`, `the yeast strain AH109`.
    """
    called: Counter[str] = Counter()
    for passage in passages:
        for span in passage.spans:
            text = passage.text_of(span)
            is_strain = _STRAIN.search(passage.text, max(0, span.start - 9), span.start) and any(map(str.isdigit, text))
            if _SHORT_FORM.fullmatch(text) and (is_strain or OF_PROTEINS.match(passage.text, span.end)):
                called[text] += 1
    return {surface for surface, times in called.items() if times >= _TIMES}


# Three-letter names of amino acids with their position in a protein: `Ser326Cys`, `Glu-597`, `Ser/Cys`. NLM-Chem marks
# the letters without the position: 171 of 172 such names in the 30 open articles. Few training articles contain them,
# so a rule marks them. Names without a position are left to the model: `His` is also a tag of recombinant proteins,
# `Met` a receptor, `Pro` a trade name.

_NAME = f"({RESIDUES})"
_PLACED = re.compile(
    rf"(?<![A-Za-z]){_NAME}[- ]?\d{{1,4}}(?:[- ]?{_NAME}(?![A-Za-z])|(?!\w))|(?<![A-Za-z]){_NAME}/{_NAME}(?![A-Za-z])"
    rf"|(?<![A-Za-z]){_NAME}(?: to |[-‐‑–]to[-‐‑–]| ?(?:→|->|>) ?){_NAME}(?![A-Za-z])"
)


def residues(text: str) -> list[Span]:
    """The spans of the names, from left to right."""
    return [
        match.span(group)
        for match in _PLACED.finditer(text)
        for group in range(1, _PLACED.groups + 1)
        if match[group] is not None
    ]


def is_placed(text: str) -> bool:
    """Whether a text consists of residues with their position only (`Cys797`)."""
    return _PLACED.fullmatch(text) is not None


# The vote inside an article: a surface is tagged at all of its occurrences or at none. After Kim et al. 2022 (DMIS at
# BioCreative VII), who count labels. Here probabilities are averaged instead, so that occurrences with a probability
# just below the threshold count too, and the support of lexicons is added.

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
    # The group of each surface. A short form and its long form are one group, because they mean the same
    # (Erdengasileng et al. 2022).
    voting = (surface for surface in surfaces if len(surface) >= SHORTEST and not is_lead(surface))
    groups = {surface: surface for surface in voting} if every else {}
    for definition in definitions:
        short, long = definition.short_form, definition.long_form
        is_marked = (short in surfaces or long in surfaces) and min(len(short), len(long)) >= SHORTEST
        if is_marked and not is_lead(long):
            groups[long] = groups[short] = groups.get(long, long)
    added: dict[int, list[ScoredSpan]] = {}
    dropped: dict[int, set[ScoredSpan]] = {}
    for tally in _tallies(passages, groups, Scopes.of(definitions), proteins) if groups else ():
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
        for start, surface in occurrences(passage.text, groups, lengths):
            end = with_charge(passage.text, start, start + len(surface))
            if proteins and part_of_protein(passage.text, start, end):
                # Not tagging it there is right and is no evidence about other occurrences.
                continue
            group = group_at(passage, start, surface)
            if group and at_word_bounds(passage.text, start, end) and passage.free(start, end):
                tallies.setdefault(group, _GroupOccurrences()).free.append((passage, (start, end)))
    return tallies.values()


def occurrences(text: str, surfaces: Container[str], lengths: Mapping[str, Sequence[int]]) -> Iterator[tuple[int, str]]:
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
