"""After a run: articles that the inputs no longer contain are marked, and removed where the user demands it."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path

from corpora.storage import atomic
from corpora.storage.inputs import STDIN, fixed_folder
from corpora.storage.owned_files import FileState
from nlmchem.commands.progress import warn
from nlmchem.engine.run import Run
from nlmchem.engine.tasks import Source


def places_of(inputs: Sequence[str]) -> tuple[str, ...]:
    """The real paths of the files and folders that inputs name. A file that is missing below them is withdrawn."""
    return tuple(os.path.realpath(_place(name)) for name in inputs if name != STDIN)


def _place(name: str) -> str:
    return str(fixed_folder(name)) if glob.has_magic(name) and not os.path.lexists(name) else name


def settle_withdrawn(run: Run, places: Sequence[str]) -> None:
    """Mark the sources of earlier runs that the inputs of this run no longer contain, or remove their outputs.

    Sources of other inputs, which earlier runs have read, stay as they are. An output that was changed by hand stays,
    too. Raises `OSError`.
    """
    kept: list[Path] = []
    removed: list[Source] = []
    for source, is_read in run.ledger.changes.not_found():
        if not (is_read or _is_gone(source.path, places)):
            continue
        if not run.options.prune:
            run.ledger.changes.withdraw(source)
        elif run.files.remove(source.output) is FileState.CHANGED:
            kept.append(run.out / source.output)
        else:
            removed.append(source)
    _forget(run, removed)
    if kept:
        warn(f"{len(kept)} outputs of withdrawn articles were changed by hand, and are kept; the first is {min(kept)}")


def _forget(run: Run, sources: Sequence[Source]) -> None:
    """Record that outputs are removed, after their names have left the disk."""
    for folder in sorted({(run.out / source.output).parent for source in sources}, reverse=True):
        if folder.is_dir():
            atomic.sync_folder(folder)
            _remove_empty(folder, run.out)
    gone = {source.output for source in sources}
    if gone:
        run.quarantine.keep(lambda output, position: output not in gone)
    with run.ledger.durable(), run.ledger.transaction():
        for source in sources:
            run.ledger.changes.remove(source)


def _remove_empty(folder: Path, out: Path) -> None:
    while folder != out:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def _is_gone(path: str, places: Sequence[str]) -> bool:
    """Whether a file was removed from the inputs. A disk that is not there now removes nothing."""
    if path == STDIN or not _is_removed(Path(path)):
        return False
    real = os.path.realpath(path)
    return any(real == place or real.startswith(place.rstrip("/") + "/") for place in places)


def _is_removed(path: Path) -> bool:
    """Whether the folder of a file can be read and does not contain it, or was removed itself."""
    try:
        path.lstat()
    except FileNotFoundError:
        # A link that leads nowhere may be that to another disk.
        return path.parent.is_dir() or (not path.parent.is_symlink() and _is_removed(path.parent))
    except OSError:
        return False
    return False
