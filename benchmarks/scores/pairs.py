"""Measures the solver of word-in-context pairs on BioWiC: accuracy by group, cross-validated, for each set of features.

    python -m benchmarks.scores.pairs --data ../shared/data [--dictionary FILE] [--encoder default] [--model FILE]

Folds have no common sentence or term; each row is the mean of ten divisions into five folds. `--dictionary` (default:
the embedded one) is one of `nlmchem corpora dictionary`. `--model`: also the accuracy of this model, which was not
trained on these pairs. Nothing that is trained here ships.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpora.datasets import open_corpus
from nlmchem.companions.pairs.features import BASE, EMBEDDED, OFF, SENSES, VECTORS, open_features
from nlmchem.companions.pairs.pair import GROUPS, ContextPair, clusters
from nlmchem.companions.pairs.solver import cross_validate, read_model
from sieves.lexicon.lexicon import Lexicon

SEEDS = range(10)
SETS = {
    "lexicon": tuple(BASE),
    "lexicon, dictionary": (*BASE, *SENSES),
    "lexicon, encoder": (*BASE, *VECTORS),
    "all": (*BASE, *SENSES, *VECTORS),
}


def print_row(name: str, pairs: list[ContextPair], right: NDArray[np.bool_]) -> None:
    """`right`: (divisions x pairs)."""
    group = np.array([pair.group for pair in pairs])
    shares = [right.mean(), *(right[:, group == kind].mean() for kind in GROUPS)]
    print(f"{name}\t" + "\t".join(f"{share:.3f}" for share in shares), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--dictionary", default=EMBEDDED)
    parser.add_argument("--encoder", default=OFF)
    parser.add_argument("--model", type=Path)
    options = parser.parse_args()
    pairs = list(open_corpus("biowic", options.data / "biowic").read("dev"))
    same = np.array([bool(pair.same) for pair in pairs])
    with Lexicon.open(None) as lexicon:
        made = open_features(lexicon, options.dictionary, options.encoder)
        values = made.matrix(pairs)
    print("features\tall\t" + "\t".join(GROUPS))
    equal = values[:, made.features.index("same name")] > 0
    short = values[:, made.features.index("abbreviates")] > 0
    print_row("the same name, or one abbreviates the other", pairs, ((equal | short) == same)[None])
    for name, features in SETS.items():
        if set(features) <= set(made.features):
            columns = values[:, [made.features.index(feature) for feature in features]]
            groups = clusters(pairs).tolist()
            right = [(cross_validate(columns, same, features, groups, seed) > 0.5) == same for seed in SEEDS]
            print_row(name, pairs, np.array(right))
    if options.model is not None:
        model = read_model(options.model)
        columns = values[:, [made.features.index(feature) for feature in model.linear.features]]
        print_row(str(options.model.name), pairs, ((model.probabilities(columns) >= 0.5) == same)[None])


if __name__ == "__main__":
    main()
