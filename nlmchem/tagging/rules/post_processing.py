"""The rules after the model: boundaries, proteins, residues, the lexicon, votes inside the article, abbreviations.

Each rule is a switch of `PostProcessing`; docs/tagger.md tells what each is worth. A rule sees one article and
keeps nothing of it. Overlaps: what the model found stands; what a rule adds never overlaps anything that was
there before; of two additions the one further left is made, and of those the longer one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from corpora.errors import ConfigurationError
from corpora.model.document import Definition, Span
from nlmchem.tagging.inference.spans import Find, PassageFinds
from nlmchem.tagging.lexicon.votes import LexiconVotes
from nlmchem.tagging.rules.boundaries import joined_by_brackets, listed, opens_sentence, repair
from nlmchem.tagging.rules.compound_codes import codes_in, places
from nlmchem.tagging.rules.phrases import completed, no_name
from nlmchem.tagging.rules.proteins import part_of_protein, short_forms_of_proteins
from nlmchem.tagging.rules.residues import is_placed, residues
from nlmchem.tagging.rules.surface_vote import MOST, SHORTEST, vote_on_surfaces

__all__ = ["PostProcessing", "post_process"]


@dataclass(frozen=True, slots=True)
class PostProcessing:
    """The switches, in the order in which the rules run."""

    boundaries: bool = True
    proteins: bool = True
    residues: bool = True
    codes: bool = True
    lexicon: bool = True
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


def post_process(
    passages: Sequence[PassageFinds],
    switches: PostProcessing,
    definitions: Sequence[Definition] = (),
    lexicons: Sequence[LexiconVotes] = (),
) -> None:
    """Apply the rules that are switched on to the passages of one article, in place."""
    if switches.boundaries:
        for passage in passages:
            passage.finds = _repaired(passage)
    if switches.proteins:
        for passage in passages:
            passage.finds = [find for find in passage.finds if not part_of_protein(passage.text, find.start, find.end)]
    if switches.residues:
        for passage in passages:
            passage.finds = [f for f in passage.finds if not is_placed(passage.text[f.start : f.end])]
    codes = codes_in(passage.text for passage in passages) if switches.codes else ()
    for passage in passages:
        passage.named = _named(passage.text, lexicons if switches.lexicon else (), switches.residues, codes)
    if switches.vote or switches.abbreviations:
        known = definitions if switches.abbreviations else ()
        vote_on_surfaces(passages, known, every=switches.vote, proteins=switches.proteins)
    if switches.proteins:
        proteins = short_forms_of_proteins(passages)
        for passage in passages:
            passage.finds = [f for f in passage.finds if passage.text[f.start : f.end] not in proteins]
    for passage in passages:
        passage.add(_standing(passage, every=not switches.vote, placed=switches.residues))
    if switches.boundaries:
        # Last, for votes spread a symbol to where it is none.
        for passage in passages:
            passage.finds = [find for find in passage.finds if not _misplaced(passage.text, (find.start, find.end))]


def _repaired(passage: PassageFinds) -> list[Find]:
    text = passage.text
    cut = [(find, span) for find in passage.finds for span in listed(text, (find.start, find.end))]
    mended: list[Find] = []
    for find, own in cut:
        span = repair(text, own)
        if span is not None:
            span = completed(text, span)
        if span is None or no_name(text, span) or (mended and mended[-1].end > span[0]):
            continue
        if mended and joined_by_brackets(text, mended[-1].end, span[0]):
            mended[-1] = replace(mended[-1], end=span[1])
        else:
            mended.append(replace(find, start=span[0], end=span[1]))
    return mended


def _misplaced(text: str, span: Span) -> bool:
    return opens_sentence(text, span) or no_name(text, span)


def _named(text: str, lexicons: Sequence[LexiconVotes], placed: bool, codes: Sequence[str]) -> dict[Span, float]:
    """What the lexicons name, residues with their place, codes of compounds; the greatest weight of a span counts."""
    named = dict.fromkeys(residues(text), MOST) if placed else {}
    named.update(dict.fromkeys(places(text, codes), MOST))
    for lexicon in lexicons:
        for start, end, _ in lexicon.voter.find(text):
            if end - start >= SHORTEST:
                named[start, end] = max(lexicon.weight, named.get((start, end), 0.0))
    return named


def _standing(passage: PassageFinds, every: bool, placed: bool) -> list[Find]:
    """Residues with their place, which no vote takes away; `every`: whatever is named and has support enough."""
    spans = {span for span in passage.named if every}
    spans.update(residues(passage.text) if placed else ())
    supports = {span: passage.support(*span) for span in spans}
    return [Find(*span, min(1.0, support)) for span, support in supports.items() if support >= MOST]
