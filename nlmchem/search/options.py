"""The articles that `nlmchem search` and `nlmchem summary` read."""

from __future__ import annotations

from corpora.commands.options import argument


def indexed_argument() -> str:
    """Annotated articles, which get an index."""
    return argument("Annotated articles: a folder, a file, a glob pattern or an archive.", metavar="RUN")
