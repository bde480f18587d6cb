"""The data that a run and its workers exchange: small, plain and picklable. A worker receives blocks of tasks."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from corpora.errors import shortened
from nlmchem.run.plan import Plan

if TYPE_CHECKING:
    from corpora.reading import RawArticle

BLOCK_ARTICLES = 4
BLOCK_BYTES = 1 << 19
"""A block has at most this many articles, and at most this many bytes of them (but always one article)."""

ANNOTATED = "existing"
"""The stage of articles that failed because they have mentions."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or a member of an archive, that becomes one output file.

    `output`: the path under the output folder, with the suffix of the output format.
    """

    id: int
    path: str
    member: str | None
    output: PurePosixPath

    def __str__(self) -> str:
        return self.path if self.member is None else f"{self.path}, member {shortened(self.member, 300)}"

    def task(self, position: int, hash: str, article: RawArticle) -> Task:
        """An article of it, to be processed."""
        return Task(
            self.id, position, hash, article.format, article.raw, article.fallback_id, self.path, self.member,
            article.infons,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Task:
    """One article as its file contains it. `position`: its number in the file, from 0.

    `path`, `member`: those of its `Source`, for tables; empty for documents of this program. `infons`: what metadata
    beside the file state about the article.
    """

    source: int
    position: int
    hash: str
    format: str
    raw: bytes
    fallback_id: str
    path: str = ""
    member: str | None = None
    infons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Setup:
    """What a worker needs besides the articles.

    `timeout`: seconds for each article; None: no limit. `fingerprint`: the sha256 of the fingerprint of the
    configuration. A worker with another lexicon or another version of nlmchem has another one and must not work.
    `objects`: tasks and results hold pickled documents of this program, not articles in the format of a file.
    `observers`: the names of those that observe the run.
    """

    plan: Plan
    fingerprint: str
    timeout: float | None = None
    objects: bool = False
    observers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an article has no output.

    `stage`: `read`, the name of a stage, `existing` (it has mentions), `check`, `write`, `worker` or `time`.
    """

    stage: str
    message: str
    traceback: str = ""


MENTIONS, LEFT_OUT, RATED, PROBABILITY = "mentions", "left_out", "rated", "probability"
"""Counts of each article: its mentions; those below the lowest score, where there is one; those with a probability, and
the sum of these probabilities in units of 1/10,000, so that sums of whole numbers do not depend on the order."""
UNITS = 10_000


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The result of one article: its text in the output format, or a failure."""

    source: int
    position: int
    hash: str
    document: str = ""
    fragment: bytes | None = None
    failure: Failure | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    """What is counted in the article, by name: `MENTIONS` ..., and what steps count. The ledger stores it as JSON."""
    observed: Mapping[str, bytes] = field(default_factory=dict)
    """What observers note of the article, by their names (`nlmchem.run.observers`)."""
    notes: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)


def packed(article: bytes) -> bytes:
    """A serialised article as the store of numbered parts has it (`nlmchem.engine.parts`)."""
    return zlib.compress(article, 1)


Block = tuple[Task, ...]


def blocks_of(tasks: Sequence[Task], workers: int, most: int = BLOCK_ARTICLES) -> list[Block]:
    """The tasks in blocks of at most `most`, in order. Blocks become smaller towards the end, down to single articles.

    A block has a share of 1 / (2 * workers) of the articles that are left, so no worker waits long for the last one:
    guided self-scheduling (Polychronopoulos and Kuck 1987).
    """
    blocks: list[Block] = []
    block: list[Task] = []
    weight = size = 0
    for position, task in enumerate(tasks):
        if block and (len(block) == size or weight + len(task.raw) > BLOCK_BYTES):
            blocks.append(tuple(block))
            block, weight = [], 0
        if not block:
            size = min(most, max(1, (len(tasks) - position) // (2 * workers)))
        block.append(task)
        weight += len(task.raw)
    return [*blocks, tuple(block)] if block else blocks
