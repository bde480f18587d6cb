"""The files that the user names: by path, folder, glob, or `-` for standard input."""

from __future__ import annotations

import glob
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import groupby, takewhile
from pathlib import Path, PurePosixPath

from corpora.errors import ConfigurationError, command
from corpora.storage import pmc_files, standoff
from corpora.storage.pmc_files import ALONE, Beside

STDIN = "-"
_ARTICLE_ID = re.compile(r"(?:PMC|pmid:?)\d{1,9}", re.IGNORECASE)
_CHECK = "check the path and its permissions"

MANIFEST = "manifest.json"
_SHARD_MANIFESTS = "manifest-*-of-*.json"
_RESERVED = (MANIFEST, _SHARD_MANIFESTS, "README.md", "quarantine", "report", "editor")
"""Patterns of names that a run reserves at the top of its output folder, and that are not read as articles."""
_RESERVED_BY_SILVER = (*_RESERVED, "croissant.json", "data")
"""Those of the folder of a silver corpus: its tables have the articles of its other files once more."""
_MADE_BY = re.compile(rb'"made_by":\s*"nlmchem (\w+)')


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that the user named or that a named folder contains."""

    path: str
    relative: PurePosixPath
    """The path below the named folder or the fixed part of the glob; outputs keep it."""
    keep_suffix: bool = False
    """Names of outputs have the suffix of the file, too, because another file would have the same output."""
    fault: str | None = None
    """Why it cannot be read; None if it is to be opened."""
    beside: Beside = ALONE
    """What was found of the same article and is not read."""

    def size(self) -> int:
        """Size in bytes; 0 for standard input and for a file that no longer exists."""
        try:
            return 0 if self.path == STDIN else Path(self.path).stat().st_size
        except OSError:
            return 0


def expand(inputs: Sequence[str], exclude: Path | None = None, all_versions: bool = False) -> Iterator[InputFile]:
    """Every file that the inputs name. Folders are walked in sorted order, without hidden files.

    Of the files of a PMC article (`corpora.storage.pmc_files`) one is returned: the best form of the newest version,
    under the name of the article without its version. `all_versions`: one file for each version, under its own name.
    The manifest, quarantine and report in a folder written by nlmchem are left out, and so is the output folder
    `exclude` where it lies inside an input folder. Raises `ConfigurationError`, before the first file, for an
    input that does not exist or that matches no file.
    """
    for name in inputs:
        _require(name)
    return _expanded(inputs, None if exclude is None else exclude.resolve(), all_versions)


def names_in(path: str) -> tuple[str, ...]:
    """The names in a file (`-`: standard input): one a line, or ended by NUL as `find -print0` does.

    Raises `ConfigurationError`.
    """
    try:
        content = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    except OSError as error:
        raise ConfigurationError(f"the list of files {path} cannot be read: {error.strerror}; {_CHECK}") from error
    lines = content.split(b"\0") if b"\0" in content else content.removeprefix(b"\xef\xbb\xbf").splitlines()
    names = tuple(os.fsdecode(line) for line in lines if line.strip())
    if not names or STDIN in names:
        problem = f"has the name {STDIN}, which is not the name of a file" if names else "has no names"
        raise ConfigurationError(
            f"the list of files {path} {problem}; write the path of a file or folder into each line"
        )
    return names


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

    def is_same(match: str) -> bool:
        try:
            return os.path.samefile(match, path)  # noqa: PTH121 (names of any kind)
        except (OSError, ValueError):
            return False

    is_pattern = not os.path.lexists(name) and glob.has_magic(name)
    return any(map(is_same, glob.iglob(name, recursive=True) if is_pattern else [name]))  # noqa: PTH207


def fixed_folder(pattern: str) -> Path:
    """The folder that all matches of a glob pattern are in."""
    return Path(*takewhile(lambda part: not glob.has_magic(part), Path(pattern).parts[:-1]))


def is_folder(path: Path | os.DirEntry[str]) -> bool:
    """Whether a path is a folder. A link to nothing, to itself or to a name that is too long is none."""
    try:
        return path.is_dir()
    except OSError:
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
        remedy = f"fetch it with {command('fetch pmc', ids='FILE')}, where FILE has the id in a line"
        raise ConfigurationError(f"no file or folder at {name}, which is the id of an article; {remedy}")
    if not glob.has_magic(name):
        raise ConfigurationError(f"no file or folder at {name}; check the path")
    matches = glob.iglob(name, recursive=True)  # noqa: PTH207 (patterns may be absolute)
    if all(is_folder(Path(match)) for match in matches):
        raise ConfigurationError(f"no file matches {name}; check the pattern (quote it, so that ** works)")


def _expanded(inputs: Sequence[str], exclude: Path | None, all_versions: bool) -> Iterator[InputFile]:
    given = frozenset(inputs)
    choice = _Choice((name for name in inputs if name != STDIN and not Path(name).is_dir()), all_versions)
    for name in inputs:
        path = Path(name)
        if name == STDIN:
            yield InputFile(STDIN, PurePosixPath("stdin"))
        elif path.is_dir():
            yield from _walk(path, exclude, all_versions)
        elif path.exists() and (text := standoff.text_of(name)) is not None:
            # A shell expands `folder/*` to both files.
            if text not in given:
                yield InputFile(text, PurePosixPath(Path(text).name))
        elif path.exists():
            yield from choice.of(name, PurePosixPath(path.name))
        else:
            yield from _matching(name, exclude, all_versions)


class _Choice:
    """Which of some files are read: those of no PMC article, and one for each article."""

    def __init__(self, paths: Iterable[str], all_versions: bool) -> None:
        self._chosen = pmc_files.choose(map(PurePosixPath, paths), _has_metadata, all_versions)
        self._all_versions = all_versions

    def of(self, path: str, relative: PurePosixPath) -> Iterator[InputFile]:
        """The file, if it is read."""
        beside = self._chosen.get(PurePosixPath(path), ALONE)
        if beside is not None:
            name = relative if self._all_versions else pmc_files.without_versions(relative)
            yield InputFile(path, name, beside=beside)


def _has_metadata(path: PurePosixPath) -> bool:
    return pmc_files.read_metadata(Path(path)) is not None


def _matching(pattern: str, exclude: Path | None, all_versions: bool) -> Iterator[InputFile]:
    def is_excluded(path: Path) -> bool:
        here = Path(os.path.realpath(path))
        return exclude is not None and (here == exclude or exclude in here.parents)

    root = fixed_folder(pattern)
    matches = (standoff.text_of(name) or name for name in glob.glob(pattern, recursive=True))  # noqa: PTH207
    names = [name for name in sorted(set(matches)) if not is_folder(Path(name))]
    choice = _Choice(names, all_versions)
    # A pattern that begins inside the output folder names outputs on purpose.
    names_outputs = is_excluded(root)
    for name in names:
        path = Path(name)
        if names_outputs or not is_excluded(path):
            yield from choice.of(name, PurePosixPath(path.relative_to(root).as_posix()))


# -- folders ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder that is to be listed. `is_linked`: it is a link, or below one. `older`: its older versions."""

    path: str
    is_linked: bool = False
    older: int = 0

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rstrip("/").rpartition("/")[2]


