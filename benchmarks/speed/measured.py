"""A run in a process of its own: what it has done, its processor time, that of its workers, and its memory."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

RUN = """
import json, resource, sys, time
from pathlib import Path
from nlmchem.engine.options import RunOptions
from nlmchem.engine.runner import annotate_folder
from nlmchem.run.plan import Configuration
source, out, workers, options = sys.argv[1:]
given = {name: tuple(value) if isinstance(value, list) else value for name, value in json.loads(options).items()}
begun = time.monotonic()
plan = Configuration(**given).parse()
counts = annotate_folder([source], Path(out), plan, RunOptions(workers=int(workers), quiet=True))
own = resource.getrusage(resource.RUSAGE_SELF)
wall = time.monotonic() - begun
print(json.dumps([counts.done, counts.skipped, own.ru_maxrss / 1024, wall, own.ru_utime + own.ru_stime]))
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """Articles done and skipped; the peak of the main process in MB; seconds elapsed, and of processor time."""

    done: int
    skipped: int
    megabytes: float
    elapsed: float
    main: float
    workers: float


def measured_run(source: Path, out: Path, workers: int = 1, **options: object) -> Measured:
    """Run `annotate`. `options`: those of `nlmchem.run.plan.Configuration`."""
    before = _used()
    command = [sys.executable, "-c", RUN, str(source), str(out), str(workers), json.dumps(options)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    done, skipped, megabytes, elapsed, main = json.loads(ended.stdout)
    return Measured(done, skipped, megabytes, elapsed, main, _used() - before - main)


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
