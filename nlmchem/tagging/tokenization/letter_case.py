"""Capitals for a model whose tokenizer folds them: each word piece's case, as one of its segment embeddings.

Chemistry needs capitals (`NO`, `As`, `His`), and the tokenizers of small encoders have none. Where a model says so
(`letter_case` in its `nlmchem.json`), the id of a piece is its number in the vocabulary plus its case times the size of
the vocabulary: one array goes through windows and batches, and is taken apart in front of the network. BERT has an
embedding for the segment (first or second sentence) that every piece is in; a tagger has one segment, so that table is
free to hold the case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["CASES", "cases_of", "joined", "taken_apart"]

CASES = 5
"""No capital; first letter alone of several (`Ca`); all of several (`DHA`); a single capital (`N`); others (`mRNA`)."""

_Ids = TypeVar("_Ids", "NDArray[np.int32]", "Tensor")


def cases_of(text: str, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.int32]:
    """The case (0 to `CASES` - 1) of each piece, from the characters of `text` that it stands for."""
    if text == text.lower():
        return np.zeros(len(starts), dtype=np.int32)
    known: dict[str, int] = {}
    found = np.zeros(len(starts), dtype=np.int32)
    for number, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        piece = text[start:end]
        case = known.get(piece)
        if case is None:
            case = known[piece] = _case(piece)
        found[number] = case
    return found


def joined(ids: NDArray[np.int32], cases: NDArray[np.int32], vocabulary: int) -> NDArray[np.int32]:
    """Ids that hold the case; `vocabulary` is its size. Ids without capitals stay as they are."""
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
