"""Measures the pieces of knowledge on recorded tagger outputs: strict spans and identifiers, each piece alone and all.

    python benchmarks/deciding/record.py --data ../shared/data --out RECORDS
    python benchmarks/deciding/knowledge.py RECORDS [--sets articles,bc5cdr-test] [--changes 40]

Differences are to the tagger with its rules; the interval is a paired bootstrap over articles (10,000 samples).
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from scoring import bootstrap, f1, id_tally, read, span_tally, spans_of

from nlmchem.deciding.knowledge import Knowledge, Pieces
from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import Normalizer

WAYS = {
    "rules": (),
    "roles": ("roles",),
    "joined": ("joined",),
    "labels": ("labels",),
    "all": ("roles", "joined", "labels"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path)
    parser.add_argument("--sets", default="articles,bc5cdr-test,biored-test,chemdner-test")
    parser.add_argument("--number", type=int)
    parser.add_argument("--changes", type=int, default=0, help="print this many of the changed texts of each piece")
    parser.add_argument("--no-identifiers", action="store_true")
    given = parser.parse_args()
    lexicon = Lexicon.open(None)
    normalizer = Normalizer(Lexicon.open(None, 2021))
    deciders = {name: Knowledge(lexicon, Pieces.named(names)) if names else None for name, names in WAYS.items()}
    for name in given.sets.split(","):
        records = list(read(given.records / f"{name}.jsonl.gz", given.number))
        base = base_ids = None
        for way, decide in deciders.items():
            spans, ids, changed = [], [], {True: Counter[str](), False: Counter[str]()}
            for record in records:
                passages = record.copy()
                if decide is not None:
                    decide(record.document, passages)
                spans.append(span_tally(record, passages))
                before, after = spans_of(record, record.passages), spans_of(record, passages)
                text = {p.offset: p.text for p in record.document.passages}
                for span in before ^ after:
                    right = (span in record.gold) == (span in after)
                    offset = max(o for o in text if o <= span[0][0])
                    shown = text[offset][span[0][0] - offset : span[0][1] - offset]
                    changed[right][("+" if span in after else "-") + shown] += 1
                if record.ids and not given.no_identifiers:
                    ids.append(id_tally(record, passages, normalizer))
            row = [name, way, *(f"{value:.4f}" for value in f1(spans))]
            if base is None:
                base, base_ids = spans, ids
            else:
                row += [
                    f"{f1(spans)[2] - f1(base)[2]:+.4f}",
                    "[{:+.4f}, {:+.4f}] p {:.3f}".format(*bootstrap(base, spans)),
                ]
            if ids:
                row += ["ids", *(f"{value:.4f}" for value in f1(ids))]
                if way != "rules":
                    row += [f"{f1(ids)[2] - f1(base_ids)[2]:+.4f}"]
            if way != "rules":
                row += [f"right {changed[True].total()}, wrong {changed[False].total()}"]
            print(*row, sep="\t", flush=True)
            if given.changes and way not in ("rules", "all"):
                print("  right:", changed[True].most_common(given.changes))
                print("  wrong:", changed[False].most_common(given.changes))


if __name__ == "__main__":
    main()
