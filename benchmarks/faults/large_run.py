"""A large run that is killed at random: many articles in the layout of PMC's bucket, annotated, killed, and continued.

    python -m benchmarks.faults.large_run --data ../shared/data --work /tmp/large --tagger lexicon --kills 10

It makes a folder with the articles of the development data, one folder each, with metadata, and annotates it into
numbered parts. The run is killed (SIGKILL) when a random share of the articles is done, and started again. Then the
outputs are checked against the folder: each article is in the parts once, or has a record of its failure. It prints a
table: processor time, articles for each second of it, memory of the run and of its largest worker over time, sizes.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tarfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ARCHIVES = ("pmc/jats.tar.gz", "indexing/jats.tar.gz")
TEXTS = tuple(f"text/pmc-{number}.jsonl.xz" for number in range(4))
PAGE = os.sysconf("SC_PAGE_SIZE")


def articles_of(data: Path, texts: int | None, jats: int | None) -> Iterator[tuple[str, str, bytes, str]]:
    """Id, suffix, content and licence of each article; `texts`, `jats`: the most articles of plain text and of JATS."""
    read = 0
    for name in ARCHIVES:
        with tarfile.open(data / name) as archive:
            for entry in archive:
                content = archive.extractfile(entry)
                if content is not None and (jats is None or read < jats):
                    read += 1
                    digits = "".join(filter(str.isdigit, Path(entry.name).stem.rpartition("_")[2]))
                    yield f"PMC{int(digits)}", ".xml", content.read(), ""
    number = 0
    for name in TEXTS:
        with lzma.open(data / name, "rt", encoding="utf-8") as stream:
            for line in stream:
                if texts is not None and number >= texts:
                    return
                number += 1
                article = json.loads(line)
                # Some have a DOI in place of a PMCID: they get a number that no article has.
                id = article["id"] if article["id"].startswith("PMC") else f"PMC{900_000_000 + number}"
                yield id, ".txt", article["text"].encode(), article["license"]


def make_folder(data: Path, folder: Path, texts: int | None, jats: int | None) -> int:
    """Write the folder, if it is not there. Returns the number of articles, each of which has a name of its own."""
    if not folder.is_dir():
        for id, suffix, content, licence in articles_of(data, texts, jats):
            place = folder / f"{id}.1"
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{id}.1{suffix}").write_bytes(content)
            metadata = {"pmcid": id, "version": 1, "license_code": licence, "is_pmc_openaccess": True}
            (place / f"{id}.1.json").write_text(json.dumps(metadata))
    return sum(1 for _ in folder.iterdir())


@dataclass(slots=True)
class Watch:
    """What is seen of a run from outside. Memory in MB: `main` of the run, `worker` of its largest worker."""

    begun: float = field(default_factory=time.monotonic)
    samples: list[tuple[float, int, float, float]] = field(default_factory=list)
    kills: list[int] = field(default_factory=list)
    times: dict[int, float] = field(default_factory=dict)

    def sample(self, process: int, done: int) -> None:
        """Add the memory at this moment."""
        for number in (process, *children(process)):
            self.times[number] = processor_time(number) or self.times.get(number, 0.0)
        workers = [resident(child) for child in children(process)]
        self.samples.append((time.monotonic() - self.begun, done, resident(process), max(workers, default=0.0)))


def resident(process: int) -> float:
    """Resident memory of a process in MB; 0 where it has ended."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE / 1e6
    except (OSError, IndexError):
        return 0.0


def processor_time(process: int) -> float:
    """Seconds of processor time that a process has used; 0 where it has ended."""
    try:
        values = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(values[11]) + int(values[12])) / os.sysconf("SC_CLK_TCK")


