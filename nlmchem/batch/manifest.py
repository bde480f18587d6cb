"""`manifest.json`: the options, versions and results of a run. No other output file contains clock times."""

from __future__ import annotations

import json
import os
import platform
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from corpora.reading import Unclaimed
from corpora.storage import atomic
from nlmchem.batch.ledger import Ledger
from nlmchem.tagging.models.arithmetic import processor_flags

__all__ = ["configuration_in", "environment", "write_manifest"]

LISTED = 1000
"""The largest number of failures and of notes in the manifest. The ledger contains all of them."""

PACKAGES = ("nlmchem", "bioc", "joblib", "lxml", "numpy", "torch", "transformers", "scikit-learn")


@cache
def environment() -> dict[str, Any]:
    """Versions of Python and of the packages that the output depends on."""
    found: dict[str, str] = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return {"python": sys.version.split()[0], "platform": platform.platform(), "packages": found}


def configuration_in(path: Path) -> dict[str, Any] | None:
    """The configuration in a manifest; None if there is no manifest yet."""
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
    unclaimed: Unclaimed,
) -> None:
    """Write the manifest atomically.

    `seconds`: the time of each stage, summed over all workers. `elapsed`: seconds from start to end of the run.
    `unclaimed`: files that no format claims.
    """
    account = ledger.account
    counts = account.counts()
    number, notes = account.notes(LISTED)
    repeated, documents = account.repeated_documents(LISTED)
    content = {
        "made_by": "nlmchem annotate",
        "state": state,
        "begun": begun,
        "ended": ended,
        "elapsed_seconds": round(elapsed, 3),
        "run": ledger.run,
        "configuration": fingerprint,
        "options": options,
        "environment": {**environment(), "processors": os.cpu_count(), "instructions": processor_flags()},
        "articles": {
            "input": counts.read,
            "done": counts.done,
            "failed": counts.failed,
            "failed_in_earlier_runs": counts.failed_earlier,
            "skipped": counts.skipped,
        },
        "files_without_format": {"number": unclaimed.number, "first": unclaimed.first},
        "mentions": counts.mentions,
        "seconds_by_stage": {stage: round(spent, 3) for stage, spent in sorted(seconds.items())},
        "failures": account.failures(LISTED),
        "notes": {"number": number, "first": notes},
        "repeated_document_ids": {"number": repeated, "first": documents},
    }
    text = json.dumps(content, indent=1, ensure_ascii=True)
    atomic.write_bytes(path, text.encode() + b"\n")
