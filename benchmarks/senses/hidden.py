"""Measures what an encoder of sentences adds in whole articles: hidden definitions of articles that no dictionary has.

    python benchmarks/senses/hidden.py ../shared/data/pmc/jats.tar.gz ../shared/data/indexing/jats.tar.gz \
        --unseen ../shared/data/text --minilm FOLDER [--weights 0,3,5,10,20]

A definition and all places of its long form are hidden, also in the sentences that the encoder reads. Short forms count
that the embedded dictionary has with two senses or more, the right one among them. Intervals: 95% of 1,000 bootstrap
samples of articles.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from bioc import BioCDocument, BioCPassage
from numpy.typing import NDArray
from reading import ids

from corpora.model.passages import passage_text, section_type
from corpora.model.sections import AUTH_CONT, REF
from corpora.reading import read
from nlmchem.abbreviations import define
from nlmchem.abbreviations.dictionary import key_of
from nlmchem.abbreviations.identification import looks_like_acronym
from nlmchem.abbreviations.senses.encoding import MOST_PLACES, SentenceEvidence, sentence_at
from nlmchem.abbreviations.senses.features import CUT_OFF
from nlmchem.abbreviations.senses.resolver import Resolver, open_resolver, words_of
from nlmchem.abbreviations.senses.words import folded, words
from sieves.dense.sentences import SentenceEncoder

LEAST = 0.8
DRAWS = 1000

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Hidden:
    """A short form of an article: probabilities of its senses without the encoder, sentences, and the right sense."""

    article: int
    scores: Floats
    sentences: tuple[str, ...]
    longs: tuple[str, ...]
    gold: int


def main() -> None:
    given = parsed()
    resolver = open_resolver()
    seen = ids(given.unseen)
    found: list[Hidden] = []
    number = 0
    for document in read(given.sources):
        if str(document.id).removeprefix("PMC") not in seen:
            found += hidden(document, resolver, number)
            number += 1
        if number == given.articles:
            break
    print(f"{len(found)} hidden definitions in {len({one.article for one in found})} of {number} articles")
    print("weight\taccuracy\tinterval\tanswered at 0.8\tright of these")
    encoder = Cached(SentenceEncoder(given.minilm))
    for weight in map(float, given.weights.split(",")):
        evidence = SentenceEvidence(encoder, weight)
        changed = [evidence.changed(one.scores, one.sentences, one.longs) if weight else one.scores for one in found]
        print(line(weight, found, changed), flush=True)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+", help="articles")
    parser.add_argument("--unseen", type=Path, required=True, help="the folder of the articles of the dictionary")
    parser.add_argument("--minilm", type=Path, required=True, help="a local folder of all-MiniLM-L6-v2")
    parser.add_argument("--weights", default="0,3,5,10,20", help="weights of the cosine, joined by commas")
    parser.add_argument("--articles", type=int, default=150, help="number of articles")
    return parser.parse_args()


class Cached:
    """An encoder that encodes each text once, for all weights."""

    def __init__(self, encoder: SentenceEncoder) -> None:
        self._rows: dict[str, NDArray[np.float32]] = {}
        self._encoder = encoder
        self.version = encoder.version

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        for text in texts:
            if text not in self._rows:
                self._rows[text] = self._encoder.encode([text])[0]
        return np.stack([self._rows[text] for text in texts])


def hidden(document: BioCDocument, resolver: Resolver, number: int) -> Iterator[Hidden]:
    """The short forms of an article with one definition."""
    counts = words_of(document)
    passages = [one for one in document.passages if section_type(one) not in (REF, AUTH_CONT)]
    text = " ".join(map(passage_text, passages)).lower()
    own: dict[str, set[str]] = {}
    for definition in define(document).definitions:
        own.setdefault(definition.short_form, set()).add(definition.long_form)
    for short, longs in own.items():
        senses = resolver.inventory.senses(short)[:CUT_OFF]
        keys = [key_of(one.long_form) for one in senses]
        if len(longs) != 1 or len(senses) < 2 or not looks_like_acronym(short) or key_of(*longs) not in keys:
            continue
        [long] = longs
        left = Counter(counts)
        for word in words(long):
            left[folded(word)] -= max(1, text.count(long.lower()))
        [scores] = resolver._scores([senses], {word: times for word, times in left.items() if times > 0})
        names = tuple(one.long_form for one in senses)
        sentences = tuple(dict.fromkeys(places(passages, short, long)))[:MOST_PLACES]
        yield Hidden(number, scores, sentences, names, keys.index(key_of(long)))


def places(passages: Sequence[BioCPassage], short: str, long: str) -> Iterator[str]:
    """The sentences with a short form and without its long form."""
    pattern = re.compile(rf"(?<!\w){re.escape(short)}(?!\w)")
    for passage in passages:
        for match in pattern.finditer(passage_text(passage)):
            span = passage.offset + match.start(), passage.offset + match.end()
            sentence = sentence_at((passage, span))
            if key_of(long) not in key_of(sentence):
                yield sentence


def line(weight: float, found: Sequence[Hidden], scores: Sequence[Floats]) -> str:
    right = np.array([int(own.argmax()) == one.gold for one, own in zip(found, scores, strict=True)])
    sure = np.array([own.max() >= LEAST for own in scores])
    articles = np.array([one.article for one in found])
    chance = np.random.default_rng(0)
    each = [np.nonzero(articles == number)[0] for number in sorted(set(articles.tolist()))]
    drawn = [right[np.concatenate([each[i] for i in chance.integers(0, len(each), len(each))])] for _ in range(DRAWS)]
    low, high = np.quantile([values.mean() for values in drawn], (0.025, 0.975))
    fields = (f"{weight:g}", f"{right.mean():.3f}", f"{low:.3f}-{high:.3f}", f"{sure.mean():.3f}")
    return "\t".join((*fields, f"{right[sure].mean():.3f}"))


if __name__ == "__main__":
    main()
