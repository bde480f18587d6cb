"""Reads records (record.py), applies rules of the tagger to them again, and scores spans and identifiers (strict)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from bioc import BioCDocument, BioCPassage

from corpora.model.document import (
    Definition,
    Span,
    add_definition,
    add_mention,
    add_occurrence,
    definitions,
    fresh_ids,
    mentions,
)
from corpora.model.mesh_ids import mesh_ids
from nlmchem.deciding.training import Tagged
from nlmchem.tagging.inference.labels import Scheme
from nlmchem.tagging.inference.scoring import ScoredPassage, best_roles
from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan, own_copies
from nlmchem.tagging.lexicon_tagger import starter_votes
from nlmchem.tagging.rules.post_processing import Rules, post_process
from nlmchem.tagging.tagger import spans_of as spans_by_roles
from nlmchem.tagging.tokenization.word_pieces import Encoded
from nlmchem.tagging.tokenization.word_pieces import _glued as glued
from sieves.normalizer import Normalizer

SAMPLES = 10_000
Tally = tuple[int, int, int]
"""Right, predicted, gold."""


@dataclass(slots=True)
class Record:
    """An article with the output of a tagger. `gold`: spans in document offsets; `ids`: its identifiers.

    `gold_rows`: for each passage, the pieces and the identifiers of each gold mention.
    """

    document: BioCDocument
    passages: list[PassageSpans]
    gold: set[tuple[Span, ...]]
    ids: set[str]
    sections: list[str | None] = field(default_factory=list)
    gold_rows: list[list[Any]] = field(default_factory=list)

    def copy(self) -> list[PassageSpans]:
        """The passages with lists of spans of their own."""
        return own_copies(self.passages)


def read(path: Path) -> Iterator[Record]:
    """The records of a set."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield _record(json.loads(line))


def ruled(record: Record, rules: str) -> list[PassageSpans]:
    """The passages with the spans of the model, decoded again, after these rules (`--rules` of `nlmchem annotate`)."""
    switches = Rules.parse(rules)
    passages: list[PassageSpans] = record.copy()
    for passage in passages:
        (scored,) = passage.scored
        encoded = replace(scored.encoded, glued=glued(passage.text, scored.encoded.starts, scored.encoded.ends))
        roles = best_roles(scored.probabilities, encoded.glued, Scheme.BIO)
        passage.scored = [replace(scored, encoded=encoded, roles=roles)]
        passage.spans = spans_by_roles(passage.scored[0])
    known = list(definitions(record.document)) if switches.abbreviations else []
    post_process(passages, switches, known, [starter_votes()] if switches.lexicon else [])
    return passages


def tagged(path: Path, rules: str) -> Iterator[Tagged]:
    """The articles of a set with the spans that the model and these rules find, and their gold spans."""
    for record in read(path):
        yield record.document, ruled(record, rules), record.gold


def _record(row: Mapping[str, Any]) -> Record:
    document = BioCDocument()
    document.id = row["id"]
    record = Record(document, [], set(), set())
    for fields in row["passages"]:
        passage = BioCPassage.of_text(fields["text"], fields["offset"])
        document.add_passage(passage)
        record.sections.append(fields["section"])
        record.gold_rows.append(fields["gold"])
        spans = [ScoredSpan(*span) for span in fields["spans"]]
        record.passages.append(PassageSpans(fields["text"], _scored(fields), spans, offset=fields["offset"]))
        for places, identifiers in fields["gold"]:
            record.gold.add(tuple(sorted((start, end) for start, end in places)))
            record.ids.update(mesh_ids(identifiers))
    _define(document, row["definitions"])
    return record


def _define(document: BioCDocument, rows: Sequence[Sequence[Any]]) -> None:
    """Add the definitions: first those inside a passage, then occurrences with a long form in another passage."""
    ids, longs = fresh_ids(document, "A"), dict[Span, str]()
    elsewhere: list[tuple[BioCPassage, Span, Span]] = []
    for short, long, *places in rows:
        short_span, long_span = (places[0], places[1]), (places[2], places[3])
        holder, second = (
            next(p for p in document.passages if p.offset <= start <= p.offset + len(p.text))
            for start, _ in (short_span, long_span)
        )
        if holder is second:
            longs[long_span] = add_definition(holder, Definition(short, long, short_span, long_span), ids)
        else:
            elsewhere.append((holder, short_span, long_span))
    for holder, short_span, long_span in elsewhere:
        if long_span in longs:
            add_occurrence(document, holder, short_span, longs[long_span], ids, same_passage=False)


def _scored(fields: Mapping[str, Any]) -> list[ScoredPassage]:
    if "roles" not in fields:
        return []
    starts, ends = np.array(fields["starts"], np.int32), np.array(fields["ends"], np.int32)
    roles = np.array(fields["roles"], np.float32).reshape(len(starts), -1) / 10_000
    encoded = Encoded(np.zeros(len(starts), np.int32), starts, ends, np.zeros(len(starts), bool))
    return [ScoredPassage(encoded, roles, np.zeros(len(starts), np.int64))]


def spans_of(record: Record, passages: Sequence[PassageSpans]) -> set[tuple[Span, ...]]:
    """The spans of the passages in document offsets."""
    return {
        ((passage.offset + span.start, passage.offset + span.end),)
        for passage, of_passage in zip(record.document.passages, passages, strict=True)
        for span in of_passage.spans
    }


def span_tally(record: Record, passages: Sequence[PassageSpans]) -> Tally:
    spans = spans_of(record, passages)
    return len(spans & record.gold), len(spans), len(record.gold)


def id_tally(record: Record, passages: Sequence[PassageSpans], normalizer: Normalizer) -> Tally:
    """The identifiers that the normalizer gives the spans of an article, as sets."""
    for passage in record.document.passages:
        passage.annotations[:] = [a for a in passage.annotations if a.infons.get("type") != "Chemical"]
    ids = fresh_ids(record.document, "C")
    for passage, of_passage in zip(record.document.passages, passages, strict=True):
        for span in of_passage.spans:
            add_mention(
                passage, [(passage.offset + span.start, passage.offset + span.end)], id=next(ids), annotator=None
            )
    normalizer([record.document])
    given = {id for mention in mentions(record.document) for id in mesh_ids(mention.identifiers)}
    return len(given & record.ids), len(given), len(record.ids)


def f1(tallies: Sequence[Tally]) -> tuple[float, float, float]:
    """Precision, recall and F of summed tallies."""
    right, given, wanted = np.array(tallies, dtype=float).reshape(-1, 3).sum(0)
    return right / max(given, 1), right / max(wanted, 1), 2 * right / max(given + wanted, 1)


def bootstrap(first: Sequence[Tally], second: Sequence[Tally]) -> tuple[float, float, float]:
    """Paired bootstrap over articles: the middle 95% of the difference in F, and how often `other` is not better."""
    a, b = np.array(first, dtype=float), np.array(second, dtype=float)
    draws = np.random.default_rng(7).integers(0, len(a), (SAMPLES, len(a)))

    def scores(tallies: np.ndarray) -> np.ndarray:
        sums = np.stack([tallies[:, column][draws].sum(1) for column in range(3)])
        return np.asarray(2 * sums[0] / np.maximum(sums[1] + sums[2], 1))

    difference = scores(b) - scores(a)
    low, high = np.quantile(difference, [0.025, 0.975])
    return float(low), float(high), float((difference <= 0).mean())
