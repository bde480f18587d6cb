"""`manifest.json`: the options, versions and results of a run. No other output file contains clock times."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path, PurePosixPath
from typing import Any

from nlmchem.engine.run import Run
from nlmchem.run.environment import environment
from nlmchem.tagging.models.arithmetic import path_of_kernel
from sieves.lexicon.options import LexiconOptions

LISTED = 1000
"""The largest number of failures and of notes in the manifest. The ledger contains all of them."""


def configuration_in(path: Path) -> dict[str, Any] | None:
    """The configuration in a manifest; None if there is no manifest yet."""
    try:
        configuration: dict[str, Any] | None = json.loads(path.read_bytes()).get("configuration")
    except (OSError, ValueError, AttributeError):
        return None
    return configuration


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
        "parts": run.ledger.parts.number(),
        "apart": run.apart.as_json(),
        "changes": {"number": dict(sorted(counts.changes.items())), "first": account.changed(LISTED)},
        "mentions": counts.mentions,
        "mentions_left_out": counts.left_out,
        "expected_precision": counts.expected_precision,
        "seconds_by_stage": {stage: round(spent, 3) for stage, spent in sorted(run.seconds.items())},
        "failures": account.failures(LISTED),
        "notes": {"number": number, "first": notes},
        "repeated_document_ids": {"number": repeated, "first": documents},
    }
    text = json.dumps(content, indent=1, ensure_ascii=True)
    run.files.write_text(PurePosixPath(run.folder.manifest.name), text + "\n")
