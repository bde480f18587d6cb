"""A part of the inputs, for job arrays."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import PurePosixPath

from corpora.errors import OptionError

__all__ = ["Shard"]


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `number` (from 1) of `of` parts. The name of an output decides which part it belongs to."""

    number: int = 1
    of: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard of `I/N`. Raises `OptionError`."""
        left, slash, right = text.partition("/")
        if not slash or not left.isdecimal() or not right.isdecimal() or not 1 <= int(left) <= int(right):
            raise OptionError("shard", f"must be I/N with I from 1 to N, for example 3/16, not {text!r}")
        return cls(int(left), int(right))

    def holds(self, output: PurePosixPath) -> bool:
        """Whether an output belongs to this part."""
        digest = hashlib.sha256(str(output).encode("utf-8", "surrogateescape")).digest()
        return int.from_bytes(digest[:8], "big") % self.of == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}-of-{self.of}"
