"""Mentions that an article brings along: kept, replaced, or refused."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from bioc import BioCDocument

from corpora.errors import ArticleError
from corpora.model.document import Mention, clear_identifiers, mentions, remove_mentions

__all__ = ["ExistingMentions"]


class ExistingMentions:
    """Two stages around the tagger: one looks at what is there, one settles what overlaps it.

    `keep`: mentions on input stay as they are, and a new mention that overlaps one of them goes.
    `replace`: mentions on input go before tagging; without tagging their identifiers go.
    `error`: an article that has mentions fails.
    """

    def __init__(self, policy: str, *, tagging: bool) -> None:
        self._policy = policy
        self._tagging = tagging
        self._brought: dict[int, set[int]] = {}

    def prepare(self, documents: Sequence[BioCDocument]) -> None:
        """Before tagging. Raises `ArticleError` under `error`."""
        self._brought = {}
        for document in documents:
            found = list(mentions(document))
            if self._policy == "error" and found:
                raise ArticleError(
                    f"document {document.id!r} has {len(found)} chemical mentions already; "
                    "say --existing keep or --existing replace"
                )
            if self._policy == "replace":
                self._replace(document, found)
            else:
                self._brought[id(document)] = {id(mention.annotation) for mention in found}

    def _replace(self, document: BioCDocument, found: Sequence[Mention]) -> None:
        if self._tagging:
            remove_mentions(document)
        else:
            for mention in found:
                clear_identifiers(mention)

    def settle(self, documents: Sequence[BioCDocument]) -> None:
        """After tagging: new mentions that overlap one that was there are taken away again."""
        for document in documents:
            brought = self._brought.get(id(document))
            if brought:
                _drop_overlapping(document, brought)
        self._brought = {}


def _drop_overlapping(document: BioCDocument, brought: set[int]) -> None:
    taken = sorted(
        span for mention in mentions(document) if id(mention.annotation) in brought for span in mention.spans
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
        if id(mention.annotation) not in brought and overlaps(mention)
    }
    for passage in document.passages:
        for holder in (passage, *passage.sentences):
            holder.annotations[:] = [a for a in holder.annotations if id(a) not in dropped]
