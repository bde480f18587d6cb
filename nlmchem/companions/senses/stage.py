"""The pipeline stage `expand`: writes inferred long forms of undefined short forms into articles."""

from __future__ import annotations

from collections.abc import Sequence

from bioc import BioCDocument

from corpora.model.document import fresh_ids, text_at
from corpora.model.metadata import is_english, word_counts
from corpora.model.passages import passage_text
from corpora.model.short_forms import Inferred, add_inferred, remove_inferred
from corpora.reporting import Report, log
from nlmchem.companions.senses.resolver import THRESHOLD, Resolver


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
    counts = word_counts(document)
    if not is_english(counts):
        report(f"article {document.id} is not in English; its short forms are not expanded")
        return 0
    remove_inferred(document)
    answers = resolver.resolve(document, counts=counts)
    answers = [answer for answer in answers if answer.long_form is not None and answer.score >= threshold]
    ids = fresh_ids(document, "EXP")
    for answer in answers:
        for passage, span in answer.undefined.places:
            form = text_at(passage_text(passage), passage.offset, span)
            facts = answer.score, answer.alternatives, answer.articles, answer.identifier
            add_inferred(passage, Inferred(form, str(answer.long_form), span, *facts), next(ids))
    return len(answers)
