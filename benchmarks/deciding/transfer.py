"""Spans and identifiers of a decision model on recorded tagger outputs, against the knowledge alone.

    python benchmarks/deciding/transfer.py RECORDS MODEL --sets bc5cdr-test,biored-test
    python benchmarks/deciding/transfer.py RECORDS FOLDER --cross open

Identifiers are those of 2021, as in the gold standards. `--lexicon` decides and normalizes with another lexicon in its
own year; the spans of the records stay those of the default one. FOLDER
has fold-0.json and so on (`learnt.py --folds-out`). Each article gets the model of its fold: the position in the
file modulo the number of models.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from scoring import bootstrap, f1, id_tally, read, span_tally

from nlmchem.deciding.decision import Decision
from nlmchem.deciding.evidence import FEATURES
from nlmchem.deciding.knowledge import Knowledge
from nlmchem.deciding.trees import read_trees
from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import Normalizer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--sets", default="")
    parser.add_argument("--cross", default="")
    parser.add_argument("--lexicon", help="as in nlmchem annotate, for example starter")
    given = parser.parse_args()
    paths = sorted(given.model.glob("fold-*.json")) if given.model.is_dir() else [given.model]
    year = None if given.lexicon else 2021
    lexicon, normalizer = Lexicon.open(given.lexicon), Normalizer(Lexicon.open(given.lexicon, year))
    knowledge, learnt = Knowledge(lexicon), [Decision(lexicon, read_trees(path, FEATURES)) for path in paths]
    for name in filter(None, (given.cross or given.sets).split(",")):
        spans: tuple[list, list] = ([], [])
        ids: tuple[list, list] = ([], [])
        seconds = [0.0, 0.0]
        for at, record in enumerate(read(given.records / f"{name}.jsonl.gz")):
            for way, decide in enumerate((knowledge, learnt[at % len(learnt)])):
                passages = record.copy()
                begun = time.process_time()
                decide(record.document, passages)
                seconds[way] += time.process_time() - begun
                spans[way].append(span_tally(record, passages))
                if record.ids:
                    ids[way].append(id_tally(record, passages, normalizer))
        shown = (f"{spent / len(spans[0]):.3f}" for spent in seconds)
        print(name, "processor seconds an article", *shown, sep="\t", flush=True)
        for what, (one, other) in {"spans": spans, "identifiers": ids}.items():
            if one:
                scores = [f"{value:.4f}" for value in (*f1(one), *f1(other))]
                low, high, p = bootstrap(one, other)
                change = f"{f1(other)[2] - f1(one)[2]:+.4f}"
                print(name, what, *scores, change, f"[{low:+.4f}, {high:+.4f}] p {p:.3f}", sep="\t", flush=True)


if __name__ == "__main__":
    main()
