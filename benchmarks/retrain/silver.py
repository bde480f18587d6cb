"""Makes the silver articles of the embedded tagger: unlabelled articles, tagged by an earlier stage and a decision.

    python -m benchmarks.retrain.record --data ../shared/data --out RECORDS --sets open --tagger FIRST
    python -m benchmarks.retrain.silver --data ../shared/data --tagger FIRST --records RECORDS --out SILVER
    python -m benchmarks.retrain.silver ... --skip 300 --articles 600    # the next round, with a better tagger

FIRST has seen no article of NLM-Chem. The decision is trained on the 20 open articles of the folds 1 and 2 of three, so
the articles of fold 0 have no part in the silver labels: compare both to see whether a model learnt anything about the
20 by this way. The rule `lexicon` is off, because the starter names were chosen while reading all of them. Articles
that share a paragraph with a gold article are left out. SILVER/texts-0.jsonl is annotated into SILVER/0, and so on.
Time on 2 quiet cores: 4 minutes for 300 articles.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import corpora
from benchmarks.retrain.decision import OPTIONS, WITHOUT_LISTS, labelled
from benchmarks.retrain.sources import document_of, documents, in_order
from corpora.model.metadata import join_key
from nlmchem.deciding.decision import write_model
from nlmchem.deciding.training import learn
from nlmchem.tagging.training.data import fold_of

SHORTEST, LONGEST = 15_000, 60_000
"""Characters of an article: shorter ones are abstracts and letters, longer ones mostly supplements and reviews."""
PART = 100
"""Articles of a file."""
FOLDS, HELD_OUT = 3, 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tagger", type=Path, required=True)
    parser.add_argument("--records", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--articles", type=int, default=300)
    parser.add_argument("--skip", type=int, default=0, help="articles of earlier rounds, the first in the order")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    decision = given.out / "decision.json"
    train_decision(given.data, given.records, decision)
    for number, texts in enumerate(write_texts(given.data, given.out, given.skip, given.articles)):
        annotate(texts, given.out / str(number), given.tagger, decision)


def train_decision(data: Path, records: Path, out: Path) -> None:
    """Train the decision on the records of the articles of all folds but `HELD_OUT`."""
    articles = documents(data, "open")
    fold = fold_of(articles, FOLDS)
    held_out = {str(document.id) for document in articles if fold[join_key(document)] == HELD_OUT}
    articles_of_folds = labelled(records, "open", WITHOUT_LISTS).items()
    write_model(out, learn([article for name, article in articles_of_folds if name not in held_out], OPTIONS))


def write_texts(data: Path, out: Path, skip: int, number: int) -> list[Path]:
    """Write the texts of `number` articles after the first `skip`, in an order that depends on their ids only."""
    rows = [article for article in in_order(data) if SHORTEST <= len(article["text"]) <= LONGEST]
    rows = rows[skip : skip + number]
    files = []
    for at in range(0, len(rows), PART):
        files.append(out / f"texts-{at // PART}.jsonl")
        part = rows[at : at + PART]
        texts = (document_of(row["id"].removeprefix("PMC"), row["text"].split("\n")) for row in part)
        corpora.write(texts, files[-1], "jsonl")
    return files


def annotate(texts: Path, out: Path, tagger: Path, decision: Path) -> None:
    """Run `nlmchem annotate`. Raises `SystemExit` if it fails."""
    words = ["annotate", texts, "-o", out, "--tagger", tagger, "--rules", WITHOUT_LISTS, "--decision", decision]
    words += ["--steps", "abbreviate,tag", "--format", "jsonl", "--workers", "2"]
    # One thread in each worker; results do not depend on it.
    command = [sys.executable, "-m", "nlmchem", *map(str, words)]
    if code := subprocess.run(command, env={**os.environ, "OMP_NUM_THREADS": "1"}).returncode:
        raise SystemExit(code)


if __name__ == "__main__":
    main()
