"""Measures what it gains to ask another annotator for the passages that a tagger is unsure of.

    nlmchem annotate ../shared/data/nlmchem/bioc -o OURS --existing replace
    python -m benchmarks.scores.routing --gold ../shared/data/nlmchem/bioc --run OURS [--noise 0.1]

The annotator is simulated: it has the gold mentions of a passage, but leaves out one of ten, and adds a word to one of
ten. The passages whose least probable mention is below a threshold get its answer in place of ours. The share of all
passages with text that is sent, and of those with a mention, is printed with strict F.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from bioc import BioCDocument, BioCPassage

import corpora
from corpora.model.document import mentions_of
from corpora.model.passages import passage_text
from corpora.reporting import ignore
from nlmchem.companions.curation.routing import least_probability

THRESHOLDS = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.01)
_NEXT_WORD = re.compile(r"\s+\w+")
Spans = set[tuple[tuple[int, int], ...]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A passage: the lowest probability of our mentions, and the spans of gold, ours, and the other annotator."""

    probability: float | None
    gold: Spans
    ours: Spans
    theirs: Spans


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gold", required=True)
    parser.add_argument("--run", required=True)
    parser.add_argument("--noise", type=float, default=0.1)
    given = parser.parse_args()
    ours = {str(document.id): document for document in corpora.read(given.run, report=ignore)}
    chance = random.Random(11)
    gold = [document for document in corpora.read(given.gold, report=ignore) if str(document.id) in ours]
    passages = [
        asked for document in gold for asked in _passages(document, ours[str(document.id)], given.noise, chance)
    ]
    print(f"{len(gold)} articles, {len(passages)} passages; the other annotator alone: {_f1(passages, 2.0, True):.4f}")
    print("below\tsent, of all\tsent, of those with a mention\tF")
    with_mention = sum(asked.probability is not None for asked in passages)
    for below in THRESHOLDS:
        sent = sum(_is_sent(asked, below) for asked in passages)
        shares = f"{sent / len(passages):.3f}\t{sent / with_mention:.3f}"
        print(f"{min(below, 1):.2f}\t{shares}\t{_f1(passages, below):.4f}")


def _passages(gold: BioCDocument, ours: BioCDocument, noise: float, chance: random.Random) -> Iterator[Asked]:
    own = {passage.offset: passage for passage in ours.passages}
    for passage in gold.passages:
        if passage_text(passage).strip():
            theirs = own[passage.offset]
            spans = _spans(passage)
            yield Asked(least_probability(theirs), spans, _spans(theirs), _noisy(passage, spans, noise, chance))


def _spans(passage: BioCPassage) -> Spans:
    return {mention.spans for mention in mentions_of(passage) if mention.type == "Chemical"}


def _noisy(passage: BioCPassage, gold: Spans, noise: float, chance: random.Random) -> Spans:
    text, answer = passage_text(passage), set()
    for spans in sorted(gold):
        number = chance.random()
        if number < noise:
            continue
        following = _NEXT_WORD.match(text, spans[-1][1] - passage.offset)
        if number < 2 * noise and following:
            spans = (*spans[:-1], (spans[-1][0], passage.offset + following.end()))
        answer.add(spans)
    return answer


def _is_sent(asked: Asked, below: float) -> bool:
    return asked.probability is not None and asked.probability < below


def _f1(passages: list[Asked], below: float, every: bool = False) -> float:
    right = answered = wanted = 0
    for asked in passages:
        answer = asked.theirs if every or _is_sent(asked, below) else asked.ours
        right += len(answer & asked.gold)
        answered += len(answer)
        wanted += len(asked.gold)
    return 2 * right / (answered + wanted)


if __name__ == "__main__":
    main()
