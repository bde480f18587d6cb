"""Trains the embedded model, `indexing/default.json`.

    nlmchem annotate ../shared/data/indexing/jats.tar.gz -o with-mesh --lexicon mesh.sqlite
    nlmchem annotate ../shared/data/indexing/jats.tar.gz -o with-starter
    python benchmarks/indexing/background.py ../shared/data/text/*.xz --lexicon mesh.sqlite --every 5 -o background.json
    python benchmarks/indexing/ship.py with-mesh with-starter --lexicon mesh.sqlite --data ../shared/data \
        --background background.json --identification "default tagger, all of MeSH and the starter lexicon"

Each article is learnt from as often as it is given, always in the same fold. `--lexicon` tells the kinds of concepts.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from crossvalidation import read_articles

from indexing import models
from indexing.background import Background
from indexing.logistic import plain_model
from indexing.training import LabelledArticle, train
from sieves.lexicon.lexicon import Lexicon

LEAST = 2
"""Concepts that fewer background articles name are left out: they are nine tenths of the file and tell little."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("annotated", type=Path, nargs="+")
    parser.add_argument("--lexicon", required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--background", type=Path, required=True)
    parser.add_argument("--identification", required=True, help="for the card: how the articles were annotated")
    parser.add_argument("-o", "--out", type=Path, default=models.DEFAULT)
    given = parser.parse_args()
    concepts = Lexicon.open(given.lexicon)
    articles: list[LabelledArticle] = []
    for folder in given.annotated:
        articles += read_articles(folder, given.data / "indexing" / "gold.jsonl", concepts)
    background = shortened(Background.from_plain(json.loads(given.background.read_text())))
    card = {
        "name": "default",
        "licence": "Apache-2.0",
        "data": "PMC full text (CC BY, CC0) with its MeSH indexing in MEDLINE; background: PMC full text (CC BY, CC0)",
        "identification": given.identification,
        "lexicon": concepts.version,
        "background_articles": background.articles,
        "method": "L2-regularised logistic regression of scikit-learn; docs/indexing.md",
    }
    model = train(articles, concepts, background=background, provenance=card)
    models.write(given.out, plain_model(model))
    print(f"{given.out}: {given.out.stat().st_size:,} bytes, version {models.read(given.out).version[:12]}")


def shortened(background: Background) -> Background:
    """Without the concepts that hardly any article names."""
    kept = {identifier for identifier, named in background.named.items() if named >= LEAST}

    def of(counts: dict[str, int]) -> dict[str, int]:
        return {identifier: number for identifier, number in counts.items() if identifier in kept}

    return Background(background.articles, of(background.named), of(background.abstract), of(background.title))


if __name__ == "__main__":
    main()
