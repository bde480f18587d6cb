"""Silver-standard corpora: annotations that many runs agree on, as training data.

Source: in the NLM-Chem track, the voted annotations of the 1,333 articles of the indexing task were added to the
training data of a single model and raised its F1 from 0.8480 to 0.8647 (Leaman et al. 2023, Database, baad005).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bioc import BioCDocument

from corpora.errors import ConfigurationError, InputError, OptionError, command
from corpora.formats.registry import readable
from corpora.reading import read
from corpora.storage.reserved_names import MANIFEST
from ensemble.card import card
from ensemble.combine import Combiner, Rule
from ensemble.output import Written, sha256_of, write_shards, write_voted_manifest
from ensemble.runs import Poll

__all__ = ["SILVER", "read_silver", "write_silver"]

SILVER = "nlmchem silver"


def write_silver(
    poll: Poll,
    rule: Rule,
    folder: Path,
    *,
    shard_size: int = 500,
    format: str = "biocxml",
    extra: dict[str, Any] | None = None,
) -> Written:
    """Write a silver corpus into a folder: shards of `shard_size` documents, a manifest, a data card (`README.md`).

    Every annotation has its score and voters. Raises the errors of `ensemble.output.write_ensemble`, and
    `ConfigurationError` for a shard size below 1.
    """
    if shard_size < 1:
        raise OptionError("shard_size", f"is {shard_size}; use a number of documents from 1")
    # A silver corpus is read again, for training.
    readable(format)
    combiner = Combiner(poll, rule)
    files = write_shards(poll, combiner, folder, "silver", shard_size, format)
    written = write_voted_manifest(poll, combiner, folder, SILVER, files, extra or {})
    (folder / "README.md").write_text(card(written.manifest), encoding="utf-8")
    return written


def read_silver(folder: Path) -> Iterator[BioCDocument]:
    """The documents of a silver corpus. Each shard is checked against the manifest before it is read.

    Raises `ConfigurationError` if the folder is not a silver corpus, `InputError` for a missing or changed shard.
    """
    manifest = _manifest(folder)
    for entry in manifest["files"]:
        path = folder / entry["name"]
        if not path.exists():
            raise InputError(f"the shard {path} is missing; copy the folder again, or make the corpus again")
        if sha256_of(path) != entry["sha256"]:
            raise InputError(f"the shard {path} was changed; copy the folder again, or make the corpus again")
        yield from read(path)


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("made_by") != SILVER:
        raise ConfigurationError(
            f"{folder} is not a silver corpus; make one with {command('silver RUN... -o', str(folder))}"
        )
    return manifest
