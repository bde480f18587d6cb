"""Indexers by name: `default`, `title-abstract`, `rules`, `tfidf`, a plugin, or the path of a trained model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from corpora.commands.options import option
from corpora.errors import ConfigurationError
from corpora.plugins import Registry
from indexing.terms.indexer import NO_CONCEPTS, Concepts, Indexer

DEFAULT = "default"


@dataclass(frozen=True)
class IndexerOptions:
    """The indexer and the lowest score of its terms: the same options for all commands and steps."""

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


@dataclass(frozen=True, slots=True)
class IndexerEntry:
    """An indexer with a name: `make(concepts, threshold)` opens it, see `open_indexer`."""

    make: Callable[[Concepts, float | None], Indexer]


def open_indexer(given: str | None, concepts: Concepts | None = None, threshold: float | None = None) -> Indexer:
    """Open an indexer; None and `default` mean the embedded model.

    `concepts`: the lexicon of the mentions' identifiers; it has the names of concepts, and which are chemicals.
    `threshold`: the lowest score that is chosen, instead of the indexer's own. Raises `ConfigurationError` for a name
    that is neither an indexer nor a file and for a threshold outside 0..1, `ResourceError` for a file that is not a
    model of this version.
    """
    if threshold is not None and not 0 <= threshold <= 1:
        raise ConfigurationError(f"the threshold of the indexer is {threshold:g}; give a number from 0 to 1")
    known = concepts or NO_CONCEPTS
    name = given or DEFAULT
    entry = INDEXERS.get(name)
    if entry is not None:
        return entry.make(known, threshold)
    if not Path(name).exists():
        names = ", ".join(INDEXERS.names())
        raise ConfigurationError(f"there is no indexer {name!r}; choose from {names}, or give a model file")
    return _with_model(None, Path(name), known, threshold)


def _with_rules(name: str, concepts: Concepts, threshold: float | None) -> Indexer:
    from indexing.terms.baselines import TEAM_110, TITLE_ABSTRACT, rule_indexer

    return rule_indexer(TEAM_110 if name == "rules" else TITLE_ABSTRACT, concepts, threshold)


def _with_model(name: str | None, path: Path | None, concepts: Concepts, threshold: float | None) -> Indexer:
    from indexing.terms import logistic
    from indexing.terms.baselines import tfidf_indexer

    model = logistic.read_model(path or logistic.DEFAULT)
    if name == "tfidf":
        lowest = model.tfidf_threshold if threshold is None else threshold
        return tfidf_indexer(model.background, model.version, lowest, concepts)
    return logistic.LogisticIndexer(model, concepts, threshold, name or logistic.METHOD)


INDEXERS = Registry(
    "nlmchem.indexers",
    IndexerEntry,
    {
        DEFAULT: IndexerEntry(partial(_with_model, DEFAULT, None)),
        "title-abstract": IndexerEntry(partial(_with_rules, "title-abstract")),
        "rules": IndexerEntry(partial(_with_rules, "rules")),
        "tfidf": IndexerEntry(partial(_with_model, "tfidf", None)),
    },
)
