"""Scores of abbreviations: pairs of short and long form, and acronyms by the measures of SciAI."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corpora.commands.command import ResultTable
from corpora.datasets.acronyms import read_sciai
from corpora.datasets.registry import json_lines, listing, read_text, streams
from corpora.errors import ConfigurationError
from corpora.model.document import definitions
from corpora.reading import read
from corpora.reporting import Report, log
from corpora.storage.members import Member
from corpora.words.quantities import quantity
from nlmchem.evaluation.scores import (
    NOTHING,
    Counts,
    Score,
    count_fields,
    f1,
    figures,
    mean,
    score_fields,
    score_line,
    total,
)

FormPair = tuple[str, str]
"""Short form and long form, with single blanks."""

Pairs = Mapping[str, frozenset[FormPair]]
"""Document id -> its distinct pairs."""

_HEAD = 1 << 24


@dataclass(frozen=True, slots=True)
class DocumentPairs:
    """The pairs of one document: `right` on both sides, `missed` in gold only, `false` in the prediction only."""

    document: str
    right: tuple[FormPair, ...]
    missed: tuple[FormPair, ...]
    false: tuple[FormPair, ...]

    @property
    def counts(self) -> Counts:
        right = len(self.right)
        return Counts(right + len(self.missed), right, right + len(self.false), right)


@dataclass(frozen=True, slots=True)
class IdentificationScore:
    """Counts of acronym identification for each type of span, and their means."""

    short: Counts
    long: Counts

    @property
    def mean(self) -> Score:
        """Precision, recall and F1, averaged over both types."""
        return mean([self.short, self.long])

    @property
    def f1_of_means(self) -> float:
        """The harmonic mean of the averaged precision and recall, as published by the shared task."""
        return f1(self.mean.precision, self.mean.recall)


# -- pairs --------------------------------------------------------------------------------------


def check(gold: Pairs, predicted: Pairs, report: Report = log) -> None:
    """Report documents of a run without gold; raise `ConfigurationError` if none has gold. They are joined by id."""
    unknown = [name for name in predicted if name not in gold]
    if predicted and len(unknown) == len(predicted):
        raise ConfigurationError(
            "the gold standard and the run have no document id in common; give a run on the same documents"
        )
    if unknown:
        report(f"{quantity(len(unknown), 'document')} of the run not in the gold standard, ignored: {unknown[0]}...")


def compare_pairs(gold: Pairs, predicted: Pairs) -> list[DocumentPairs]:
    """One entry for each gold document, in the same order. All pairs of a document without prediction are missed."""
    documents = []
    for name, pairs in gold.items():
        found = predicted.get(name, frozenset())
        right, missed, false = (tuple(sorted(some)) for some in (pairs & found, pairs - found, found - pairs))
        documents.append(DocumentPairs(name, right, missed, false))
    return documents


def read_pairs(source: str, report: Report = log) -> dict[str, frozenset[FormPair]]:
    """The pairs of a file, folder, glob or archive of BioC, or of JSON lines.

    In BioC, short and long forms are annotations of type ABBR with a relation. JSON lines are either documents
    (`{"id": ..., "pairs": [[short, long], ...]}`) or definitions as `nlmchem abbreviations` prints them in JSON.
    Raises `ConfigurationError` if there is no file, `InputError` if a file cannot be read.
    """
    entries = listing(source)
    if not entries:
        raise ConfigurationError(f"no file found in {source}; check the path")
    pairs_of: defaultdict[str, set[FormPair]] = defaultdict(set)
    if _is_json_lines(entries[0]):
        for entry, stream in streams(entries):
            lines = read_text(stream, entry).split("\n")
            what = "a pair of short and long form"
            for document, pairs in json_lines(lines, entry, _pairs_of, what, "correct the line"):
                pairs_of[document].update(pairs)
    else:
        for bioc in read(source, report=report):
            pairs_of[str(bioc.id)].update(_pair(each.short_form, each.long_form) for each in definitions(bioc))
    return {name: frozenset(pairs) for name, pairs in pairs_of.items()}


def _pairs_of(row: Any) -> tuple[str, list[FormPair]]:
    if "pairs" in row:
        return str(row["id"]), [_pair(short, long) for short, long in row["pairs"]]
    return str(row["document"]), [_pair(row["short_form"], row["long_form"])]


def _pair(short: Any, long: Any) -> FormPair:
    return " ".join(str(short).split()), " ".join(str(long).split())


def _is_json_lines(entry: Member) -> bool:
    for _, stream in streams([entry]):
        try:
            first = json.loads(stream.readline(_HEAD))
        except ValueError:
            return False
        return isinstance(first, dict) and ("pairs" in first or "short_form" in first)
    return False


# -- acronym identification -----------------------------------------------------------------------


def is_tagged(source: str) -> bool:
    """Whether a file contains tagged sentences in the format of SciAI (a JSON list, or CSV)."""
    for _, stream in streams(listing(source)[:1]):
        head = stream.read(4096).lstrip()
        return head.startswith((b"id,sentence,labels",)) or (head.startswith(b"[") and b'"labels"' in head)
    return False


def read_tagged(source: str, report: Report = log) -> dict[str, tuple[str, ...]]:
    """Sentence id -> its labels. Raises `InputError`."""
    return {sentence.id: sentence.labels for sentence in read_sciai({"sentences": listing(source)}, report)}


def tagged_spans(labels: Sequence[str]) -> set[tuple[str, int, int]]:
    """The spans of BIO labels: (type, first token, last token + 1). An `I-` without `B-` begins a span, too."""
    spans: set[tuple[str, int, int]] = set()
    begin, kind = 0, ""
    for index, label in enumerate([*labels, "O"]):
        position, _, type = label.partition("-")
        if kind and not (position == "I" and type == kind):
            spans.add((kind, begin, index))
            kind = ""
        if position != "O" and not kind:
            begin, kind = index, type
    return spans


def score_identification(
    gold: Mapping[str, Sequence[str]], predicted: Mapping[str, Sequence[str]]
) -> IdentificationScore:
    """Score spans; a span is right if its tokens and its type are right (Veyseh et al. 2020).

    Raises `ConfigurationError` if a sentence is missing or has a different number of tokens.
    """
    counts = {"short": NOTHING, "long": NOTHING}
    for name, labels in gold.items():
        predicted_labels = predicted.get(name)
        if predicted_labels is None or len(predicted_labels) != len(labels):
            tokens = quantity(len(labels), "token")
            problem = (
                "is not in the prediction"
                if predicted_labels is None
                else f"has {tokens} in the gold standard and {len(predicted_labels)} in the prediction"
            )
            raise ConfigurationError(f"sentence {name!r} {problem}; use a prediction of the same sentences")
        sides = tagged_spans(labels), tagged_spans(predicted_labels)
        for kind in counts:
            gold_spans, predicted_spans = ({span for span in side if span[0] == kind} for side in sides)
            right = len(gold_spans & predicted_spans)
            counts[kind] += Counts(len(gold_spans), right, len(predicted_spans), right)
    return IdentificationScore(**counts)


# -- output ---------------------------------------------------------------------------------------


def pair_fields(documents: Sequence[DocumentPairs]) -> dict[str, Any]:
    """One JSON object: the scores of all documents, and scores, missed pairs and false pairs of each document."""
    rows = {
        scored.document: {**count_fields(scored.counts, 6), "missed": scored.missed, "false_alarms": scored.false}
        for scored in documents
    }
    return {"strict": count_fields(total(scored.counts for scored in documents), 6), "documents": rows}


def pairs_as_text(documents: Sequence[DocumentPairs]) -> Iterator[str]:
    """The scores, and a line for every missed or false pair: document, kind of error, short form, long form."""
    counts = total(scored.counts for scored in documents)
    yield f"{quantity(len(documents), 'document')}, {quantity(counts.gold, 'pair')}"
    yield _line("pairs", counts)
    for scored in documents:
        for what, pairs in (("missed", scored.missed), ("false alarm", scored.false)):
            for short, long in pairs:
                yield f"{scored.document}\t{what}\t{short}\t{long}"


def pairs_as_table(documents: Sequence[DocumentPairs]) -> ResultTable:
    """The scores of all documents (`*`), and the scores of each document."""
    scored = [
        ("*", total(of_document.counts for of_document in documents)),
        *((of_document.document, of_document.counts) for of_document in documents),
    ]
    rows = [(name, *figures(counts), counts.gold, counts.predicted, counts.right) for name, counts in scored]
    return ResultTable(("document", "precision", "recall", "f1", "gold", "predicted", "right"), rows)


def identification_fields(score: IdentificationScore) -> dict[str, Any]:
    """One JSON object: the scores of both types and their means."""
    means = {**score_fields(score.mean, 6), "f1_of_means": round(score.f1_of_means, 6)}
    return {"short": count_fields(score.short, 6), "long": count_fields(score.long, 6), "mean": means}


def identification_as_text(score: IdentificationScore) -> Iterator[str]:
    """The scores of both types and their means."""
    yield _line("short", score.short)
    yield _line("long", score.long)
    yield f"mean   {score_line(score.mean)} (of the means: {score.f1_of_means:.4f})"


def _line(name: str, counts: Counts) -> str:
    return f"{name:6} {score_line(counts)}  right {counts.right}, missed {counts.missed}, false {counts.false}"
