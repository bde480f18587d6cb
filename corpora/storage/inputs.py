"""The files that the user names: by path, folder, glob, or `-` for standard input."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from corpora.errors import ConfigurationError, command
from corpora.storage import pmc_layout, pmc_metadata, standoff
from corpora.storage.pmc_layout import ALONE, Beside
from corpora.storage.reserved_names import is_of_a_run, reserved_in

STDIN = "-"
_ARTICLE_ID = re.compile(r"(?:PMC|pmid:?)\d{1,9}", re.IGNORECASE)
_CHECK = "check the path and its permissions"


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that the user named or that a named folder contains.

    `relative` is its path below the named folder or the fixed part of the glob; outputs keep it. `keep_suffix`: names
    of outputs have the suffix of the file, too, because another file would have the same output. `fault`: why it
    cannot be read; None if it is to be opened. `beside`: what was found of the same article and is not read.
    """

    path: str
    relative: PurePosixPath
    keep_suffix: bool = False
    fault: str | None = None
    beside: Beside = ALONE

    def size(self) -> int:
        """Size in bytes; 0 for standard input and for a file that no longer exists."""
        try:
            return 0 if self.path == STDIN else Path(self.path).stat().st_size
        except OSError:
            return 0


def expand(inputs: Sequence[str], exclude: Path | None = None, all_versions: bool = False) -> Iterator[InputFile]:
    """Every file that the inputs name. Folders are walked in sorted order, without hidden files.

    Of the files of a PMC article (`corpora.storage.pmc_layout`) one is returned: the best form of the newest version,
    under the name of the article without its version. `all_versions`: one file for each version, under its own name.
    The manifest, quarantine and report in a folder written by nlmchem are left out, and so is the output folder
    `exclude` where it lies inside an input folder. Raises `ConfigurationError`, before the first file, for an
    input that does not exist or that matches no file.
    """
    for name in inputs:
        _require(name)
    return _expanded(inputs, None if exclude is None else exclude.resolve(), all_versions)


def is_pipe(path: str) -> bool:
    """Whether an input can be read only once: standard input, or the shell's `<(...)`."""
    return path == STDIN or (path.startswith(("/dev/fd/", "/proc/")) and Path(path).is_fifo())


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


def _expanded(inputs: Sequence[str], exclude: Path | None, all_versions: bool) -> Iterator[InputFile]:
    given = frozenset(inputs)
    choice = _choice((name for name in inputs if name != STDIN and not Path(name).is_dir()), all_versions)
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


@dataclass(frozen=True, slots=True)
class _Choice:
    """Which of some files are read: those of no PMC article, and one for each article."""

    chosen: dict[PurePosixPath, Beside | None]
    all_versions: bool

    def of(self, path: str, relative: PurePosixPath) -> Iterator[InputFile]:
        """The file, if it is read."""
        beside = self.chosen.get(PurePosixPath(path), ALONE)
        if beside is not None:
            name = relative if self.all_versions else pmc_layout.without_versions(relative)
            yield InputFile(path, name, beside=beside)


def _choice(paths: Iterable[str], all_versions: bool) -> _Choice:
    return _Choice(pmc_layout.choose(map(PurePosixPath, paths), _has_metadata, all_versions), all_versions)


def _has_metadata(path: PurePosixPath) -> bool:
    return pmc_metadata.read(Path(path)) is not None


def _matching(pattern: str, exclude: Path | None, all_versions: bool) -> Iterator[InputFile]:
    root = fixed_folder(pattern)
    # A pattern that begins inside the output folder names outputs on purpose.
    exclude = None if exclude and _inside(root, exclude) else exclude
    matches = (standoff.text_of(name) or name for name in glob.glob(pattern, recursive=True))  # noqa: PTH207
    names = [name for name in sorted(set(matches)) if not is_folder(Path(name))]
    choice = _choice(names, all_versions)
    for name in names:
        path = Path(name)
        if not (exclude and _inside(path, exclude)):
            yield from choice.of(name, PurePosixPath(path.relative_to(root).as_posix()))


def fixed_folder(pattern: str) -> Path:
    """The folder that all matches of a glob pattern are in."""
    return Path(*_fixed_parts(pattern))


def _fixed_parts(pattern: str) -> list[str]:
    parts: list[str] = []
    for part in Path(pattern).parts[:-1]:
        if glob.has_magic(part):
            break
        parts.append(part)
    return parts


def _walk(folder: Path, exclude: Path | None, all_versions: bool) -> Iterator[InputFile]:
    pending: list[tuple[Path, int]] = [(folder, 0)]
    seen: set[Path] = set()
    is_reserved = reserved_in(folder)
    # Each output of a run is read.
    is_chosen = not is_of_a_run(folder)
    all_versions = all_versions or not is_chosen
    while pending:
        here, older = pending.pop()
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
        folders = [Path(entry.path) for entry in entries if is_folder(entry)]
        files = [entry.path for entry in entries if not is_folder(entry) and standoff.text_of(entry.path) is None]
        if is_chosen:
            files = _without_metadata(here, files)
        choice = _choice(files if is_chosen else (), all_versions)
        more = Beside(versions=older)
        if choice.chosen and pmc_layout.package_of(here.name) is not None:
            # What is below the folder of an article belongs to it.
            more = replace(more, forms=sum(len(names) for below in folders for _, _, names in os.walk(below)))
            folders = []
        for path in files:
            for file in choice.of(path, PurePosixPath(Path(path).relative_to(folder).as_posix())):
                yield file if more == ALONE else replace(file, beside=file.beside + more)
        pending += reversed([(path, 0) for path in folders] if all_versions else _newest(folders))


def _without_metadata(folder: Path, files: list[str]) -> list[str]:
    """The files of a folder without the metadata of PMC's articles, if it is the folder that has them for all."""
    if folder.name != pmc_layout.METADATA_FOLDER:
        return files
    others = [path for path in files if not pmc_layout.is_metadata_name(Path(path).name)]
    first = next((path for path in files if pmc_layout.is_metadata_name(Path(path).name)), None)
    return others if first is not None and _has_metadata(PurePosixPath(first)) else files


def _newest(folders: Sequence[Path]) -> list[tuple[Path, int]]:
    """The folders without older versions of articles, each with the number of its older versions."""
    versions: dict[str, list[tuple[int, Path]]] = {}
    for folder in folders:
        if (package := pmc_layout.package_of(folder.name)) is not None:
            versions.setdefault(package[0], []).append((package[1], folder))
    left: dict[Path, int] = {}
    for found in versions.values():
        if len(found) > 1:
            # A fetch that was interrupted leaves folders without an article.
            found.sort()
            whole = [folder for _, folder in found if _has_article(folder)] or [folder for _, folder in found]
            left |= dict.fromkeys((folder for _, folder in found), -1)
            left[whole[-1]] = len(whole) - 1
    return [(folder, left.get(folder, 0)) for folder in folders if left.get(folder, 0) >= 0]


def _has_article(folder: Path) -> bool:
    try:
        paths = [PurePosixPath(entry.path) for entry in _listed(folder)]
    except OSError:
        return True
    return any(beside is not None for beside in pmc_layout.choose(paths, _has_metadata).values())


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
