"""The order of training windows: random, but each batch has windows of similar length.

Windows of NLM-Chem have 190 pieces on average. Random batches are padded to 256: a quarter of the computation is lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch.utils.data import Sampler

__all__ = ["LengthGrouped"]

POOL = 50
"""Batches whose windows are drawn at random together and then sorted by length."""


class LengthGrouped(Sampler[int]):
    """Positions of windows. Each group of `batch` positions has windows of similar length; groups come in random order.

    The order depends on the seed and the pass (`set_epoch`) only, so a resumed training repeats it.
    """

    def __init__(self, lengths: Sequence[int], batch: int, seed: int) -> None:
        self._lengths = lengths
        self._batch = batch
        self._seed = seed
        self._epoch = 0

    def __len__(self) -> int:
        return len(self._lengths)

    def set_epoch(self, epoch: int) -> None:
        """Set the pass (from 0). The data loader calls this before each pass."""
        self._epoch = epoch

    def __iter__(self) -> Iterator[int]:
        generator = torch.Generator().manual_seed(self._seed * 1_000_003 + self._epoch)
        order = torch.randperm(len(self._lengths), generator=generator).tolist()
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
        for number in torch.randperm(len(whole), generator=generator).tolist():
            yield from whole[number]
        # The batch that is not full comes last, because the loader cuts batches by counting.
        yield from rest
