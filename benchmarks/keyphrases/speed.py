"""Measures the time of keyphrases in milliseconds of processor time per article, by part.

    python benchmarks/keyphrases/speed.py ../shared/data/indexing/jats.tar.gz --articles 100

Reading is not counted. The articles are ranked once before, so that the stems of frequent words are known, as in a run.
"""

from __future__ import annotations

import argparse
import time
from itertools import islice

from corpora.reading import read
from indexing.keyphrases.candidates import candidates_of
from indexing.keyphrases.ranker import open_ranker
from indexing.keyphrases.words import words_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="articles")
    parser.add_argument("--articles", type=int, default=100, help="number of articles")
    given = parser.parse_args()
    documents = list(islice(read([given.source]), given.articles))
    ranker = open_ranker()
    for document in documents:
        ranker(document)
    times = [time.process_time()]
    words = [words_of(document) for document in documents]
    times.append(time.process_time())
    found = [candidates_of(one) for one in words]
    times.append(time.process_time())
    for one in found:
        ranker.model.score(one)
    times.append(time.process_time())
    for document in documents:
        ranker(document)
    times.append(time.process_time())
    names = ("words", "candidates", "features and both stages", "all, with the places of the phrases")
    for name, begun, ended in zip(names, times[:-1], times[1:], strict=True):
        print(f"{name}: {1000 * (ended - begun) / len(documents):.1f} ms")
    tokens = sum(len(one.tokens) for one in words) / len(words)
    print(f"{tokens:.0f} tokens, {sum(map(len, found)) / len(found):.0f} candidates")


if __name__ == "__main__":
    main()