def _walk(folder: Path, exclude: Path | None, all_versions: bool) -> Iterator[InputFile]:
    """The files of a folder, with little memory for each: one folder can have millions of files or folders."""

    def relative(path: str) -> PurePosixPath:
        return PurePosixPath(path[len(str(folder)) :].lstrip("/"))

    reserved = _reserved_patterns(folder)
    links = _Links(os.path.realpath(folder), None if exclude is None else str(exclude))
    pending = [iter([_Folder(str(folder))])]
    while pending:
        here = next(pending[-1], None)
        if here is None:
            pending.pop()
            continue
        is_top = len(pending) == 1
        if not is_top and (here := links.followed(here)) is None:
            continue
        try:
            folders, files = _listed(here.path, reserved if is_top else ())
        except OSError as error:
            if is_top:
                raise ConfigurationError(f"the folder {folder} cannot be listed: {error.strerror}; {_CHECK}") from error
            # One input of many: it fails when it is opened.
            yield InputFile(here.path, relative(here.path))
            continue
        if reserved:
            # Each output of a run is read.
            yield from (InputFile(path, relative(path)) for path in _joined(here.path, files))
            pending.append(_folders(here, folders, all_versions=True))
            continue
        more = Beside(versions=here.older)
        if pmc_files.package_of(here.name) is not None and _has_article(here.path):
            # What is below the folder of an article belongs to it.
            below = _joined(here.path, (name for name, _ in folders))
            more += Beside(sum(len(names) for path in below for _, _, names in os.walk(path)))
            folders = []
        for choice, paths in _choices(_joined(here.path, _without_metadata(here.path, files)), all_versions):
            for path in paths:
                for file in choice.of(path, relative(path)):
                    yield file if more == ALONE else replace(file, beside=file.beside + more)
        pending.append(_folders(here, folders, all_versions))


