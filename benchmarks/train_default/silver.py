"""Makes silver articles: unlabelled text, tagged by several models together.

    python benchmarks/train_default/silver.py --data ../shared/data --models RUNS/plain/seed-*/all/model \
        --articles 1000 --min-score 0.35 --out silver.jsonl

For cross-validation use the models of one fold only, so that no model was trained on its held-out articles. Needs
../shared/data and trained models.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from bioc import BioCDocument, BioCPassage
from sources import articles_of_text

import corpora
from nlmchem.tagging.rules.post_processing import Rules
from nlmchem.tagging.tagger import TaggerOptions, open_tagger


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--models", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--articles", type=int, default=1000)
    parser.add_argument("--min-score", type=float, default=0.35)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    options = TaggerOptions(Rules(), min_score=given.min_score)
    tagger = open_tagger(given.models, options, given.device, given.threads)

    def tagged() -> Iterator[BioCDocument]:
        source = map(document_of, islice(articles_of_text(given.data), given.articles))
        while chunk := list(islice(source, 16)):
            tagger(chunk)
            yield from chunk

    print(corpora.write(tagged(), given.out, "jsonl"), "articles,", tagger.coverage)


def document_of(article: dict[str, str]) -> BioCDocument:
    """An article of the text. Each line becomes a passage."""
    document = BioCDocument()
    document.id = article["id"].removeprefix("PMC")
    offset = 0
    for line in article["text"].split("\n"):
        passage = BioCPassage()
        passage.offset, passage.text = offset, line
        document.add_passage(passage)
        offset += len(line) + 1
    return document


if __name__ == "__main__":
    main()
