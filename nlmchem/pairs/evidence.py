"""The evidence for one pair: numbers about strings, definitions, links and sentences, and the facts behind them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel

from corpora.model.document import Span
from corpora.pairs.grouping import SIMILAR, shortens
from corpora.pairs.pair import ContextPair
from nlmchem.abbreviations import detect
from nlmchem.abbreviations.article.inflection import singular
from nlmchem.pairs.context import Surroundings, overlap, rarity, surroundings, words_of
from nlmchem.pairs.names import LexiconNames
from sieves.article.context import is_short_form
from sieves.cascade import Cascade
from sieves.lexicon.keys import relaxed, tidy
from sieves.lexicon.lexicon import Lexicon
from sieves.sieve import Article

__all__ = ["FEATURES", "Evidence", "Evidences"]

Floats = NDArray[np.float64]

FEATURES: Mapping[str, str] = {
    "same text": "the terms are equal, letter for letter",
    "same name": "the terms are equal but for case, number and punctuation",
    "similarity": "1 - (insertions and deletions) / (sum of lengths) of the terms",
    "common words": "the share of common words of the terms, weighted by rarity",
    "same last word": "the last words of the terms are equal",
    "other digits": "the terms have different digits",
    "contains": "one term contains the other",
    "abbreviates": "one term looks like an abbreviation of the other",
    "initials": "one term consists of the initials of the other",
    "short forms": "how many of the terms look like abbreviations",
    "rarity": "the rarity of the rarest word of both terms",
    "defined alike": "a definition in a sentence gives a term the meaning of the other term",
    "defined otherwise": "the definitions in the sentences give the terms different meanings",
    "same link": "both terms are linked to the same concept",
    "other link": "the terms are linked to different concepts",
    "broader link": "the concept of one term is broader than that of the other",
    "one link": "only one of the terms is linked",
    "common concept": "both terms are names of one concept in the lexicon",
    "no common concept": "both terms are in the lexicon, but for different concepts",
    "ambiguous": "a term is the name of several concepts in the lexicon",
    "mentions the other": "the sentence of a term contains the other term",
    "common context": "the share of common words of the sentences, weighted by rarity",
    "context, equal short forms": "common context, if the terms are equal short forms",
    "context, equal words": "common context, if the terms are equal and no short forms",
    "context, abbreviation": "common context, if one term abbreviates the other",
    "context, other terms": "common context of all other pairs",
    "words of the long form": "the sentence of the short term has words of the long one",
    "same neighbours": "how many of the words before and after the terms are equal",
    "rarity, equal words": "the rarity, if the terms are equal and no short forms",
}
"""The features of a pair and what they mean, in the order of the values."""

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Evidence:
    """The values of `FEATURES` for one pair. `facts`: for some features, the fact behind the value, in words."""

    values: Floats
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Side:
    """One term: its name, long form by a definition in the sentence (None: no definition), link, and surroundings."""

    term: str
    sentence: str
    name: str
    long_form: str | None
    link: str | None
    linked_name: str
    concepts: frozenset[str]
    around: Surroundings

    @property
    def is_short(self) -> bool:
        return is_short_form(self.term)


class Evidences:
    """Makes the evidence of pairs. The terms are linked as mentions are: by the cascade and the definitions."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._cascade = Cascade(lexicon)
        self._lexicon = lexicon
        self.names = LexiconNames(lexicon)

    def of(self, pair: ContextPair) -> Evidence:
        """The evidence for a pair whose terms are at their spans. It does not depend on the group or the answer."""
        one = self._side(pair.term1, pair.sentence1, pair.span1)
        other = self._side(pair.term2, pair.sentence2, pair.span2)
        facts: dict[str, str] = {}
        values = {
            **_strings(one, other),
            **_definitions(one, other, facts),
            **self._links(one, other, facts),
            **_contexts(one, other),
        }
        return Evidence(np.array([float(values[name]) for name in FEATURES]), facts)

    def matrix(self, pairs: Sequence[ContextPair]) -> Floats:
        """The values of several pairs: (pairs x features)."""
        rows = [self.of(pair).values for pair in pairs]
        return np.stack(rows) if rows else np.zeros((0, len(FEATURES)))

    def _side(self, term: str, sentence: str, span: Span) -> _Side:
        defined = {one.short_form: one.long_form for one in detect(sentence)}
        article = Article({tidy(short): (tidy(long),) for short, long in defined.items()}, frozenset({tidy(term)}))
        found = self._cascade.resolve(term, article)
        link, linked_name = None, ""
        if found is not None:
            link, linked_name = ",".join(found.identifiers), found.matched_name
        else:
            elsewhere = self._lexicon.elsewhere(defined.get(term, term)) or self._lexicon.elsewhere(singular(term))
            if elsewhere:
                link, linked_name = elsewhere[0].identifier, elsewhere[0].name
        concepts = self.names.concepts(term) or self.names.concepts(singular(term))
        name = relaxed(singular(term))
        around = surroundings(sentence, span)
        return _Side(term, sentence, name, defined.get(term), link, linked_name, concepts, around)

    def _links(self, one: _Side, other: _Side, facts: dict[str, str]) -> dict[str, float]:
        both = one.link is not None and other.link is not None
        same = both and one.link == other.link
        broader = both and not same and self.names.related(str(one.link), str(other.link))
        common = bool(one.concepts & other.concepts)
        known = bool(one.concepts and other.concepts)
        if same:
            facts["same link"] = f"both are linked to {one.link} ({one.linked_name})"
        elif both:
            words = f"linked to {one.link} ({one.linked_name}) and {other.link} ({other.linked_name})"
            facts["other link"] = facts["broader link"] = words
        return {
            "same link": same,
            "other link": both and not same and not broader,
            "broader link": broader,
            "one link": (one.link is None) != (other.link is None),
            "common concept": common and one.name != other.name,
            "no common concept": known and not common,
            "ambiguous": len(one.concepts) > 1 or len(other.concepts) > 1,
        }


