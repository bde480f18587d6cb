"""Trains the embedded solver of word-in-context pairs, `nlmchem/companions/pairs/default.json`.

    python -m benchmarks.retrain.pairs --data ../shared/data --work RUNS -o default.json

Checks the sha256 of the inputs (pairs.json beside this script) and makes the pairs:

- of the short and long forms that unlabelled articles define, from the first articles whose licence is CC BY or CC0;
- of the chemicals of the 30 open articles of NLM-Chem (CC0);
- of the chemicals and diseases of BioRED (MIT). Its genes are left out: a gene has another id in each species, and the
  lexicon does not tell which of them are the same.

No source of BioWiC (BC5CDR, NCBI, MedMentions) is used, so that BioWiC can be measured on. BioRED has articles of
BC5CDR and NCBI, which are left out by their ids. An article that has a sentence of BioWiC's development part is left
out; the sentences are compared by letters and digits, because corpora divide them into words in different ways. The
training part of GLADIS is no source: it has 157 of these sentences, and does not tell its articles.

The evidence has the embedded dictionary of short forms without the definitions of the unlabelled articles: of a new
article, the dictionary does not have the definitions either. The pairs are written to RUNS, one file for each source.
The card in the model (`card`) has the commit, the command, the inputs, and the accuracy for each source by the others.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from bioc import BioCDocument

from benchmarks.retrain.inputs import checked, made_by, parser_of, record, report
from benchmarks.retrain.sources import rows
from corpora.datasets import open_corpus
from corpora.datasets.articles import article
from corpora.model.document import Definition, mentions, remove_mentions
from corpora.model.passages import passage_text
from corpora.reading import read
from corpora.reporting import Report
from corpora.storage.atomic import sha256_of, write_bytes
from nlmchem.abbreviations import define
from nlmchem.abbreviations.dictionary import Detector, key_of
from nlmchem.abbreviations.inventory import EMBEDDED, Inventory, read_inventory
from nlmchem.companions.pairs.features import PairFeatureMaker
from nlmchem.companions.pairs.making import (
    LexiconNames,
    LongFormNames,
    Occurrences,
    candidates,
    link_definitions,
    select,
)
from nlmchem.companions.pairs.pair import ContextPair, dumps_lines
from nlmchem.companions.pairs.solver import learn, write_model
from nlmchem.tagging.tokenization.tokens import sentences
from sieves.lexicon.lexicon import Lexicon

INPUTS = Path(__file__).with_suffix(".json")
TEXT = "text/pmc-0.jsonl.xz"
NLMCHEM, BIORED, BIOWIC = "nlmchem/bioc", "biored", "biowic"
ARTICLES = 1200
"""Unlabelled articles."""
MOST_OF_TEXTS, USES_OF_TEXTS = 100, 2
"""About as many pairs as the other sources have: more would outweigh them (docs/measurements/pairs.md)."""
PENALTY = 30.0
"""Of 3, 10, 30 and 100 the one with the least loss where each source is predicted from the others."""
TYPES = ("Chemical", "Disease")
"""The types of mentions of BioRED that have identifiers of the lexicon."""
LEAST = 20
"""Shorter sentences of BioWiC, in letters and digits, may be in any article."""
_NO_LETTERS = re.compile(r"[\W_]+")


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Run the command. Returns the card, or the recorded hashes with `--record`."""
    given = parsed(arguments)
    if given.record:
        return dict(record(given.data, (TEXT, NLMCHEM, BIORED, BIOWIC), given.inputs))
    inputs = checked(given.data, given.inputs)
    given.work.mkdir(parents=True, exist_ok=True)
    with Lexicon.open() as lexicon:
        counted: Counter[tuple[str, str]] = Counter()
        sources = made(given.data, lexicon, counted)
        for name, pairs_of_source in sources.items():
            write_bytes(given.work / f"{name}.jsonl", dumps_lines(pairs_of_source))
        pairs = list(chain.from_iterable(sources.values()))
        origins = [name for name, pairs_of_source in sources.items() for _ in pairs_of_source]
        features = PairFeatureMaker(lexicon, without(read_inventory(EMBEDDED), counted))
        card = {
            "licence": "Apache-2.0",
            "data": f"{ARTICLES} articles of PMC (CC BY, CC0), the 30 open articles of NLM-Chem (CC0), BioRED (MIT)",
            "lexicon": lexicon.version,
            "dictionary": sha256_of(EMBEDDED),
            **made_by("pairs", arguments, inputs),
        }
        model = learn(pairs, features.matrix(pairs), features.features, 0, card, report, origins, PENALTY)
    write_model(given.out, model)
    return dict(model.card)


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = parser_of(__doc__, INPUTS, "text/, nlmchem/, biored/ and biowic/")
    parser.add_argument("--work", type=Path, required=True, help="the folder for the pairs")
    parser.add_argument("-o", "--out", type=Path, required=True, help="the model to write (.json)")
    return parser.parse_args(arguments)


