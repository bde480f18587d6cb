"""Milliseconds of processor time of the stages after reading: abbreviations, senses, index terms, keyphrases, lexicon.

    OMP_NUM_THREADS=1 python -m benchmarks.speed.stages ANNOTATED [--articles 40]

ANNOTATED: articles that `nlmchem annotate` wrote, so that index terms have mentions to count. Of each article the
fastest of several rounds counts, because other processes slow some of them down. Prints mean, 95th percentile and the
slowest article; then the time to open the lexicon and its lookups per second.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

import nlmchem
from corpora.reading import read
from indexing.terms.indexer import IndexStage
from indexing.terms.registry import open_indexer
from nlmchem.abbreviations import define
from nlmchem.run.registry import STEPS
from sieves.lexicon.lexicon import Lexicon


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("--articles", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    documents = list(islice(read([given.source]), given.articles))
    lexicon = Lexicon.open()
    index = IndexStage(open_indexer(None, lexicon), "replace")
    stages: dict[str, Callable[[Any], Any]] = {
        "definitions": define,
        "index terms": lambda document: index([document]),
    }
    for name in ("expand", "keyphrases"):
        # The steps of companions that are installed.
        if name in STEPS:
            stages[name] = nlmchem.load(steps=name, **({"existing": "replace"} if name == "keyphrases" else {}))
    for name, stage in stages.items():
        times = [1000 * fastest(stage, document, given.rounds) for document in documents]
        print(f"{name}: mean {np.mean(times):.1f} ms, 95% {np.quantile(times, 0.95):.1f}, slowest {max(times):.1f}")
    print(f"lexicon: opened in {1000 * fastest(lambda _: Lexicon.open(), None, given.rounds):.1f} ms", end="")
    names = [name for _, (name, _) in zip(range(30_000), lexicon.names(), strict=False)]
    for kind in ("first", "cached"):
        begun = time.process_time()
        for name in names:
            lexicon.lookup(name)
        print(f", {len(names) / (time.process_time() - begun):,.0f} {kind} lookups/s", end="")
    print()


def fastest(act: Callable[[Any], Any], argument: Any, rounds: int) -> float:
    """Seconds of the fastest round."""
    times = []
    for _ in range(rounds):
        begun = time.process_time()
        act(argument)
        times.append(time.process_time() - begun)
    return min(times)


if __name__ == "__main__":
    main()
