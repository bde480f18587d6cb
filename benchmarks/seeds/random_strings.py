"""Random strings instead of mentions in copies of the training articles (team 128, Erdengasileng et al. 2022).

    python -m benchmarks.seeds.random_strings --base STAGE --data ../shared/data --out RUNS [--replay CORPUS ...]

Trains STAGE, a tagger that saw no annotation of NLM-Chem, on three folds of the 30 open articles of NLM-Chem twice: two
passes over the articles, and one pass over the articles and their changed copies. Scores both on the articles of fold 0
(`benchmarks.scores.spans`). Further options are those of `nlmchem train tagger`. Time: about 10 minutes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

SEED, FOLDS = 2, 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given, further = parser.parse_known_args()
    corpus = given.data / "nlmchem" / "bioc"
    models = []
    for name, options in {"plain": ("--passes", 2), "random": ("--passes", 1, "--augment", "random")}.items():
        shared = ("--base", given.base, "--corpus", corpus, "--out", given.out / name, "--letter-case", "--gazetteer")
        trained = ("--rate", 1e-4, "--seeds", SEED, "--folds", FOLDS, "--rules", "none")
        run("nlmchem", "train", "tagger", *shared, *trained, *options, *further)
        models.append(given.out / name / f"seed-{SEED}" / "fold-0" / "model")
    for rules in ("none", "default"):
        run("benchmarks.scores.spans", *models, "--corpus", corpus, "--rules", rules, "--only-fold", f"0/{FOLDS}")


def run(module: str, *arguments: object) -> None:
    subprocess.run([sys.executable, "-m", module, *map(str, arguments)], check=True)


if __name__ == "__main__":
    main()
