"""Trains the embedded solver of word-in-context pairs, `nlmchem/pairs/default.json`.

    python -m benchmarks.retrain.pairs --data ../shared/data --work RUNS -o default.json

Checks the sha256 of the inputs (pairs.json beside this script) and makes the pairs:

- of the short and long forms that unlabelled articles define, from the first articles whose licence is CC BY or CC0;
- of the chemicals of the 30 open articles of NLM-Chem (CC0).

No source of BioWiC (BC5CDR, NCBI, MedMentions) is used, and pairs with a sentence of its development part are left out,
so that it can be measured on. The evidence has the embedded dictionary of short forms without the definitions of the
unlabelled articles: of a new article, the dictionary does not have the definitions either. The pairs are written to
RUNS. The card in the model (`card`) has the commit, the command and the inputs.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from bioc import BioCDocument

from benchmarks.retrain.inputs import checked, made_by, parser_of, record, report
from corpora.datasets import open_corpus
from corpora.datasets.document_builder import article
from corpora.model.document import Definition
from corpora.pairs.files import dumps_lines
from corpora.pairs.occurrences import Occurrences
from corpora.pairs.pair import ContextPair
from corpora.pairs.selection import Limits, pairs
from corpora.reading import read
from corpora.storage.atomic import write_bytes
from nlmchem.abbreviations.dictionary import Detector, key_of
from nlmchem.abbreviations.senses.inventory import Inventory, read_inventory
from nlmchem.abbreviations.senses.resolver import DEFAULT, DICTIONARY
from nlmchem.pairs.definitions import LongFormNames, definitions_of, link_definitions
from nlmchem.pairs.features import PairFeatureMaker
from nlmchem.pairs.names import LexiconNames
from nlmchem.pairs.solver import write_model
from nlmchem.pairs.training import learn
from nlmchem.tagging.tokenization.sentences import sentences
from sieves.lexicon.lexicon import Lexicon

INPUTS = Path(__file__).with_suffix(".json")
TEXT = "text/pmc-0.jsonl.xz"
NLMCHEM, BIOWIC = "nlmchem/bioc", "biowic"
ARTICLES = 1200
"""Unlabelled articles."""
TEXT_LIMITS = Limits(most=250, uses=2)
GOLD_LIMITS = Limits(most=150, uses=2, balanced=False)
"""The gold standard has nearly no name with two concepts, so its pairs cannot be balanced."""


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Run the command. Returns the card, or the recorded hashes with `--record`."""
    given = parsed(arguments)
    if given.record:
        return dict(record(given.data, (TEXT, NLMCHEM, BIOWIC), given.inputs))
    inputs = checked(given.data, given.inputs)
    given.work.mkdir(parents=True, exist_ok=True)
    with Lexicon.open() as lexicon:
        own: Counter[tuple[str, str]] = Counter()
        found = made(given.data, lexicon, own)
        write_bytes(given.work / "pairs.jsonl", dumps_lines(found))
        features = PairFeatureMaker(lexicon, without(read_inventory(DEFAULT / DICTIONARY), own))
        card = {
            "licence": "Apache-2.0",
            "data": f"{ARTICLES} articles of PMC (CC BY, CC0), the 30 open articles of NLM-Chem (CC0)",
            "lexicon": lexicon.version,
            "dictionary": sha256((DEFAULT / DICTIONARY).read_bytes()).hexdigest(),
            **made_by("pairs", arguments, inputs),
        }
        model = learn(found, features.matrix(found), features.features, 0, card, report)
    write_model(given.out, model)
    return dict(model.card)


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = parser_of(__doc__, INPUTS, "text/, nlmchem/ and biowic/")
    parser.add_argument("--work", type=Path, required=True, help="the folder for the pairs")
    parser.add_argument("-o", "--out", type=Path, required=True, help="the model to write (.json)")
    return parser.parse_args(arguments)


def made(data: Path, lexicon: Lexicon, own: Counter[tuple[str, str]]) -> list[ContextPair]:
    """The pairs of both sources, without sentences of BioWiC, numbered. `own` gets the definitions of the first."""
    held = {
        sentence
        for pair in open_corpus("biowic", data / BIOWIC).read("dev", report)
        for sentence in (pair.sentence1, pair.sentence2)
    }
    defined, gold = Occurrences(sentences), Occurrences(sentences)
    for document in link_definitions(islice(open_articles(data / TEXT), ARTICLES), sentences, counting(own)):
        defined.add(document)
    for document in read([str(data / NLMCHEM)], report=report):
        gold.add(document)
    found = pairs(defined, TEXT_LIMITS, LongFormNames()) + pairs(gold, GOLD_LIMITS, LexiconNames(lexicon))
    kept = [pair for pair in found if held.isdisjoint((pair.sentence1, pair.sentence2))]
    report(f"{len(kept)} pairs; {len(found) - len(kept)} with sentences of BioWiC were left out")
    return [replace(pair, id=str(number)) for number, pair in enumerate(kept, 1)]


def counting(own: Counter[tuple[str, str]]) -> Detector:
    """Finds definitions. `own` gets the number of articles that define a short form with a key of long forms."""

    def detect(document: BioCDocument) -> Sequence[Definition]:
        found = definitions_of(document)
        own.update({(one.short_form, key_of(one.long_form)) for one in found})
        return found

    return detect


def without(inventory: Inventory, own: Mapping[tuple[str, str], int]) -> Inventory:
    """The senses that other articles define, with the number of these."""
    left = (
        (short, replace(sense, articles=sense.articles - own.get((short, key_of(sense.long_form)), 0)))
        for short, senses in inventory.items()
        for sense in senses
    )
    return Inventory.of((short, sense) for short, sense in left if sense.articles > 0)


def open_articles(file: Path) -> Iterator[BioCDocument]:
    """The articles of a file whose licence is CC BY or CC0 without doubt."""
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            licence = str(row.get("license", "")).lower()
            if (licence.startswith("cc-by-") and licence[6:7].isdigit()) or licence.startswith("cc0"):
                texts = [(text, None, "paragraph") for text in row["text"].split("\n")]
                yield article(row["id"], texts)


if __name__ == "__main__":
    main()
