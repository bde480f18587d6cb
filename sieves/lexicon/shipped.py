"""The default lexicon: all of MeSH with the starter names on top, packed in the package, unpacked into the cache.

The package holds the SQLite file of the lexicon compressed with xz (`mesh/mesh.sqlite.xz`). The first command on a
machine unpacks it into the cache folder (`corpora.storage.cache`). Later commands, and all workers, read that file.
"""

from __future__ import annotations

import json
import lzma
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from corpora.errors import DAMAGE, FULL, ResourceError, damage
from corpora.reporting import Report, log
from corpora.storage import cache
from corpora.storage.atomic import remove_leftovers_in, replacing, sha256_of

SHIPPED = "default"
"""The source of a lexicon that was opened without a name."""
CACHE = "lexicon"
"""The folder of the cache that the lexicon is unpacked into."""
PACKED = Path(__file__).parent / "mesh" / "mesh.sqlite.xz"
CARD = PACKED.with_name("card.json")

_BLOCK = 1 << 20
_AGAIN = "install nlmchem again"


@dataclass(frozen=True, slots=True)
class LexiconCard:
    """The version (sha256 of the content, in hex), the year of MeSH, and the size of the unpacked file."""

    version: str
    year: str
    bytes: int
    sha256: str


def read_card() -> LexiconCard:
    """The card of the packed lexicon. Raises `ResourceError` if it is missing or broken."""
    try:
        value = json.loads(CARD.read_text(encoding="utf-8"))
        return LexiconCard(value["version"], value["year"], value["unpacked"]["bytes"], value["unpacked"]["sha256"])
    except (*DAMAGE, OSError) as error:
        raise ResourceError(
            f"the card of the default lexicon at {CARD} cannot be read ({damage(error)}); {_AGAIN}"
        ) from error


def shipped_file(report: Report = log) -> Path:
    """The SQLite file of the default lexicon; unpacked if it is not there yet, or of another version.

    `report` receives a line when it is unpacked, and when the cache cannot be written and a temporary folder is used.
    Raises `ResourceError` if the disk is full, or the package is broken, or no folder can be written.
    """
    card = read_card()
    try:
        folder = cache.folder(CACHE)
        return _unpacked(folder, card, report, recorded=True)
    except cache.NoHomeError as error:
        reason: object = error
    except OSError as error:
        if error.errno in FULL:
            raise _full(folder, card) from error
        reason = error.strerror
    folder = _temporary_folder()
    report(f"the cache folder cannot be written ({reason}); using {folder}; set NLMCHEM_HOME to a writable folder")
    try:
        return _unpacked(folder, card, report)
    except OSError as error:
        if error.errno in FULL:
            raise _full(folder, card) from error
        raise ResourceError(
            f"cannot unpack the default lexicon into {folder} ({error.strerror}); set NLMCHEM_HOME to a writable folder"
        ) from error


def _unpacked(folder: Path, card: LexiconCard, report: Report, recorded: bool = False) -> Path:
    """`recorded`: enter the file in the record of the cache, so that `nlmchem fetch` lists it and can remove it."""
    file = folder / f"mesh-{card.version[:16]}.sqlite"
    if _is_whole(file, card):
        return file
    folder.mkdir(parents=True, exist_ok=True)
    with cache.locked(folder, report):
        # Another process may have unpacked it while this one waited.
        if not _is_whole(file, card):
            remove_leftovers_in(folder)
            if recorded:
                # First the record: a process that is killed before it would leave a file that `fetch` does not list.
                cache.remember(CACHE, file.name, cache.Record(PACKED.name, card.bytes, card.sha256))
            report(f"unpacking the default lexicon (MeSH), once on this machine: {file}, {card.bytes >> 20} MB")
            try:
                with replacing(file) as out, lzma.open(PACKED) as packed:
                    size = 0
                    while block := packed.read(_BLOCK):
                        out.write(block)
                        size += len(block)
                    if size != card.bytes:
                        raise EOFError(f"{size} bytes in place of {card.bytes}")
            except (lzma.LZMAError, EOFError, FileNotFoundError) as error:
                raise ResourceError(f"the packed lexicon at {PACKED} is broken ({error}); {_AGAIN}") from error
            if not _is_whole(file, card):
                raise ResourceError(f"{file} differs from the packed lexicon; check the disk, or {_AGAIN}")
    return file


def _is_whole(file: Path, card: LexiconCard) -> bool:
    """Whether the file has the content of the package.

    The content is read once (0.2 s); afterwards size and times show whether the file has changed since.
    """
    checked = file.with_name(f".checked-{card.version[:16]}")
    try:
        fact = file.stat()
        stamp = f"{card.sha256} {fact.st_size} {fact.st_mtime_ns} {fact.st_ctime_ns}\n"
        if fact.st_size != card.bytes:
            return False
        if checked.is_file() and checked.read_text(encoding="utf-8", errors="replace") == stamp:
            return True
        if sha256_of(file) != card.sha256:
            return False
    except OSError:
        return False
    with suppress(OSError):
        # Not atomic: half of a stamp only means that the content is read again.
        checked.write_text(stamp, encoding="utf-8")
    return True


def _temporary_folder() -> Path:
    """A folder of this user that outlives the process, so that other processes find the file."""
    folder = Path(tempfile.gettempdir()) / f"nlmchem-{os.getuid()}" / CACHE
    try:
        folder.parent.mkdir(mode=0o700, exist_ok=True)
        status = folder.parent.stat(follow_symlinks=False)
    except OSError as error:
        raise ResourceError(
            f"neither the cache folder nor {folder.parent} can be written ({error.strerror}); "
            "set NLMCHEM_HOME to a writable folder"
        ) from error
    if status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise ResourceError(
            f"the temporary folder {folder.parent} can be written by other users; set NLMCHEM_HOME to a writable folder"
        )
    return folder


def _full(folder: Path, card: LexiconCard) -> ResourceError:
    return ResourceError(
        f"no space left to unpack the default lexicon into {folder}: it needs {card.bytes >> 20} MB; "
        "free some space, or set NLMCHEM_HOME to a folder with more"
    )
