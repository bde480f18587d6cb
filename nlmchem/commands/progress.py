"""What a command prints on standard error: warnings, and how far its work is."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, TypeVar

from corpora.commands.options import with_flags
from corpora.reporting import printable
from corpora.words.quantities import duration, quantity

T = TypeVar("T")

BAR = "{percentage:3.0f}%|{bar:30}| {remaining} left, {desc}"
BAR_WITHOUT_TOTAL = "{desc}"
INTERVAL = 10.0
"""Seconds between two lines where the output is not a terminal."""


def warn(sentence: str) -> None:
    """Print a sentence on standard error: the report of the command line."""
    # A message that nobody can receive does not end the work.
    with suppress(OSError):
        print(f"nlmchem: {printable(with_flags(sentence))}", file=sys.stderr)


class ProgressPrinter:
    """Prints on standard error, or on `stream`: a bar on a terminal, otherwise one line every 10 seconds.

    `total` is the amount of work in any unit; None: unknown.
    `quiet`: only messages are printed.
    """

    def __init__(self, total: float | None = None, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        self._stream = stream or sys.stderr
        self._total = total
        self._begun = self._printed = time.monotonic()
        self._bar: Any = None
        self._quiet = quiet
        if self._stream.isatty() and not quiet:
            from tqdm import tqdm

            self._bar = tqdm(total=total, file=self._stream, bar_format=BAR if total else BAR_WITHOUT_TOTAL)

    @property
    def seconds(self) -> float:
        """Seconds since the work began."""
        return time.monotonic() - self._begun

    def show(self, done: float, text: str) -> None:
        """Show that `done` of the total is done; `text` describes it."""
        text = printable(text)
        if self._bar is not None:
            self._bar.set_description_str(text, refresh=False)
            self._bar.update(max(done - self._bar.n, 0))
        elif not self._quiet and time.monotonic() - self._printed >= INTERVAL:
            self._printed = time.monotonic()
            if self._total is not None and 0 < done < self._total:
                text += f", about {duration(self.seconds * (self._total / done - 1))} left"
            self._print(text)

    def message(self, sentence: str) -> None:
        """Print a sentence on a line of its own, above the bar. Control characters are printed as escapes."""
        sentence = printable(with_flags(sentence)).replace("\n", "\\n")
        if self._bar is not None:
            self._bar.write(sentence, file=self._stream)
        else:
            self._print(sentence)

    def close(self) -> None:
        """End the bar."""
        if self._bar is not None:
            self._bar.close()

    def _print(self, line: str) -> None:
        with suppress(OSError):
            print(line, file=self._stream, flush=True)


class Terminal:
    """The `Progress` of the command line. `quiet`: errors only. `stream`: standard error, or another one for bars."""

    def __init__(self, *, quiet: bool = False, stream: TextIO | None = None) -> None:
        self.quiet = quiet
        self._stream = stream

    def __call__(self, sentence: str) -> None:
        if not self.quiet:
            warn(sentence)

    def counted(self, items: Iterable[T], unit: str, total: float | None = None) -> Iterator[T]:
        """The same items; shows how many of them were taken: `120 articles`. `total`: their number, if it is known."""
        with self.bar(total) as printer:
            for number, item in enumerate(items, 1):
                yield item
                printer.show(number, quantity(number, unit.removesuffix("s"), unit))

    @contextmanager
    def bar(self, total: float | None = None) -> Iterator[ProgressPrinter]:
        """A bar for work of `total` units of any kind; None: unknown."""
        printer = ProgressPrinter(total, self._stream, quiet=self.quiet)
        try:
            yield printer
        finally:
            printer.close()
