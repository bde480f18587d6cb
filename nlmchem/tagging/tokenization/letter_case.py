"""The letter case of word pieces, for models with a tokenizer that converts text to lower case.

Capitals matter in chemistry (`NO`, `As`, `His`), but small encoders have tokenizers without capitals. A model with
`letter_case` in its `nlmchem.json` receives the case of each piece as well. The id of a piece is its number in the
vocabulary plus its case times the size of the vocabulary, so windows and batches contain one array; the network splits
it. BERT adds an embedding for the segment of a piece (first or second sentence). A tagger has one segment only, so this
table stores the embeddings of the cases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["CASES", "cases_of", "joined", "taken_apart"]

CASES = 5
"""No capitals; the first letter of several (`Ca`); all of several (`DHA`); a single letter (`N`); other (`mRNA`)."""

_Ids = TypeVar("_Ids", "NDArray[np.int32]", "Tensor")


def cases_of(text: str, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.int32]:
    """The case (0 to `CASES` - 1) of each piece, by its characters in `text`."""
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
