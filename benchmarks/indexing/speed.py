"""Milliseconds for indexing an article, without reading, identification and writing.

    python benchmarks/indexing/speed.py annotated --lexicon mesh.sqlite [--articles 200]

Processor time of one thread, so that other processes do not count: candidates, features, scores, new annotations.
"""

from __future__ import annotations

import argparse
import time
from itertools import islice
from pathlib import Path

import corpora
from corpora.model.document import index_terms
from indexing.registry import NAMES, open_indexer
from indexing.stage import IndexStage
from sieves.lexicon.lexicon import Lexicon


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("annotated", type=Path)
    parser.add_argument("--lexicon")
    parser.add_argument("--articles", type=int, default=200)
    given = parser.parse_args()
    concepts = Lexicon.open(given.lexicon)
    stages = {name: IndexStage(open_indexer(name, concepts), "replace") for name in NAMES}
    spent: dict[str, list[float]] = {name: [] for name in NAMES}
    terms = dict.fromkeys(NAMES, 0)
    for document in islice(corpora.read(str(given.annotated)), given.articles):
        for name, stage in stages.items():
            begun = time.process_time()
            stage([document])
            spent[name].append(1000 * (time.process_time() - begun))
            terms[name] += sum(1 for _ in index_terms(document))
    for name, times in spent.items():
        ordered = sorted(times)
        mean, longest = sum(times) / len(times), ordered[-1]
        print(
            f"{name:16} mean {mean:6.2f} ms, 95% below {ordered[int(0.95 * len(ordered))]:6.2f}, longest {longest:6.2f}"
        )
    print("terms:", ", ".join(f"{name} {number}" for name, number in terms.items()), f"in {len(times)} articles")


if __name__ == "__main__":
    main()
