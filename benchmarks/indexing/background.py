"""Counts in unlabelled articles which chemicals are named, and which of them already in title or abstract.

    python benchmarks/indexing/background.py ../shared/data/text/*.xz --lexicon mesh.sqlite --every 5 -o background.json

The input are JSON lines with a `text` whose first line is the title and whose other lines are paragraphs and headings.
What is found is what the lexicon tagger and the sieve cascade find. The counts go into a model by
`benchmarks/indexing/ship.py`; no text does.
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
    """Every so manieth article of the files; a line of text is a passage."""
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
    parser.add_argument("--lexicon", required=True)
    parser.add_argument("--every", type=int, default=1, help="take one article in so many")
    parser.add_argument("-o", "--out", type=Path, required=True)
    arguments = parser.parse_args()
    annotate = nlmchem.load(lexicon=arguments.lexicon, tagger="lexicon")
    concepts = Lexicon.open(arguments.lexicon)
    background = Background()
    for number, article in enumerate(annotate(documents(arguments.texts, arguments.every)), 1):
        background = count(background, candidates_of(article, concepts))
        if number % 200 == 0:
            print(f"{number} articles, {len(background.named)} concepts", file=sys.stderr, flush=True)
    write_bytes(arguments.out, json.dumps(background.plain()).encode())


if __name__ == "__main__":
    main()
