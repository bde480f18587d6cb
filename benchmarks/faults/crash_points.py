"""Disturbs commands at every durable event, continues them, and compares the result with an undisturbed run.

    PYTHONPATH=tests/support python -m benchmarks.faults.crash_points [--kind KIND] [DRILL ...] [--step N]
        [--first N] [--seeds N] [--moments N]

A durable event is a call that changes what is on the disk (`tests/support/durable_events.py`). The drills are in
`tests/support/run_drills.py`: `annotate` into a folder, into brat and into one file, resumed, with `--restart` and
`--retry-failed`; `replay`; the unpacking of the default lexicon; `silver`. `tests/support/command_drills.py` has all
other commands that write a folder or a file, `tests/support/training_drills.py` those that train models, `silver
build` and `fetch`. All files are compared, except manifests
and ledgers; a finished article that is annotated again is a difference too. Ends with 1 for a difference. No data is
needed.

kill: the process is killed before the event. moment: it is killed at random moments of its processor time. power: it
is killed, and what was not flushed to the disk is lost (seed 0) or partly lost (other seeds);
`tests/support/power_loss.py` has the rules. error: the event raises MemoryError, ENOSPC, EIO or EMFILE; the command
must go on or end with one sentence. theirs: a file of the user is at a place that the command makes, changes or
removes, before it or in the middle of it; it must survive. two: the command stops before the event, the same command
runs, and the first one goes on (`tests/support/neighbours.py`).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from command_drills import DRILLS
from disturbances import kill_at_moments, kill_everywhere, lose_power_everywhere, prepared, raise_everywhere
from neighbours import OVERWRITES, share_everywhere, work_together

KINDS: dict[str, Callable[..., tuple[int, list[str]]]] = {
    "kill": kill_everywhere, "moment": kill_at_moments, "power": lose_power_everywhere, "error": raise_everywhere,
    "theirs": share_everywhere, "two": work_together,
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("drills", nargs="*", default=list(DRILLS), help=", ".join(DRILLS))
    parser.add_argument("--step", type=int, default=1, help="kill before every N-th event")
    parser.add_argument("--first", type=int, default=0, help="the first event")
    parser.add_argument("--kind", choices=KINDS, default="kill")
    parser.add_argument("--seeds", type=int, default=3, help="for power: the number of seeds")
    parser.add_argument("--moments", type=int, default=5, help="for moment: kills of each command")
    options = parser.parse_args()
    total, failed = 0, 0
    for name in options.drills:
        if options.kind == "theirs" and name in OVERWRITES:
            continue
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="crash-points-") as folder:
            drill = prepared(DRILLS[name], Path(folder))
            if options.kind == "moment":
                cases, differences = kill_at_moments(drill, options.moments, options.first)
            else:
                more = (range(options.seeds),) if options.kind == "power" else ()
                cases, differences = KINDS[options.kind](drill, options.step, options.first, *more)
        print(
            f"{name:30} {cases:5} cases {len(differences):4} differences {time.monotonic() - begun:6.0f} s", flush=True
        )
        for difference in differences:
            print(f"  {difference}")
        total, failed = total + cases, failed + len(differences)
    print(f"{total} cases, {failed} differences")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
