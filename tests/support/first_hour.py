"""What the tests of the first hour share: a text, the options of a fast run, and the outcome of a command."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

Outcome = subprocess.CompletedProcess[str]
Nlmchem = Callable[..., Outcome]
FAST = ("--tagger", "lexicon", "--workers", 1)
TEXT = "Aspirin and NO. Cells took up Ca2+ after abscisic acid (ABA); ABA acts."


def result(outcome: Outcome) -> str:
    """What a command printed. It must have succeeded."""
    assert outcome.returncode == 0, outcome.stderr
    return outcome.stdout


def refused(outcome: Outcome) -> str:
    """The one sentence with which a command was refused."""
    assert (outcome.returncode, outcome.stdout, outcome.stderr.count("\n")) == (2, "", 1), outcome
    assert "unexpected" not in outcome.stderr
    return outcome.stderr.removeprefix("nlmchem: ").rstrip("\n")
