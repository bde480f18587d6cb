"""Annotates the documents of a program in order, in this process or in several, and names the text that failed.

Pickles are used in memory only: as copies of documents, and between this process and workers that it started. No file
and no network connection is unpickled.
"""

from __future__ import annotations

import itertools
import pickle
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from bioc import BioCDocument

from corpora.errors import ArticleError, NlmchemError, ResourceError
from nlmchem.engine.executors import Dispatcher, LocalExecutor, next_window
from nlmchem.engine.tasks import Setup, Task, TaskResult
from nlmchem.engine.worker import reason_of
from nlmchem.run.plan import Plan
from nlmchem.run.step import StageError, Stages

# -- in this process ----------------------------------------------------------------------------


def annotate_document(stages: Stages, document: BioCDocument) -> BioCDocument:
    """Annotate a document in place. Raises the error of the stage, and `ArticleError` where that is no `Exception`."""
    try:
        stages.annotate([document])
    except StageError as error:
        if isinstance(error.__cause__, Exception):
            raise error.__cause__ from error.__cause__.__cause__
        raise ArticleError(reason_of(error)) from error.__cause__
    return document


def annotate_here(stages: Stages, documents: Iterable[BioCDocument], size: int) -> Iterator[BioCDocument]:
    """The same documents, annotated in place in chunks of at most `size`.

    Raises `ArticleError`, which names the text by its position from 1, after the documents before it.
    """
    source, number = _DocumentStream(documents), 0
    while chunk := source.take(size):
        copies: bytes | None = None
        # A document may hold something that cannot be copied.
        with suppress(Exception):
            copies = pickle.dumps([document.__dict__ for document in chunk])
        try:
            stages.annotate(chunk)
            yield from chunk
        except StageError as error:
            # The stage has spoilt the chunk.
            if len(chunk) == 1 or copies is None:
                raise _failed(number, chunk, error) from error.__cause__
            for position, (document, content) in enumerate(zip(chunk, pickle.loads(copies), strict=True), number):
                _replace(document, content)
                try:
                    stages.annotate([document])
                except StageError as again:
                    raise _failed(position, [document], again) from again.__cause__
                yield document
        source.release(len(chunk))
        number += len(chunk)


# -- in several processes -----------------------------------------------------------------------


def annotate_in_processes(
    plan: Plan, documents: Iterable[BioCDocument], size: int, processes: int
) -> Iterator[BioCDocument]:
    """As `annotate_here`, with `processes` workers. A document gets the content of its copy from the worker.

    At most two windows of documents are in memory. Raises `ArticleError` as `annotate_here` does, also for a text
    whose worker died twice, and `RunStopped` if no worker can be started.
    """
    plan.prepare()
    setup = Setup(plan, plan.fingerprint()["sha256"], objects=True)
    source = _DocumentStream(documents)
    numbers = itertools.count()

    def next_task() -> Task | None:
        if not (taken := source.take(1)):
            return None
        number, document = next(numbers), taken[0]
        plain = BioCDocument()
        plain.__dict__ = document.__dict__
        try:
            content = pickle.dumps(plain)
        except Exception as error:
            what = f"{_name(number, document)} holds something that no other process can receive ({error})"
            raise ArticleError(f"{what}; remove it, or annotate in one process") from error
        return Task(0, number, "", "", content, "")

    with LocalExecutor(processes) as executor:
        number = 0
        for window in Dispatcher(executor, setup).windows(lambda: next_window(iter(next_task, None), processes, size)):
            results: dict[int, TaskResult] = {}
            for task, result in window:
                results[task.position] = result
                while number in results:
                    result = results.pop(number)
                    (document,) = source.release(1)
                    if result.failure is not None:
                        cause = result.failure.traceback and RuntimeError(result.failure.traceback)
                        raise ArticleError(f"{_name(number, document)}: {result.failure.message}") from (cause or None)
                    assert result.fragment is not None
                    _replace(document, pickle.loads(result.fragment).__dict__)
                    yield document
                    number += 1


class _DocumentStream:
    """Documents in the order of an iterable, and those that were taken and not released yet."""

    def __init__(self, documents: Iterable[BioCDocument]) -> None:
        self._iterator = iter(documents)
        self._next: BioCDocument | None = None
        self._held: deque[BioCDocument] = deque()
        self._ids: set[int] = set()
        self._error: Exception | None = None

    def take(self, most: int) -> list[BioCDocument]:
        """The next documents, up to one that is still held: it must be annotated before it is taken again.

        Raises the error of the iterable where no document is left before it.
        """
        taken: list[BioCDocument] = []
        while len(taken) < most:
            if self._next is None and self._error is None:
                try:
                    self._next = next(self._iterator, None)
                except Exception as error:
                    self._error = error
            if self._next is None or (key := _key(self._next)) in self._ids:
                break
            taken.append(self._next)
            self._ids.add(key)
            self._next = None
        self._held.extend(taken)
        if self._error is not None and not self._held:
            raise self._error
        return taken

    def release(self, number: int) -> list[BioCDocument]:
        """The first documents that are held. They are annotated."""
        released = [self._held.popleft() for _ in range(number)]
        self._ids.difference_update(map(_key, released))
        return released


# -- both ---------------------------------------------------------------------------------------


def _key(document: BioCDocument) -> int:
    """What identifies a document: its content, which an `Article` shares with it."""
    return id(document.__dict__)


def _replace(document: BioCDocument, content: dict[str, object]) -> None:
    document.__dict__.clear()
    document.__dict__.update(content)


def _name(number: int, document: BioCDocument) -> str:
    name = f"text {number + 1}"
    return name if document.id == str(number + 1) else f"{name} (document {document.id!r})"


def _failed(number: int, chunk: Sequence[BioCDocument], error: StageError) -> NlmchemError:
    kind = ResourceError if isinstance(error.__cause__, ResourceError) else ArticleError
    name = _name(number, chunk[0]) if len(chunk) == 1 else f"one of the texts {number + 1} to {number + len(chunk)}"
    return kind(f"{name}: ", *reason_of(error).parts)
