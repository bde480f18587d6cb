"""What a run was and what became of it: `manifest.json`, the one file of a run that holds clock times."""

from __future__ import annotations

import json
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from corpora.storage import atomic
from nlmchem.batch.ledger import Ledger

__all__ = ["configuration_in", "environment", "write_manifest"]

LISTED = 1000
"""Failures and notes that the manifest spells out; all of them are in the ledger."""

PACKAGES = ("nlmchem", "bioc", "joblib", "lxml", "numpy", "torch", "transformers", "scikit-learn")


def environment() -> dict[str, Any]:
    """Versions of Python and of the packages that decide about the output."""
    found: dict[str, str] = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return {"python": sys.version.split()[0], "platform": platform.platform(), "packages": found}


def configuration_in(path: Path) -> dict[str, Any] | None:
    """The configuration that a manifest tells of; None where there is none (yet)."""
    try:
        found: dict[str, Any] | None = json.loads(path.read_bytes()).get("configuration")
    except (OSError, ValueError, AttributeError):
        return None
    return found


def write_manifest(
    path: Path,
    ledger: Ledger,
    *,
    fingerprint: dict[str, Any],
    options: dict[str, Any],
    begun: str,
    ended: str | None,
    state: str,
    seconds: dict[str, float],
    elapsed: float,
) -> None:
    """Write the manifest atomically; `seconds` are a stage's over all workers, `elapsed` the run's own."""
    counts = ledger.counts()
    number, notes = ledger.notes(LISTED)
    repeated, documents = ledger.repeated_documents(LISTED)
    content = {
        "made_by": "nlmchem annotate",
        "state": state,
        "begun": begun,
        "ended": ended,
        "elapsed_seconds": round(elapsed, 3),
        "run": ledger.run,
        "configuration": fingerprint,
        "options": options,
        "environment": {**environment(), "processors": os.cpu_count()},
        "articles": {
            "input": counts.read,
            "done": counts.done,
            "failed": counts.failed,
            "failed_in_earlier_runs": counts.failed_earlier,
            "skipped": counts.skipped,
        },
        "mentions": counts.mentions,
        "seconds_by_stage": {stage: round(spent, 3) for stage, spent in sorted(seconds.items())},
        "failures": ledger.failures(LISTED),
        "notes": {"number": number, "first": notes},
        "repeated_document_ids": {"number": repeated, "first": documents},
    }
    text = json.dumps(content, indent=1, ensure_ascii=True)
    atomic.write_bytes(path, text.encode() + b"\n")
