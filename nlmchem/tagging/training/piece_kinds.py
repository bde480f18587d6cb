"""Embeddings of the letter case, the class and the annotation guidelines of a word piece, for training.

One piece has one number, (style x classes + class) x `CASES` + case, as `PieceCutter` joins them. In training the three
have tables of their own, whose rows are added, so that rare combinations learn from frequent ones. A finished model has
one table with all sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from nlmchem.tagging.tokenization.letter_case import CASES

__all__ = ["PieceKinds", "merge_kinds"]


class PieceKinds(nn.Module):
    """Three tables: cases (`CASES` x width), classes (classes x width) and styles (styles x width)."""

    def __init__(self, width: int, classes: int, styles: int) -> None:
        super().__init__()
        self.cases = nn.Parameter(torch.zeros(CASES, width))
        self.classes = nn.Parameter(torch.zeros(classes, width))
        self.styles = nn.Parameter(torch.zeros(styles, width))

    @classmethod
    def of(cls, rows: Tensor, classes: int, styles: Sequence[int]) -> PieceKinds:
        """Tables from those of a base model: segments (2 x width), cases, or all combinations.

        `styles`: for each style, the style of the base that it starts from; 0, the target's guidelines, for new ones.
        """
        kinds = cls(rows.shape[1], classes, len(styles))
        with torch.no_grad():
            if len(rows) < CASES:
                kinds.cases[:] = rows[0]
            else:
                kinds.cases[:] = rows[:CASES]
            if len(rows) >= CASES * classes:
                kinds.classes[:] = rows[: CASES * classes : CASES] - rows[0]
            for at, source in enumerate(styles):
                if source:
                    kinds.styles[at] = rows[source * CASES * classes] - rows[0]
        return kinds

    @property
    def rows(self) -> int:
        """The number of combinations."""
        return len(self.styles) * len(self.classes) * CASES

    def table(self) -> Tensor:
        """The embeddings of all combinations (`rows` x width)."""
        sums = self.styles[:, None, None] + self.classes[None, :, None] + self.cases[None, None]
        return sums.reshape(self.rows, -1)

    def forward(self, kinds: Tensor) -> Tensor:
        """The embeddings (... x width) of the numbers of pieces (...)."""
        return functional.embedding(kinds, self.table())


def merge_kinds(classifier: Any) -> None:
    """Replace the three tables of a classifier by one table of all combinations, as finished models have it."""
    embeddings = classifier.base_model.embeddings
    kinds = getattr(embeddings, "token_type_embeddings", None)
    if isinstance(kinds, PieceKinds):
        merged = nn.Embedding(kinds.rows, kinds.cases.shape[1])
        with torch.no_grad():
            merged.weight[:] = kinds.table()
        embeddings.token_type_embeddings = merged
