"""Further features of keyphrase candidates: names of MeSH, mentions of concepts, definitions, and co-use of keywords.

None of them is in the model that ships; `additions.py` measures what they add.
"""

from __future__ import annotations

import gzip
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexing.keyphrases.candidates import Candidates
from indexing.keyphrases.labels import Keys, key_of
from indexing.keyphrases.words import PLACES

Floats = NDArray[np.float64]

BRANCHES = "ABCDEFGHIJKLMNVZ"
"""The letters of the branches of MeSH."""
FRONT = [PLACES.index(place) for place in ("title", "abstract")]
_REFERENCE = PLACES.index("reference")

LEXICON = ("name", "preferred name", "supplementary name", "depth", "longest name inside", *BRANCHES)
MENTIONS = ("mentions of the concept", "names of the concept", "share of the mentions", "most frequent name")
DEFINITIONS = ("long form", "short form", "contains a long form", "places of the other form", "share of both forms")
CO_USE = ("co-use of phrases, most", "co-use of words, mean", "co-use of words, most")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Names of MeSH by the stems of their words.

    `concepts`: descriptors of a name. `preferred`: preferred names. `supplementary`: names of supplementary records.
    `trees`: tree numbers of a descriptor.
    """

    concepts: Mapping[str, tuple[str, ...]]
    preferred: frozenset[str] = frozenset()
    supplementary: frozenset[str] = frozenset()
    trees: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def read_lexicon(folder: Path) -> Lexicon:
    """All descriptors of MeSH, whatever their branch, and the names of supplementary records.

    `folder`: has descriptor_terms_2024.tsv.gz, descriptor_trees_2024.tsv.gz and scr_names_2017.tsv.gz.
    """
    concepts: dict[str, dict[str, None]] = defaultdict(dict)
    preferred = set()
    for row in _rows(folder / "descriptor_terms_2024.tsv.gz"):
        name = key_of(row["TermName"])
        concepts[name][row["DescriptorUI"]] = None
        if row["RecordPreferredTermYN"] == "Y" and row["ConceptPreferredTermYN"] == "Y":
            preferred.add(name)
    trees: dict[str, list[str]] = defaultdict(list)
    for row in _rows(folder / "descriptor_trees_2024.tsv.gz"):
        trees[row["DescriptorUI"]].append(row["tree_location"])
    return Lexicon(
        {name: tuple(found) for name, found in concepts.items() if name},
        frozenset(preferred),
        frozenset(key_of(row["name"]) for row in _rows(folder / "scr_names_2017.tsv.gz")) - {""},
        {name: tuple(found) for name, found in trees.items()},
    )


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        header = next(lines).rstrip("\n").split("\t")
        for line in lines:
            yield dict(zip(header, line.rstrip("\n").split("\t"), strict=False))


def stems_of(found: Candidates) -> list[str]:
    """The stemmed phrases of all candidates."""
    return [found.stem(number) for number in range(len(found))]


def body_of(found: Candidates) -> Floats:
    """Occurrences outside the references."""
    return (found.counts.sum(axis=1) - found.counts[:, _REFERENCE]).astype(np.float64)


def lexicon_values(stems: Sequence[str], lexicon: Lexicon) -> Floats:
    """(candidates, LEXICON). `depth`: the levels of the highest place in the tree. The longest descriptor name that is
    part of a candidate counts as its share of the words."""
    values = np.zeros((len(stems), len(LEXICON)))
    first = LEXICON.index(BRANCHES[0])
    for row, stem in enumerate(stems):
        values[row, 2] = stem in lexicon.supplementary
        values[row, 4] = _longest_inside(stem.split(), lexicon)
        concepts = lexicon.concepts.get(stem)
        if concepts:
            values[row, :2] = 1.0, stem in lexicon.preferred
            trees = [tree for concept in concepts for tree in lexicon.trees.get(concept, ())]
            values[row, 3] = min((tree.count(".") + 1 for tree in trees), default=0)
            for tree in trees:
                values[row, first + BRANCHES.index(tree[0])] = 1.0
    return values


def _longest_inside(words: Sequence[str], lexicon: Lexicon) -> float:
    for length in range(len(words) - 1, 0, -1):
        for begin in range(len(words) - length + 1):
            if " ".join(words[begin : begin + length]) in lexicon.concepts:
                return length / len(words)
    return 0.0


def mention_values(stems: Sequence[str], body: Floats, lexicon: Lexicon) -> Floats:
    """(candidates, MENTIONS): how often all names of the concept occur, how many names, and the share of this one.

    A candidate that is no name of a descriptor has zeros. Of several concepts, the one with most mentions counts.
    """
    of_concept: dict[str, list[int]] = defaultdict(list)
    for row, stem in enumerate(stems):
        for concept in lexicon.concepts.get(stem, ()):
            of_concept[concept].append(row)
    values = np.zeros((len(stems), len(MENTIONS)))
    for rows in of_concept.values():
        total = float(body[rows].sum())
        for row in rows:
            if np.log1p(total) > values[row, 0]:
                share = body[row] / total
                values[row] = np.log1p(total), len(rows), share, body[row] == body[rows].max()
    return values


def definition_values(stems: Sequence[str], body: Floats, pairs: Iterable[tuple[str, str]]) -> Floats:
    """(candidates, DEFINITIONS). `pairs`: short and long forms that the article defines, stemmed."""
    place = {stem: row for row, stem in enumerate(stems)}
    values = np.zeros((len(stems), len(DEFINITIONS)))
    longs = set()
    for short, long in pairs:
        longs.add(f" {long} ")
        rows = [place.get(long), place.get(short)]
        for column, (own, other) in enumerate((rows, rows[::-1])):
            if own is None:
                continue
            times = 0.0 if other is None else float(body[other])
            values[own, column] = 1.0
            values[own, 3:] = np.log1p(times), body[own] / max(1.0, body[own] + times)
    for row, stem in enumerate(stems):
        values[row, 2] = any(long in f" {stem} " and len(long) < len(stem) + 2 for long in longs)
    return values


@dataclass(frozen=True, slots=True)
class CoUse:
    """How often phrases, or words, are keywords of the same article. `articles`: how many were counted."""

    articles: int
    phrases: Counter[str]
    phrase_pairs: Counter[tuple[str, str]]
    words: Counter[str]
    word_pairs: Counter[tuple[str, str]]

    def association(
        self, single: Mapping[str, int], pairs: Mapping[tuple[str, str], int]
    ) -> Callable[[str, str], float]:
        """The logarithm of the articles with both over those that chance would give, each with one added."""

        def of(one: str, other: str) -> float:
            expected = single[one] * single[other] / max(1, self.articles)
            return float(np.log((pairs.get((one, other), 0) + 1) / (expected + 1)))

        return of


def count_co_use(keys: Iterable[Keys]) -> CoUse:
    """Count the keywords of articles. Of the variants of a keyword, the first counts."""
    phrases, words = Counter[str](), Counter[str]()
    phrase_pairs, word_pairs = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    number = 0
    for own in keys:
        number += 1
        stems = sorted({variants[0] for variants in own})
        parts = sorted({word for stem in stems for word in stem.split()})
        phrases.update(stems)
        words.update(parts)
        phrase_pairs.update(permutations(stems, 2))
        word_pairs.update(permutations(parts, 2))
    return CoUse(number, phrases, phrase_pairs, words, word_pairs)


def co_use_values(found: Candidates, stems: Sequence[str], co_use: CoUse) -> Floats:
    """(candidates, CO_USE): the association with phrases, or words, of title and abstract; 0 if none is a keyword."""
    front = np.nonzero(found.counts[:, FRONT].sum(axis=1))[0]
    phrases = [stems[row] for row in front if stems[row] in co_use.phrases]
    words = sorted({word for row in front for word in stems[row].split() if word in co_use.words})
    of_phrases = co_use.association(co_use.phrases, co_use.phrase_pairs)
    of_words = co_use.association(co_use.words, co_use.word_pairs)
    by_word: dict[str, tuple[float, float]] = {}
    for word in {word for stem in stems for word in stem.split()} & co_use.words.keys():
        near = sorted((of_words(word, other) for other in words if other != word), reverse=True)
        by_word[word] = (float(np.mean(near[:5])), near[0]) if near else (0.0, 0.0)
    values = np.zeros((len(stems), len(CO_USE)))
    for row, stem in enumerate(stems):
        if stem in co_use.phrases:
            values[row, 0] = max((of_phrases(stem, other) for other in phrases if other != stem), default=0.0)
        own = [by_word[word] for word in stem.split() if word in by_word]
        if own:
            values[row, 1] = sum(mean for mean, _ in own) / len(own)
            values[row, 2] = max(most for _, most in own)
    return values
