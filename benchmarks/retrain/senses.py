"""Makes the embedded dictionary of short forms, `nlmchem/companions/senses/default`.

    python -m benchmarks.retrain.senses --data ../shared/data -o senses/

Checks the sha256 of the inputs (senses.json beside this script), reads the unlabelled articles whose licence is stated
as CC BY or CC0, and runs what `nlmchem train senses` runs. The weights of sentences are fitted on the training part of
GLADIS (CC0; `sense_sentences.py`). `--sentences-only` fits these alone, for the dictionary that is in the folder. Their
vectors of word pieces (`sentence_vectors.py`) and their encoder (`vocabulary.py`) were made without GLADIS. The file
weights.json (`card`) has the commit, the command and the inputs. Only facts are kept: forms, names and counts, word
weights, and vectors.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeGuard

from bioc import BioCDocument

from benchmarks.retrain.inputs import checked, made_by, parser_of, record, report
from benchmarks.retrain.sense_sentences import add_sentences
from benchmarks.retrain.sources import TEXTS, rows
from corpora.datasets.acronyms import AcronymSample
from corpora.datasets.registry import open_corpus
from nlmchem.abbreviations import define
from nlmchem.abbreviations.inventory import EMBEDDED
from nlmchem.companions.senses.building import BuildingOptions, read_records
from nlmchem.companions.senses.making import make_folder
from nlmchem.companions.senses.names import NameFinder
from nlmchem.companions.senses.resolver import DICTIONARY, dictionary_of
from sieves.lexicon.lexicon import Lexicon

INPUTS = Path(__file__).with_suffix(".json")
GLADIS = "acronyms/gladis"
DOUBTFUL = "?"
"""A licence that ends so was guessed by the source, and its article is left out."""
ARTICLES = 3000
"""Articles whose definitions are hidden."""


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Run the command. Returns counts and scores, or the recorded hashes with `--record`."""
    given = parsed(arguments)
    if given.record:
        return dict(record(given.data, (*TEXTS, f"{GLADIS}/biomedical-train.json.gz"), given.inputs))
    inputs = checked(given.data, given.inputs)
    card = {
        "licence": "Apache-2.0",
        "data": "PMC full text (CC BY, CC0), names of MeSH, GLADIS train (CC0)",
        **made_by("senses", arguments, inputs, {str(given.data): "../shared/data", str(given.out): "FOLDER"}),
    }
    sentences = [
        sample for sample in open_corpus("gladis", given.data / GLADIS).read("train", report) if is_sample(sample)
    ]
    made = {} if given.sentences_only else make(given, card)
    made |= {"sentences": add_sentences(given.out, sentences, card)}
    report(json.dumps(made, indent=1))
    return made


def make(given: argparse.Namespace, card: dict[str, Any]) -> dict[str, Any]:
    """Make the dictionary, with the weights of articles."""
    with Lexicon.open() as lexicon:
        finder = NameFinder(lexicon.database.every_name())
        records = read_records(articles(given.data), lambda document: define(document).definitions, finder)
        made = make_folder(records, given.out, report, given.articles, BuildingOptions(), card, lexicon)
    if dictionary_of(given.out) == EMBEDDED:
        # The embedded dictionary stands with the abbreviations, because pairs use it, too.
        (given.out / DICTIONARY).replace(EMBEDDED)
    return asdict(made)


def is_sample(item: object) -> TypeGuard[AcronymSample]:
    return isinstance(item, AcronymSample)


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = parser_of(__doc__, INPUTS, "text/")
    parser.add_argument("-o", "--out", type=Path, required=True, help="the folder to write")
    parser.add_argument("--articles", type=int, default=ARTICLES, help="articles whose definitions are hidden")
    parser.add_argument("--sentences-only", action="store_true", help="fit the weights of sentences only")
    return parser.parse_args(arguments)


def articles(data: Path) -> Iterator[BioCDocument]:
    """The articles with a stated licence."""
    allowed = {row["id"].removeprefix("PMC") for row in licensed(data)}
    documents = open_corpus("plain-text", data / "text").read(report=report)
    yield from (document for document in documents if str(document.id) in allowed)


def licensed(data: Path) -> Iterator[dict[str, str]]:
    """The unlabelled articles whose licence is stated."""
    return (row for row in rows(*(data / name for name in TEXTS)) if not str(row["license"]).endswith(DOUBTFUL))


if __name__ == "__main__":
    main()