def made(data: Path, lexicon: Lexicon, counted: Counter[tuple[str, str]]) -> dict[str, list[ContextPair]]:
    """The pairs of each source, numbered throughout. `own` gets the definitions of the unlabelled articles."""
    held = Held.of(data)
    texts = islice(open_articles(data / TEXT), ARTICLES)
    documents = {
        "pmc": held.apart("pmc", texts),
        "nlmchem": held.apart("nlmchem", read([str(data / NLMCHEM)], report=report)),
        "biored": held.apart("biored", of_types(read([str(data / BIORED)], report=report))),
    }
    numbered, number = {}, 0
    for name, articles in documents.items():
        occurrences = Occurrences(sentences)
        for document in articles:
            if name == "pmc":
                link_definitions(document, sentences, counting(counted))
            occurrences.add(document)
        if name == "pmc":
            pairs = select(candidates(occurrences, LongFormNames()), MOST_OF_TEXTS, USES_OF_TEXTS)
        else:
            pairs = select(candidates(occurrences, LexiconNames(lexicon)))
        kept = [pair for pair in pairs if held.lacks(pair)]
        numbered[name] = [replace(pair, id=str(number + place)) for place, pair in enumerate(kept, 1)]
        number += len(kept)
        report(f"{name}: {len(kept)} pairs")
    return numbered


def of_types(documents: Iterable[BioCDocument]) -> Iterator[BioCDocument]:
    """The documents with the mentions of `TYPES` only."""
    for document in documents:
        for type in {mention.type for mention in mentions(document, None)}.difference(TYPES):
            remove_mentions(document, type)
        yield document


@dataclass(frozen=True, slots=True)
class Held:
    """What is kept for measuring. `articles`: ids. `sentences`: of BioWiC; `folded`: their letters and digits."""

    articles: frozenset[str]
    sentences: frozenset[str]
    folded: tuple[str, ...]

    @classmethod
    def of(cls, data: Path) -> Held:
        ids = (document.id for document in read([str(data / BIOWIC / "resources")], report=report))
        development = open_corpus("biowic", data / BIOWIC).read("dev", report)
        sentences = frozenset(sentence for pair in development for sentence in (pair.sentence1, pair.sentence2))
        return cls(
            frozenset(ids), sentences, tuple(sorted({folded(text) for text in sentences if len(folded(text)) >= LEAST}))
        )

    def apart(self, name: str, documents: Iterable[BioCDocument], report: Report = report) -> Iterator[BioCDocument]:
        """The documents, without articles and sentences that BioWiC has. Reports how many are left out."""
        left_out = 0
        for document in documents:
            text = folded(" ".join(passage_text(passage) for passage in document.passages))
            if document.id in self.articles or any(sentence in text for sentence in self.folded):
                left_out += 1
            else:
                yield document
        report(f"{name}: {left_out} articles are left out, because BioWiC has them")

    def lacks(self, pair: ContextPair) -> bool:
        return self.sentences.isdisjoint((pair.sentence1, pair.sentence2))


def folded(text: str) -> str:
    return _NO_LETTERS.sub("", text).casefold()


def counting(counted: Counter[tuple[str, str]]) -> Detector:
    """Finds definitions. `own` gets the number of articles that define a short form with a key of long forms."""

    def detect(document: BioCDocument) -> Sequence[Definition]:
        definitions = define(document).definitions
        counted.update({(definition.short_form, key_of(definition.long_form)) for definition in definitions})
        return definitions

    return detect


def without(inventory: Inventory, counted: Mapping[tuple[str, str], int]) -> Inventory:
    """The senses that other articles define, with the number of these."""
    left = (
        (short, replace(sense, articles=sense.articles - counted.get((short, key_of(sense.long_form)), 0)))
        for short, senses in inventory.items()
        for sense in senses
    )
    return Inventory.of((short, sense) for short, sense in left if sense.articles > 0)


def open_articles(file: Path) -> Iterator[BioCDocument]:
    """The articles of a file whose licence is CC BY or CC0 without doubt."""
    for row in rows(file):
        licence = str(row.get("license", "")).lower()
        if (licence.startswith("cc-by-") and licence[6:7].isdigit()) or licence.startswith("cc0"):
            yield article(row["id"], [(text, None, "paragraph") for text in row["text"].split("\n")])


if __name__ == "__main__":
    main()
