"""What the texts of one article mean: the answers of the sieves and the branches of MeSH of these answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from corpora.model.chemical import is_chemical
from nlmchem.tagging.inference.spans import PassageSpans
from sieves.article import appositions
from sieves.cascade import Cascade
from sieves.lexicon.concepts import CHEMICAL_KIND, kind_of
from sieves.lexicon.keys import tidy
from sieves.lexicon.lexicon import Lexicon, singular
from sieves.normalizer import answers_of
from sieves.registry import DEFAULT_ORDER, facts
from sieves.sieve import ArticleContext, SieveCandidate

NO_CHEMICALS = ("D06.", "D08.", "D12.776.", "D13.695.578.424.450.275.", "D27.")
"""Hormones, enzymes and coenzymes, proteins, DNA primers, pharmacological actions. A concept with a tree number
elsewhere (a steroid hormone, a nucleotide coenzyme) is a chemical. Source: the identifiers that the annotators of the
training and development parts of NLM-Chem gave. 62 of 26,567 mentions have only such concepts, 31 of them one antibody
(docs/measurements/deciding.md)."""
ORGANISMS_AND_PROTEINS = ("enzyme", "organism", "protein")
"""The kinds of concepts in whose names no chemical is marked."""
LAST_TRUSTED = [name for name in DEFAULT_ORDER if facts(name).trusted][-1]


@dataclass(frozen=True, slots=True)
class TextMeaning:
    """What a text means: the candidates of the sieve that answered, best first."""

    candidates: tuple[SieveCandidate, ...] = ()
    """Empty if no sieve has an answer."""
    trees: tuple[tuple[str, ...], ...] = ()
    """The tree numbers of each candidate."""

    @property
    def sieve(self) -> str:
        """The sieve that answered; empty if none did."""
        return self.candidates[0].sieve if self.candidates else ""

    @property
    def is_trusted(self) -> bool:
        """Whether a trusted sieve has an answer (`sieves.registry.SieveEntry`)."""
        return facts(self.sieve).trusted

    @property
    def kind(self) -> str:
        """The kind of the best candidate (`sieves.lexicon.concepts`); empty without candidates or tree numbers."""
        return kind_of(self.trees[0]) if self.trees and self.trees[0] else ""

    @property
    def is_known_chemical(self) -> bool:
        """Whether a trusted sieve has an answer that is a chemical, or has no tree numbers (an own lexicon)."""
        return self.is_trusted and self.kind in (CHEMICAL_KIND, "")

    @property
    def is_no_chemical(self) -> bool:
        """Whether all candidates have tree numbers, and all tree numbers are in `NO_CHEMICALS`."""
        return bool(self.trees) and all(
            numbers and all(f"{number}.".startswith(NO_CHEMICALS) for number in numbers) for numbers in self.trees
        )


@dataclass(slots=True)
class Meanings:
    """Answers for the texts of one article. Each text is looked up once."""

    cascade: Cascade
    lexicon: Lexicon
    article: ArticleContext
    labels: frozenset[str] = frozenset()
    """The letters of labels that look like formulae (`label_stems`)."""
    _known: dict[str, TextMeaning] = field(default_factory=dict)
    _chemical: dict[str, bool] = field(default_factory=dict)
    _other: dict[str, bool] = field(default_factory=dict)

    def of(self, text: str) -> TextMeaning:
        """What a text means in the article."""
        key = tidy(text)
        sense = self._known.get(key)
        if sense is None:
            sense = self._known[key] = self._sense(self.cascade.candidates(key, self.article))
        return sense

    def is_known_chemical(self, text: str) -> bool:
        """As `of(text).is_known_chemical`, without trying the sieves after the trusted ones."""
        key = tidy(text)
        if key in self._known:
            return self._known[key].is_known_chemical
        chemical = self._chemical.get(key)
        if chemical is None:
            candidates = self.cascade.candidates(key, self.article, last=LAST_TRUSTED)
            chemical = self._chemical[key] = self._sense(candidates).is_known_chemical
        return chemical

    def is_organism_or_protein(self, text: str) -> bool:
        """Whether a text, or its singular, is a name of an organism or a protein, and of no chemical."""
        key = tidy(text)
        known = self._other.get(key)
        if known is None:
            names = [name for name in dict.fromkeys((key, singular(key), key.removesuffix("es"))) if name]
            found = [match for name in names for match in self.lexicon.spelt(name) or self.lexicon.elsewhere(name)]
            # `GA in` has the key of `gain`.
            found = [match for match in found if match.name.casefold() in {name.casefold() for name in names}]
            trees = [self.lexicon.trees(match.identifier) for match in found]
            known = self._other[key] = any(kind_of(numbers) in ORGANISMS_AND_PROTEINS for numbers in trees) and not any(
                map(is_chemical, trees)
            )
        return known

    def of_mentions(self, passages: Sequence[PassageSpans]) -> dict[str, TextMeaning]:
        """What the texts of the spans mean as mentions: the concepts that the normalizer gives them by default.

        As evidence it has the other spans too: `ZnI` in `zinc iodide (ZnI)` is no zinc ion.
        """
        beside = appositions((passage.text, [(span.start, span.end) for span in passage.spans]) for passage in passages)
        texts = {passage.text_of(span) for passage in passages for span in passage.spans}
        article = replace(self.article, surfaces=frozenset(map(tidy, texts)), appositions=beside)
        answers = answers_of(self.cascade, set(article.surfaces), article)
        return {text: self._sense([answers[key]] if (key := tidy(text)) in answers else []) for text in texts}

    def _sense(self, candidates: Sequence[SieveCandidate]) -> TextMeaning:
        trees = tuple(
            tuple(dict.fromkeys(number for id in candidate.identifiers for number in self.lexicon.trees(id)))
            for candidate in candidates
        )
        return TextMeaning(tuple(candidates), trees)


# -- in words -----------------------------------------------------------------------------------


def in_words(sense: TextMeaning, marked: int, places: int) -> str:
    """What the lexicon has for a text, and at how many of its places the tagger marked it."""
    often = "" if marked == places else f" at {marked} of {places} places"
    by_tagger = f"marked by the tagger{often}" if marked else "not marked by the tagger as a whole"
    return f"{meaning_in_words(sense)}; {by_tagger}"


def meaning_in_words(sense: TextMeaning) -> str:
    """What the lexicon has for a text, such as `in MeSH as a chemical`."""
    if not sense.candidates:
        return "not in the lexicon"
    best = sense.candidates[0]
    place = "MeSH" if all(identifier.startswith("MESH:") for identifier in best.identifiers) else "the lexicon"
    # `an enzyme`, `another substance`
    kind = sense.kind
    if kind.startswith("other"):
        kind = " as another " + (kind.removeprefix("other").strip() or "concept")
    elif kind:
        kind = f" as {'an' if kind[0] in 'aeiou' else 'a'} {kind}"
    if best.via is not None:
        return f"read as {best.via!r}, in {place}{kind}"
    return f"in {place}{kind}" if sense.is_trusted else f"taken for {best.matched_name!r}, in {place}{kind}"
