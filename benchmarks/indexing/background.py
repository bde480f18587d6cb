"""Counts the chemicals of unlabelled articles: in how many articles, and in how many titles and abstracts.

    python benchmarks/indexing/background.py ../shared/data/text/*.xz --every 5 -o background.json

The inputs are JSON lines with a `text`: its first line is the title, the others are paragraphs and headings. The
lexicon tagger and the sieve cascade annotate them. `benchmarks/retrain/indexer.py` writes the counts into a model; no
text is stored.
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from bioc import BioCDocument, BioCPassage

import nlmchem
from corpora.model.sections import add_sections
from corpora.storage.atomic import write_bytes
from indexing.background import Background, count
from indexing.candidates import candidates_of
from sieves.lexicon.lexicon import Lexicon


def documents(paths: Iterable[Path], every: int) -> Iterator[BioCDocument]:
    """One article of every so many; a line of text is a passage."""
    for path in paths:
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for line in islice(lines, 0, None, every):
                article = json.loads(line)
                yield document(str(article["id"]), str(article["text"]))


def document(identifier: str, text: str) -> BioCDocument:
    made = BioCDocument()
    made.id = identifier
    offset = 0
    for line in filter(str.strip, text.split("\n")):
        passage = BioCPassage()
        passage.offset, passage.text = offset, line
        made.add_passage(passage)
        offset += len(line) + 1
    add_sections(made)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path, nargs="+")
    parser.add_argument("--lexicon", help="a lexicon in place of the default one")
    parser.add_argument("--every", type=int, default=1, help="take one article in so many")
    parser.add_argument("-o", "--out", type=Path, required=True)
    arguments = parser.parse_args()
    background = counted(arguments.texts, arguments.lexicon, arguments.every)
    write_bytes(arguments.out, json.dumps(background.plain()).encode())


def counted(texts: Iterable[Path], lexicon: str | None, every: int) -> Background:
    """The counts of concepts in one article of every so many, annotated by the lexicon tagger."""
    annotate = nlmchem.load(lexicon=lexicon, tagger="lexicon")
    concepts = Lexicon.open(lexicon)
    background = Background()
    for number, article in enumerate(annotate(documents(texts, every)), 1):
        background = count(background, candidates_of(article, concepts))
        if number % 200 == 0:
            print(f"{number} articles, {len(background.named)} concepts", file=sys.stderr, flush=True)
    return background


if __name__ == "__main__":
    main()
