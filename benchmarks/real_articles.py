"""Reads all real articles with the limits for hostile inputs switched on, and prints what is not read.

    python benchmarks/real_articles.py --data ../shared/data [--text N]

The limits (parts, depth, bytes, expansion of archives) must not refuse an article that somebody wrote. --text: so many
articles of each file of unlabelled text. Ends with 1 if an article is refused.
"""

from __future__ import annotations

import argparse
import sys
from itertools import islice
from pathlib import Path

from corpora import reading
from corpora.reporting import ignore
from corpora.storage import inputs

SOURCES = (
    "nlmchem/bioc", "nlmchem/train-articles", "nlmchem/nlmchem-open.passages.PubTator*", "pmc/jats.tar.gz",
    "pmc/bioc-samples.tar.gz", "indexing/jats.tar.gz", "craft", "bc5cdr", "biored", "abbreviations",
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--text", type=int, default=500, help="articles of each file of unlabelled text")
    given = parser.parse_args()
    refused = 0
    print("source                                     articles  not read")
    texts = [str(path.relative_to(given.data)) for path in sorted((given.data / "text").iterdir())]
    for name in (*SOURCES, *texts):
        articles = faults = 0
        found = reading.articles(inputs.expand([str(given.data / name)]), ignore)
        for item in islice(found, given.text if name in texts else None):
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