def _reserved_patterns(folder: Path) -> tuple[str, ...]:
    """Patterns of reserved names at the top of a folder: none where no command of ours wrote a manifest.

    Any other `manifest.json` is an input.
    """
    commands: set[bytes] = set()
    for path in (folder / MANIFEST, *folder.glob(_SHARD_MANIFESTS)):
        try:
            with path.open("rb") as stream:
                made_by = _MADE_BY.search(stream.read(1 << 12))
        except OSError:
            continue
        if made_by:
            commands.add(made_by[1])
    return _RESERVED_BY_SILVER if b"silver" in commands else _RESERVED if commands else ()


@dataclass(slots=True)
class _Links:
    """The folders that links lead to: each is walked once. `root` and `exclude` are real paths."""

    root: str
    exclude: str | None
    _walked: set[str] = field(default_factory=set)

    def followed(self, folder: _Folder) -> _Folder | None:
        """The folder, if it is to be walked."""
        if not folder.is_linked:
            return None if self.exclude is not None and os.path.realpath(folder.path) == self.exclude else folder
        real = os.path.realpath(folder.path)
        if real in self._walked or real == self.exclude or self._is_below_root(real):
            return None
        self._walked.add(real)
        return folder

    def _is_below_root(self, real: str) -> bool:
        """Whether a folder is walked without the link. What is hidden is not."""
        if real != self.root and not real.startswith(self.root.rstrip("/") + "/"):
            return False
        return not any(part.startswith(".") for part in PurePosixPath(os.path.relpath(real, self.root)).parts)


def _joined(folder: str, names: Iterable[str]) -> Iterator[str]:
    return (os.path.join(folder, name) for name in names)  # noqa: PTH118 (paths of millions of files)


def _listed(folder: str, leave_out: Sequence[str] = ()) -> tuple[list[tuple[str, bool]], list[str]]:
    """The folders, each with whether it is a link, and the files in a folder, sorted, without what is hidden.

    `leave_out`: patterns of further names that are left out.
    """
    folders: list[tuple[str, bool]] = []
    files: list[str] = []
    with os.scandir(folder) as listing:
        for entry in listing:
            if entry.name.startswith(".") or any(fnmatchcase(entry.name, pattern) for pattern in leave_out):
                continue
            if is_folder(entry):
                folders.append((entry.name, entry.is_symlink()))
            elif standoff.text_of(entry.path) is None:
                files.append(entry.name)
    folders.sort()
    files.sort()
    return folders, files


def _choices(paths: Iterable[str], all_versions: bool) -> Iterator[tuple[_Choice, list[str]]]:
    """The choice for the files of each article. Sorted names of one article follow each other."""

    def article(path: str) -> str:
        form = pmc_files.form_of(PurePosixPath(path))
        return "" if form is None else form.article

    no_articles = _Choice((), all_versions)
    for key, group in groupby(paths, article):
        if key:
            files = list(group)
            yield _Choice(files, all_versions), files
        else:
            yield from ((no_articles, [path]) for path in group)


def _without_metadata(folder: str, files: list[str]) -> list[str]:
    """The names in a folder without the metadata of PMC's articles, if it is the folder that has them for all."""
    if Path(folder).name != pmc_files.METADATA_FOLDER:
        return files
    first = next(filter(pmc_files.is_metadata_name, files), None)
    if first is None or not _has_metadata(PurePosixPath(folder) / first):
        return files
    return [name for name in files if not pmc_files.is_metadata_name(name)]


def _folders(here: _Folder, folders: Sequence[tuple[str, bool]], all_versions: bool) -> Iterator[_Folder]:
    """The folders below a folder, in order, without older versions of articles. Sorted versions follow each other."""

    def article(folder: tuple[str, bool]) -> str:
        package = pmc_files.package_of(folder[0])
        return folder[0] if package is None or all_versions else package[0]

    for _, versions in groupby(folders, article):
        copies = [_Folder(f"{here.path.rstrip('/')}/{name}", here.is_linked or link) for name, link in versions]
        if len(copies) > 1:
            copies.sort(key=lambda folder: pmc_files.package_of(folder.name) or ("", 0))
            # A fetch that was interrupted leaves folders without an article.
            whole = [folder for folder in copies if _has_article(folder.path)] or copies
            copies = [replace(whole[-1], older=len(whole) - 1)]
        yield from copies


def _has_article(folder: str) -> bool:
    try:
        _, files = _listed(folder)
    except OSError:
        return True
    paths = map(PurePosixPath, _joined(folder, files))
    return any(beside is not None for beside in pmc_files.choose(paths, _has_metadata).values())
