"""Trains the learnt decision that ships, `nlmchem/deciding/default.json`, on recorded outputs of a tagger.

    python -m benchmarks.retrain.record --data ../shared/data --out SILVER --sets open --tagger SILVER_STAGE
    python -m benchmarks.retrain.decision SILVER -o nlmchem/deciding/default.json --tagger "..."

SILVER_STAGE is a tagger that saw no annotation of NLM-Chem: RUNS/silver-1/seed-1/all/model of the recipe of the tagger.
The votes of the starter names (rule `lexicon`) are left out, because these names were chosen while the articles were
read. `benchmarks.scores.decisions` scores decisions. Time: 10 s.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.retrain.records import read, tagged
from nlmchem.deciding.decision import write_model
from nlmchem.deciding.training import DecisionOptions, Labelled, label, learn
from sieves.lexicon.lexicon import Lexicon

WITHOUT_LISTS = "boundaries,proteins,residues,codes,vote,abbreviations"
OPTIONS = DecisionOptions(threshold=0.4, floor=0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("--set", default="open")
    parser.add_argument("--rules", default=WITHOUT_LISTS, help="decode the spans again with these rules")
    parser.add_argument("--tagger", default="", help="the tagger of the records, for the model's card")
    parser.add_argument("-o", "--out", type=Path, required=True)
    given = parser.parse_args()
    articles = labelled(given.records, given.set, given.rules).values()
    card = {"corpora": [given.set], "tagger": given.tagger}
    write_model(given.out, learn([in_32_bits(article) for article in articles], OPTIONS, card=card))


def in_32_bits(article: Labelled) -> Labelled:
    """The shipped decision was trained on features that were stored in 32 bits."""
    columns = {name: column.astype(np.float32).astype(np.float64) for name, column in article.features.columns.items()}
    return replace(article, features=replace(article.features, columns=columns))


@cache
def labelled(records: Path, name: str, rules: str) -> dict[str, Labelled]:
    """The features of each article of a set with these rules, by its id."""
    source = records / f"{name}.jsonl.gz"
    ids = [str(record.document.id) for record in read(source)]
    with Lexicon.open(None) as lexicon:
        return dict(zip(ids, label(tagged(source, rules), lexicon), strict=True))


if __name__ == "__main__":
    main()
