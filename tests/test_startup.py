"""`nlmchem --help` answers at once. This is the one test that looks at a clock."""

from __future__ import annotations

import resource
import subprocess
import sys

HELP = "import sys; sys.argv = ['nlmchem', '--help']; from nlmchem.cli import main; main()"
LOADED = "import sys, atexit; atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr)); " + HELP
LIMIT = 0.5
STARTS = 20


def cpu_seconds_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def test_help_takes_less_than_half_a_second() -> None:
    """Processor time is measured, so that other programs count for little. One start of several must be fast."""
    taken: list[float] = []
    while len(taken) < STARTS and min(taken, default=LIMIT) >= LIMIT:
        begun = cpu_seconds_of_children()
        subprocess.run([sys.executable, "-c", HELP], capture_output=True, check=True)
        taken.append(cpu_seconds_of_children() - begun)
    assert min(taken) < LIMIT, taken


def test_help_loads_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, check=True, text=True)
    assert "Usage: nlmchem" in done.stdout
    loaded = set(done.stderr.split())
    assert "nlmchem.cli.app" in loaded
    assert loaded.isdisjoint({"torch", "transformers", "sklearn", "numpy", "scipy", "joblib", "loky", "lxml", "bioc"})
    assert loaded.isdisjoint({"nlmchem.tagging.training.commands", "nlmchem.engine.runner"}), (
        "a command is imported when it is used"
    )
