"""Explains the index terms of an article: each candidate with its features, as plain data."""

from __future__ import annotations

from typing import Any

from bioc import BioCDocument

from indexing.indexer import Contribution, Explained, Indexer

__all__ = ["explain"]


def explain(document: BioCDocument, indexer: Indexer) -> dict[str, Any]:
    """Every candidate of an article, best first, as plain data; numbers have 4 decimals.

    `{document, indexer, version, threshold, base, candidates: [{identifier, entry_term, score, chosen, contributions:
    [{feature, value, contribution}]}]}`. The log-odds of a logistic score are the sum of `base` and all contributions.
    `base` and `contribution` are None for indexers with rules instead of weights.
    """
    found = indexer.explain(document)
    return {
        "document": found.document,
        "indexer": found.indexer,
        "version": found.version,
        "threshold": round(found.threshold, 4),
        "base": _rounded(found.base),
        "candidates": [_candidate(candidate) for candidate in found.candidates],
    }


def _candidate(candidate: Explained) -> dict[str, Any]:
    return {
        "identifier": candidate.identifier,
        "entry_term": candidate.entry_term,
        "score": round(candidate.score, 4),
        "chosen": candidate.chosen,
        "contributions": [_contribution(item) for item in candidate.contributions],
    }


def _contribution(item: Contribution) -> dict[str, Any]:
    return {
        "feature": item.feature,
        "value": round(item.value, 4),
        "contribution": _rounded(item.contribution),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
