"""Index terms as TSV or JSON lines, and their explanations as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bioc import BioCDocument

from corpora.model.document import index_terms
from corpora.model.metadata import article_ids
from indexing.terms.indexer import Contribution, ExplainedTerm, Indexer

COLUMNS = ("document", "pmid", "rank", "identifier", "entry_term", "score")
SUGGESTED = ("document", "rank", "identifier", "entry_term", "score", "chosen")

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def tsv_lines(documents: Iterable[BioCDocument], heading: bool = True) -> Iterator[str]:
    """Lines without line breaks: the names of the columns, then one line for each index term, in the order of the file.

    Tabs, line breaks and backslashes in a value are written as `\\t`, `\\n`, `\\r` and `\\\\`. Unknown values are
    empty. An article without index terms has no line here, but has one in `as_objects`.
    """
    if heading:
        yield "\t".join(COLUMNS)
    for document in documents:
        pmid = article_ids(document).get("pmid", "")
        for rank, term in enumerate(index_terms(document), 1):
            score = "" if term.score is None else f"{term.score:.4f}"
            cells = (str(document.id), pmid, str(rank), term.identifier, term.entry_term or "", score)
            yield _row(cells)


def _row(cells: Iterable[str]) -> str:
    return "\t".join(cell.translate(_ESCAPES) for cell in cells)


def suggestion_lines(explanation: Mapping[str, Any], number: int | None = None) -> Iterator[str]:
    """One line for each of the `number` best candidates of an explanation (`explain`); None: all of them."""
    for rank, candidate in enumerate(explanation["candidates"][:number], 1):
        chosen = "yes" if candidate["chosen"] else "no"
        score = f"{candidate['score']:.4f}"
        yield _row(
            (explanation["document"], str(rank), candidate["identifier"], candidate["entry_term"], score, chosen)
        )


def suggestion(explanation: Mapping[str, Any], number: int | None = None) -> dict[str, Any]:
    """The same as one object: `{document, indexer, threshold, terms: [{identifier, entry_term, score, chosen}]}`."""
    keys = ("identifier", "entry_term", "score", "chosen")
    terms = [{key: candidate[key] for key in keys} for candidate in explanation["candidates"][:number]]
    shown = {key: explanation[key] for key in ("document", "indexer", "threshold")}
    return {**shown, "terms": terms}


def as_objects(documents: Iterable[BioCDocument]) -> Iterator[dict[str, Any]]:
    """One object for each article: `{document, pmid, terms: [{identifier, entry_term, score}]}`. Unknown is null."""
    for document in documents:
        terms = [
            {"identifier": term.identifier, "entry_term": term.entry_term, "score": term.score}
            for term in index_terms(document)
        ]
        yield {"document": str(document.id), "pmid": article_ids(document).get("pmid"), "terms": terms}


def explain(document: BioCDocument, indexer: Indexer) -> dict[str, Any]:
    """Every candidate of an article, best first, as plain data; numbers have 4 decimals.

    `{document, indexer, version, threshold, base, candidates: [{identifier, entry_term, score, chosen, contributions:
    [{feature, value, contribution}]}]}`. The log-odds of a logistic score are the sum of `base` and all contributions.
    `base` and `contribution` are None for indexers with rules instead of weights.
    """
    explanation = indexer.explain(document)
    return {
        "document": explanation.document,
        "indexer": explanation.indexer,
        "version": explanation.version,
        "threshold": round(explanation.threshold, 4),
        "base": _rounded(explanation.base),
        "candidates": [_candidate(candidate) for candidate in explanation.candidates],
    }


def _candidate(candidate: ExplainedTerm) -> dict[str, Any]:
    return {
        "identifier": candidate.identifier,
        "entry_term": candidate.entry_term,
        "score": round(candidate.score, 4),
        "chosen": candidate.chosen,
        "contributions": [contribution_fields(item) for item in candidate.contributions],
    }


def contribution_fields(item: Contribution) -> dict[str, Any]:
    """For JSON: `{feature, value, contribution}`; numbers have 4 decimals."""
    return {
        "feature": item.feature,
        "value": round(item.value, 4),
        "contribution": _rounded(item.contribution),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
