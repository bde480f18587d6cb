"""Matches of identifiers in a document, by the rules of the NLM-Chem track's script.

Strict: a set of (document, type, identifier). The infon is split at commas and each part counts, including `-`.
Approximate: see `nlmchem.evaluation.lca`. Index terms are scored in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from corpora.errors import command
from corpora.model.document import NO_CONCEPT
from corpora.model.hierarchy import Hierarchy
from corpora.reporting import Report
from nlmchem.evaluation import lca
from nlmchem.evaluation.articles import ArticlePair, ScoredArticle
from nlmchem.evaluation.scores import Counts

Places = Mapping[str, frozenset[int]]
"""Identifier -> the passages with annotations of this identifier, for one side of a document."""


@dataclass(frozen=True, slots=True)
class IdentifierSets:
    """The identifiers of both sides of a document, with their passages."""

    document: str
    passages: int
    gold: Places
    predicted: Places

    def counts(self) -> Counts:
        """The strict counts of the document."""
        both = len(self.gold.keys() & self.predicted.keys())
        return Counts(len(self.gold), both, len(self.predicted), both)


def collect(pair: ArticlePair, type: str) -> IdentifierSets:
    """The identifiers of a type in a document."""
    return IdentifierSets(pair.document, pair.passages, _places(pair.gold, type), _places(pair.predicted, type))


def _places(article: ScoredArticle, type: str) -> Places:
    found: dict[str, set[int]] = {}
    for annotation in article.of_type(type):
        for identifier in annotation.identifiers:
            found.setdefault(identifier, set()).add(annotation.passage)
    return {identifier: frozenset(passages) for identifier, passages in found.items()}


def approximate(sets: IdentifierSets, hierarchy: Hierarchy) -> Counts | None:
    """The LCA counts of a document; None if neither side has an identifier, which excludes it from means."""
    if not sets.gold and not sets.predicted:
        return None
    return lca.compare(sets.gold.keys(), sets.predicted.keys(), hierarchy)


def report_odd_identifiers(article: ScoredArticle, type: str, side: str, report: Report) -> None:
    """Report identifiers that are empty or surrounded by blanks; the track's script does not change them."""
    odd = {part for item in article.of_type(type) for part in item.identifiers if not part or part != part.strip()}
    for part in sorted(odd):
        report(
            f"{side}, document {article.name!r}: the identifier {part!r} is empty or surrounded by blanks and is "
            "compared unchanged; correct the infon"
        )


def report_spelling(of_run: Iterable[IdentifierSets], run: str, report: Report) -> None:
    """Report a run that writes identifiers differently from the gold standard (`D014867`), so that none match."""
    gold: dict[str, str] = {}
    predicted: dict[str, str] = {}
    for sets in of_run:
        gold.update((_bare(id), id) for id in sets.gold)
        predicted.update((_bare(id), id) for id in sets.predicted)
    both = gold.keys() & predicted.keys() - {NO_CONCEPT}
    if both and not any(gold[bare] == predicted[bare] for bare in both):
        bare = min(both)
        report(
            f"{run} has {predicted[bare]} and the gold standard has {gold[bare]}, so no identifiers match; "
            f"use the same spelling in both ({command('corpora convert')} does this for the corpora that it reads)"
        )


def _bare(identifier: str) -> str:
    return identifier.rpartition(":")[2].upper()


def report_unknown(identifiers: Iterable[str], side: str, hierarchy: Hierarchy, report: Report) -> None:
    """Report the identifiers of a side that the hierarchy does not contain, in one sentence."""
    unknown = sorted({id for id in identifiers if id != NO_CONCEPT and id not in hierarchy})
    if unknown:
        some = ", ".join(unknown[:3]) + (", ..." if len(unknown) > 3 else "")
        report(
            f"{side}: {len(unknown)} identifiers are not in the parents file ({some}); "
            "they have no ancestors, so only exact matches count"
        )
