"""Word pieces with their offsets and letter case, from a fast tokenizer of the library `tokenizers`.

Capitals matter in chemistry (`NO`, `As`, `His`), but small encoders have tokenizers without capitals. A model with
`letter_case` in its `nlmchem.json` receives the case of each piece as well. The id of a piece is its number in the
vocabulary plus its case times the size of the vocabulary, so windows and batches contain one array; the network splits
it. BERT adds an embedding for the segment of a piece (first or second sentence). A tagger has one segment only, so this
table stores the embeddings of the cases.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from nlmchem.tagging.tokenization.tokens import TOKEN

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer
    from torch import Tensor


STRETCH = 20_000
"""Number of characters that are tokenized at once: a tokenizer may need more than linear time for a long word."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """The pieces of one text: ids, starts and ends (exclusive, in code points, without blanks), arrays of one length.

    `glued[i]`: piece i is in the same word (letters only, or digits only) as piece i - 1, or in the same character.
    Starts do not increase where a character has several pieces.
    """

    ids: NDArray[np.int32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    glued: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.ids)

    def span(self, first: int, last: int) -> tuple[int, int] | None:
        """Start and end of the text of pieces `first` to `last` (exclusive). None if they have no characters."""
        widths = np.flatnonzero(self.ends[first:last] > self.starts[first:last])
        if not len(widths):
            return None
        return int(self.starts[first + widths[0]]), int(self.ends[first + widths[-1]])

    def pieces(self, start: int, end: int) -> tuple[int, int]:
        """The pieces (first, last exclusive) with a character in start..end. If there are none, both are equal."""
        first = int(np.searchsorted(self.ends, start, side="right"))
        return first, max(first, int(np.searchsorted(self.starts, end, side="left")))


_SURROGATE = re.compile("[\ud800-\udfff]")


class PieceClasses(Protocol):
    """Gives each piece of texts a class from 0 to `count` - 1. `version`: the sha256 of what the classes depend on."""

    count: int
    version: str

    def __call__(self, texts: Sequence[str], pieces: Sequence[Encoded]) -> Sequence[NDArray[np.int32]]: ...


@dataclass(slots=True)
class _NoClasses:
    """Class 0 for all pieces, in the place of `count` classes."""

    count: int
    version: str = ""

    def __call__(self, texts: Sequence[str], pieces: Sequence[Encoded]) -> Sequence[NDArray[np.int32]]:
        return [np.zeros(len(encoded), dtype=np.int32) for encoded in pieces]


@dataclass(frozen=True, slots=True)
class PieceCutter:
    """A fast tokenizer and the ids of its special pieces.

    `cased`: the size of the vocabulary if ids contain the case of each piece, else 0.
    `classes`: further classes that ids contain, only together with the case. `guidelines`: the number of
    the annotation guidelines that ids contain (`styles` in `nlmchem.json`).
    """

    tokenizer: Tokenizer
    first: int
    separator: int
    padding: int
    cased: int = 0
    classes: PieceClasses | None = None
    guidelines: int = 0

    def __call__(self, texts: Sequence[str]) -> list[Encoded]:
        """The pieces of each text, without special pieces. Long texts are not truncated."""
        pieces = [_joined(text, self._encodings(text)) for text in texts]
        if not self.cased:
            return pieces
        kinds = [cases_of(text, encoded.starts, encoded.ends) for text, encoded in zip(texts, pieces, strict=True)]
        if self.classes is not None:
            of_guidelines = np.int32(self.classes.count * self.guidelines)
            kinds = [
                cases + np.int32(CASES) * (classes + of_guidelines)
                for cases, classes in zip(kinds, self.classes(texts, pieces), strict=True)
            ]
        return [
            replace(encoded, ids=joined(encoded.ids, kind, self.cased))
            for encoded, kind in zip(pieces, kinds, strict=True)
        ]

    def without_classes(self) -> PieceCutter:
        """The same cutter, which gives class 0 to all pieces."""
        return self if self.classes is None else replace(self, classes=_NoClasses(self.classes.count))

    def _encodings(self, text: str) -> Iterator[tuple[int, Encoding]]:
        """The encoding of each stretch and where the stretch starts. One is in memory at a time: they are large.

        A stretch has at most `STRETCH` characters, and ends before a blank if there is one.
        """
        start = 0
        while True:
            end = len(text)
            if end - start > STRETCH:
                cut = max(text.rfind(blank, start + 1, start + STRETCH) for blank in " \n")
                end = cut if cut > start else start + STRETCH
            # Tokenizers read UTF-8, which cannot store lone surrogates; U+FFFD keeps the offsets.
            stretch = _SURROGATE.sub("\ufffd", text[start:end])
            yield start, self.tokenizer.encode(stretch, add_special_tokens=False)
            if end == len(text):
                return
            start = end

    @property
    def version(self) -> str:
        """The sha256 of tokenizer and classes. The probabilities of models with the same one can be averaged."""
        classes = "" if self.classes is None else f" {self.classes.version} {self.guidelines}"
        return hashlib.sha256(f"{self.cased}{classes} {self.tokenizer.to_str()}".encode()).hexdigest()


def _joined(text: str, parts: Iterable[tuple[int, Encoding]]) -> Encoded:
    ids: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    for offset, encoding in parts:
        ids += encoding.ids
        for start, end in encoding.offsets:
            start, end = start + offset, end + offset
            while start < end and text[start].isspace():
                start += 1
            while end > start and text[end - 1].isspace():
                end -= 1
            starts.append(start)
            ends.append(end)
    begins, finishes = np.array(starts, dtype=np.int32), np.array(ends, dtype=np.int32)
    numbers = np.array(ids, dtype=np.int32)
    return Encoded(numbers, begins, finishes, _glued(text, begins, finishes))


def _glued(text: str, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.bool_]:
    bounds = np.zeros(len(text) + 1, dtype=bool)
    for token in TOKEN.finditer(text):
        bounds[token.start()] = True
        bounds[token.end()] = True
    glued = np.zeros(len(starts), dtype=bool)
    if len(starts) > 1:
        wide = ends[1:] > starts[1:]
        within = (starts[1:] == ends[:-1]) & ~bounds[starts[1:]]
        glued[1:] = wide & (within | (starts[1:] < ends[:-1]))
    return glued


CASES = 5
"""No capitals; the first letter of several (`Ca`); all of several (`DHA`); a single letter (`N`); other (`mRNA`)."""

_Ids = TypeVar("_Ids", NDArray[np.int32], NDArray[np.int64], "Tensor")


def cases_of(text: str, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.int32]:
    """The case (0 to `CASES` - 1) of each piece, by its characters in `text`."""
    if text == text.lower():
        return np.zeros(len(starts), dtype=np.int32)
    known: dict[str, int] = {}
    cases = np.zeros(len(starts), dtype=np.int32)
    for number, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        piece = text[start:end]
        if piece not in known:
            known[piece] = _case(piece)
        cases[number] = known[piece]
    return cases


def joined(ids: NDArray[np.int32], cases: NDArray[np.int32], vocabulary: int) -> NDArray[np.int32]:
    """Ids that contain the case. `vocabulary`: its size. The ids of pieces without capitals do not change."""
    return ids + cases * np.int32(vocabulary)


def taken_apart(ids: _Ids, vocabulary: int) -> tuple[_Ids, _Ids]:
    """The ids of the vocabulary and the cases, in the shape of `ids`."""
    return ids % vocabulary, ids // vocabulary


def _case(piece: str) -> int:
    if piece == piece.lower():
        return 0
    letters = [letter for letter in piece if letter.isalpha()]
    capitals = [letter != letter.lower() for letter in letters]
    if len(letters) == 1:
        return 3
    if all(capitals):
        return 2
    return 1 if capitals[0] and sum(capitals) == 1 else 4
