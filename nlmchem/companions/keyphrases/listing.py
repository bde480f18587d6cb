"""Keyphrases and their explanations as lines of text or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from indexing.terms.indexer import Contribution
from nlmchem.companions.keyphrases.keyphrase import Keyphrase
from nlmchem.companions.keyphrases.ranker import ExplainedPhrase, PhraseExplanation

COLUMNS = ("document", "rank", "score", "phrase", "stem", "occurrences")


def as_object(document: str, keyphrases: Sequence[Keyphrase]) -> dict[str, Any]:
    """For JSON: `{document, keyphrases: [{rank, score, phrase, stem, places: [[start, end]]}]}`.

    Scores have 4 decimals; places count code points from the start of the document.
    """
    phrases = [
        {
            "rank": keyphrase.rank,
            "score": None if keyphrase.score is None else round(keyphrase.score, 4),
            "phrase": keyphrase.phrase,
            "stem": keyphrase.stem,
            "places": [list(span) for span in keyphrase.places],
        }
        for keyphrase in keyphrases
    ]
    return {"document": document, "keyphrases": phrases}


def tsv_lines(document: str, keyphrases: Sequence[Keyphrase]) -> Iterator[str]:
    """One line for each keyphrase: the values of `COLUMNS`. Phrases have neither tabs nor line breaks."""
    name = " ".join(document.split())
    for keyphrase in keyphrases:
        score = "" if keyphrase.score is None else f"{keyphrase.score:.4f}"
        yield "\t".join(
            (name, str(keyphrase.rank), score, keyphrase.phrase, keyphrase.stem, str(len(keyphrase.places)))
        )


def explanation_as_object(explanation: PhraseExplanation) -> dict[str, Any]:
    """For JSON: `{document, version, threshold, number, base, candidates: [...]}`; numbers have 4 decimals."""
    return {
        "document": explanation.document,
        "version": explanation.version,
        "threshold": round(explanation.threshold, 4),
        "number": explanation.number,
        "base": round(explanation.base, 4),
        "candidates": [_candidate(candidate) for candidate in explanation.candidates],
    }


def explanation_as_text(explanation: PhraseExplanation, candidates: int, reasons: int) -> Iterator[str]:
    """A line for the article and one for each of the best candidates, `->` for a chosen one, with the reasons."""
    chosen = (
        f"the first {explanation.number}"
        if explanation.number is not None
        else f"lowest score {explanation.threshold:.4f}"
    )
    yield f"{explanation.document}: {chosen}, log-odds without features {explanation.base:.4f}"
    for candidate in explanation.candidates[:candidates]:
        why = "; ".join(map(_reason, candidate.contributions[:reasons]))
        yield f"{'->' if candidate.chosen else '  '} {candidate.score:.4f}\t{candidate.phrase}\t{why}"
    if not explanation.candidates:
        yield "the article has no phrase that can be a keyphrase"


def _candidate(candidate: ExplainedPhrase) -> dict[str, Any]:
    return {
        "phrase": candidate.phrase,
        "stem": candidate.stem,
        "score": round(candidate.score, 4),
        "chosen": candidate.chosen,
        "contributions": [item.as_dict() for item in candidate.contributions],
    }


def _reason(item: Contribution) -> str:
    return f"{item.feature} {item.value:.4g} ({item.contribution or 0.0:+.2f})"
