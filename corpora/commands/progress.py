"""How a command reports what it notices and how far it is. It never prints: what shows the reports is passed to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol, TypeVar

from corpora.reporting import Report, log

T = TypeVar("T")


class Bar(Protocol):
    """Shows how much of one piece of work is done."""

    def show(self, done: float, text: str) -> None:
        """`done` of the total is done; `text` describes it."""


class Progress(Protocol):
    """Where a command reports. It is also a `Report`: a function that receives one sentence."""

    def __call__(self, sentence: str) -> None:
        """Report one sentence: what happened, where, and what to do."""

    def counted(self, items: Iterable[T], unit: str) -> Iterator[T]:
        """The same items; shows how many of them were taken: `120 articles`."""
        ...

    def bar(self, total: float | None = None) -> AbstractContextManager[Bar]:
        """A bar for work of `total` units of any kind; None: unknown."""
        ...

    @property
    def quiet(self) -> bool:
        """Whether the user asked for errors only."""
        ...


class _NoBar:
    def show(self, done: float, text: str) -> None:
        pass


class Logged:
    """Reports with a function, by default to the logger `nlmchem`, and shows no progress: what Python users get."""

    quiet = False

    def __init__(self, report: Report = log) -> None:
        self._report = report

    def __call__(self, sentence: str) -> None:
        self._report(sentence)

    def counted(self, items: Iterable[T], unit: str) -> Iterator[T]:
        return iter(items)

    def bar(self, total: float | None = None) -> AbstractContextManager[Any]:
        return nullcontext(_NoBar())
