"""The options that name an indexer: the same for all commands and steps."""

from __future__ import annotations

from dataclasses import dataclass

from corpora.commands.options import option


@dataclass(frozen=True)
class IndexerOptions:
    """The indexer and the lowest score of its terms."""

    indexer: str | None = option(
        None,
        "Indexer: default, title-abstract, rules, tfidf, or the path of a model (.json).",
        metavar="NAME",
        default_text="default, the embedded model",
        by_content=True,
        advanced=True,
    )
    index_threshold: float | None = option(
        None,
        "Lowest score of an index term.",
        minimum=0,
        maximum=1,
        default_text="the indexer's own",
        advanced=True,
    )
