"""Abbreviations against a gold standard: pairs of short and long form, and acronyms as SciAI scores them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corpora.datasets.acronyms import read_sciai
from corpora.datasets.corpus_files import listing, read_text, streams
from corpora.errors import ConfigurationError, InputError
from corpora.model.document import definitions
from corpora.reading import read
from corpora.reporting import Report, log
from corpora.storage.members import Member
from nlmchem.evaluation.scores import NOTHING, Counts, Score, f1, mean, total

__all__ = [
    "DocumentPairs",
    "IdentificationScore",
    "Pair",
    "Pairs",
    "compare_pairs",
    "identification_as_json",
    "identification_as_text",
    "is_tagged",
    "pairs_as_json",
    "pairs_as_text",
    "pairs_as_tsv",
    "read_pairs",
    "read_tagged",
    "score_identification",
    "tagged_spans",
]

Pair = tuple[str, str]
"""Short form, long form, their blanks single."""

Pairs = Mapping[str, frozenset[Pair]]
"""The pairs of each document, by document id; each pair once a document, however often it is defined."""

_HEAD = 1 << 24


@dataclass(frozen=True, slots=True)
class DocumentPairs:
    """One document: what both sides have, what the prediction misses, and what only it has."""

    document: str
    right: tuple[Pair, ...]
    missed: tuple[Pair, ...]
    false: tuple[Pair, ...]

    @property
    def counts(self) -> Counts:
        right = len(self.right)
        return Counts(right + len(self.missed), right, right + len(self.false), right)


@dataclass(frozen=True, slots=True)
class IdentificationScore:
    """Acronym identification: counts of spans for each type, and their means.

    `mean` averages precision, recall and F1 over the types; `f1_of_means` is the harmonic mean of the averaged
    precision and recall, which the shared task published.
    """

    short: Counts
    long: Counts

    @property
    def mean(self) -> Score:
        return mean([self.short, self.long])

    @property
    def f1_of_means(self) -> float:
        return f1(self.mean.precision, self.mean.recall)


# -- pairs --------------------------------------------------------------------------------------


def compare_pairs(gold: Pairs, predicted: Pairs) -> list[DocumentPairs]:
    """Each gold document, in their order; a document that the prediction lacks is all missed."""
    return [_document(name, pairs, predicted.get(name, frozenset())) for name, pairs in gold.items()]


def _document(name: str, gold: frozenset[Pair], predicted: frozenset[Pair]) -> DocumentPairs:
    return DocumentPairs(
        name, tuple(sorted(gold & predicted)), tuple(sorted(gold - predicted)), tuple(sorted(predicted - gold))
    )


def read_pairs(source: str, report: Report = log) -> dict[str, frozenset[Pair]]:
    """The pairs of a file, folder, glob or archive of BioC, or of JSON lines.

    BioC holds short and long forms as annotations of type ABBR with a relation. JSON lines are either documents
    (`{"id": ..., "pairs": [[short, long], ...]}`) or definitions, as `nlmchem abbreviations --json` prints them.
    Raises `ConfigurationError` where there is nothing, `InputError` where it cannot be read.
    """
    entries = listing(source)
    if not entries:
        raise ConfigurationError(f"{source} holds no file; check the path")
    found: dict[str, set[Pair]] = {}
    if _holds_lines(entries[0]):
        for entry, stream in streams(entries):
            _read_lines(read_text(stream, entry), str(entry), found)
    else:
        for document in read(source, report=report):
            own = found.setdefault(str(document.id), set())
            own.update(_pair(one.short_form, one.long_form) for one in definitions(document))
    return {name: frozenset(pairs) for name, pairs in found.items()}


def _pair(short: Any, long: Any) -> Pair:
    return " ".join(str(short).split()), " ".join(str(long).split())


def _holds_lines(entry: Member) -> bool:
    for _, stream in streams([entry]):
        head = stream.readline(_HEAD)
        try:
            first = json.loads(head)
        except ValueError:
            return False
        return isinstance(first, dict) and ("pairs" in first or "short_form" in first)
    return False


def _read_lines(text: str, where: str, found: dict[str, set[Pair]]) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if "pairs" in row:
                found.setdefault(str(row["id"]), set()).update(_pair(short, long) for short, long in row["pairs"])
            else:
                found.setdefault(str(row["document"]), set()).add(_pair(row["short_form"], row["long_form"]))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{where}, line {number}: no pairs of short and long form ({error}); mend the line"
            ) from error


# -- acronym identification -----------------------------------------------------------------------


def is_tagged(source: str) -> bool:
    """Whether a file holds tagged sentences, as SciAI does (a JSON list, or CSV), and no pairs."""
    for _, stream in streams(listing(source)[:1]):
        head = stream.read(4096).lstrip()
        return head.startswith((b"id,sentence,labels",)) or (head.startswith(b"[") and b'"labels"' in head)
    return False


def read_tagged(source: str, report: Report = log) -> dict[str, tuple[str, ...]]:
    """The labels of each sentence, by its id. Raises `InputError`."""
    return {sentence.id: sentence.labels for sentence in read_sciai({"sentences": listing(source)}, report)}


def tagged_spans(labels: Sequence[str]) -> set[tuple[str, int, int]]:
    """The spans of BIO labels: (type, first token, token behind the last). A lone `I-` begins a span, too."""
    spans: set[tuple[str, int, int]] = set()
    begin, kind = 0, ""
    for index, label in enumerate([*labels, "O"]):
        position, _, own = label.partition("-")
        if kind and not (position == "I" and own == kind):
            spans.add((kind, begin, index))
            kind = ""
        if position != "O" and not kind:
            begin, kind = index, own
    return spans


def score_identification(
    gold: Mapping[str, Sequence[str]], predicted: Mapping[str, Sequence[str]]
) -> IdentificationScore:
    """A predicted span counts if its tokens and its type are right (Veyseh et al. 2020).

    Raises `ConfigurationError` where a sentence is missing, or has another number of tokens.
    """
    short, long = NOTHING, NOTHING
    for name, labels in gold.items():
        own = predicted.get(name)
        if own is None or len(own) != len(labels):
            reason = "is not in the prediction" if own is None else f"has {len(labels)} tokens there, {len(own)} here"
            raise ConfigurationError(f"sentence {name!r} {reason}; predict the same sentences")
        spans, found = tagged_spans(labels), tagged_spans(own)
        short += _counts(spans, found, "short")
        long += _counts(spans, found, "long")
    return IdentificationScore(short, long)


def _counts(gold: Iterable[tuple[str, int, int]], predicted: Iterable[tuple[str, int, int]], kind: str) -> Counts:
    own = {span for span in gold if span[0] == kind}
    found = {span for span in predicted if span[0] == kind}
    right = len(own & found)
    return Counts(len(own), right, len(found), right)


# -- output ---------------------------------------------------------------------------------------


def pairs_as_json(documents: Sequence[DocumentPairs]) -> str:
    """One object: the scores of all, and scores, misses and false alarms of each document."""
    fields = {
        "strict": _fields(total(one.counts for one in documents)),
        "documents": {
            one.document: {**_fields(one.counts), "missed": one.missed, "false_alarms": one.false} for one in documents
        },
    }
    return json.dumps(fields, ensure_ascii=False)


def pairs_as_text(documents: Sequence[DocumentPairs]) -> Iterator[str]:
    """The scores, and a line for every miss and false alarm: document, what it is, short form, long form."""
    counts = total(one.counts for one in documents)
    yield f"{len(documents)} documents, {counts.gold} pairs"
    yield _line("pairs", counts)
    for one in documents:
        for what, pairs in (("missed", one.missed), ("false alarm", one.false)):
            for short, long in pairs:
                yield f"{one.document}\t{what}\t{short}\t{long}"


def pairs_as_tsv(documents: Sequence[DocumentPairs]) -> Iterator[str]:
    """Scores by document, the whole (`*`) first."""
    yield "\t".join(("document", "precision", "recall", "f1", "gold", "predicted", "right"))
    rows = [("*", total(one.counts for one in documents)), *((one.document, one.counts) for one in documents)]
    for name, own in rows:
        figures = (f"{value:.4f}" for value in (own.precision, own.recall, own.f1))
        yield "\t".join((name, *figures, *map(str, (own.gold, own.predicted, own.right))))


def identification_as_json(score: IdentificationScore) -> str:
    """One object: both types and their means."""
    means = score.mean
    return json.dumps(
        {
            "short": _fields(score.short),
            "long": _fields(score.long),
            "mean": {
                "precision": round(means.precision, 6),
                "recall": round(means.recall, 6),
                "f1": round(means.f1, 6),
                "f1_of_means": round(score.f1_of_means, 6),
            },
        }
    )


def identification_as_text(score: IdentificationScore) -> Iterator[str]:
    """Both types and their means."""
    yield _line("short", score.short)
    yield _line("long", score.long)
    means = score.mean
    yield (
        f"mean   P {means.precision:.4f}  R {means.recall:.4f}  F1 {means.f1:.4f} "
        f"(of the means: {score.f1_of_means:.4f})"
    )


def _fields(counts: Counts) -> dict[str, float]:
    return {
        "precision": round(counts.precision, 6),
        "recall": round(counts.recall, 6),
        "f1": round(counts.f1, 6),
        "tp": counts.right,
        "fp": counts.false,
        "fn": counts.missed,
    }


def _line(name: str, counts: Counts) -> str:
    return (
        f"{name:6} P {counts.precision:.4f}  R {counts.recall:.4f}  F1 {counts.f1:.4f}  "
        f"right {counts.right}, missed {counts.missed}, false {counts.false}"
    )