def _strings(one: _Side, other: _Side) -> dict[str, float]:
    folded, folded2 = one.term.casefold(), other.term.casefold()
    words, words2 = words_of(one.term), words_of(other.term)
    equal = one.name == other.name
    rarest = max(map(rarity, {*words, *words2}), default=1.0)
    short = one.is_short + other.is_short
    return {
        "same text": one.term == other.term,
        "same name": equal,
        "similarity": Indel.normalized_similarity(folded, folded2),
        "common words": overlap(set(words), set(words2)),
        "same last word": bool(words and words2) and words[-1] == words2[-1],
        "other digits": _DIGITS.findall(one.term) != _DIGITS.findall(other.term),
        "contains": not equal and (folded in folded2 or folded2 in folded),
        "abbreviates": _abbreviates(one, other),
        "initials": _has_initials(one.term, other.term) or _has_initials(other.term, one.term),
        "short forms": short,
        "rarity": rarest,
        "rarity, equal words": rarest if equal and not short else 0.0,
    }


def _definitions(one: _Side, other: _Side, facts: dict[str, str]) -> dict[str, float]:
    """Whether definitions in the sentences tell what a short form means."""
    if one.long_form is None and other.long_form is None:
        return {"defined alike": 0.0, "defined otherwise": 0.0}
    meaning, meaning2 = one.long_form or one.term, other.long_form or other.term
    # A short form without a definition can have any meaning.
    known = (one.long_form is not None or not one.is_short) and (other.long_form is not None or not other.is_short)
    alike = _alike(meaning, meaning2)
    defined = [f"{side.term} is defined as {side.long_form}" for side in (one, other) if side.long_form is not None]
    facts["defined alike"] = facts["defined otherwise"] = " and ".join(defined)
    return {"defined alike": alike, "defined otherwise": known and not alike}


def _contexts(one: _Side, other: _Side) -> dict[str, float]:
    common = overlap(one.around.words, other.around.words)
    equal, short = one.name == other.name, one.is_short or other.is_short
    abbreviates = _abbreviates(one, other) and not equal
    brief, full = sorted((one, other), key=lambda side: len(side.term))
    words = set(words_of(full.term))
    return {
        "mentions the other": not equal and (one.term in other.sentence or other.term in one.sentence),
        "common context": common,
        "context, equal short forms": common if equal and short else 0.0,
        "context, equal words": common if equal and not short else 0.0,
        "context, abbreviation": common if abbreviates else 0.0,
        "context, other terms": common if not equal and not abbreviates else 0.0,
        "words of the long form": len(words & brief.around.words) / len(words) if words and not equal else 0.0,
        "same neighbours": sum(
            bool(left) and left == right
            for left, right in (
                (one.around.before, other.around.before),
                (one.around.after, other.around.after),
            )
        ),
    }


def _abbreviates(one: _Side, other: _Side) -> bool:
    return shortens(one.term, other.term) or shortens(other.term, one.term)


def _has_initials(short: str, long: str) -> bool:
    # As in BioWiC: the first letters of the words between blanks.
    letters = "".join(word[0] for word in long.split())
    return len(letters) > 1 and letters.casefold() == short.casefold()


def _alike(one: str, other: str) -> bool:
    names = relaxed(singular(one)), relaxed(singular(other))
    return names[0] == names[1] or Indel.normalized_similarity(*names) > (1 + SIMILAR) / 2
