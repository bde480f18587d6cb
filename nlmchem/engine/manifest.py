"""`manifest.json`: the options, versions and results of a run. No other output file contains clock times."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from corpora.storage import atomic
from nlmchem.engine.run import Run
from nlmchem.run.lexicon import LexiconOptions
from nlmchem.tagging.models.arithmetic import path_of_kernel

LISTED = 1000
"""The largest number of failures and of notes in the manifest. The ledger contains all of them."""

PACKAGES = ("nlmchem", "bioc", "joblib", "loky", "lxml", "numpy", "torch", "transformers", "scikit-learn")


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


def write_manifest(run: Run, state: str, ended: str | None) -> None:
    """Write the manifest atomically. `state`: `running`, `finished` or `stopped`. `ended`: a clock time."""
    options, account = run.options, run.ledger.account
    lexicon = run.setup.plan.options(LexiconOptions)
    counts = account.counts()
    number, notes = account.notes(LISTED)
    repeated, documents = account.repeated_documents(LISTED)
    content = {
        "made_by": "nlmchem annotate",
        "state": state,
        "begun": run.begun,
        "ended": ended,
        "elapsed_seconds": round(time.monotonic() - run.clock, 3),
        "run": run.ledger.run,
        "configuration": run.fingerprint,
        "options": {
            "workers": options.number_of_workers,
            "timeout": options.timeout,
            "shard": f"{options.shard.number}/{options.shard.of}",
            "dask": options.dask,
            "lexicon": lexicon and lexicon.lexicon,
        },
        "environment": {**environment(), "processors": os.cpu_count(), "kernel": path_of_kernel()},
        "articles": {
            "input": counts.read,
            "done": counts.done,
            "failed": counts.failed,
            "failed_in_earlier_runs": counts.failed_earlier,
            "skipped": counts.skipped,
        },
        "files_without_format": {"number": run.unclaimed.number, "first": run.unclaimed.first},
        "mentions": counts.mentions,
        "seconds_by_stage": {stage: round(spent, 3) for stage, spent in sorted(run.seconds.items())},
        "failures": account.failures(LISTED),
        "notes": {"number": number, "first": notes},
        "repeated_document_ids": {"number": repeated, "first": documents},
    }
    text = json.dumps(content, indent=1, ensure_ascii=True)
    atomic.write_bytes(run.folder.manifest, text.encode() + b"\n")
