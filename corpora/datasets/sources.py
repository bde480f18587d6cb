"""Articles from what a user names: files of any format that is read, or a corpus by its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bioc import BioCDocument

from corpora.datasets.cards import ARTICLES
from corpora.datasets.registry import open_corpus
from corpora.errors import ConfigurationError
from corpora.reading import read
from corpora.reporting import Report, log

__all__ = ["documents"]


def documents(
    inputs: Sequence[str], corpus: str | None = None, split: str | None = None, report: Report = log
) -> Iterator[BioCDocument]:
    """The articles of all inputs. With `corpus` each input is a folder of that corpus, of which `split` is read.

    Raises `ConfigurationError` for a corpus that is not of articles, and whatever reading raises.
    """
    if corpus is None:
        if split is not None:
            raise ConfigurationError("a split is one of a corpus; add --corpus NAME, or leave --split out")
        return read(list(inputs), report=report)
    opened = [open_corpus(corpus, folder) for folder in inputs]
    for one in opened:
        if one.card.kind != ARTICLES:
            raise ConfigurationError(f"{corpus} holds {one.card.kind}, not articles; see `nlmchem corpora list`")
    return (document for one in opened for document in one.read(split, report))
