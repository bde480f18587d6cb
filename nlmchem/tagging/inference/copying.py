"""Constrained generation: the output of a text-to-text model is its input with marks.

After each piece the model may write the next piece of its input, or a mark, and nothing else. The likelier one is taken
(greedy search). A model that writes one piece at a time needs a step for each piece. Here one step scores a whole
output: it assumes that no mark follows. Up to the first place where a mark is likelier, the assumption held, so these
pieces are final; the next step begins with the mark. A window with n mentions takes at most 2n + 1 steps. The result is
the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corpora.errors import Argument, ArticleError
from nlmchem.tagging.models.labels import BEGIN, INSIDE, OUTSIDE
from nlmchem.tagging.models.marks import Marks

__all__ = ["Copy", "Following", "copy_with_marks"]

Following = Callable[[Sequence[int], int], NDArray[np.float32]]
"""An output and a position in it: logits (pieces x vocabulary) of what follows each piece from this position."""


@dataclass(frozen=True, slots=True)
class Copy:
    """What a model wrote: `output`, with the special pieces at its start, and for each piece of the input its role.

    `probabilities` (pieces x roles O, B, I) are those of the choices between mark and copy: B, that a mention begins
    here; I, that the mention before goes on. A piece inside of a word takes over from the first piece of the word.
    """

    output: tuple[int, ...]
    roles: NDArray[np.int64]
    probabilities: NDArray[np.float32]


def copy_with_marks(
    following: Following, start: Sequence[int], ids: Sequence[int], glued: NDArray[np.bool_], marks: Marks
) -> Copy:
    """Generate the output for the pieces `ids`, after the special pieces `start`.

    `glued[i]`: piece i is in the word of piece i - 1, so no mark stands between them. A mention is never empty. Where
    the next piece of the input is also the first of the mark, it is copied. Raises `ArticleError` if a logit is not a
    number.
    """
    size = len(ids)
    output = list(start)
    opening, closing = np.zeros(size), np.zeros(size)
    roles = np.zeros(size, dtype=np.int64)
    at, inside, opened = 0, False, False
    while at < size:
        logits = following([*output, *ids[at:]], len(output) - 1)
        begun = at
        while at < size:
            mark = marks.close if inside else marks.open
            chance = 0.0
            if not (opened or glued[at] or ids[at] == mark[0]):
                chance = _chance(logits[at - begun], mark[0], ids[at])
                (closing if inside else opening)[at] = chance
            if chance > 0.5:
                break
            roles[at] = OUTSIDE if not inside else BEGIN if opened else INSIDE
            at, opened = at + 1, False
        output += ids[begun:at]
        if at < size:
            output += mark
            inside = opened = not inside
    if inside:
        output += marks.close
    return Copy(tuple(output), roles, _probabilities(roles, glued, opening, closing))


def _chance(logits: NDArray[np.float32], mark: int, piece: int) -> float:
    """The probability of the mark, of these two pieces."""
    difference = float(logits[mark]) - float(logits[piece])
    if not np.isfinite(difference):
        raise ArticleError(
            "the model gives scores that are no numbers; get the model again, or use ", Argument("device", "cpu")
        )
    return float(1.0 / (1.0 + np.exp(-np.clip(difference, -500.0, 500.0))))


def _probabilities(
    roles: NDArray[np.int64], glued: NDArray[np.bool_], opening: NDArray[np.float64], closing: NDArray[np.float64]
) -> NDArray[np.float32]:
    rows = np.zeros((len(roles), 3))
    for at in range(len(roles)):
        if at and glued[at]:
            rows[at] = rows[at - 1, OUTSIDE], 0.0, 1.0 - rows[at - 1, OUTSIDE]
        elif at and roles[at - 1] != OUTSIDE:
            left = closing[at]
            rows[at] = left * (1.0 - opening[at]), left * opening[at], 1.0 - left
        else:
            rows[at] = 1.0 - opening[at], opening[at], 0.0
    return rows.astype(np.float32)
