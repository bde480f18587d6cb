"""The pipeline stage of keyphrases: adds keyphrases to articles, best first."""

from __future__ import annotations

from collections.abc import Sequence

from bioc import BioCDocument

from corpora.errors import Argument, ArticleError
from nlmchem.companions.keyphrases.keyphrase import add_keyphrases, keyphrases, remove_keyphrases
from nlmchem.companions.keyphrases.ranker import KeyphraseRanker


class KeyphraseStage:
    """A stage that adds the keyphrases of each article to its first passage.

    `existing` controls keyphrases in the input. `keep`: they stay, and the article gets no others, because two
    rankings in one article cannot be compared. `replace`: they are removed first. `error`: the article fails.
    """

    def __init__(self, ranker: KeyphraseRanker, existing: str = "keep") -> None:
        self._ranker = ranker
        self._existing = existing

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        """Raises `ArticleError` for an article with keyphrases if `existing` is `error`."""
        for document in documents:
            there = sum(1 for _ in keyphrases(document))
            if there and self._existing == "error":
                raise ArticleError(
                    f"document {document.id!r} has {there} keyphrases already; use ",
                    Argument("existing", "keep"),
                    " or ",
                    Argument("existing", "replace"),
                )
            if there and self._existing == "keep":
                continue
            remove_keyphrases(document)
            add_keyphrases(document, self._ranker(document))
