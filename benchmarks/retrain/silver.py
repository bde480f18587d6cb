"""Makes the silver articles of the embedded tagger: unlabelled articles, tagged by an earlier stage and a decision.

    python benchmarks/deciding/record.py --data ../shared/data --out RECORDS --sets open --tagger FIRST
    python benchmarks/retrain/silver.py --data ../shared/data --tagger FIRST --records RECORDS --out SILVER
    python benchmarks/retrain/silver.py ... --skip 300 --articles 600    # the next round, with a better tagger
    python benchmarks/retrain/silver.py --data ../shared/data --out TEXTS --texts-only    # no annotations

FIRST has seen no article of NLM-Chem. The decision is trained on the 20 open articles of the folds 1 and 2 of three, so
the articles of fold 0 have no part in the silver labels: compare both to see whether a model learnt anything about the
20 by this way. The rule `lexicon` is off, because the starter names were chosen while reading all of them. Articles
that share a paragraph with a gold article are left out. SILVER/texts-0.jsonl is annotated into SILVER/0, and so on.
Time on 2 quiet cores: 4 minutes for 300 articles.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "benchmarks" / name) for name in ("train_default", "deciding")]

from rule_sets import WITHOUT_LISTS, labelled  # noqa: E402
from sets import documents  # noqa: E402
from silver import document_of  # noqa: E402
from sources import GOLD, NOT_TRAINED_ON, articles_of_text, corpus, leaked  # noqa: E402

import corpora  # noqa: E402
from corpora.model.metadata import join_key  # noqa: E402
from nlmchem.deciding.decision import write_model  # noqa: E402
from nlmchem.deciding.training import DecisionOptions, learn  # noqa: E402
from nlmchem.tagging.training.data import fold_of  # noqa: E402

SHORTEST, LONGEST = 15_000, 60_000
"""Characters of an article: shorter ones are abstracts and letters, longer ones mostly supplements and reviews."""
PART = 100
"""Articles of a file."""
FOLDS, HELD_OUT = 3, 0
EVALUATED = ("articles", "biored-test", "chemdner-test")
"""Sets whose articles must not be among the silver articles, besides those of `sources`."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tagger", type=Path)
    parser.add_argument("--records", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--articles", type=int, default=300)
    parser.add_argument(
        "--skip", type=int, default=0, help="articles of an earlier round, at the beginning of the order"
    )
    parser.add_argument("--texts-only", action="store_true", help="do not annotate the articles")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    if given.texts_only:
        write_texts(given.data, given.out, given.skip, given.articles)
        return
    if given.tagger is None or given.records is None:
        parser.error("--tagger and --records are needed to annotate the articles; --texts-only does not need them")
    decision = given.out / "decision.json"
    train_decision(given.data, given.records, decision)
    for number, texts in enumerate(write_texts(given.data, given.out, given.skip, given.articles)):
        annotate(texts, given.out / str(number), given.tagger, decision)


def train_decision(data: Path, records: Path, out: Path) -> None:
    """Train the decision on the records of the articles of all folds but `HELD_OUT`."""
    articles = documents(data, "open")
    fold = fold_of(articles, FOLDS)
    held_out = {str(document.id) for document in articles if fold[join_key(document)] == HELD_OUT}
    evidence = labelled(records, "open", WITHOUT_LISTS)
    known = [one for name, one in evidence.items() if str(name) not in held_out]
    write_model(out, learn(known, DecisionOptions(threshold=0.4, floor=0.5)))


def write_texts(data: Path, out: Path, skip: int, number: int) -> list[Path]:
    """Write the texts of `number` articles after the first `skip`, in an order that depends on their ids only."""
    gold = [document for name in (*GOLD, NOT_TRAINED_ON) for document in corpus(data, name).documents]
    gold += [document for name in EVALUATED for document in documents(data, name)]
    left_out = set(leaked(data, gold))
    rows = [
        article
        for article in articles_of_text(data)
        if article["id"] not in left_out and SHORTEST <= len(article["text"]) <= LONGEST
    ]
    rows.sort(key=lambda article: hashlib.sha256(article["id"].encode()).hexdigest())
    rows = rows[skip : skip + number]
    files = []
    for at in range(0, len(rows), PART):
        files.append(out / f"texts-{at // PART}.jsonl")
        corpora.write(map(document_of, rows[at : at + PART]), files[-1], "jsonl")
    return files


def annotate(texts: Path, out: Path, tagger: Path, decision: Path) -> None:
    """Run `nlmchem annotate`. Raises `SystemExit` if it fails."""
    words = ["annotate", texts, "-o", out, "--tagger", tagger, "--rules", WITHOUT_LISTS, "--decision", decision]
    words += ["--steps", "abbreviate,tag", "--format", "jsonl", "--workers", "2"]
    # One thread in each worker; results do not depend on it.
    done = subprocess.run(
        [sys.executable, "-m", "nlmchem", *map(str, words)], env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    if done.returncode:
        raise SystemExit(done.returncode)


if __name__ == "__main__":
    main()
