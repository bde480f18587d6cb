"""Fuzzes the readers, runs, lexicons, indexers and command lines with seeded, damaged inputs.

    PYTHONPATH=tests/support python -m benchmarks.faults.fuzz [CASE ...] [--minutes N] [--seed N]

The cases are in `tests/support/fuzzing.py`. Each input is made from a seed and processed in a forked process with LIMIT
bytes of address space, SECONDS seconds of processor time and WALL seconds in all. An error of ours is expected. Any
other exception, a signal or a process that does not end is a defect; its case and seed are printed, and `--seed N
--minutes 0` repeats it. Ends with 1 for a defect. No data is needed; the case `pages` needs chromium and chromedriver.
"""

from __future__ import annotations

import argparse
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from durable_events import Ended, in_child
from fuzzing import CASES

from corpora.errors import NlmchemError

LIMIT = 4 << 30
SECONDS = 60
WALL = 900
"""Long, because other programs may use the processors. It ends processes that wait for ever."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", default=list(CASES), help=", ".join(CASES))
    parser.add_argument("--minutes", type=float, default=60.0, help="how long; 0: one seed of each case")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    options = parser.parse_args()
    end, seed = time.monotonic() + 60 * options.minutes, options.seed
    inputs: Counter[str] = Counter()
    defects: Counter[str] = Counter()
    for name in options.cases:
        # Once in this process, so that the forked ones find all modules imported.
        with suppress(Exception), tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            CASES[name](random.Random(0), Path(folder))
    while True:
        for name in options.cases:
            ended = in_child(lambda name=name, seed=seed: one(name, seed))
            inputs[name] += 1
            if why := defect(ended):
                defects[name] += 1
                print(f"{name}, seed {seed}: {why}", flush=True)
        seed += 1
        if time.monotonic() >= end:
            break
    for name in options.cases:
        print(f"{name:15} {inputs[name]:7} inputs {defects[name]:4} defects")
    print(f"{inputs.total()} inputs, {defects.total()} defects, seeds {options.seed} to {seed - 1}")
    return int(defects.total() > 0)


def one(name: str, seed: int) -> None:
    """Run one case with one seed. Errors of ours are expected."""
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    # At the soft limit the process receives SIGXCPU.
    resource.setrlimit(resource.RLIMIT_CPU, (_used() + SECONDS, _used() + SECONDS + 5))
    signal.alarm(WALL)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        try:
            CASES[name](random.Random(f"{name} {seed}"), Path(folder))
        except NlmchemError as error:
            if "\n" in str(error) or "unexpected" in str(error):
                raise AssertionError(f"not one sentence: {error}") from error


def _used() -> int:
    """Seconds of processor time of this process, rounded up."""
    return int(time.process_time()) + 1


def defect(ended: Ended) -> str:
    limits = {signal.SIGALRM: f" after {WALL} s", signal.SIGXCPU: f" after {SECONDS} s of processor time"}
    if ended.signal:
        return f"ended by signal {ended.signal}" + limits.get(signal.Signals(ended.signal), "")
    return f"{ended.error}: {ended.sentence}" if ended.error else ""


if __name__ == "__main__":
    sys.exit(main())