def children(process: int) -> list[int]:
    """The processes that a process has started."""
    try:
        return [int(number) for number in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def done_in(out: Path) -> int:
    """The number of articles that the ledger calls done or failed."""
    return rows_in(out, "article")


def rows_in(out: Path, table: str) -> int:
    """The number of rows in a table of the ledger."""
    ledger = out / ".nlmchem" / "ledger.sqlite"
    if not ledger.exists():
        return 0
    database = sqlite3.connect(f"file:{ledger}?mode=ro", uri=True, timeout=10)
    try:
        return int(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
    finally:
        database.close()


def run_killed(command: list[str], out: Path, total: int, kills: list[float], log: Path) -> Watch:
    """Run a command; kill it when each share of the articles is done, and start it again. Raises for a failed run."""
    watch = Watch()
    pending = sorted(int(share * total) for share in kills)
    while True:
        # A kill before the run has recorded its start would test nothing.
        before = rows_in(out, "run")
        with log.open("ab") as stream:
            process = subprocess.Popen(command, stdout=stream, stderr=stream)
        code = None
        while code is None:
            try:
                code = process.wait(5)
            except subprocess.TimeoutExpired:
                done = done_in(out)
                watch.sample(process.pid, done)
                if pending and done >= pending[0] and rows_in(out, "run") > before:
                    pending.pop(0)
                    watch.kills.append(done)
                    process.send_signal(signal.SIGKILL)
                    code = process.wait()
        if code != -signal.SIGKILL:
            break
    if code not in (0, 3):
        raise SystemExit(f"the run ended with {code}; see {log}")
    return watch


def check(out: Path, folder: Path) -> dict[str, Any]:
    """Compare the parts with the folder. Raises `SystemExit` where an article is missing or there twice."""
    wanted = Counter(place.name.partition(".")[0] for place in folder.iterdir())
    written: Counter[str] = Counter()
    parts = sorted((out / "articles").glob("*.parquet"))
    if parts:
        from pyarrow import parquet

        for part in parts:
            written.update(Path(name).stem.partition(".")[0] for name in parquet.read_table(part)["file"].to_pylist())
    for part in sorted(out.glob("part-*.jsonl")):
        with part.open("rb") as lines:
            for line in lines:
                document = json.loads(line)
                written[f"PMC{document['id'].removeprefix('PMC')}"] += 1
    database = sqlite3.connect(out / ".nlmchem" / "ledger.sqlite")
    failures = database.execute(
        "SELECT path, stage, message FROM article JOIN source ON source.id = source WHERE article.state = 'failed'"
    ).fetchall()
    database.close()
    failed = Counter(Path(path).stem.partition(".")[0] for path, _, _ in failures)
    if written + failed != wanted:
        raise SystemExit(f"missing: {(wanted - written - failed)}; too many: {written + failed - wanted}")
    return {"articles": len(wanted), "written": len(written), "failures": failures, "parts": len(parts)}


def size_of(path: Path) -> float:
    """Megabytes of a file or of all files below a folder."""
    if path.is_file():
        return path.stat().st_size / 1e6
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) / 1e6


def print_table(watch: Watch, facts: dict[str, Any], out: Path, log: Path) -> None:
    """Print what was measured."""
    number = facts["articles"]
    print(f"articles {number}, written {facts['written']}, failed {len(facts['failures'])}, parts {facts['parts']}")
    print(f"killed at {watch.kills}")
    processor = sum(watch.times.values())
    print(f"processor time {processor:.0f} s, {number / processor:.2f} articles for each second of it")
    print(f"elapsed {time.monotonic() - watch.begun:.0f} s")
    for start, end in ((0, 0.1), (0.1, 0.5), (0.5, 0.9), (0.9, 1.01)):
        rows = [row for row in watch.samples if start * number <= row[1] < end * number]
        if rows:
            main, worker = max(row[2] for row in rows), max(row[3] for row in rows)
            print(f"memory from {start:.0%} to {min(end, 1):.0%}: run {main:.0f} MB, largest worker {worker:.0f} MB")
    for name in (".nlmchem/ledger.sqlite", ".nlmchem/parts", "mentions", "terms", "articles", "quarantine"):
        print(f"size of {name}: {size_of(out / name):.1f} MB")
    for path, stage, message in facts["failures"]:
        print(f"failed: {path}, {stage}: {message}")
    print(log.read_text(errors="replace").rstrip().splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the development data")
    parser.add_argument("--work", type=Path, required=True, help="folder for inputs and outputs")
    parser.add_argument("--tagger", default="default")
    parser.add_argument("--texts", type=int, help="the most articles of plain text (all)")
    parser.add_argument("--jats", type=int, help="the most articles of JATS (all)")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--per-file", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder, out = options.work / "pmc", options.work / "annotated"
    log = options.work / "log.txt"
    total = make_folder(options.data, folder, options.texts, options.jats)
    chosen = random.Random(options.seed)
    command = [
        sys.executable, "-m", "nlmchem", "annotate", str(folder), "-o", str(out), "--tagger", options.tagger,
        "--format", "parquet", "--per-file", str(options.per_file), "--workers", str(options.workers),
    ]  # fmt: skip
    watch = run_killed(command, out, total, [chosen.random() for _ in range(options.kills)], log)
    print_table(watch, check(out, folder), out, log)


if __name__ == "__main__":
    main()
