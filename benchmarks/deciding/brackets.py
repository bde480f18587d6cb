"""Counts mentions with unbalanced brackets in recorded tagger outputs, with strict F.

    python benchmarks/deciding/record.py --data ../shared/data --out RECORDS
    python benchmarks/deciding/brackets.py RECORDS --sets open,bc5cdr-test,chemdner-test [--show 20] [--without]

The rules run again on the recorded probabilities, and the decision `knowledge` after them. A mention is unbalanced if
one of ()[]{} in it has no partner in it. The column `gold` has the same count for the gold standard, and `right` the
unbalanced mentions that the gold standard has as they are.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from rules import decoded
from scoring import Record, f1, read, span_tally, spans_of

from corpora.model.document import definitions
from nlmchem.deciding.knowledge import Knowledge
from nlmchem.tagging.inference.brackets import balance
from nlmchem.tagging.lexicon.tagger import starter_votes
from nlmchem.tagging.rules import post_processing
from nlmchem.tagging.rules.post_processing import Rules, post_process
from nlmchem.tagging.tokenization.tokens import is_balanced
from sieves.lexicon.lexicon import Lexicon


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("--sets", default="open,bc5cdr-test,chemdner-test")
    parser.add_argument("--show", type=int, default=0, help="print this many of the unbalanced texts")
    parser.add_argument("--without", action="store_true", help="without balancing")
    given = parser.parse_args()
    if given.without:
        post_processing.balance = lambda passage: None
    print("set             articles  mentions  unbalanced  right  in gold       P       R       F")
    with Lexicon.open(None) as lexicon:
        knowledge = Knowledge(lexicon)
        for name in given.sets.split(","):
            records = [decoded(record) for record in read(given.records / f"{name}.jsonl.gz")]
            for record in records:
                post_process(record.passages, Rules(), list(definitions(record.document)), [starter_votes()])
                knowledge(record.document, record.passages)
                for passage in () if given.without else record.passages:
                    balance(passage)
            report(name, records, given.show)


def report(name: str, records: list[Record], show: int) -> None:
    """Print the counts and the scores of a set."""
    texts: Counter[str] = Counter()
    right = gold = mentions = 0
    for record in records:
        found = spans_of(record, record.passages)
        mentions += len(found)
        for spans in found | record.gold:
            text = text_of(record, spans)
            if not is_balanced(text):
                gold += spans in record.gold
                if spans in found:
                    right += spans in record.gold
                    texts[text] += 1
    scores = "".join(f"{value:8.4f}" for value in f1([span_tally(record, record.passages) for record in records]))
    print(f"{name:15} {len(records):8}  {mentions:8}  {texts.total():10}  {right:5}  {gold:7}{scores}", flush=True)
    for text, number in texts.most_common(show):
        print(f"  {number:4} {text}")


def text_of(record: Record, spans: tuple[tuple[int, int], ...]) -> str:
    """The text of a mention; its pieces are joined by one blank."""
    start = spans[0][0]
    passage = next(p for p in record.document.passages if p.offset <= start <= p.offset + len(p.text))
    return " ".join(passage.text[start - passage.offset : end - passage.offset] for start, end in spans)


if __name__ == "__main__":
    main()
