"""Where wrong and missing identifiers of articles come from: counts by cause, after a learnt decision.

    python benchmarks/deciding/identifier_errors.py RECORDS FOLDER --set open

FOLDER has the models of the folds (`learnt.py --folds-out`), each article gets the one that was not trained on it; or
it is one model. Identifiers are those of MeSH 2021. A missing identifier has the first cause in the order of the table
that one of its gold mentions has, a wrong one the first that one of its mentions has.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scoring import Record, f1, id_tally, read

from corpora.model.document import Span, mentions
from corpora.model.mesh_ids import mesh_ids
from nlmchem.deciding.decision import Considered, Decision
from nlmchem.deciding.evidence import FEATURES
from nlmchem.deciding.trees import read_trees
from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan
from sieves.article.context import is_short_form
from sieves.cascade import Cascade
from sieves.lexicon.keys import tidy
from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import Normalizer, article_of
from sieves.sieve import Article, Candidate

MISSING = (
    "right span: another candidate of the same sieve",
    "right span: candidate of a later sieve",
    "right span: short form with another concept",
    "right span: another concept by a guess",
    "right span: another concept",
    "right span: short form without a concept",
    "right span: name without a concept",
    "boundary: the gold text has the concept",
    "boundary: the gold text has it not",
    "missed candidate that has the concept",
    "missed candidate that has it not",
    "no candidate, has the concept",
    "no candidate, has it not",
)
WRONG = (
    "right span: gold concept is another candidate",
    "right span: short form",
    "right span: by a guess",
    "right span: gold has no concept",
    "right span: other",
    "boundary",
    "false span: short form",
    "false span: by a guess",
    "false span",
)
GUESSING = frozenset(
    {"edit", "article", "bare", "stem", "heading", "qualified", "composite", "external", "label", "salt", "words"}
)


@dataclass(slots=True)
class Place:
    """A mention of the gold standard or of ours: place in the document, text, identifiers."""

    spans: tuple[Span, ...]
    text: str
    ids: frozenset[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--set", default="open")
    parser.add_argument("--show", action="store_true", help="print the texts of each cause")
    given = parser.parse_args()
    paths = sorted(given.model.glob("fold-*.json")) if given.model.is_dir() else [given.model]
    dated = Lexicon.open(None, 2021)
    decisions = [Decision(dated.undated(), read_trees(path, FEATURES)) for path in paths]
    normalizer, cascade = Normalizer(dated), Cascade(dated)
    counts = {"missing": Counter[str](), "wrong": Counter[str]()}
    texts: dict[str, list[str]] = {}
    right = wanted = found = 0
    for at, record in enumerate(read(given.records / f"{given.set}.jsonl.gz")):
        passages = record.copy()
        considered = decisions[at % len(decisions)].consider(record.document, passages)
        stand(passages, considered)
        tally = id_tally(record, passages, normalizer)
        right, found, wanted = right + tally[0], found + tally[1], wanted + tally[2]
        for what, cause, id, text in causes(record, passages, considered, cascade):
            counts[what][cause] += 1
            texts.setdefault(f"{what} {cause}", []).append(f"{id} {text}")
    scores = f1([(right, found, wanted)])
    print(*(f"{score:.4f}" for score in scores), f"{right} right of {found}, gold {wanted}")
    for what, names in {"missing": MISSING, "wrong": WRONG}.items():
        print(f"{what}\tall\t{counts[what].total()}")
        for name in names:
            print(f"{what}\t{name}\t{counts[what][name]}")
            if given.show:
                print("\n".join(f"    {text}" for text in texts.get(f"{what} {name}", ())))


def stand(passages: Sequence[PassageSpans], considered: Considered) -> None:
    """Write the chosen spans into the passages."""
    for passage in passages:
        passage.spans = []
    for at in sorted(considered.chosen):
        number, start, end = considered.evidence.spans[at]
        passages[number].spans.append(ScoredSpan(start, end, float(considered.probabilities[at])))


def causes(
    record: Record, passages: Sequence[PassageSpans], considered: Considered, cascade: Cascade
) -> Iterator[tuple[str, str, str, str]]:
    """Missing or wrong, the cause, the identifier and the texts of its mentions. The record is normalized."""
    ours = list(_ours(record))
    gold = list(_gold(record))
    article = article_of(record.document)
    offsets = [passage.offset for passage in record.document.passages]
    candidates = {(offsets[n] + start, offsets[n] + end) for n, start, end in considered.evidence.spans}
    found = {id for mention in ours for id in mention.ids}
    for id in sorted(record.ids - found):
        own = [mention for mention in gold if id in mention.ids]
        why = [_missing(mention, id, ours, candidates, cascade, article) for mention in own]
        yield "missing", min(why, key=MISSING.index), id, " | ".join(sorted({mention.text for mention in own}))
    by_place = {mention.spans: mention for mention in gold}
    for id in sorted(found - record.ids):
        own = [mention for mention in ours if id in mention.ids]
        why = [_wrong(mention, by_place, cascade, article) for mention in own]
        yield "wrong", min(why, key=WRONG.index), id, " | ".join(sorted({mention.text for mention in own}))


def _missing(
    mention: Place, id: str, ours: Sequence[Place], candidates: set[Span], cascade: Cascade, article: Article
) -> str:
    place = (mention.spans[0][0], mention.spans[-1][1])
    same = next((one for one in ours if one.spans == mention.spans), None)
    answers = cascade.candidates(tidy(mention.text), article)
    if same is not None:
        return f"right span: {_otherwise(same, id, answers, cascade, article)}"
    has = "has the concept" if answers and id in answers[0].identifiers else "has it not"
    if any(overlap(place, (one.spans[0][0], one.spans[-1][1])) for one in ours):
        return f"boundary: the gold text {has}"
    if len(mention.spans) == 1 and place in candidates:
        return f"missed candidate that {has}"
    return f"no candidate, {has}"


def _otherwise(same: Place, id: str, answers: Sequence[Candidate], cascade: Cascade, article: Article) -> str:
    """Why a right span has not the identifier."""
    if not same.ids:
        return "short form without a concept" if is_short_form(same.text) else "name without a concept"
    if any(id in one.identifiers for one in answers[1:]):
        return "another candidate of the same sieve"
    if any(id in one.identifiers for _, several in cascade.explain(same.text, article) for one in several):
        return "candidate of a later sieve"
    if is_short_form(same.text):
        return "short form with another concept"
    return "another concept by a guess" if answers and answers[0].sieve in GUESSING else "another concept"


def _wrong(mention: Place, gold: dict[tuple[Span, ...], Place], cascade: Cascade, article: Article) -> str:
    answers = cascade.candidates(tidy(mention.text), article)
    sieve = answers[0].sieve if answers else "article"
    same = gold.get(mention.spans)
    if same is not None:
        if not same.ids:
            return "right span: gold has no concept"
        if any(same.ids == set(one.identifiers) for one in answers[1:]):
            return "right span: gold concept is another candidate"
        if is_short_form(mention.text):
            return "right span: short form"
        return "right span: by a guess" if sieve in GUESSING else "right span: other"
    place = (mention.spans[0][0], mention.spans[-1][1])
    if any(overlap(place, (one[0][0], one[-1][1])) for one in gold):
        return "boundary"
    if is_short_form(mention.text):
        return "false span: short form"
    return "false span: by a guess" if sieve in GUESSING else "false span"


def _ours(record: Record) -> Iterator[Place]:
    for mention in mentions(record.document):
        yield Place(tuple(sorted(mention.spans)), mention.text, frozenset(mesh_ids(mention.identifiers)))


def _gold(record: Record) -> Iterator[Place]:
    for passage, rows in zip(record.document.passages, record.gold_rows, strict=True):
        for places, identifiers in rows:
            spans = tuple(sorted((start, end) for start, end in places))
            text = " ".join(passage.text[start - passage.offset : end - passage.offset] for start, end in spans)
            yield Place(spans, text, frozenset(mesh_ids(identifiers)))


def overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


if __name__ == "__main__":
    main()
