"""A limit on failed articles: a run in which too many articles fail stops early.

Source of the idea: `REJECT_LIMIT` of PostgreSQL's COPY, and the share of bad records that Hadoop's jobs accept.
"""

from __future__ import annotations

from dataclasses import dataclass

from corpora.errors import OptionError

__all__ = ["FEWEST", "NO_LIMIT", "FailureLimit"]

NO_LIMIT = "no limit"

FEWEST = 100
"""A share is compared from this number of articles on, and at the end of the run: one of one article is no share."""


@dataclass(frozen=True, slots=True)
class FailureLimit:
    """The highest number (`share` False) or share (0 to 1) of failed articles with which a run goes on."""

    most: float
    share: bool = False

    @classmethod
    def parse(cls, text: str) -> FailureLimit | None:
        """The limit of `20` (articles), `0.5` or `50%` (a share); None for `no limit`. Raises `OptionError`."""
        if text == NO_LIMIT:
            return None
        number = text.removesuffix("%")
        try:
            if text.isascii() and text.isdecimal():
                return cls(int(text))
            most = float(number) / (100 if number != text else 1)
        except ValueError:
            most = -1.0
        if not 0 <= most <= 1:
            raise OptionError("max_failures", f"must be a number (20) or a share (0.5 or 50%), not {text!r}")
        return cls(most, share=True)

    def is_exceeded(self, failed: int, ended: int, at_end: bool = False) -> bool:
        """Whether too many of the articles that have ended failed."""
        if not self.share:
            return failed > self.most
        return (at_end or ended >= FEWEST) and failed > self.most * ended

    def __str__(self) -> str:
        return f"{100 * self.most:g}%" if self.share else f"{self.most:g}"
