"""The models of the folds of one training as one tagger (team 121), beside one of them and the model of all articles.

    python -m benchmarks.seeds.vote_of_folds RUN --data ../shared/data

RUN is the folder of a seed of `nlmchem train tagger --corpus ../shared/data/nlmchem/bioc --folds 3`, with `all/model`
of a second training without folds. The probabilities of the folds are averaged. Scored on the test part of BC5CDR, with
the decision `knowledge`. Time: 10 minutes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    given = parser.parse_args()
    gold = given.data / "bc5cdr" / "BC5CDR_Test.PubTator.gz"
    folds = sorted(map(str, given.run.glob("fold-*/model")))
    taggers = {"folds": ",".join(folds), "one": folds[0], "all": str(given.run / "all" / "model")}
    with tempfile.TemporaryDirectory() as folder:
        for name, tagger in taggers.items():
            options = ["-o", f"{folder}/{name}", "--tagger", tagger, "--decision", "knowledge", "--existing", "replace"]
            nlmchem("annotate", str(gold), *options, "--steps", "abbreviate,tag")
        nlmchem("evaluate", "spans", str(gold), *(f"{folder}/{name}" for name in taggers))


def nlmchem(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "nlmchem", *arguments], check=True)


if __name__ == "__main__":
    main()
