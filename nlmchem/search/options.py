"""The articles that `nlmchem search` and `nlmchem summary` read."""

from __future__ import annotations

from dataclasses import dataclass

from corpora.commands.options import argument


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedArticles:
    """Annotated articles, which get an index."""

    articles: str = argument("Annotated articles: a folder, a file, a glob pattern or an archive.", metavar="RUN")
