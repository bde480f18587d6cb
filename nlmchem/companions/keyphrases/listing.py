"""Keyphrases and their explanations as lines of text or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from indexing.terms.indexer import Contribution
from nlmchem.companions.keyphrases.keyphrase import Keyphrase
from nlmchem.companions.keyphrases.ranker import ExplainedPhrase, PhraseExplanation

COLUMNS = ("document", "rank", "score", "phrase", "stem", "occurrences")


def as_object(document: str, found: Sequence[Keyphrase]) -> dict[str, Any]:
    """For JSON: `{document, keyphrases: [{rank, score, phrase, stem, places: [[start, end]]}]}`.

    Scores have 4 decimals; places count code points from the start of the document.
    """
    phrases = [
        {
            "rank": one.rank,
            "score": None if one.score is None else round(one.score, 4),
            "phrase": one.phrase,
            "stem": one.stem,
            "places": [list(span) for span in one.places],
        }
        for one in found
    ]
    return {"document": document, "keyphrases": phrases}


def tsv_lines(document: str, found: Sequence[Keyphrase]) -> Iterator[str]:
    """One line for each keyphrase: the values of `COLUMNS`. Phrases have neither tabs nor line breaks."""
    name = " ".join(document.split())
    for one in found:
        score = "" if one.score is None else f"{one.score:.4f}"
        yield "\t".join((name, str(one.rank), score, one.phrase, one.stem, str(len(one.places))))


def explanation_as_object(found: PhraseExplanation) -> dict[str, Any]:
    """For JSON: `{document, version, threshold, number, base, candidates: [...]}`; numbers have 4 decimals."""
    return {
        "document": found.document,
        "version": found.version,
        "threshold": round(found.threshold, 4),
        "number": found.number,
        "base": round(found.base, 4),
        "candidates": [_candidate(candidate) for candidate in found.candidates],
    }


def explanation_as_text(found: PhraseExplanation, candidates: int, reasons: int) -> Iterator[str]:
    """A line for the article and one for each of the best candidates, `->` for a chosen one, with the reasons."""
    chosen = f"the first {found.number}" if found.number is not None else f"lowest score {found.threshold:.4f}"
    yield f"{found.document}: {chosen}, log-odds without features {found.base:.4f}"
    for one in found.candidates[:candidates]:
        why = "; ".join(map(_reason, one.contributions[:reasons]))
        yield f"{'->' if one.chosen else '  '} {one.score:.4f}\t{one.phrase}\t{why}"
    if not found.candidates:
        yield "the article has no phrase that can be a keyphrase"


def _candidate(found: ExplainedPhrase) -> dict[str, Any]:
    return {
        "phrase": found.phrase,
        "stem": found.stem,
        "score": round(found.score, 4),
        "chosen": found.chosen,
        "contributions": [_contribution(item) for item in found.contributions],
    }


def _contribution(item: Contribution) -> dict[str, Any]:
    added = round(item.contribution or 0.0, 4)
    return {"feature": item.feature, "value": round(item.value, 4), "contribution": added}


def _reason(item: Contribution) -> str:
    return f"{item.feature} {item.value:.4g} ({item.contribution or 0.0:+.2f})"
