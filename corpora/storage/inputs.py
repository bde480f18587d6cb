"""The files that the user names: by path, folder, glob, or `-` for standard input."""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from corpora.errors import ConfigurationError, command
from corpora.storage import standoff
from corpora.storage.reserved_names import reserved_in

STDIN = "-"
_ARTICLE_ID = re.compile(r"(?:PMC|pmid:?)\d{1,9}", re.IGNORECASE)
_CHECK = "check the path and its permissions"


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that the user named or that a named folder contains.

    `relative` is its path below the named folder or the fixed part of the glob; outputs keep it. `keep_suffix`: names
    of outputs have the suffix of the file, too, because another file would have the same output. `fault`: why it
    cannot be read; None if it is to be opened.
    """

    path: str
    relative: PurePosixPath
    keep_suffix: bool = False
    fault: str | None = None

    def size(self) -> int:
        """Size in bytes; 0 for standard input and for a file that no longer exists."""
        try:
            return 0 if self.path == STDIN else Path(self.path).stat().st_size
        except OSError:
            return 0


def expand(inputs: Sequence[str], exclude: Path | None = None) -> Iterator[InputFile]:
    """Every file that the inputs name. Folders are walked in sorted order, without hidden files.

    The manifest, quarantine and report in a folder written by nlmchem are left out, and so is the output folder
    `exclude` where it lies inside an input folder. Raises `ConfigurationError`, before the first file, for an
    input that does not exist or that matches no file.
    """
    for name in inputs:
        _require(name)
    return _expanded(inputs, None if exclude is None else exclude.resolve())


def is_pipe(path: str) -> bool:
    """Whether an input can be read only once: standard input, or the shell's `<(...)`."""
    return path == STDIN or (path.startswith(("/dev/fd/", "/proc/")) and Path(path).is_fifo())


def endless(path: str | Path) -> str | None:
    """What a file is that may never end, in words; None for an ordinary file, a folder, `is_pipe`, or nothing."""
    try:
        mode = Path(path).stat().st_mode
        if is_pipe(str(path)) or stat.S_ISDIR(mode):
            return None
    except (OSError, ValueError):
        return None
    if stat.S_ISFIFO(mode):
        return "a named pipe"
    if not stat.S_ISREG(mode):
        return "a device"
    # Such as /proc/kmsg, which waits for the next message of the system.
    return "a file of the system" if os.path.realpath(path).startswith(("/proc/", "/sys/")) else None


def names(name: str, path: Path) -> bool:
    """Whether an input, which need not be one, is the file or folder `path`, also behind a link, or matches it."""
    matches: Iterator[str] = iter([name])
    if not os.path.lexists(name) and glob.has_magic(name):
        matches = glob.iglob(name, recursive=True)  # noqa: PTH207 (patterns may be absolute)
    return any(_is_same(match, path) for match in matches)


def _is_same(name: str, path: Path) -> bool:
    try:
        return os.path.samefile(name, path)  # noqa: PTH121 (names of any kind)
    except (OSError, ValueError):
        return False


def _require(name: str) -> None:
    if not name:
        raise ConfigurationError("the name of an input is empty; give the name of a file or folder")
    try:
        if name == STDIN or Path(name).exists():
            return
    except OSError as error:
        raise ConfigurationError(f"{name} cannot be accessed: {error.strerror}; {_CHECK}") from error
    if _ARTICLE_ID.fullmatch(name):
        remedy = f"fetch it with {command('fetch pmc --ids FILE')}, where FILE has the id in a line"
        raise ConfigurationError(f"no file or folder at {name}, which is the id of an article; {remedy}")
    if not glob.has_magic(name):
        raise ConfigurationError(f"no file or folder at {name}; check the path")
    matches = glob.iglob(name, recursive=True)  # noqa: PTH207 (patterns may be absolute)
    if all(is_folder(Path(match)) for match in matches):
        raise ConfigurationError(f"no file matches {name}; check the pattern (quote it, so that ** works)")


def _expanded(inputs: Sequence[str], exclude: Path | None) -> Iterator[InputFile]:
    given = frozenset(inputs)
    for name in inputs:
        path = Path(name)
        if name == STDIN:
            yield InputFile(STDIN, PurePosixPath("stdin"))
        elif path.is_dir():
            yield from _walk(path, exclude)
        elif path.exists() and (text := standoff.text_of(name)) is not None:
            # A shell expands `folder/*` to both files.
            if text not in given:
                yield InputFile(text, PurePosixPath(Path(text).name))
        elif path.exists():
            yield InputFile(name, PurePosixPath(path.name))
        else:
            yield from _matching(name, exclude)


def _matching(pattern: str, exclude: Path | None) -> Iterator[InputFile]:
    root = Path(*_fixed_parts(pattern))
    # A pattern that begins inside the output folder names outputs on purpose.
    exclude = None if exclude and _inside(root, exclude) else exclude
    matches = (standoff.text_of(name) or name for name in glob.glob(pattern, recursive=True))  # noqa: PTH207
    for name in sorted(set(matches)):
        path = Path(name)
        if not is_folder(path) and not (exclude and _inside(path, exclude)):
            yield InputFile(name, PurePosixPath(path.relative_to(root).as_posix()))


def _fixed_parts(pattern: str) -> list[str]:
    parts: list[str] = []
    for part in Path(pattern).parts[:-1]:
        if glob.has_magic(part):
            break
        parts.append(part)
    return parts


def _walk(folder: Path, exclude: Path | None) -> Iterator[InputFile]:
    pending = [folder]
    seen: set[Path] = set()
    is_reserved = reserved_in(folder)
    while pending:
        here = pending.pop()
        real = Path(os.path.realpath(here))
        # A link can lead to a folder that was already walked, or form a circle.
        if real in seen or (real == exclude and here != folder):
            continue
        seen.add(real)
        try:
            entries = [entry for entry in _listed(here) if here != folder or not is_reserved(entry.name)]
        except OSError as error:
            if here == folder:
                raise ConfigurationError(f"the folder {folder} cannot be listed: {error.strerror}; {_CHECK}") from error
            # One input of many: it fails when it is opened.
            yield InputFile(str(here), PurePosixPath(here.relative_to(folder).as_posix()))
            continue
        folders: list[Path] = []
        for entry in entries:
            path = Path(entry.path)
            if is_folder(entry):
                folders.append(path)
            elif standoff.text_of(entry.path) is None:
                yield InputFile(entry.path, PurePosixPath(path.relative_to(folder).as_posix()))
        pending += reversed(folders)


def is_folder(path: Path | os.DirEntry[str]) -> bool:
    """Whether a path is a folder. A link to nothing, to itself or to a name that is too long is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as listing:
        return sorted((entry for entry in listing if not entry.name.startswith(".")), key=lambda e: e.name)


def _inside(path: Path, folder: Path) -> bool:
    here = Path(os.path.realpath(path))
    return here == folder or folder in here.parents
