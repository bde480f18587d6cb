"""Reads all real articles with the limits for hostile inputs switched on, and prints what is not read.

    python benchmarks/real_articles.py --data ../shared/data

The limits (parts, depth, bytes, expansion of archives) must not refuse an article that somebody wrote. The unlabelled
texts of the development data are in no format that `nlmchem annotate` reads. Ends with 1 if an article is refused.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from corpora import reading
from corpora.reporting import ignore
from corpora.storage import inputs

SOURCES = (
    "nlmchem/bioc", "nlmchem/train-articles", "nlmchem/nlmchem-open.passages.PubTator*", "pmc/jats.tar.gz",
    "pmc/bioc-samples.tar.gz", "indexing/jats.tar.gz", "craft", "bc5cdr", "biored",
    "abbreviations/Ab3P-BioC", "abbreviations/SH-BioC",
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    given = parser.parse_args()
    refused = 0
    print("source                                     articles  not read")
    for name in SOURCES:
        articles = faults = 0
        for item in reading.articles(inputs.expand([str(given.data / name)]), ignore):
            if isinstance(item, reading.Article):
                articles += 1
            else:
                faults += 1
                print(f"  {item}")
        refused += faults
        print(f"{name:40} {articles:10} {faults:9}", flush=True)
    print(f"{refused} not read")
    return int(refused > 0)


if __name__ == "__main__":
    sys.exit(main())
