"""Blocks of articles: what a worker receives at once."""

from __future__ import annotations

from collections.abc import Sequence

from nlmchem.batch.tasks import Task

__all__ = ["BLOCK_ARTICLES", "BLOCK_BYTES", "blocks_of"]

BLOCK_ARTICLES = 4
BLOCK_BYTES = 1 << 19
"""A block has at most this many articles, and at most this many bytes of them (but always one article)."""


def blocks_of(tasks: Sequence[Task], workers: int) -> list[tuple[Task, ...]]:
    """The tasks in blocks, in order. Blocks become smaller towards the end, down to single articles.

    A block has a share of 1 / (2 * workers) of the articles that are left, so no worker waits long for the last one:
    guided self-scheduling (Polychronopoulos and Kuck 1987).
    """
    blocks: list[tuple[Task, ...]] = []
    block: list[Task] = []
    weight = size = 0
    for position, task in enumerate(tasks):
        if block and (len(block) == size or weight + len(task.raw) > BLOCK_BYTES):
            blocks.append(tuple(block))
            block, weight = [], 0
        if not block:
            size = min(BLOCK_ARTICLES, max(1, (len(tasks) - position) // (2 * workers)))
        block.append(task)
        weight += len(task.raw)
    return [*blocks, tuple(block)] if block else blocks
