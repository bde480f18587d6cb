"""The articles behind a dictionary: their most characteristic words, and which articles define which sense.

A file is a set of arrays (safetensors) without text of the articles: a vocabulary with the number of articles of each
word, the words of each article with the highest TF-IDF, and word vectors from a singular value decomposition of these
weights (latent semantic analysis, Deerwester et al. 1990). Weights are integers, so that a file has the same bytes on
every machine that computes it from the same numbers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpora.errors import Argument, ResourceError, Text, command

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]

REMEDY = Text(f"train one with {command('train senses')}, or leave ", Argument("dictionary"), " out")
_ARRAYS = ("words", "frequencies", "terms", "weights", "vectors", "places", "starts", "articles", "size")


@dataclass(frozen=True, slots=True)
class Query:
    """The words of one article: `ids` in the vocabulary, TF-IDF `weights` of unit length, and the vector of both."""

    ids: Indices
    weights: Floats
    vector: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """The articles that contain a word: for word v, `articles[starts[v]:starts[v + 1]]`. `weights`: its TF-IDF."""

    starts: Indices
    articles: NDArray[np.int32]
    weights: Floats

    @classmethod
    def of(cls, terms: NDArray[np.integer], weights: Floats, words: int) -> Postings:
        """Of the word numbers of each article, (N, K), and their weights (0 where an article has fewer words)."""
        # A stable sort, so that sums have one order.
        order = np.argsort(terms, axis=None, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(terms.ravel(), minlength=words))])
        return cls(starts, (order // terms.shape[1]).astype(np.int32), weights.ravel()[order])

    def products(self, query: Query, size: int) -> NDArray[np.float64]:
        """The products of a query with all articles, of which there are `size`."""
        begins = self.starts[query.ids]
        lengths = self.starts[query.ids + 1] - begins
        at = np.repeat(begins - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
        values = np.repeat(query.weights, lengths) * self.weights[at]
        return np.bincount(self.articles[at], values, size).astype(np.float64, copy=False)


@dataclass(frozen=True, slots=True, eq=False)
class ContextIndex:
    """Arrays about N articles and V words.

    `idf`: (V,) float32. `postings`: which articles have a word, with its TF-IDF. `vectors`: (V, D), `places`: (N, D)
    the vectors of the articles, of unit length. `starts` and `articles`: the articles of the sense in row r of the
    dictionary are `articles[starts[r]:starts[r + 1]]`. `version`: the sha256 of the file.
    """

    vocabulary: Mapping[str, int]
    idf: Floats
    postings: Postings
    vectors: Floats
    places: Floats
    starts: Indices
    articles: Indices
    size: int
    version: str = ""
    unknown: float = field(default=0.0)

    def of_sense(self, row: int) -> Indices:
        """The numbers of the articles that define the sense in a row of the dictionary; none for the row -1."""
        return self.articles[self.starts[row] : self.starts[row + 1]] if row >= 0 else self.articles[:0]

    def numbers_of(self, words: Iterable[str]) -> Indices:
        """The numbers of words in the vocabulary; -1 for an unknown one."""
        return np.fromiter(map(self.vocabulary.get, words, repeat(-1)), dtype=np.int64)

    def query(self, counts: Mapping[str, int]) -> Query:
        """The query of an article with the given counts of folded words. Words with counts below 1 are absent."""
        ids = self.numbers_of(counts)
        numbers = np.fromiter(counts.values(), dtype=np.float32, count=len(counts))
        kept = np.nonzero((ids >= 0) & (numbers > 0))[0]
        kept = kept[np.argsort(ids[kept])]
        ids = ids[kept]
        weights = _unit(((1 + np.log(numbers[kept])) * self.idf[ids]).astype(np.float32))
        return Query(ids, weights, _unit(weights @ self.vectors[ids]))

    def similarities(self, query: Query, articles: Indices) -> tuple[Floats, Floats]:
        """The cosines of a query with articles: by words, and by vectors."""
        by_words = self.postings.products(query, len(self.places))[articles].astype(np.float32)
        return by_words, row_products(self.places, query.vector)[articles]

    def text_vectors(self, numbers: Indices, lengths: Indices) -> Floats:
        """The vectors of texts, (texts, D), of unit length; zeros for a text without known words.

        `numbers`: the words of all texts, one text after the other (-1: unknown). `lengths`: the words of each text.
        """
        starts = np.cumsum(lengths) - lengths
        sums = np.zeros((len(lengths), self.vectors.shape[1]), dtype=np.float32)
        for place in range(int(lengths.max(initial=0))):
            texts = np.nonzero(lengths > place)[0]
            words = numbers[starts[texts] + place]
            known = words >= 0
            words = words[known]
            sums[texts[known]] += self.vectors[words] * self.idf[words][:, None]
        return unit_rows(sums)


def row_products(rows: Floats, vector: Floats) -> Floats:
    """The product of each row with a vector, which does not depend on other rows; BLAS rounds by their position."""
    products: Floats = np.einsum("ij,j->i", rows, vector)
    return products


def _unit(values: Floats) -> Floats:
    length = float(np.sqrt((values * values).sum()))
    return values / np.float32(length) if length else values


def read_context_index(path: Path, rows: int) -> ContextIndex:
    """Read the arrays that belong to a dictionary of so many rows.

    Raises `ResourceError` if the file is missing, damaged, or belongs to another dictionary.
    """
    from safetensors.numpy import load

    try:
        raw = path.read_bytes()
    except FileNotFoundError as error:
        raise ResourceError(f"there is no file {path} beside the dictionary; ", REMEDY) from error
    except OSError as error:
        raise ResourceError(f"cannot read {path} ({error.strerror}); ", REMEDY) from error
    try:
        arrays = load(raw)
    except Exception as error:  # safetensors raises its own class, and ValueError or TypeError for some contents
        raise ResourceError(f"{path} is damaged or incomplete ({error}); get the file again") from error
    missing = [name for name in _ARRAYS if name not in arrays]
    if missing:
        raise ResourceError(f"{path} has no array {missing[0]!r}; ", REMEDY)
    if len(arrays["starts"]) != rows + 1:
        raise ResourceError(
            f"{path} belongs to a dictionary of {len(arrays['starts']) - 1} senses, not of {rows}; keep files together"
        )
    return from_arrays(arrays, hashlib.sha256(raw).hexdigest())


def from_arrays(arrays: Mapping[str, NDArray[np.generic]], version: str = "") -> ContextIndex:
    """A context index from the arrays of a file."""
    names = bytes(arrays["words"]).decode("utf-8").split("\n")
    size = int(arrays["size"][0])
    frequencies = arrays["frequencies"].astype(np.float32)
    idf = np.log(size / frequencies).astype(np.float32)
    weights = unit_rows(arrays["weights"].astype(np.float32))
    vectors = (arrays["vectors"].astype(np.float64) / 127).astype(np.float32)
    postings = Postings.of(arrays["terms"].astype(np.uint16), weights, len(names))
    return ContextIndex(
        vocabulary={name: number for number, name in enumerate(names)},
        idf=idf,
        postings=postings,
        vectors=vectors,
        places=unit_rows(arrays["places"].astype(np.float32)),
        starts=arrays["starts"].astype(np.int64),
        articles=arrays["articles"].astype(np.int64),
        size=size,
        version=version,
        unknown=float(np.log(size)),
    )


def unit_rows(values: Floats) -> Floats:
    """Rows of unit length; zeros stay zeros."""
    lengths = np.sqrt((values * values).sum(axis=1, keepdims=True))
    return (values / np.where(lengths, lengths, 1)).astype(np.float32)
