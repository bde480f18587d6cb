"""Measures the time of undefined short forms in milliseconds of processor time per article, by part, and the memory.

    OMP_NUM_THREADS=1 python benchmarks/senses/speed.py ../shared/data/indexing/jats.tar.gz --articles 40 --every 8

Reading and the search for definitions are not counted. Of each article the fastest of several rounds counts, because
other processes on the machine slow some of them down.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

from corpora.reading import read
from nlmchem.abbreviations import define
from nlmchem.abbreviations.senses.resolver import open_resolver, words_of
from nlmchem.abbreviations.senses.undefined import undefined


def main() -> None:
    given = parsed()
    begun = time.process_time()
    resolver = open_resolver()
    print(f"opened in {time.process_time() - begun:.2f} s")
    documents = list(islice(read([given.source]), 3, None, given.every))[: given.articles]
    glossaries = [define(document) for document in documents]
    known = resolver.inventory.__contains__
    pairs = list(zip(documents, glossaries, strict=True))
    found = [undefined(document, glossary, known) for document, glossary in pairs]
    answers = [resolver.resolve(document, glossary) for document, glossary in pairs]
    rows: dict[str, Callable[[int], Any]] = {
        "undefined forms": lambda number: undefined(*pairs[number], known),
        "words": lambda number: words_of(documents[number]),
        "all": lambda number: resolver.resolve(*pairs[number]),
    }
    for name, act in rows.items():
        times = [1000 * fastest(act, number, given.rounds) for number in range(len(documents))]
        print(f"{name}: mean {np.mean(times):.2f} ms, median {np.median(times):.2f} ms, slowest {max(times):.2f} ms")
    print(
        f"{len(documents)} articles with {mean(map(len, found)):.1f} undefined forms, "
        f"{mean(sum(one.long_form is not None for one in own) for own in answers):.1f} of them in the dictionary"
    )
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most, articles included")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="articles")
    parser.add_argument("--articles", type=int, default=40, help="number of articles")
    parser.add_argument("--every", type=int, default=8, help="every n-th article, from the 4th on")
    parser.add_argument("--rounds", type=int, default=5, help="rounds, the fastest of which counts")
    return parser.parse_args()


def fastest(act: Callable[[int], Any], number: int, rounds: int) -> float:
    times = []
    for _ in range(rounds):
        begun = time.process_time()
        act(number)
        times.append(time.process_time() - begun)
    return min(times)


def mean(values: Any) -> float:
    return float(np.mean(list(values)))


if __name__ == "__main__":
    main()
