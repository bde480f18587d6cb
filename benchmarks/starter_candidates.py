"""Names that the starter lexicon lacks, by how many articles use them: what to read when it is to grow.

    python benchmarks/starter_candidates.py --data ../shared/data --lexicon mesh.sqlite [--least 3]
    python benchmarks/starter_candidates.py --data ../shared/data --lexicon mesh.sqlite --gold bc5cdr,biored,drugprot

The first counts names of the lexicon in the open articles of `DATA/text`, the second the mentions that corpora mark
(not their test parts). A line is number of articles, identifier (MeSH 2021), name. Whether a name means a chemical in
nearly any article is for a reader to say: most of the frequent ones do not (`solution`, `device`), and whatever the
starter lexicon names is marked wherever it stands.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from corpora.datasets import open_corpus
from corpora.model.document import mentions
from sieves.lexicon.lexicon import STARTER, Lexicon

LONGEST = 60
WORDS = 4
EDGES = ".,;:()[]\"'“”"
_LONG_NAME = re.compile(r"(?=.{6}).*[a-z]{3}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--lexicon", required=True, help="MeSH without the starter lexicon, with --history")
    parser.add_argument("--gold", help="corpora, joined by commas, in place of the open articles")
    parser.add_argument("--least", type=int, default=3, help="articles that a name must stand in")
    given = parser.parse_args()
    mesh, starter = Lexicon.open(given.lexicon, as_of=2021), Lexicon.open(STARTER)
    if given.gold:
        counts = Counter(name for names in marked(given.data, given.gold.split(",")) for name in names)
    else:
        known = {form(name) for name, _ in mesh.names(distance=0) if len(name) <= LONGEST}
        counts = Counter(name for text in articles(given.data) for name in named(text, known))
    for name, number in sorted(counts.items(), key=lambda row: (-row[1], row[0])):
        if number >= given.least and not (starter.lookup(name) or starter.relaxed(name)):
            for match in mesh.lookup(name)[:1]:
                print(number, ",".join(match.identifiers), name, sep="\t")


def form(name: str) -> str:
    """Case counts in short names and formulae only."""
    return name.lower() if _LONG_NAME.match(name) else name


def articles(data: Path) -> Iterator[str]:
    for part in sorted((data / "text").glob("*.jsonl.xz")):
        with lzma.open(part, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)["text"]


def named(text: str, known: set[str]) -> set[str]:
    """The known names of up to `WORDS` words in a text."""
    words = [word.strip(EDGES) for word in text.split()]
    found = set()
    for first in range(len(words)):
        for last in range(first + 1, min(first + WORDS, len(words)) + 1):
            phrase = " ".join(words[first:last])
            found.update({phrase, phrase.lower()} & known)
    return found


def marked(data: Path, names: Iterable[str]) -> Iterator[set[str]]:
    for name in names:
        opened = open_corpus(name, data / name)
        for split in opened.splits:
            if "test" not in split:
                for document in opened.read(split, lambda _: None):
                    yield {form(" ".join(mention.text.split())) for mention in mentions(document)}


if __name__ == "__main__":
    main()
