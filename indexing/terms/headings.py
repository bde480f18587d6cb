"""Headings that supplementary records of an article map to.

A supplementary record is a substance without a heading of its own in MeSH. Each record names the headings that it maps
to (`Heading Mapped To`). When indexers of MEDLINE choose a record, these headings are added to the article (NLM,
"Supplementary Concept Records"). The article itself need not mention them, so they are no candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from corpora.model.mesh_ids import is_descriptor
from indexing.learning.linear import Flags, Floats
from indexing.terms.candidates import ArticleCandidates, is_chemical
from indexing.terms.indexer import Concepts

Records = Mapping[str, tuple[int, ...]]
"""A heading -> the numbers of the candidates that are supplementary records and map to it."""


def records_of(article: ArticleCandidates, concepts: Concepts) -> Records:
    """The headings that the article's supplementary records map to, sorted by identifier.

    Headings are those of the lexicon's year in use. Headings that are no chemicals, or that the lexicon does not have,
    are left out.
    """
    rows: dict[str, list[int]] = {}
    for number, candidate in enumerate(article.candidates):
        if not is_descriptor(candidate.identifier):
            translated = {concepts.translate(parent) for parent in concepts.parents(candidate.identifier)}
            for heading in translated - {None, candidate.identifier}:
                rows.setdefault(str(heading), []).append(number)
    return {heading: tuple(rows[heading]) for heading in sorted(rows) if _is_known_chemical(heading, concepts)}


def _is_known_chemical(heading: str, concepts: Concepts) -> bool:
    return concepts.preferred_name(heading) is not None and is_chemical(heading, concepts)


def with_headings(article: ArticleCandidates, scores: Sequence[float] | Floats, records: Records) -> dict[str, float]:
    """The score of each candidate, then those of headings that no mention names.

    The score of a heading is the greatest of its own and those of its records: a chosen record brings its headings.
    """
    scored = {candidate.identifier: float(score) for candidate, score in zip(article.candidates, scores, strict=True)}
    for heading, numbers in records.items():
        scored[heading] = max(scored.get(heading, 0.0), *(float(scores[number]) for number in numbers))
    return scored


def extended(
    articles: Iterable[tuple[ArticleCandidates, frozenset[str], Records]], scores: Floats
) -> tuple[Floats, Flags]:
    """Scores and labels of the candidates of several articles and of the headings of their records.

    `articles`: candidates, index terms and records of each. `scores`: one for each candidate, article by article.
    """
    values: list[float] = []
    labels: list[bool] = []
    begin = 0
    for article, gold, records in articles:
        end = begin + len(article.candidates)
        scored = with_headings(article, scores[begin:end], records)
        values += scored.values()
        labels += [identifier in gold for identifier in scored]
        begin = end
    return np.array(values), np.array(labels, dtype=bool)
