"""What a worker holds in memory while it normalizes articles, with and without the dense fallback.

    python benchmarks/dense_memory.py --lexicon mesh.sqlite --as-of 2021 [--dense default] ../shared/data/nlmchem/bioc

Own memory is what no other process shares (`Anonymous` of /proc/self/smaps_rollup); the lexicon and the vectors of the
names are files in the page cache, which all workers share.
"""

from __future__ import annotations

import argparse
import re
import resource
import sys
import time
from pathlib import Path

import corpora
import nlmchem
from corpora.model.document import mentions


def own_megabytes() -> float:
    told = Path("/proc/self/smaps_rollup").read_text("utf-8")
    return sum(int(size) for size in re.findall(r"^Anonymous:\s+(\d+) kB", told, re.M)) / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("articles", nargs="+")
    parser.add_argument("--lexicon")
    parser.add_argument("--as-of", type=int)
    parser.add_argument("--dense")
    options = parser.parse_args()
    annotate = nlmchem.load(
        options.lexicon,
        as_of=options.as_of,
        steps=("abbreviate", "normalize"),
        existing="replace",
        dense=options.dense,
    )
    begun = time.process_time()
    sieves = [m.evidence.sieve for document in annotate(corpora.read(options.articles)) for m in mentions(document)]
    print(f"{len(sieves)} mentions, {sieves.count('dense')} by the dense fallback, {time.process_time() - begun:.1f} s")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{own_megabytes():.0f} MB of its own, {most:.0f} MB at most with what is shared")
    print(f"torch loaded: {'torch' in sys.modules}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
