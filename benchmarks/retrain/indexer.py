"""Trains the embedded indexer, `indexing/terms/default.json`.

    python -m benchmarks.retrain.indexer --data ../shared/data --work RUNS -o default.json

Checks the sha256 of the inputs (indexer.json beside this script), annotates the 461 labelled articles with the default
lexicon, counts concepts in every fifth unlabelled article, and fits the model. The card in the model (`card`) has
the commit, the command and the inputs. A step with a result in RUNS is not repeated.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from bioc import BioCDocument

import corpora
import nlmchem
from benchmarks.retrain.inputs import checked, made_by, parser_of, record, report
from benchmarks.retrain.sources import TEXTS, document_of, rows
from corpora.model.document import IndexTerm, add_index_term
from corpora.model.sections import add_sections
from corpora.storage.atomic import write_bytes
from indexing.terms.candidates import candidates_of
from indexing.terms.logistic import read_model, write_model
from indexing.terms.statistics import Background
from indexing.terms.training import label, train
from sieves.lexicon.lexicon import Lexicon

INPUTS = Path(__file__).with_suffix(".json")
ARTICLES, GOLD = LABELLED = ("indexing/jats.tar.gz", "indexing/gold.jsonl")
EVERY = 5
"""One unlabelled article in so many is counted."""
LEAST = 2
"""Concepts of fewer unlabelled articles are left out. They are nine tenths of the file and hardly change a score."""


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Run the command. Returns the card of the model, or the recorded hashes with `--record`."""
    given = parsed(arguments)
    if given.record:
        return dict(record(given.data, (*LABELLED, *TEXTS), given.inputs))
    inputs = checked(given.data, given.inputs)
    given.work.mkdir(parents=True, exist_ok=True)
    annotated, background = prepared(given)
    # The card is published: folders of this machine do not belong there.
    hidden = {str(given.work): "RUNS", str(given.out): given.out.name}
    with Lexicon.open() as concepts:
        card = {
            "name": "default",
            "licence": "Apache-2.0",
            "data": "PMC full text (CC BY, CC0) with MeSH indexing of MEDLINE; background: PMC full text (CC BY, CC0)",
            "identification": f"the {given.tagger} tagger and the sieve cascade with the default lexicon; background: "
            "the lexicon tagger",
            "lexicon": concepts.version,
            "background_articles": background.articles,
            "method": "L2-regularised logistic regression and boosted trees of scikit-learn; "
            "docs/reference/indexing.md",
            **made_by("indexer", arguments, inputs, hidden),
        }
        articles = label(corpora.read(str(annotated)), list(gold_articles(given.data / GOLD)), concepts)
        model = train(articles, concepts, background=background, card=card, report=report)
    write_model(given.out, model)
    report(f"{given.out}: {given.out.stat().st_size:,} bytes, version {read_model(given.out).version[:12]}")
    return dict(model.card)


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = parser_of(__doc__, INPUTS, "indexing/ and text/")
    parser.add_argument("--work", type=Path, required=True, help="the folder for annotated articles and counts")
    parser.add_argument("-o", "--out", type=Path, required=True, help="the model to write (.json)")
    parser.add_argument("--tagger", default="default", help="another tagger makes another model")
    return parser.parse_args(arguments)


def prepared(given: argparse.Namespace) -> tuple[Path, Background]:
    """The folder of annotated articles and the counts in unlabelled ones, made where they are missing."""
    annotated, counts = (given.work / name for name in ("annotated", "background.json"))
    # `annotate` continues a run that was stopped, and repeats nothing of a complete one.
    options = ["--steps", "abbreviate,tag,normalize", "--tagger", given.tagger]
    command = ["annotate", given.data / ARTICLES, "-o", annotated, *options]
    subprocess.run([sys.executable, "-c", "from nlmchem.cli import main; main()", *map(str, command)], check=True)
    if not counts.exists():
        background = counted([given.data / name for name in TEXTS])
        write_bytes(counts, json.dumps(background.plain()).encode())
    return annotated, shortened(Background.from_plain(json.loads(counts.read_text("utf-8"))))


def counted(texts: Iterable[Path]) -> Background:
    """The counts of concepts in unlabelled articles, annotated by the lexicon tagger. A line of text is a passage."""
    annotate, concepts, background = nlmchem.load(tagger="lexicon"), Lexicon.open(), Background()
    for number, article in enumerate(annotate(unlabelled(texts)), 1):
        background.add(candidates_of(article, concepts))
        if number % 200 == 0:
            report(f"{number} articles, {len(background.named)} concepts")
    return background


def unlabelled(texts: Iterable[Path]) -> Iterator[BioCDocument]:
    for path in texts:
        for row in islice(rows(path), 0, None, EVERY):
            document = document_of(row["id"], (line for line in row["text"].split("\n") if line.strip()))
            add_sections(document)
            yield document


def gold_articles(path: Path) -> Iterator[BioCDocument]:
    """The chemicals of `gold.jsonl` as documents with index terms alone, by PMCID without prefix."""
    with path.open(encoding="utf-8") as lines:
        for row in (json.loads(line) for line in lines if line.strip()):
            document = document_of(row["pmcid"].removeprefix("PMC"), [""])
            for identifier in sorted({identifier for identifier, _ in row["chemicals"]}):
                add_index_term(document, IndexTerm(identifier))
            yield document


def shortened(background: Background) -> Background:
    """The counts without the concepts that hardly any article mentions."""
    kept = {identifier for identifier, named in background.named.items() if named >= LEAST}

    def of(counts: dict[str, int]) -> dict[str, int]:
        return {identifier: number for identifier, number in counts.items() if identifier in kept}

    return Background(background.articles, of(background.named), of(background.abstract), of(background.title))


if __name__ == "__main__":
    main()
