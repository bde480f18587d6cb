"""How far a run is: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Any, TextIO

__all__ = ["Progress"]

BAR = "{percentage:3.0f}%|{bar:30}| {remaining} left{postfix}"
EVERY = 10.0
"""Seconds between two plain lines."""


class Progress:
    """Articles, mentions, rate, time left; the time is told by the bytes of the inputs read so far."""

    def __init__(self, total_bytes: int, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._total = total_bytes
        self._read = 0
        self._in_file = 0
        self._articles = 0
        self._mentions = 0
        self._failed = 0
        self._begun = self._told = time.monotonic()
        self._bar: Any = None
        if self._stream.isatty():
            from tqdm import tqdm

            self._bar = tqdm(total=total_bytes, file=self._stream, bar_format=BAR)

    def article_read(self, size: int) -> None:
        """An article of `size` bytes was taken from its file."""
        self._in_file += size

    def file_read(self, size: int) -> None:
        """A file of `size` bytes on disk was read to its end."""
        self._read += size
        self._in_file = 0

    def article_ended(self, mentions: int, failed: bool) -> None:
        """An article is done or has failed."""
        self._articles += 1
        self._mentions += mentions
        self._failed += failed
        now = time.monotonic()
        if self._bar is not None:
            self._bar.set_postfix_str(self._line(now), refresh=False)
            self._bar.update(min(self._position(), self._total) - self._bar.n)
        elif now - self._told >= EVERY:
            self._told = now
            self._say(self._line(now) + self._left(now))

    def message(self, sentence: str) -> None:
        """Say something without spoiling the bar."""
        if self._bar is not None:
            self._bar.write(sentence, file=self._stream)
        else:
            self._say(sentence)

    def close(self) -> None:
        """The run is over."""
        if self._bar is not None:
            self._bar.close()

    def _position(self) -> int:
        return self._read + self._in_file

    def _line(self, now: float) -> str:
        rate = self._articles / max(now - self._begun, 0.001)
        return f"{self._articles} articles, {self._mentions} mentions, {self._failed} failed, {rate:.1f} articles/s"

    def _left(self, now: float) -> str:
        if not 0 < self._position() < self._total:
            return ""
        return f", about {_duration((now - self._begun) * (self._total / self._position() - 1))} left"

    def _say(self, line: str) -> None:
        print(line, file=self._stream, flush=True)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if minutes else f"{rest} s"
