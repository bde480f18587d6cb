"""What many files cost before and beside the work: listing, registration, ledger, parts; with generated tiny articles.

    python -m benchmarks.speed.registration --articles 100000 --work /tmp/registration

It makes a folder in the layout of PMC's bucket (a folder, a text and metadata for each article), then converts it into
numbered parts: without steps, so that nothing but the run itself is measured. Then it runs once more, where everything
is done. It prints seconds of processor time for each phase, the peak of memory, and sizes. `--simulate` makes no files:
it fills the tables of a ledger as such a run would, and measures the queries that read all rows.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from corpora.output_names import find_clashes
from corpora.storage.inputs import expand
from corpora.storage.selection import ALL
from nlmchem.engine.ledger import Ledger
from nlmchem.engine.options import RunOptions
from nlmchem.engine.part_list import START
from nlmchem.engine.registration import row_of
from nlmchem.engine.runner import annotate_folder
from nlmchem.run.files import FileOptions
from nlmchem.run.plan import Plan

FIRST = 1_000_000


def make(folder: Path, number: int) -> None:
    """Write the folder of `number` articles, as far as it is not there."""
    for id in range(FIRST, FIRST + number):
        place = folder / f"PMC{id}.1"
        if not place.is_dir():
            place.mkdir(parents=True)
            (place / f"PMC{id}.1.txt").write_text(f"Zinc {id}\n")
            (place / f"PMC{id}.1.json").write_text(json.dumps({"pmcid": f"PMC{id}", "version": 1}))


@contextmanager
def measured(name: str, number: int) -> Iterator[None]:
    """Print the processor time of the block, and the peak of memory so far."""
    begun, elapsed = time.process_time(), time.perf_counter()
    yield
    used, elapsed = time.process_time() - begun, time.perf_counter() - elapsed
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(
        f"{name}: {used:.1f} s of processor time, {1e6 * used / number:.0f} us each, {elapsed:.0f} s elapsed; "
        f"peak {peak:.0f} MB",
        flush=True,
    )


def measure_files(work: Path, number: int, per_file: int) -> None:
    """Measure a run over real files."""
    folder, out = work / "pmc", work / "out"
    make(folder, number)
    shutil.rmtree(out, ignore_errors=True)
    names = [str(folder)]
    with measured("listing", number):
        files = sum(1 for _ in expand(names))
    assert files == number, files
    ledger = Ledger(work / "ledger.sqlite")
    with measured("list of inputs in the ledger", number), ledger.transaction():
        ledger.inputs.replace(map(row_of, expand(names)))
    with measured("comparison of the names of outputs", number):
        find_clashes(ledger.inputs.files, "", ALL)
    ledger.close()
    shutil.rmtree(work / "ledger.sqlite", ignore_errors=True)
    (work / "ledger.sqlite").unlink(missing_ok=True)
    plan = Plan.of_conversion("jsonl", FileOptions(per_file=per_file))
    for name in ("whole run without steps", "the same command again"):
        with measured(name, number):
            counts = annotate_folder(names, out, plan, RunOptions(quiet=True))
        assert counts.articles == number
    for path in (out / ".nlmchem" / "ledger.sqlite", out / ".nlmchem" / "parts" / "articles" / "00001.articles"):
        print(f"size of {path.name}: {path.stat().st_size / 1e6:.0f} MB, {path.stat().st_size / number:.0f} bytes each")


def simulate(work: Path, number: int, per_file: int) -> None:
    """Measure a ledger with as many rows as a run of `number` articles would have, without files and text."""
    path = work / "simulated.sqlite"
    path.unlink(missing_ok=True)
    work.mkdir(parents=True, exist_ok=True)
    ledger = Ledger(path)
    database = ledger._database
    ids = range(FIRST, FIRST + number)
    with measured("rows of files", number), ledger.transaction():
        ledger.inputs.replace(
            (
                f"/data/pmc/PMC{id}.1/PMC{id}.1.xml",
                f"pmc/PMC{id}.1/PMC{id}.1.xml",
                f"PMC{id}/PMC{id}.xml",
                None,
                2,
                0,
                0,
            )
            for id in ids
        )
    with measured("comparison of the names of outputs", number):
        find_clashes(ledger.inputs.files, "", ALL)
    with measured("rows of sources and articles", number), ledger.transaction():
        database.executemany(
            "INSERT INTO source (id, output, path, run, state, stamp, header, articles)"
            " VALUES (?, ?, ?, 1, 'done', ?, '{}', 1)",
            (
                (
                    at,
                    f"PMC{id}/PMC{id}",
                    f"pmc/PMC{id}.1/PMC{id}.1.xml",
                    "104857:1767225600000000000:1767225600000000000",
                )
                for at, id in enumerate(ids, 1)
            ),
        )
        database.executemany(
            "INSERT INTO article"
            " (source, position, hash, state, document, segment, start, length, mentions, terms, run)"
            " VALUES (?, 0, ?, 'done', ?, 1, ?, 30000, 200, 5, 1)",
            ((at, f"{id:064x}", str(id), 30000 * at) for at, id in enumerate(ids, 1)),
        )
    with measured("counts of the account", number):
        ledger.run = 1
        assert ledger.account.counts().articles == number
    with measured("order of the articles for all parts", number):
        cursor, seen = START, 0
        while slots := ledger.parts.slots(cursor, per_file):
            cursor, seen = slots[-1].cursor, seen + len(slots)
        assert seen == number
    with measured("check of the database at the start of a run", number):
        ledger.require_intact()
    ledger.close()
    print(f"size of the ledger: {path.stat().st_size / 1e6:.0f} MB, {path.stat().st_size / number:.0f} bytes each")
    path.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=100_000)
    parser.add_argument("--per-file", type=int, default=10_000)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--simulate", action="store_true", help="fill a ledger; make no files")
    options = parser.parse_args()
    (simulate if options.simulate else measure_files)(options.work, options.articles, options.per_file)


if __name__ == "__main__":
    main()
