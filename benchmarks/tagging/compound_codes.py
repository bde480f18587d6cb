"""Counts how corpora annotate the codes that `nlmchem.tagging.rules.compound_codes` marks.

    python benchmarks/tagging/compound_codes.py --data ../shared/data [--corpora bc5cdr,biored,drugprot] [--show]

Uses training parts only. `--show` prints the occurrences that are not marked exactly. Needs ../shared/data.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from corpora.datasets import open_corpus
from corpora.model.document import mentions
from corpora.model.passages import passage_text
from nlmchem.tagging.rules.compound_codes import codes_in, places

AROUND = 30


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--corpora", default="bc5cdr,biored,drugprot")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    for name in given.corpora.split(","):
        opened = open_corpus(name, given.data / name)
        counts: Counter[str] = Counter()
        for split in opened.splits:
            for document in opened.read(split, lambda _: None) if "test" not in split else ():
                gold = {mention.spans[0] for mention in mentions(document) if len(mention.spans) == 1}
                codes = codes_in(passage_text(passage) for passage in document.passages)
                for passage in document.passages:
                    text = passage_text(passage)
                    for start, end in places(text, codes):
                        verdict = judged((passage.offset + start, passage.offset + end), gold)
                        counts[verdict] += 1
                        if given.show and verdict != "marked":
                            print(f"{verdict}: {text[max(0, start - AROUND) : end + AROUND]!r}")
        print(name, dict(counts))


def judged(span: tuple[int, int], gold: set[tuple[int, int]]) -> str:
    if span in gold:
        return "marked"
    return "part of a longer name" if any(a < span[1] and span[0] < b for a, b in gold) else "unmarked"


if __name__ == "__main__":
    main()
