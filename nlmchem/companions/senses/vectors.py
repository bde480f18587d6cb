"""Vectors of word pieces that stand for the meaning of a sentence: an encoder of sentences without layers.

The vector of a text is the mean of those of its word pieces (Model2Vec, Tulkens and van Dongen 2024). They are fitted
so that this mean is near to what a transformer gives for the text. The order of words does not count, and the vector of
a word is kept, so that a text takes little time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.errors import Argument, ResourceError, Text, command
from corpora.storage.atomic import write_bytes
from corpora.words.english import words as words_of
from corpora.words.short_texts import cached

VECTORS = Path(__file__).with_name("vectors.safetensors")
"""The vectors that come with the package; vectors.md is their card."""
LONGEST_WORD = 40

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]


class PieceVectors:
    """Vectors of word pieces. A piece inside a word begins with `##`."""

    def __init__(self, pieces: Sequence[str], vectors: NDArray[np.float32], version: str = "") -> None:
        """`vectors`: (pieces, width)."""
        self.version = version
        self._rows = {piece: row for row, piece in enumerate(pieces)}
        self._vectors = vectors
        # Words and long forms occur in many texts.
        self._word = cached(1 << 15)(self._sum_of)
        self._long = cached(1 << 14)(lambda text: self.text_vector(dict.fromkeys(words_of(text), 1)))

    def pieces_of(self, word: str) -> list[int]:
        """The rows of the longest pieces that a word consists of, from the left; none if one is unknown."""
        pieces, begin = [], 0
        while begin < len(word):
            mark = "##" if begin else ""
            for end in range(len(word), begin, -1):
                row = self._rows.get(mark + word[begin:end])
                if row is not None:
                    break
            else:
                return []
            pieces.append(row)
            begin = end
        return pieces

    def text_vector(self, counts: Mapping[str, int]) -> Floats:
        """The vector of a text with these words, of unit length; zeros without a known word."""
        total = np.zeros(self._vectors.shape[1], dtype=np.float32)
        for word, number in counts.items():
            total += self._word(word) * np.float32(number)
        length = float(np.sqrt((total * total).sum()))
        return total / np.float32(length) if length else total

    def cosines(self, counts: Mapping[str, int], long_forms: Iterable[str]) -> NDArray[np.float64]:
        text = self.text_vector(counts)
        return np.array([float(self._long(long_form) @ text) for long_form in long_forms])

    def _sum_of(self, word: str) -> Floats:
        rows = self.pieces_of(word) if len(word) <= LONGEST_WORD else []
        total: Floats = self._vectors[rows].sum(axis=0)
        return total


@cache
def embedded_vectors() -> PieceVectors:
    """The vectors that come with the package."""
    return read_vectors(VECTORS)


def read_vectors(path: Path) -> PieceVectors:
    """Read vectors. Raises `ResourceError` if the file is missing, damaged, or of another kind."""
    from safetensors.numpy import load

    again = "install nlmchem again"
    try:
        raw = path.read_bytes()
        arrays: dict[str, NDArray[Any]] = load(raw)
        pieces = arrays["pieces"].tobytes().decode("utf-8").split("\n")
        vectors = arrays["vectors"].astype(np.float32) * arrays["scales"].astype(np.float32)[:, None]
    except OSError as error:
        raise ResourceError(f"the vectors at {path} cannot be read ({error.strerror}); {again}") from error
    except Exception as error:  # safetensors has an exception of its own for each kind of damage
        raise ResourceError(f"the vectors at {path} are damaged, or of another kind ({error}); {again}") from error
    return PieceVectors(pieces, vectors, hashlib.sha256(raw).hexdigest())


def write_vectors(path: Path, pieces: Sequence[str], vectors: NDArray[np.float32]) -> None:
    """Write vectors as integers up to 127 with one scale for each row. No partial file is left after an error."""
    from safetensors.numpy import save

    scales = np.maximum(np.abs(vectors).max(axis=1) / 127, 1e-6).astype(np.float16)
    rounded = np.clip(np.rint(vectors / scales.astype(np.float32)[:, None]), -127, 127).astype(np.int8)
    text = np.frombuffer("\n".join(pieces).encode(), dtype=np.uint8)
    write_bytes(path, save({"pieces": text, "scales": scales, "vectors": rounded}))


REMEDY = Text(f"train one with {command('train senses')}, or leave ", Argument("dictionary"), " out")


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
    """Arrays about N articles and V words."""

    vocabulary: Mapping[str, int]
    idf: Floats  # (V,) float32
    postings: Postings
    vectors: Floats  # (V, D)
    places: Floats  # (N, D), the vectors of the articles, of unit length
    starts: Indices  # of the sense in row r of the dictionary: `articles[starts[r]:starts[r + 1]]`
    articles: Indices
    unknown: float  # the idf of a word that is not in the vocabulary
    version: str = ""  # the sha256 of the file

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
        index = from_arrays(load(raw), hashlib.sha256(raw).hexdigest())
    except Exception as error:  # safetensors raises its own class, and ValueError or TypeError for some contents
        raise ResourceError(f"{path} is damaged or incomplete ({error}); get the file again") from error
    if len(index.starts) != rows + 1:
        raise ResourceError(
            f"{path} belongs to a dictionary of {len(index.starts) - 1} senses, not of {rows}; keep files together"
        )
    return index


def from_arrays(arrays: Mapping[str, NDArray[np.generic]], version: str = "") -> ContextIndex:
    """A context index from the arrays of a file."""
    names = bytes(arrays["words"]).decode("utf-8").split("\n")
    size = int(arrays["size"][0])
    weights = unit_rows(arrays["weights"].astype(np.float32))
    return ContextIndex(
        vocabulary={name: number for number, name in enumerate(names)},
        idf=np.log(size / arrays["frequencies"].astype(np.float32)).astype(np.float32),
        postings=Postings.of(arrays["terms"].astype(np.uint16), weights, len(names)),
        vectors=(arrays["vectors"].astype(np.float64) / 127).astype(np.float32),
        places=unit_rows(arrays["places"].astype(np.float32)),
        starts=arrays["starts"].astype(np.int64),
        articles=arrays["articles"].astype(np.int64),
        unknown=float(np.log(size)),
        version=version,
    )


def unit_rows(values: Floats) -> Floats:
    """Rows of unit length; zeros stay zeros."""
    lengths = np.sqrt((values * values).sum(axis=1, keepdims=True))
    return (values / np.where(lengths, lengths, 1)).astype(np.float32)
