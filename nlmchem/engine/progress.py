"""How far a run is: articles, mentions, rate, and the time left by the bytes of the inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from corpora.words.quantities import quantity
from nlmchem.commands.progress import ProgressPrinter

NOT_FINISHED = 0.99
"""The highest share that is shown before the end of the run."""


class RunProgress:
    """Counts the articles of a run and shows them. An article counts when it is done or has failed.

    `quiet`: only errors are printed.
    """

    def __init__(self, total_bytes: int, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        self._printer = ProgressPrinter(total_bytes, stream, quiet=quiet)
        self._quiet = quiet
        self._total = total_bytes
        self._files_read = 0
        self._skipped = 0
        self._read_of_file = 0
        self._position: Callable[[], int] | None = None
        self._read = 0
        self._ended = 0
        self._articles = 0
        self._mentions = 0
        self._failed = 0

    def file_begun(self, position: Callable[[], int] | None) -> None:
        """A file is read from now on. `position`: how many of its bytes on the disk were read, or None if unknown.

        Without it the bytes of the articles count, which are too many if the file is compressed.
        """
        self._position = position

    def article_read(self, size: int) -> None:
        """An article of `size` bytes was read from its file."""
        self._read += size
        self._read_of_file += size

    def file_read(self, size: int) -> None:
        """A file of `size` bytes on disk was read to its end."""
        if self._read_of_file:
            self._files_read += size
        else:
            # Earlier runs have done all of its articles.
            self._skipped += size
        self._read_of_file = 0
        self._position = None

    def article_ended(self, mentions: int, failed: bool, size: int = 0) -> None:
        """An article of `size` bytes is done or has failed. `size` is 0 if it could not be read."""
        self._articles += 1
        self._mentions += mentions
        self._failed += failed
        self._ended += size
        self._printer.show(self._done(), self._text())

    def message(self, sentence: str) -> None:
        """Print a sentence on a line of its own."""
        self._printer.message(sentence)

    def note(self, sentence: str) -> None:
        """Print a sentence that is no error; nothing in a quiet run."""
        if not self._quiet:
            self._printer.message(sentence)

    def close(self) -> None:
        """The run has ended."""
        if self._ended >= self._read > 0:
            self._printer.show(self._total, self._text())
        self._printer.close()

    def _done(self) -> float:
        """The bytes of the inputs that are done: of the bytes read, the share of the articles that have ended."""
        share = self._ended / self._read if self._read else 0.0
        of_file = self._position() if self._position else self._read_of_file
        done = self._skipped + (self._files_read + of_file) * share
        return min(done, NOT_FINISHED * self._total)

    def _text(self) -> str:
        rate = self._articles / max(self._printer.seconds, 0.001)
        return (
            f"{quantity(self._articles, 'article')}, {quantity(self._mentions, 'mention')}, "
            f"{self._failed} failed, {rate:.1f} articles/s"
        )
