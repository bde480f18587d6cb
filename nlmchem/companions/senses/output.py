"""Lists the undefined short forms of many articles with their most probable senses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bioc import BioCDocument

from corpora.model.inferred import DICTIONARY
from corpora.model.language import is_english, word_counts
from corpora.reporting import Report
from nlmchem.abbreviations.article.output import each_article
from nlmchem.companions.senses.resolver import Answer, Resolver

COLUMNS = (
    "document", "short_form", "long_form", "strategy", "score", "short_start", "places", "alternatives",
    "identifier",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Expanded:
    """The result for one article. `undefined`, `known`, `answered`: numbers of distinct short forms."""

    lines: tuple[str, ...] = ()
    articles: int = 0
    failed: int = 0
    undefined: int = 0
    known: int = 0
    answered: int = 0


def lines(
    sources: Sequence[str], resolver: Resolver, threshold: float, as_json: bool, report: Report
) -> Iterator[Expanded]:
    """The senses whose probability reaches the threshold; see `each_article`.

    Articles that are not in English are reported by name and skipped.
    """
    line = json_line if as_json else tsv_line

    def found(article: BioCDocument) -> Expanded:
        document = str(article.id)
        counts = word_counts(article)
        if not is_english(counts):
            report(f"article {document} is not in English; its short forms are not expanded")
            return Expanded(articles=1)
        answers = resolver.resolve(article, counts=counts)
        given = [answer for answer in answers if answer.long_form is not None and answer.score >= threshold]
        return Expanded(
            tuple(line(document, answer) for answer in given),
            articles=1,
            undefined=len(answers),
            known=sum(answer.long_form is not None for answer in answers),
            answered=len(given),
        )

    return each_article(sources, report, found, Expanded(failed=1))


def json_line(document: str, answer: Answer) -> str:
    """An answer as JSON. The offset counts code points from the start of the document; scores have 4 decimals."""
    fields = {
        "document": document,
        "short_form": answer.form,
        "long_form": answer.long_form,
        "strategy": DICTIONARY,
        "score": round(answer.score, 4),
        "short_start": answer.undefined.places[0][1][0],
        "places": len(answer.undefined.places),
        "alternatives": [[long, round(score, 4)] for long, score in answer.alternatives],
        "identifier": answer.identifier or None,
    }
    return json.dumps(fields, ensure_ascii=False)


def tsv_line(document: str, answer: Answer) -> str:
    """An answer as a tab-separated line, in the order of `COLUMNS`."""
    others = "; ".join(f"{long} ({score:.4f})" for long, score in answer.alternatives)
    start = answer.undefined.places[0][1][0]
    fields = (document, answer.form, str(answer.long_form), DICTIONARY, f"{answer.score:.4f}", str(start))
    last = str(len(answer.undefined.places)), others, answer.identifier
    return "\t".join(" ".join(field.split()) for field in (*fields, *last))
