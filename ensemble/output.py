"""Writes ensembles: an output folder that is complete or absent, with the voted documents and a manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpora.errors import Argument, ConfigurationError, OptionError, ResourceError
from corpora.formats.format import Header
from corpora.formats.registry import suffix_of, suffixes
from corpora.storage import atomic
from corpora.storage.atomic import sha256_of
from corpora.storage.inputs import MANIFEST
from corpora.storage.owned_files import check_replaceable, replacing_owned
from corpora.system_errors import FULL
from corpora.writing import write
from ensemble.combine import Combiner, Rule, VoteCounts
from ensemble.runs import Poll

ENSEMBLE = "nlmchem ensemble"


@dataclass(frozen=True, slots=True)
class WrittenVote:
    """What was written: the counts, and for each file its name, number of documents and sha256."""

    counts: VoteCounts
    files: tuple[dict[str, Any], ...]
    manifest: dict[str, Any] = field(default_factory=dict)


def write_ensemble(
    poll: Poll, rule: Rule, folder: Path, format: str = "biocxml", extra: dict[str, Any] | None = None
) -> WrittenVote:
    """Write the ensemble into a folder: one file, such as `ensemble.xml`, and a manifest.

    One document is in memory at a time. The manifest contains the rule, the runs, the counts, the file, and the values
    of `extra` (program, time, machine). Raises the errors of `Poll.ballots`, and `ArticleError` for text that the
    format cannot store.
    """
    combiner = Combiner(poll, rule)
    file = folder / f"ensemble{suffix_of(format)}"
    header = Header(source=ENSEMBLE, key=f"ensemble {poll.digest[:12]}")
    count = write(map(combiner, poll.ballots()), file, format, header)
    files = ({"name": file.name, "documents": count, "sha256": digest_of(file)},)
    content = {
        "annotator": combiner.signature,
        "rule": rule.as_dict(),
        "counts": combiner.counts.as_dict(),
        "files": list(files),
        **(extra or {}),
    }
    return WrittenVote(combiner.counts, files, write_manifest(folder, poll, ENSEMBLE, content))


def digest_of(path: Path) -> str:
    """The sha256 of a file, or of the names and contents of the files in a folder, in hexadecimal."""
    if not path.is_dir():
        return sha256_of(path)
    listing = "".join(f"{file.name} {digest_of(file)}\n" for file in sorted(path.iterdir()))
    return hashlib.sha256(listing.encode()).hexdigest()


# -- folders ------------------------------------------------------------------------------------


@contextmanager
def whole_folder(out: Path, made_by: str, restart: bool = False) -> Iterator[Path]:
    """A new folder beside `out`. It is renamed to `out` when the block ends without error.

    `made_by` is the command: the manifest that the block writes must contain it. With `restart`, a folder `out` that
    is not empty is replaced, if its manifest contains the same command and no file in it was added or changed since.
    Raises `ConfigurationError`, and `ResourceError` where the folder cannot be created or written, `OSError` on a full
    disk.
    """
    out = out.resolve()
    _require_free(out, made_by, restart)
    created = False
    try:
        with replacing_owned(out) as partial:
            created = True
            yield partial
            # The command may have taken hours.
            _require_free(out, made_by, restart)
    except OSError as error:
        if error.errno in FULL:
            raise
        if not created:
            why = f"the folder {out} cannot be created ({error.strerror}); choose another "
            raise ResourceError(why, Argument("out")) from error
        why = f"the folder {out} cannot be written ({error}); correct that and run the command again"
        raise ResourceError(why) from error


def check_whole_folder(out: Path, made_by: str, restart: bool = False) -> None:
    """Raise the errors that `whole_folder` raises before any work."""
    _require_free(out.resolve(), made_by, restart)
    check_replaceable(out.resolve())


def _require_free(out: Path, made_by: str, restart: bool) -> None:
    if out.suffix.lower() in suffixes():
        raise OptionError("out", f"is a folder, but {out} is the name of a file; name a folder")
    if out.exists() and not out.is_dir():
        raise ConfigurationError(f"{out} is a file; name a folder")
    if not out.is_dir() or not any(out.iterdir()):
        return
    if not restart:
        why = f"the folder {out} is not empty; choose another, or add "
        raise ConfigurationError(why, Argument("restart", True), " to replace it")
    if _manifest(out).get("made_by") != made_by:
        raise ConfigurationError(f"the folder {out} was not made by `{made_by}`; choose another")


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        content = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write indented JSON atomically."""
    atomic.write_bytes(path, json.dumps(content, indent=1, ensure_ascii=True).encode() + b"\n")


def write_manifest(folder: Path, poll: Poll, made_by: str, content: dict[str, Any]) -> dict[str, Any]:
    """Write a manifest with the command, the runs and `content`. Returns its content."""
    runs = [{"name": run.name, "path": run.path, **run.as_dict()} for run in poll.runs]
    manifest = {"made_by": made_by, "runs": runs, **content}
    write_json(folder / MANIFEST, manifest)
    return manifest
