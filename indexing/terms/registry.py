"""Indexers by name: `default`, `title-abstract`, `rules`, `tfidf`, or the path of a trained model."""

from __future__ import annotations

from pathlib import Path

from corpora.errors import ConfigurationError
from indexing.terms.indexer import NO_CONCEPTS, Concepts, Indexer

DEFAULT = "default"
NAMES = (DEFAULT, "title-abstract", "rules", "tfidf")


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
    if name in ("title-abstract", "rules"):
        from indexing.terms.rules import TEAM_110, TITLE_ABSTRACT, RuleIndexer

        return RuleIndexer(TEAM_110 if name == "rules" else TITLE_ABSTRACT, known, threshold)
    return _with_model(name, known, threshold)


def _with_model(name: str, concepts: Concepts, threshold: float | None) -> Indexer:
    from indexing.terms import logistic
    from indexing.terms.tfidf import TfIdfIndexer

    if name not in NAMES and not Path(name).exists():
        raise ConfigurationError(f"there is no indexer {name!r}; choose from {', '.join(NAMES)}, or give a model file")
    model = logistic.read_model(logistic.DEFAULT if name in NAMES else Path(name))
    if name == "tfidf":
        own = model.tfidf_threshold if threshold is None else threshold
        return TfIdfIndexer(model.background, model.version, own, concepts)
    return logistic.LogisticIndexer(model, concepts, threshold, DEFAULT if name in NAMES else logistic.METHOD)
