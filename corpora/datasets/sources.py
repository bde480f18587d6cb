"""Articles from the inputs of a command: files in any format, or a corpus by its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bioc import BioCDocument

from corpora.datasets.cards import ARTICLES
from corpora.datasets.registry import open_corpus
from corpora.errors import Argument, ConfigurationError, OptionError, command
from corpora.reading import read
from corpora.reporting import Report, log

__all__ = ["documents"]


def documents(
    inputs: Sequence[str], corpus: str | None = None, split: str | None = None, report: Report = log
) -> Iterator[BioCDocument]:
    """The articles of all inputs. With `corpus`, each input is a folder of that corpus, and `split` is read.

    Raises `ConfigurationError` for a corpus without articles, and the errors of reading.
    """
    if corpus is None:
        if split is not None:
            raise OptionError(
                "split", "needs a corpus; add ", Argument("corpus", "NAME"), ", or leave ", Argument("split"), " out"
            )
        return read(list(inputs), report=report)
    opened = [open_corpus(corpus, folder) for folder in inputs]
    for one in opened:
        if one.card.kind != ARTICLES:
            raise ConfigurationError(f"{corpus} contains {one.card.kind}, not articles; see {command('corpora list')}")
    return (document for one in opened for document in one.read(split, report))
