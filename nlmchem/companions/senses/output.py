"""Senses of undefined short forms, written into articles (the stage `expand`) or listed for many articles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bioc import BioCDocument

from corpora.model.document import fresh_ids, text_at
from corpora.model.metadata import is_english, word_counts
from corpora.model.passages import passage_text
from corpora.model.short_forms import DICTIONARY, Inferred, add_inferred, remove_inferred
from corpora.reporting import Report, log
from nlmchem.abbreviations.stage import each_article
from nlmchem.abbreviations.undefined import Expanded, SenseQuery, SenseSource
from nlmchem.companions.senses.resolver import THRESHOLD, Answer, Resolver, open_resolver


class ExpandStage:
    """Writes long forms whose probability reaches a threshold. Articles do not affect each other."""

    def __init__(self, resolver: Resolver, threshold: float = THRESHOLD, report: Report = log) -> None:
        self._resolver = resolver
        self._threshold = threshold
        self._report = report

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        for document in documents:
            expand(document, self._resolver, self._threshold, self._report)


def expand(document: BioCDocument, resolver: Resolver, threshold: float = THRESHOLD, report: Report = log) -> int:
    """Write the inferred long forms of an article, at each place of the short form. Returns the number of short forms.

    Inferred long forms of an earlier run are replaced. An article in another language is reported and not changed.
    """
    resolved = _resolved(document, resolver, report)
    if resolved is None:
        return 0
    remove_inferred(document)
    answers = [answer for answer in resolved if answer.long_form is not None and answer.score >= threshold]
    ids = fresh_ids(document, "EXP")
    for answer in answers:
        for passage, span in answer.places:
            form = text_at(passage_text(passage), passage.offset, span)
            facts = answer.score, answer.alternatives, answer.articles, answer.identifier
            add_inferred(passage, Inferred(form, str(answer.long_form), span, *facts), next(ids))
    return len(answers)


def _resolved(document: BioCDocument, resolver: Resolver, report: Report) -> list[Answer] | None:
    """The answers for an article; one in another language is reported (None)."""
    counts = word_counts(document)
    if is_english(counts):
        return resolver.resolve(document, counts=counts)
    report(f"article {document.id} is not in English; its short forms are not expanded")
    return None


COLUMNS = (
    "document", "short_form", "long_form", "strategy", "score", "short_start", "places", "alternatives",
    "identifier",
)  # fmt: skip


def answers(sources: Sequence[str], query: SenseQuery, report: Report) -> Iterator[Expanded]:
    """The senses whose probability reaches the threshold; see `each_article`.

    Articles that are not in English are reported by name and skipped. Raises `ResourceError` as `open_resolver` does.
    """
    resolver = open_resolver(query.dictionary, report, query.encoder)
    threshold = THRESHOLD if query.threshold is None else query.threshold

    def expanded(article: BioCDocument) -> Expanded:
        resolved = _resolved(article, resolver, report)
        if resolved is None:
            return Expanded(articles=1)
        given = [answer for answer in resolved if answer.long_form is not None and answer.score >= threshold]
        objects = [as_object(str(article.id), answer) for answer in given]
        return Expanded(
            tuple(objects),
            tuple(map(tsv_line, objects)),
            articles=1,
            undefined=len(resolved),
            known=sum(answer.long_form is not None for answer in resolved),
            answered=len(given),
        )

    return each_article(sources, report, expanded, Expanded(failed=1))


SOURCE = SenseSource(COLUMNS, answers)


def as_object(document: str, answer: Answer) -> dict[str, Any]:
    """An answer for JSON. The offset counts code points from the start of the document; scores have 4 decimals."""
    return {
        "document": document,
        "short_form": answer.form,
        "long_form": answer.long_form,
        "strategy": DICTIONARY,
        "score": round(answer.score, 4),
        "short_start": answer.places[0][1][0],
        "places": len(answer.places),
        "alternatives": [[long, round(score, 4)] for long, score in answer.alternatives],
        "identifier": answer.identifier or None,
    }


def tsv_line(value: Mapping[str, Any]) -> str:
    """An answer (`as_object`) as a tab-separated line, in the order of `COLUMNS`."""
    others = "; ".join(f"{long} ({score:.4f})" for long, score in value["alternatives"])
    shown = {**value, "score": f"{value['score']:.4f}", "alternatives": others, "identifier": value["identifier"] or ""}
    return "\t".join(" ".join(str(shown[column]).split()) for column in COLUMNS)
