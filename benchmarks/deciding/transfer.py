"""Spans and identifiers of a decision model on recorded tagger outputs, against the knowledge alone.

    python benchmarks/deciding/transfer.py RECORDS MODEL --sets bc5cdr-test,biored-test
    python benchmarks/deciding/transfer.py RECORDS FOLDER --cross open [--rules boundaries,proteins]

Identifiers are those of 2021, as in the gold standards; in sets with gold identifiers, articles without any count too.
`--lexicon` decides and normalizes with another lexicon in its own year; the spans of the records stay those of the
default one. `--rules` decodes the spans again, with these rules. FOLDER has fold-0.json and so on (`learnt.py
--folds-out`). Each article gets the model of its fold: the position in the file modulo the number of models.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from rules import decoded, ruled
from scoring import Record, bootstrap, f1, id_tally, read, span_tally

from nlmchem.deciding.decision import Decision
from nlmchem.deciding.evidence import FEATURES
from nlmchem.deciding.knowledge import Knowledge
from nlmchem.deciding.trees import read_trees
from nlmchem.tagging.rules.post_processing import PostProcessing
from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import Normalizer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--sets", default="")
    parser.add_argument("--cross", default="")
    parser.add_argument("--lexicon", help="as in nlmchem annotate, for example starter")
    parser.add_argument("--rules", default="", help="decode the spans again with these rules (default: as recorded)")
    given = parser.parse_args()
    paths = sorted(given.model.glob("fold-*.json")) if given.model.is_dir() else [given.model]
    year = None if given.lexicon else 2021
    lexicon, normalizer = Lexicon.open(given.lexicon), Normalizer(Lexicon.open(given.lexicon, year))
    knowledge, learnt = Knowledge(lexicon), [Decision(lexicon, read_trees(path, FEATURES)) for path in paths]
    for name in filter(None, (given.cross or given.sets).split(",")):
        spans: tuple[list, list] = ([], [])
        ids: tuple[list, list] = ([], [])
        seconds = [0.0, 0.0]
        for at, record in enumerate(_records(given.records / f"{name}.jsonl.gz", given.rules)):
            for way, decide in enumerate((knowledge, learnt[at % len(learnt)])):
                passages = record.copy()
                begun = time.process_time()
                decide(record.document, passages)
                seconds[way] += time.process_time() - begun
                spans[way].append(span_tally(record, passages))
                ids[way].append(id_tally(record, passages, normalizer))
        shown = (f"{spent / len(spans[0]):.3f}" for spent in seconds)
        print(name, "processor seconds an article", *shown, sep="\t", flush=True)
        for what, (one, other) in {"spans": spans, "identifiers": ids}.items():
            if any(gold for _, _, gold in one):
                scores = [f"{value:.4f}" for value in (*f1(one), *f1(other))]
                low, high, p = bootstrap(one, other)
                change = f"{f1(other)[2] - f1(one)[2]:+.4f}"
                print(name, what, *scores, change, f"[{low:+.4f}, {high:+.4f}] p {p:.3f}", sep="\t", flush=True)


def _records(path: Path, rules: str) -> Iterator[Record]:
    for record in read(path):
        if rules:
            record.passages = ruled(decoded(record), PostProcessing.parse(rules))
        yield record


if __name__ == "__main__":
    main()
