"""Builds a dictionary and the contexts of its senses from the records of articles."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.arrays import one_thread
from corpora.errors import ConfigurationError
from corpora.extras import require
from corpora.words.folding import alphanumeric
from nlmchem.abbreviations.dictionary import Builder, Defined, key_of
from nlmchem.abbreviations.inventory import InventorySense
from nlmchem.companions.senses.features import MOST_ARTICLES
from nlmchem.companions.senses.grouping import Groups, group_forms
from nlmchem.companions.senses.names import Name, NameFinder, by_key, spelt
from nlmchem.companions.senses.records import ArticleRecord, Records

FEWEST, MOST_SHARE = 4, 0.35
"""A word of the vocabulary is in at least so many articles, and in at most this share of them."""
ITERATIONS = 4


@dataclass(frozen=True, slots=True)
class BuildingOptions:
    """Sizes: words of the vocabulary, words of an article, numbers of a word vector."""

    words: int = 30_000
    terms: int = 128
    width: int = 96
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Built:
    """The rows of a dictionary, the names of concepts with their keys, the arrays of the context index of both, and the
    spelling that is kept of each long form."""

    rows: tuple[tuple[str, InventorySense], ...]
    names: tuple[tuple[str, Name], ...]
    arrays: Mapping[str, NDArray[Any]]
    forms: Mapping[str, Mapping[str, str]]


def build(records: Records, options: BuildingOptions, identify: Callable[[str], str | None] | None = None) -> Built:
    """Make the dictionary and the context index. `identify`: as in `grouping.Groups`.

    Equal records in equal order give equal arrays on one machine.
    """
    forms = _forms(records.records)
    counts = {
        short: {long: len(articles_of_sense) for long, articles_of_sense in longs.items()}
        for short, longs in _articles(records.records, forms).items()
    }
    forms = group_forms(forms, counts, Groups.of(counts, identify))
    senses = _senses(records.records, forms)
    where = _places(records.records)
    named = by_key(records.finder, where)
    rows, lists = [], []
    for row, (short, long, defining) in enumerate(senses):
        words, grade = _named(long, named.get(alphanumeric(short), ()), records.finder)
        lists.append(tuple(dict.fromkeys((*defining, *where.get(words, ())))))
        identifier = records.finder.names[words][1] if words else ""
        years = _years(records.records, defining)
        rows.append((short, InventorySense(long, len(defining), years, row, grade, len(lists[-1]), identifier)))
    names = []
    defined = {(alphanumeric(short), key_of(long)) for short, long, _ in senses}
    for key, entries in named.items():
        for words, grade in entries:
            name, identifier = records.finder.names[words]
            if (key, key_of(name)) not in defined:
                defined.add((key, key_of(name)))
                lists.append(tuple(where.get(words, ())))
                names.append((key, Name(name, identifier, grade, len(lists[-1]), len(lists) - 1)))
    lists = [numbers[:MOST_ARTICLES] for numbers in lists]
    starts = np.cumsum([0, *map(len, lists)]).astype(np.int32)
    articles = np.array([article for numbers in lists for article in numbers], dtype=np.uint16)
    return Built(tuple(rows), tuple(names), {**_words(records, options), "starts": starts, "articles": articles}, forms)


def _places(records: Sequence[ArticleRecord]) -> dict[str, list[int]]:
    """The numbers of the articles that contain each name."""
    places: dict[str, list[int]] = defaultdict(list)
    for number, record in enumerate(records):
        for name in record.names:
            places[name].append(number)
    return places


def _named(long_form: str, names: Sequence[tuple[str, int]], finder: NameFinder) -> tuple[str, int]:
    """The name that equals a long form, with its grade (0: without the key of the short form); empty without one."""
    words = " ".join(spelt(long_form))
    key = key_of(long_form) if names else ""
    for name, grade in names:
        if name == words or key_of(finder.names[name][0]) == key:
            return name, grade
    return (words, 0) if words in finder.names else ("", 0)


def _forms(records: Sequence[ArticleRecord]) -> dict[str, dict[str, str]]:
    builder = Builder()
    for record in records:
        builder.add(Defined(record.document, tuple((pair.short_form, pair.long_form) for pair in record.pairs)))
    return builder.forms()


def _senses(
    records: Sequence[ArticleRecord], forms: Mapping[str, Mapping[str, str]]
) -> list[tuple[str, str, tuple[int, ...]]]:
    """Short form, long form and the numbers of its articles; by short form, the most frequent sense first."""
    articles = _articles(records, forms)
    return [
        (short, long, tuple(sorted(articles[short][long])))
        for short in sorted(articles)
        for long in sorted(articles[short], key=lambda long: (-len(articles[short][long]), long))
    ]


def _articles(
    records: Sequence[ArticleRecord], forms: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, set[int]]]:
    """For each short form, its senses with the numbers of the articles that define them."""
    articles: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for number, record in enumerate(records):
        for pair in record.pairs:
            articles[pair.short_form][forms[pair.short_form][pair.long_form]].add(number)
    return articles


def _years(records: Sequence[ArticleRecord], articles: Sequence[int]) -> tuple[int, int] | None:
    years = [year for year in (records[number].year for number in articles) if year is not None]
    return (min(years), max(years)) if years else None


def _words(records: Records, options: BuildingOptions) -> dict[str, NDArray[Any]]:
    from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

    names, frequencies = _vocabulary(records, options.words)
    if not names:
        raise ConfigurationError(
            f"no word is in at least {FEWEST} articles and in at most {MOST_SHARE:.0%} of them; give more articles"
        )
    place = np.full(len(records.numbers), -1, dtype=np.int64)
    for number, name in enumerate(names):
        place[records.numbers[name]] = number
    idf = np.log(len(records.records) / np.array(frequencies))
    shape = len(records.records), options.terms
    terms, weights = np.zeros(shape, dtype=np.uint16), np.zeros(shape, dtype=np.uint8)
    for row, (ids, values) in enumerate(_weighted(records.records, place, idf)):
        best = np.sort(np.lexsort((ids, -values))[: options.terms])
        scaled = np.rint(values[best] / max(values.max(initial=0), 1e-9) * 255)
        terms[row, : len(best)], weights[row, : len(best)] = ids[best], scaled
    lengths = np.sqrt((weights.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    units = weights / np.where(lengths, lengths, 1)
    matrix = csr_matrix(
        (units.ravel(), terms.ravel().astype(np.int64), np.arange(0, units.size + 1, options.terms)),
        shape=(len(terms), len(names)),
    )
    width = max(1, min(options.width, min(matrix.shape) - 1))
    require("sklearn", extra="train", purpose="training word vectors")
    from sklearn.utils.extmath import randomized_svd  # type: ignore[import-untyped]

    with one_thread():
        _, _, components = randomized_svd(matrix, width, n_iter=ITERATIONS, random_state=options.seed)
    vectors = _integers(components.T)
    return {
        "words": np.frombuffer("\n".join(names).encode(), dtype=np.uint8),
        "frequencies": np.array(frequencies, dtype=np.uint16),
        "size": np.array([len(records.records)], dtype=np.int32),
        "terms": terms,
        "weights": weights,
        "vectors": vectors,
        "places": _integers(np.asarray(matrix @ (vectors.astype(np.float64))), by_row=True),
    }


def _vocabulary(records: Records, size: int) -> tuple[list[str], list[int]]:
    counted: Counter[int] = Counter()
    for record in records.records:
        counted.update(record.words.tolist())
    names = list(records.numbers)
    most = max(MOST_SHARE * len(records.records), FEWEST)
    kept = sorted((-number, names[word]) for word, number in counted.items() if FEWEST <= number <= most)[:size]
    return [name for _, name in kept], [-number for number, _ in kept]


def _weighted(
    records: Sequence[ArticleRecord], place: NDArray[np.int64], idf: NDArray[np.float64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    for record in records:
        ids = place[record.words]
        known = ids >= 0
        ids = ids[known]
        yield ids, (1 + np.log(record.counts[known])) * idf[ids]


def _integers(values: NDArray[np.float64], by_row: bool = False) -> NDArray[np.int8]:
    """Values as integers up to 127: of the whole array, or of each row."""
    most = np.abs(values).max(axis=1, keepdims=True) if by_row else np.abs(values).max(initial=0)
    rounded: NDArray[np.float64] = np.rint(values / np.maximum(most, 1e-12) * 127)
    return rounded.astype(np.int8)
