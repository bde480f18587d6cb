"""Post-processing: boundaries, proteins, residues, compound codes, the lexicon, the vote, abbreviations.

Each rule is a field of `Rules`. docs/measurements/tagger.md has the gain of each rule. A rule sees one
article and stores nothing. Spans of the model come first: a span that a rule adds never overlaps an existing span. Of
two overlapping additions the one that starts first is made, or the longer one if both start at the same place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from corpora.errors import ConfigurationError
from corpora.model.document import Definition, Span
from nlmchem.tagging.inference.brackets import across_brackets, balance
from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan
from nlmchem.tagging.lexicon.lead import has_other_meaning, is_lead, metal_places
from nlmchem.tagging.lexicon.proteins import part_of_protein
from nlmchem.tagging.rules.boundaries import completed, joined_by_brackets, listed, no_name, opens_sentence, repair
from nlmchem.tagging.rules.compound_codes import codes_in, places
from nlmchem.tagging.rules.notations import listed_words, mark_notations, notations
from nlmchem.tagging.rules.proteins import is_placed, residues, short_forms_of_proteins
from nlmchem.tagging.rules.surface_vote import MOST, SHORTEST, vote_on_surfaces
from sieves.lexicon.keys import plain

if TYPE_CHECKING:
    from nlmchem.tagging.lexicon.tagger import LexiconVotes


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
    codes = codes_in(passage.text for passage in passages) if rules.codes else ()
    for passage, written in zip(passages, shown, strict=True):
        passage.bonus = _bonus(passage.text, rules, written, codes)
    if rules.lexicon:
        for lexicon in lexicons:
            _add_votes(passages, lexicon)
    if rules.lead:
        _keep_metal(passages)
    if rules.vote or rules.abbreviations:
        known = definitions if rules.abbreviations else ()
        vote_on_surfaces(passages, known, every=rules.vote, proteins=rules.proteins)
    if rules.proteins:
        proteins = short_forms_of_proteins(passages)
        _remove(passages, lambda passage, span: passage.text_of(span) in proteins)
    for passage in passages:
        passage.add(_supported(passage, every=not rules.vote, residue=rules.residues))
    if rules.boundaries:
        # Runs last, because the vote adds symbols at the start of sentences.
        _remove(passages, lambda passage, span: _is_not_a_name(passage.text, (span.start, span.end)))
        for passage in passages:
            # After the votes: parts of a cut span are no evidence for other occurrences of their texts.
            balance(passage)


def _keep_metal(passages: Sequence[PassageSpans]) -> None:
    """Mark the word `lead` where it is the metal, and nowhere else. The vote leaves this word out."""
    for passage, metal in zip(passages, metal_places([passage.text for passage in passages]), strict=True):
        passage.spans = [
            span
            for span in passage.spans
            if not is_lead(passage.text_of(span)) or not has_other_meaning(passage.text, (span.start, span.end))
        ]
        passage.add(ScoredSpan(*place, max(MOST, min(1.0, passage.support(*place)))) for place in metal)


def _remove(passages: Sequence[PassageSpans], unwanted: Callable[[PassageSpans, ScoredSpan], bool]) -> None:
    for passage in passages:
        passage.spans = [span for span in passage.spans if not unwanted(passage, span)]


def _with_correct_boundaries(passage: PassageSpans) -> list[ScoredSpan]:
    text = passage.text
    whole = across_brackets(text, passage.spans)
    parts = [(span, part) for span in whole for part in listed(text, (span.start, span.end))]
    corrected: list[ScoredSpan] = []
    for span, part in parts:
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


def _is_not_a_name(text: str, span: Span) -> bool:
    return (opens_sentence(text, span) and span not in listed_words(text)) or no_name(text, span)


def _bonus(text: str, rules: Rules, written: Sequence[Span], codes: Sequence[str]) -> dict[Span, float]:
    """The support that residues with a position, notations outside of proteins and compound codes add to spans."""
    bonus = dict.fromkeys(residues(text), MOST) if rules.residues else {}
    bonus.update(dict.fromkeys((span for span in written if not part_of_protein(text, *span)), MOST))
    bonus.update(dict.fromkeys(places(text, codes), MOST))
    return bonus


def _add_votes(passages: Sequence[PassageSpans], lexicon: LexiconVotes) -> None:
    """Add the support of a lexicon. Of several that a span has, the largest counts."""
    for passage, names in zip(passages, lexicon.voter.find([passage.text for passage in passages]), strict=True):
        for start, end, _ in names:
            if end - start >= SHORTEST:
                passage.bonus[start, end] = max(lexicon.weight, passage.bonus.get((start, end), 0.0))


def _supported(passage: PassageSpans, every: bool, residue: bool) -> list[ScoredSpan]:
    """Residues with a position, which no vote removes. `every`: all spans with a bonus and enough support."""
    named = {span for span in passage.bonus if every}
    named.update(residues(passage.text) if residue else ())
    supports = {span: passage.support(*span) for span in named}
    return [ScoredSpan(*span, min(1.0, support)) for span, support in supports.items() if support >= MOST]
