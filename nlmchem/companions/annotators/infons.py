"""The infons of aligned and verified mentions. Only this file spells their keys."""

from __future__ import annotations

from collections.abc import Sequence

from corpora.model.document import Mention

ALIGNED = "aligned"
"""By which attempt a mention was placed, and what differed: `quote`, `document; case, dashes`."""
VERIFIED = "verified"
"""What `nlmchem verify` found for a mention, or changed."""


def set_alignment(mention: Mention, attempt: str, differences: Sequence[str]) -> None:
    """Write how a mention was placed."""
    mention.annotation.infons[ALIGNED] = "; ".join(filter(None, (attempt, ", ".join(differences))))


def alignment(mention: Mention) -> str | None:
    """How a mention was placed; None where it was not aligned."""
    value: str | None = mention.annotation.infons.get(ALIGNED)
    return value


def set_verdict(mention: Mention, verdict: str) -> None:
    """Write what was verified of a mention."""
    mention.annotation.infons[VERIFIED] = verdict
