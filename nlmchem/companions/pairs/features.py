"""The features of one pair: numbers about strings, definitions, links and sentences, and the facts behind them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel

from corpora.model.document import Span
from corpora.words.english import singular, stop_words, word_counts
from corpora.words.quantities import quantity
from corpora.words.short_texts import cached
from indexing.learning.linear import Floats
from nlmchem.abbreviations import detect
from nlmchem.abbreviations.inventory import EMBEDDED as EMBEDDED_DICTIONARY
from nlmchem.abbreviations.inventory import Inventory, read_inventory
from nlmchem.companions.pairs.making import SIMILAR, LexiconNames, shortens
from nlmchem.companions.pairs.pair import ContextPair
from sieves.article import is_short_form
from sieves.cascade import Cascade
from sieves.lexicon.keys import relaxed, tidy
from sieves.lexicon.lexicon import Lexicon
from sieves.registry import facts as facts_of
from sieves.sieve import ArticleContext

BASE: Mapping[str, str] = {
    "same name": "the terms are equal but for case, number and punctuation",
    "similarity": "1 - (insertions and deletions) / (sum of lengths) of the terms",
    "common words": "the share of common words of the terms, weighted by rarity",
    "abbreviates": "one term looks like an abbreviation of the other",
    "short forms": "how many of the terms look like abbreviations",
    "rarity": "the rarity of the rarest word of both terms",
    "rarity, equal words": "the rarity, if the terms are equal and no short forms",
    "defined alike": "a definition in a sentence gives a term the meaning of the other term",
    "defined otherwise": "the definitions in the sentences give the terms different meanings",
    "same link": "both terms are linked to the same concept",
    "other link": "the terms are linked to different concepts",
    "broader link": "the concept of one term is broader than that of the other",
    "no common concept": "both terms are in the lexicon, but for different concepts",
    "common context": "the share of common words of the sentences, weighted by rarity",
    "context, equal short forms": "common context, if the terms are equal short forms",
    "words of the long form": "the sentence of the short term has words of the long one",
    "same neighbours": "how many of the words before and after the terms are equal",
}
"""The features that need the lexicon only, and what they mean."""
SENSES: Mapping[str, str] = {
    "known long form": "one term is a long form of the other in the dictionary of short forms",
    "share of the long form": "the share of the articles in which the short term has this long form",
    "other long forms": "the short term is in the dictionary, but not with the other term",
    "senses": "the logarithm of the number of long forms of equal short forms",
    "share of the first sense": "the share of the most frequent long form of equal short forms",
}
"""The features that need a dictionary of short forms."""
VECTORS: Mapping[str, str] = {
    "similar vectors": "the cosine of the vectors of the terms in their sentences",
    "similar vectors, equal": "the same, if the terms are equal",
}
"""The features that need an encoder."""
FEATURES: Mapping[str, str] = {**BASE, **SENSES, **VECTORS}
"""All features of a pair and what they mean, in the order of the values."""

EMBEDDED = "default"
"""The name of the dictionary that comes with the package."""
OFF = "off"
"""The name of the dictionary and of the encoder that are none."""
_WORD = re.compile(r"[^\W_]+")
_UNKNOWN = 5
"""The count of a word that is not in the list of words, which has words from three letters on."""


def words_of(text: str) -> list[str]:
    """The words of a text in lower case and singular; numbers are words."""
    return [singular(word.casefold()) for word in _WORD.findall(text)]


@cached(65536)
def rarity(word: str) -> float:
    """How rare a word is in biomedical text: about 0 for the most common words, 1 for words that the list lacks."""
    counts = word_counts()
    most = math.log(max(counts.values()) / _UNKNOWN)
    return min(1.0, max(0.0, 1 - math.log(max(counts.get(word, 0), _UNKNOWN) / _UNKNOWN) / most))


def overlap(words1: Set[str], words2: Set[str]) -> float:
    """The share of common words, weighted by rarity: 0..1 (cosine of two sets)."""
    # `fsum` does not depend on the order of the set, which differs between processes.
    left, right, both = (math.fsum(rarity(word) ** 2 for word in words) for words in (words1, words2, words1 & words2))
    return both / math.sqrt(left * right) if left and right else 0.0


@dataclass(frozen=True, slots=True)
class _PairTerm:
    """One term, and what its sentence and the lexicon say about it."""

    term: str
    name: str
    long_form: str | None
    """By a definition in the sentence; None without one."""
    link: str | None
    """The identifiers, joined by `,`; None without a link."""
    linked_name: str
    concepts: frozenset[str]
    around: frozenset[str]
    """The words of the sentence without the term and stop words."""
    neighbours: tuple[str, str]
    """The words before and after the term; "" if there is none."""

    @property
    def is_short(self) -> bool:
        return is_short_form(self.term)


class TermEncoder(Protocol):
    """Vectors of terms in their sentences, such as `nlmchem.tagging.models.loading.TermVectors`."""

    def of(self, sentences: Sequence[str], spans: Sequence[Span]) -> NDArray[np.float32]: ...


class PairFeatureMaker:
    """Makes the features of pairs. The terms are linked as mentions are: by the cascade and the definitions."""

    def __init__(
        self, lexicon: Lexicon, dictionary: Inventory | None = None, encoder: TermEncoder | None = None
    ) -> None:
        """The features that need the dictionary or the encoder are not in `features` without it."""
        self._cascade = Cascade(lexicon)
        self._lexicon, self._dictionary, self._encoder = lexicon, dictionary, encoder
        self._names = LexiconNames(lexicon)
        self.features: tuple[str, ...] = (
            *BASE,
            *(SENSES if dictionary is not None else ()),
            *(VECTORS if encoder is not None else ()),
        )
        """The names of the values, in their order."""

    def of(self, pair: ContextPair) -> tuple[dict[str, float], dict[str, str]]:
        """The values of a pair whose terms are at their spans, and the facts behind some of them, in words.

        They do not depend on the group or the answer.
        """
        side1 = self._side(pair.term1, pair.sentence1, pair.span1)
        side2 = self._side(pair.term2, pair.sentence2, pair.span2)
        facts: dict[str, str] = {}
        values = {
            **_strings_and_contexts(side1, side2),
            **_definitions(side1, side2, facts),
            **self._links(side1, side2, facts),
        }
        if self._dictionary is not None:
            values |= _senses(side1, side2, self._dictionary, facts)
        if self._encoder is not None:
            vectors = self._encoder.of((pair.sentence1, pair.sentence2), (pair.span1, pair.span2)).astype(np.float64)
            norms = np.linalg.norm(vectors[0]) * np.linalg.norm(vectors[1])
            cosine = float(vectors[0] @ vectors[1] / max(1e-9, float(norms)))
            equal = side1.name == side2.name
            values |= {"similar vectors": cosine, "similar vectors, equal": cosine if equal else 0.0}
        return {name: float(values[name]) for name in self.features}, facts

    def matrix(self, pairs: Sequence[ContextPair]) -> Floats:
        """The values of several pairs: (pairs x features)."""
        rows = [list(self.of(pair)[0].values()) for pair in pairs]
        return np.array(rows, dtype=np.float64).reshape(len(rows), len(self.features))

    def _side(self, term: str, sentence: str, span: Span) -> _PairTerm:
        defined = {definition.short_form: definition.long_form for definition in detect(sentence)}
        article = ArticleContext(
            {tidy(short): (tidy(long),) for short, long in defined.items()}, frozenset({tidy(term)})
        )
        candidate = self._cascade.resolve(term, article)
        link, linked_name = (",".join(candidate.identifiers), candidate.matched_name) if candidate else (None, "")
        if candidate is None or facts_of(candidate.sieve).guess:
            # A name of a disease that resembles the name of a chemical is not a chemical.
            meaning = defined.get(term, term)
            elsewhere = self._lexicon.elsewhere(meaning) or self._lexicon.elsewhere(singular(meaning))
            if elsewhere:
                link, linked_name = elsewhere[0].identifier, elsewhere[0].name
        concepts = self._names.concepts(term) or self._names.concepts(singular(term))
        before, after = words_of(sentence[: span[0]]), words_of(sentence[span[1] :])
        around = frozenset(word for word in (*before, *after) if word not in stop_words())
        neighbours = before[-1] if before else "", after[0] if after else ""
        name = relaxed(singular(term))
        return _PairTerm(term, name, defined.get(term), link, linked_name, concepts, around, neighbours)

    def _links(self, side1: _PairTerm, side2: _PairTerm, facts: dict[str, str]) -> dict[str, float]:
        both = side1.link is not None and side2.link is not None
        same = both and side1.link == side2.link
        broader = both and not same and self._names.related(str(side1.link), str(side2.link))
        if same:
            facts["same link"] = f"both are linked to {side1.link} ({side1.linked_name})"
        elif both:
            words = f"linked to {side1.link} ({side1.linked_name}) and {side2.link} ({side2.linked_name})"
            facts["other link"] = facts["broader link"] = words
        return {
            "same link": same,
            "other link": both and not same and not broader,
            "broader link": broader,
            "no common concept": bool(side1.concepts and side2.concepts and not side1.concepts & side2.concepts),
        }


def open_features(lexicon: Lexicon, dictionary: str | Path = EMBEDDED, encoder: str = OFF) -> PairFeatureMaker:
    """The maker of features with these resources.

    `dictionary`: `default`, a file in one of the formats of `read_inventory`, or `off`. `encoder`: `default`, the
    folder of a tagger, or `off`. Raises `ResourceError` for a dictionary or an encoder that cannot be opened.
    """
    senses = None
    if str(dictionary) != OFF:
        senses = read_inventory(EMBEDDED_DICTIONARY if str(dictionary) == EMBEDDED else Path(dictionary))
    if encoder == OFF:
        return PairFeatureMaker(lexicon, senses)
    from nlmchem.tagging.models.loading import TermVectors

    return PairFeatureMaker(lexicon, senses, TermVectors(encoder))


def _strings_and_contexts(side1: _PairTerm, side2: _PairTerm) -> dict[str, float]:
    words, words2 = words_of(side1.term), words_of(side2.term)
    rarest = max(map(rarity, {*words, *words2}), default=1.0)
    short = side1.is_short + side2.is_short
    equal = side1.name == side2.name
    common = overlap(side1.around, side2.around)
    brief, full = sorted((side1, side2), key=lambda side: len(side.term))
    long_words = set(words_of(full.term))
    return {
        "same name": equal,
        "similarity": Indel.normalized_similarity(side1.term.casefold(), side2.term.casefold()),
        "common words": overlap(set(words), set(words2)),
        "abbreviates": shortens(side1.term, side2.term) or shortens(side2.term, side1.term),
        "short forms": short,
        "rarity": rarest,
        "rarity, equal words": rarest if equal and not short else 0.0,
        "common context": common,
        "context, equal short forms": common if equal and short else 0.0,
        "words of the long form": len(long_words & brief.around) / len(long_words) if long_words and not equal else 0.0,
        "same neighbours": sum(
            bool(left) and left == right for left, right in zip(side1.neighbours, side2.neighbours, strict=True)
        ),
    }


def _definitions(side1: _PairTerm, side2: _PairTerm, facts: dict[str, str]) -> dict[str, float]:
    """Whether definitions in the sentences tell what a short form means."""
    if side1.long_form is None and side2.long_form is None:
        return {"defined alike": 0.0, "defined otherwise": 0.0}
    # A short form without a definition can have any meaning.
    known = all(side.long_form is not None or not side.is_short for side in (side1, side2))
    alike = _alike(side1.long_form or side1.term, side2.long_form or side2.term)
    defined = [f"{side.term} is defined as {side.long_form}" for side in (side1, side2) if side.long_form is not None]
    facts["defined alike"] = facts["defined otherwise"] = " and ".join(defined)
    return {"defined alike": alike, "defined otherwise": known and not alike}


def _senses(side1: _PairTerm, side2: _PairTerm, dictionary: Inventory, facts: dict[str, str]) -> dict[str, float]:
    values = dict.fromkeys(SENSES, 0.0)
    if side1.name == side2.name:
        senses = dictionary.senses(side1.term) or dictionary.senses(side2.term)
        if senses:
            values["senses"] = math.log(len(senses))
            values["share of the first sense"] = senses[0].articles / sum(s.articles for s in senses)
            facts["senses"] = f"{side1.term} has {quantity(len(senses), 'long form')} in the dictionary"
        return values
    for short, long in ((side1, side2), (side2, side1)):
        senses = dictionary.senses(short.term)
        matching = [sense for sense in senses if _alike(sense.long_form, long.term)]
        if matching:
            values["known long form"] = 1.0
            values["share of the long form"] = sum(s.articles for s in matching) / sum(s.articles for s in senses)
            facts["known long form"] = f"{short.term} is short for {long.term} in the dictionary"
        elif senses and not long.is_short:
            values["other long forms"] = 1.0
            first = senses[0].long_form
            facts["other long forms"] = f"{short.term} is short for {first} in the dictionary, not for {long.term}"
    return values


def _alike(term1: str, term2: str) -> bool:
    names = relaxed(singular(term1)), relaxed(singular(term2))
    return names[0] == names[1] or Indel.normalized_similarity(*names) > (1 + SIMILAR) / 2
