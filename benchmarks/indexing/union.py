"""Adds the mentions of a second annotation that overlap none of the first: more candidates for an indexer.

    python benchmarks/indexing/union.py with-mesh by-lexicon union.jsonl [--front]
    python benchmarks/indexing/table.py union.jsonl --lexicon mesh.sqlite --data ../shared/data \\
        --background background.json

Both are folders of the same articles. `--front`: add only mentions in title and abstract.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from bioc import BioCDocument

import corpora
from corpora.model.document import Mention, Span, add_mention, fresh_ids, mentions, set_identifiers
from corpora.model.metadata import join_key
from corpora.model.passages import section_type

FRONT = ("TITLE", "ABSTRACT")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--front", action="store_true")
    given = parser.parse_args()
    print(corpora.write(united(given.first, given.second, given.front), given.out, "jsonl"), "articles")


def united(first: Path, second: Path, front: bool) -> Iterator[BioCDocument]:
    others = {join_key(document): document for document in corpora.read(str(second))}
    for document in corpora.read(str(first)):
        added = [
            mention
            for mention in mentions(others[join_key(document)])
            if not front or section_type(mention.passage) in FRONT
        ]
        add(document, added)
        yield document


def add(document: BioCDocument, added: list[Mention]) -> None:
    taken = [span for mention in mentions(document) for span in mention.spans]
    passages = {passage.offset: passage for passage in document.passages}
    ids = fresh_ids(document, "U")
    for mention in added:
        if not any(touch(own, span) for own in mention.spans for span in taken):
            passage = passages[mention.passage.offset]
            made = add_mention(passage, list(mention.spans), id=next(ids), annotator=mention.annotator)
            set_identifiers(made, mention.identifiers)


def touch(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


if __name__ == "__main__":
    main()
