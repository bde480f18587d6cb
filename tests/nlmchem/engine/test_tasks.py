"""Blocks of articles: nothing is lost or reordered, and the last blocks are single articles."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nlmchem.engine.tasks import BLOCK_ARTICLES, BLOCK_BYTES, Task, blocks_of


def tasks(sizes: list[int]) -> list[Task]:
    return [Task(1, number, "", "biocjson", b"x" * size, "") for number, size in enumerate(sizes)]


@given(st.lists(st.integers(0, 3)), st.integers(1, 9))
def test_blocks_hold_every_task_in_order(sizes: list[int], workers: int) -> None:
    found = blocks_of(tasks([size * BLOCK_BYTES // 2 for size in sizes]), workers)
    assert [task.position for block in found for task in block] == list(range(len(sizes)))
    assert all(1 <= len(block) <= BLOCK_ARTICLES for block in found)
    assert all(len(block) == 1 or sum(len(task.raw) for task in block) <= BLOCK_BYTES for block in found)


def test_the_last_blocks_are_single_articles() -> None:
    sizes = [len(block) for block in blocks_of(tasks([10] * 48), workers=2)]
    assert sizes[0] == BLOCK_ARTICLES
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-4:] == [1, 1, 1, 1]


def test_few_articles_are_spread_over_the_workers() -> None:
    assert [len(block) for block in blocks_of(tasks([10] * 4), workers=4)] == [1, 1, 1, 1]
