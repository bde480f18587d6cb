"""The order in which windows are learnt from: by chance, but windows of similar length in one batch.

Windows of NLM-Chem have 190 pieces on average; batches by pure chance are padded to 256, a quarter of all arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch.utils.data import Sampler

__all__ = ["LengthGrouped"]

POOL = 50
"""Batches' worth of windows that are drawn by chance, then sorted by length."""


class LengthGrouped(Sampler[int]):
    """Positions of windows, so that each `batch` in a row are of similar length; batches come by chance.

    Another order each pass (`set_epoch`), the same one for the same seed and pass: a resumed training repeats it.
    """

    def __init__(self, lengths: Sequence[int], batch: int, seed: int) -> None:
        self._lengths = lengths
        self._batch = batch
        self._seed = seed
        self._epoch = 0

    def __len__(self) -> int:
        return len(self._lengths)

    def set_epoch(self, epoch: int) -> None:
        """Called by the loader before pass `epoch` (from 0)."""
        self._epoch = epoch

    def __iter__(self) -> Iterator[int]:
        chance = torch.Generator().manual_seed(self._seed * 1_000_003 + self._epoch)
        order = torch.randperm(len(self._lengths), generator=chance).tolist()
        pool = POOL * self._batch
        whole: list[list[int]] = []
        rest: list[int] = []
        for at in range(0, len(order), pool):
            drawn = sorted(order[at : at + pool], key=lambda position: -self._lengths[position])
            for begin in range(0, len(drawn), self._batch):
                batch = drawn[begin : begin + self._batch]
                if len(batch) == self._batch:
                    whole.append(batch)
                else:
                    rest += batch
        for number in torch.randperm(len(whole), generator=chance).tolist():
            yield from whole[number]
        # The one batch that is not full comes last, as the loader cuts batches by counting.
        yield from rest
