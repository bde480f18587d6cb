"""Documents as the project sees them (`corpora.model.document`), and what adds to them: stages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bioc import BioCDocument


class Stage(Protocol):
    """Adds annotations to the articles of a chunk, in place. It keeps no state between chunks."""

    def __call__(self, documents: Sequence[BioCDocument]) -> None: ...
