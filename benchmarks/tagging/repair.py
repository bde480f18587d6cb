"""What the step `repair` gains on the output of a tagger that is not ours, or that ran without our rules.

    python benchmarks/tagging/repair.py --gold ../shared/data/nlmchem/bioc --tagger benchmarks/retrain/first-stage
    python benchmarks/tagging/repair.py --gold ../shared/data/nlmchem/bioc --run MENTIONS

The tagger runs without rules and without a decision; only its mentions are kept. `--run`: a folder or file with the
mentions of any tagger instead, joined to the gold by article. Rows: as they are, after the rules, after the rules and
the knowledge of the lexicon (the default of the step), and each rule alone. Strict spans; identifiers as sets of each
article after the step `normalize` (MeSH of 2021). Differences are to the first row, with the middle 95% of 10,000
bootstrap samples of articles. Time: 2 minutes for 30 articles of full text.
"""

from __future__ import annotations

import argparse
import copy
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from bioc import BioCDocument

import corpora
from corpora.model.document import clear_identifiers, mentions, remove_mentions
from corpora.model.mesh_ids import mesh_ids
from corpora.model.metadata import join_key
from nlmchem.abbreviations import AbbreviationStage
from nlmchem.deciding.knowledge import Knowledge
from nlmchem.tagging.models.arithmetic import AUTO, chosen
from nlmchem.tagging.models.folders import LEXICON, folder_of
from nlmchem.tagging.repair import Repair
from nlmchem.tagging.rules.post_processing import Rules
from nlmchem.tagging.tagger import TaggerOptions, open_tagger
from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import Normalizer

SAMPLES = 10_000
CHUNK = 16
Tally = tuple[int, int, int]
"""Right, predicted, gold."""
Change = Callable[[Sequence[BioCDocument]], None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gold", required=True)
    parser.add_argument("--tagger", default=LEXICON, help="lexicon, default, or the folder of a model")
    parser.add_argument("--run", help="mentions of another tagger")
    parser.add_argument("--articles", type=int, default=0, help="only the first articles")
    parser.add_argument("--rules", action="store_true", help="also each rule alone")
    given = parser.parse_args()
    gold = list(corpora.read([given.gold], report=silent))[: given.articles or None]
    lexicon, normalizer = Lexicon.open(None), Normalizer(Lexicon.open(None, 2021))
    AbbreviationStage()(gold)
    found = of_run(given.run, gold) if given.run else tagged(gold, given.tagger, lexicon)
    base: tuple[list[Tally], list[Tally]] | None = None
    for name, change in ways(lexicon, given.rules).items():
        documents = copy.deepcopy(found)
        change(documents)
        normalizer(documents)
        pairs = list(zip(gold, documents, strict=True))
        rows = [tally(spans(one), spans(two)) for one, two in pairs], [tally(ids(one), ids(two)) for one, two in pairs]
        base = base or rows
        print(name, *(row(own, first) for own, first in zip(rows, base, strict=True)), sep="\t", flush=True)


def ways(lexicon: Lexicon, each: bool) -> dict[str, Change]:
    """The rows of the table."""

    def repair(rules: str, decide: Any = None) -> Change:
        return Repair(lexicon.version, Rules.parse(rules), decide)

    def nothing(documents: Sequence[BioCDocument]) -> None:
        pass

    names = [field.name for field in fields(Rules)] if each else []
    return {
        "as they are": nothing,
        "rules": repair("default"),
        "rules and knowledge": repair("default", Knowledge(lexicon)),
        "knowledge": repair("none", Knowledge(lexicon)),
        **{f"only {name}": repair(name) for name in names},
    }


def tagged(gold: Sequence[BioCDocument], name: str, lexicon: Lexicon) -> list[BioCDocument]:
    """Copies of the articles with the mentions of a tagger without its rules."""
    stage: Any
    if name == LEXICON:
        from nlmchem.tagging.lexicon.tagger import LexiconTagger

        stage = LexiconTagger(lexicon)
    else:
        options = TaggerOptions(Rules.parse("none"))
        stage = open_tagger([folder_of(name)], options, threads=1, arithmetic=chosen(AUTO, "cpu"))
    documents = list(copy.deepcopy(gold))
    for document in documents:
        remove_mentions(document)
    for at in range(0, len(documents), CHUNK):
        stage(documents[at : at + CHUNK])
    return documents


def of_run(path: str, gold: Sequence[BioCDocument]) -> list[BioCDocument]:
    """The articles of a run in the order of the gold, with their mentions without identifiers."""
    known = {join_key(document): document for document in corpora.read([path], report=silent)}
    documents = [known[join_key(document)] for document in gold]
    for document in documents:
        for mention in mentions(document):
            clear_identifiers(mention)
    AbbreviationStage()(documents)
    return documents


def spans(document: BioCDocument) -> set[Any]:
    return {tuple(sorted(mention.spans)) for mention in mentions(document)}


def ids(document: BioCDocument) -> set[Any]:
    return {id for mention in mentions(document) for id in mesh_ids(mention.identifiers)}


def tally(gold: set[Any], found: set[Any]) -> Tally:
    return len(gold & found), len(found), len(gold)


def scores(tallies: np.ndarray) -> np.ndarray:
    right, given, wanted = np.moveaxis(tallies, -1, 0)
    return np.stack(
        [right / np.maximum(given, 1), right / np.maximum(wanted, 1), 2 * right / np.maximum(given + wanted, 1)]
    )


def row(own: Sequence[Tally], base: Sequence[Tally]) -> str:
    """Precision, recall, F, and the difference in F to the base with its interval."""
    one, other = np.array(own, float), np.array(base, float)
    precision, recall, f1 = scores(one.sum(0))
    line = f"P {precision:.4f} R {recall:.4f} F {f1:.4f}"
    if own is base:
        return line
    drawn = np.random.default_rng(7).integers(0, len(one), (SAMPLES, len(one)))
    difference = scores(one[drawn].sum(1))[2] - scores(other[drawn].sum(1))[2]
    low, high = np.quantile(difference, [0.025, 0.975])
    return f"{line} {f1 - scores(other.sum(0))[2]:+.4f} ({low:+.4f} to {high:+.4f})"


def silent(_: str) -> None:
    pass


if __name__ == "__main__":
    main()
