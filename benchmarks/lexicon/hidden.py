"""Hides names of MeSH and measures which sieves find their concepts again.

    python benchmarks/lexicon/hidden.py [--share 0.05] [--absent 0.01] [--number 2000] [--every]

A share of the synonyms of chemicals is removed from a copy of the default lexicon; so are all names of a share of the
concepts. A concept keeps its preferred name and at least one other. The hidden names are then looked up: by the default
sieves without edit distance and, where these have no answer, by the sieve `parts` and by edit distance. For names of
absent concepts every answer is wrong. The parts of names are those of the default lexicon; the sieve finds no concept
for a hidden name that is among them. By default only systematic names count (those that have parts); `--every`: all
names. Time: 2 minutes.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from sieves.cascade import DEFAULT_ORDER, Cascade
from sieves.chemistry.nomenclature import parts_of
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.shipped import shipped_file
from sieves.lexicon.store import CHEMICAL
from sieves.registry import checked_order

_NAMES = """
SELECT name.key, name.name, name.concept, concept.id FROM name JOIN concept ON concept.row = name.concept
WHERE concept.distance = ? AND name.layer IN (SELECT rank FROM layer WHERE name = 'mesh') ORDER BY 2, 4
"""
Row = tuple[str, str, int, str]
"""Key, name, row of the concept, identifier."""
ORDERS = ("parts", "edit", "parts,edit", "edit,parts")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=0.05)
    parser.add_argument("--absent", type=float, default=0.01)
    parser.add_argument("--number", type=int, default=2000, help="names of each kind that are looked up")
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "hidden.sqlite"
        shutil.copyfile(shipped_file(), copy)
        kinds = hide(copy, given.share, given.absent, chance)
        with Lexicon.open(copy) as lexicon:
            for kind, rows in kinds.items():
                chosen = [row for row in chance.sample(rows, len(rows)) if given.every or parts_of(row[1])]
                measure(kind, chosen[: given.number], lexicon, absent=kind == "absent")


def hide(copy: Path, share: float, absent: float, chance: random.Random) -> Mapping[str, list[Row]]:
    """Remove names from a lexicon file, as described above. Returns the removed names."""
    with closing(sqlite3.connect(copy)) as connection, connection:
        rows: list[Row] = connection.execute(_NAMES, (CHEMICAL,)).fetchall()
        preferred = set(connection.execute("SELECT key, concept FROM name WHERE preferred = 1"))
        keys: dict[int, set[str]] = {}
        for key, _, concept, _ in rows:
            keys.setdefault(concept, set()).add(key)
        gone = set(chance.sample(sorted(keys), int(absent * len(keys))))
        can = [
            row for row in rows if row[2] not in gone and len(keys[row[2]]) > 1 and (row[0], row[2]) not in preferred
        ]
        hidden = chance.sample(can, int(share * len(can)))
        connection.executemany("DELETE FROM name WHERE key = ? AND concept = ?", [(row[0], row[2]) for row in hidden])
        connection.execute("CREATE TEMP TABLE gone (concept INTEGER PRIMARY KEY)")
        connection.executemany("INSERT INTO gone VALUES (?)", [(row,) for row in sorted(gone)])
        # One pass: the table of names has no index by concept.
        connection.execute("DELETE FROM name WHERE concept IN (SELECT concept FROM gone)")
    return {"hidden": hidden, "absent": [row for row in rows if row[2] in gone]}


def measure(kind: str, rows: Sequence[Row], lexicon: Lexicon, absent: bool) -> None:
    """Print the answers of the sieves to hidden names: how many, how many are right, milliseconds for a name."""
    before = Cascade(lexicon, [name for name in DEFAULT_ORDER if name != "edit"])
    known = {row: before.resolve(row[1]) for row in rows}
    right = sum(not absent and found is not None and row[3] in found.identifiers for row, found in known.items())
    answered = sum(found is not None for found in known.values())
    print(f"{kind}\t{len(rows)} names\tother sieves\t{answered}\t{right}", flush=True)
    left = [row for row, found in known.items() if found is None]
    for order in ORDERS:
        cascade = Cascade(lexicon, checked_order(order))
        cascade.resolve("2-chloro-4-methyl-6-nitropyridine")
        begun = time.process_time()
        found = [(row, cascade.resolve(row[1])) for row in left]
        spent = 1000 * (time.process_time() - begun) / max(1, len(left))
        answers = [(row, one) for row, one in found if one is not None]
        right = sum(not absent and row[3] in one.identifiers for row, one in answers)
        share = f"{right / len(answers):.3f}" if answers else "-"
        print(f"{kind}\t{len(left)} left\t{order}\t{len(answers)}\t{right}\t{share}\t{spent:.2f} ms", flush=True)


if __name__ == "__main__":
    main()
