"""Measures what the default lexicon costs: the first and the second command, opening, lookups, memory.

    python benchmarks/lexicon/cost.py [--runs 5]

Each command is `nlmchem lexicon lookup Ethanol` in a process of its own; the first one has an empty cache. The lowest
time of the runs is given, because other processes disturb the rest. Own memory is the part of a process that no other
process shares, before and after the lookups. Time: 1 minute.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.shipped import PACKED

COMMAND = [sys.executable, "-c", "from nlmchem.cli import main; main()", "lexicon", "lookup", "Ethanol"]
SAMPLE = """
import random
from sieves.lexicon.lexicon import Lexicon
names = sorted({name for name, _ in Lexicon.open().names()})
print(*random.Random(1).sample(names, 30_000), sep="\\n")
"""


def run(home: Path, *more: str) -> tuple[float, float]:
    """Wall-clock and processor seconds of a command."""
    begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "NLMCHEM_HOME": str(home)}
    subprocess.run([*COMMAND, *more], env=environment, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - begun, used


def memory() -> tuple[float, float]:
    """MB that only this process has, and MB with what it shares."""
    text = Path("/proc/self/smaps_rollup").read_text("utf-8")
    sizes = dict(re.findall(r"^(\w+):\s+(\d+) kB", text, re.M))
    return int(sizes["Anonymous"]) / 1024, int(sizes["Rss"]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    print(f"packed: {PACKED.stat().st_size / 1e6:.2f} MB")
    first, second, starter = [], [], []
    for _ in range(options.runs):
        with TemporaryDirectory() as home:
            first.append(run(Path(home)))
            second.append(run(Path(home)))
            starter.append(run(Path(home), "--lexicon", "starter"))
    for label, times in (("first command", first), ("second command", second), ("with --lexicon starter", starter)):
        wall, used = (min(column) for column in zip(*times, strict=True))
        print(f"{label}: {wall:.2f} s by the clock, {used:.2f} s of processor time")
    Lexicon.open().close()
    opening = []
    for _ in range(options.runs):
        begun = time.perf_counter()
        lexicon = Lexicon.open()
        opening.append(time.perf_counter() - begun)
    print(f"opening: {1000 * min(opening):.1f} ms")
    sampled = subprocess.run([sys.executable, "-c", SAMPLE], capture_output=True, text=True, check=True)
    names = sampled.stdout.splitlines()
    before, _ = memory()
    for label in ("first", "cached"):
        begun = time.process_time()
        for name in names:
            lexicon.lookup(name)
        print(f"{len(names) / (time.process_time() - begun):,.0f} {label} lookups/s")
    own, resident = memory()
    print(f"own memory: {before:.0f} MB with the lexicon open, {own:.0f} MB after {len(names):,} lookups")
    print(f"shared memory: {resident - own:.0f} MB")


if __name__ == "__main__":
    main()
