"""The concepts that a mention may mean, in words: the infon `candidates` of a mention.

Its value is `MESH:D015032 Zinc (0.99); ...`, best first: identifier, preferred name, score.
"""

from __future__ import annotations

from collections.abc import Iterable

from corpora.model.document import Mention

__all__ = ["candidates_of", "set_candidates"]


def set_candidates(mention: Mention, candidates: Iterable[tuple[str, str | None, float | None]]) -> None:
    """Write the concepts that a mention may mean: identifier, preferred name, score 0 to 1 (None: not stated)."""
    words = (
        f"{identifier}{'' if name is None else f' {name}'}{'' if score is None else f' ({score:.2f})'}"
        for identifier, name, score in candidates
    )
    if text := "; ".join(words):
        mention.annotation.infons["candidates"] = text


def candidates_of(mention: Mention) -> str:
    """The concepts that a mention may mean, in words; empty where they are not stated."""
    return str(mention.annotation.infons.get("candidates") or "")
