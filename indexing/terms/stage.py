"""The pipeline stage of indexing: adds index terms to articles, best first."""

from __future__ import annotations

from collections.abc import Sequence

from bioc import BioCDocument

from corpora.errors import Argument, ArticleError, OptionError
from corpora.model.document import IndexTerm, add_index_terms, index_terms, remove_index_terms
from corpora.words.quantities import quantity
from indexing.terms.indexer import Indexer

EXISTING = ("keep", "replace", "error")


class IndexStage:
    """A stage that adds an index term for each chosen concept to the first passage of an article.

    `existing` controls index terms in the input. `keep`: they stay, and new terms are added. `replace`: they are
    removed first. `error`: the article fails. An article without passages has no mentions and gets no terms. `top`: at
    most so many of the chosen concepts, the best ones, are added.
    """

    def __init__(self, indexer: Indexer, existing: str = "keep", top: int | None = None) -> None:
        """Raises `ConfigurationError` for another value of `existing`."""
        if existing not in EXISTING:
            raise OptionError("existing", f"is {existing!r}; choose one of {', '.join(EXISTING)}")
        self._indexer = indexer
        self._existing = existing
        self._top = top

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        """Raises `ArticleError` for an article with index terms if `existing` is `error`."""
        for document in documents:
            there = {term.identifier for term in index_terms(document)}
            if there and self._existing == "error":
                raise ArticleError(
                    f"document {document.id!r} has {quantity(len(there), 'index term')} already; use ",
                    Argument("existing", "keep"),
                    " or ",
                    Argument("existing", "replace"),
                )
            if there and self._existing == "replace":
                remove_index_terms(document)
                there = set()
            choices = [choice for choice in self._indexer(document)[: self._top] if choice.identifier not in there]
            add_index_terms(document, [IndexTerm(term.identifier, term.entry_term, term.score) for term in choices])
