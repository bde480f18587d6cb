"""Mentions that the input already contains: kept, replaced or refused."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from bioc import BioCDocument

from corpora.errors import Argument, ArticleError
from corpora.model.document import Mention, clear_identifiers, mentions, remove_mentions

__all__ = ["ExistingMentions"]


class ExistingMentions:
    """Two stages: `prepare` runs before the tagger, `settle` after it.

    `keep`: mentions of the input are not changed, and new mentions that overlap them are removed.
    `replace`: mentions of the input are removed before tagging; without tagging, their identifiers are removed.
    `error`: an article with mentions fails.
    """

    def __init__(self, policy: str, *, tagging: bool) -> None:
        self._policy = policy
        self._tagging = tagging
        self._existing: dict[int, set[int]] = {}

    def prepare(self, documents: Sequence[BioCDocument]) -> None:
        """Apply the policy before tagging. Raises `ArticleError` for the policy `error`."""
        self._existing = {}
        for document in documents:
            found = list(mentions(document))
            if self._policy == "error" and found:
                raise ArticleError(
                    f"document {document.id!r} already has {len(found)} chemical mentions; use ",
                    Argument("existing", "keep"),
                    " or ",
                    Argument("existing", "replace"),
                )
            if self._policy == "replace":
                self._replace(document, found)
            else:
                self._existing[id(document)] = {id(mention.annotation) for mention in found}

    def _replace(self, document: BioCDocument, found: Sequence[Mention]) -> None:
        if self._tagging:
            remove_mentions(document)
        else:
            for mention in found:
                clear_identifiers(mention)

    def settle(self, documents: Sequence[BioCDocument]) -> None:
        """After tagging: remove new mentions that overlap mentions of the input."""
        for document in documents:
            existing = self._existing.get(id(document))
            if existing:
                _drop_overlapping(document, existing)
        self._existing = {}


def _drop_overlapping(document: BioCDocument, existing: set[int]) -> None:
    taken = sorted(
        span for mention in mentions(document) if id(mention.annotation) in existing for span in mention.spans
    )
    starts = [start for start, _ in taken]
    reach: list[int] = []
    for _, end in taken:
        reach.append(max(end, reach[-1] if reach else end))

    def overlaps(mention: Mention) -> bool:
        for start, end in mention.spans:
            before = bisect_left(starts, end)
            if before and reach[before - 1] > start:
                return True
        return False

    dropped = {
        id(mention.annotation)
        for mention in mentions(document)
        if id(mention.annotation) not in existing and overlaps(mention)
    }
    for passage in document.passages:
        for holder in (passage, *passage.sentences):
            holder.annotations[:] = [a for a in holder.annotations if id(a) not in dropped]
