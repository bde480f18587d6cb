"""The packages that come with nlmchem, and files of others that hide or replace them.

`corpora`, `sieves`, `indexing` and `ensemble` are common words. Python can find a user's own `corpora.py` first, and
the package index has other packages with these names: pip installs them into the same folders without a message.
Python would then report a missing attribute or module; `require` reports the cause and the remedy instead.

pip records each file of a package with its size in `RECORD`, beside the name and the version of the package.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGES = ("corpora", "sieves", "indexing", "ensemble")
_HOME = Path(__file__).resolve().parents[2]
_FOLDERS = tuple(f"{name}/" for name in PACKAGES)


class Stranger(NamedTuple):
    """Another installed package with files in the folders of our packages."""

    name: str
    version: str
    files: tuple[str, ...]


def require() -> None:
    """Raise `ImportError` if Python finds another file in place of one of our packages, or if their files are replaced
    or missing. The command line ends with the sentence alone."""
    for problem in (*_in_the_way(), *_damaged(_HOME)):
        program = "".join(sys.argv[:1])
        is_command_line = Path(program).name == "nlmchem" or (program == "-m" and "nlmchem" in sys.orig_argv)
        raise SystemExit(f"nlmchem: {problem}") if is_command_line else ImportError(problem)


# -- hidden: another file of the name is found first -------------------------------------------


def _in_the_way() -> Iterator[str]:
    for name in PACKAGES:
        file = in_the_way(name)
        if file is None:
            continue
        owners = [package for package in strangers(Path(file).parent.parent) if f"{name}/__init__.py" in package.files]
        what, found, remedy = file, "this file", "rename the file, or start Python in another folder"
        if owners:
            what, found, remedy = _names(owners), file, f"run `pip uninstall {owners[0].name}`"
        yield f"{what} is in the way: nlmchem needs its own package {name!r}, and Python finds {found} first; {remedy}"


def in_the_way(name: str) -> str | None:
    """The file that Python imports under the name of one of our packages, if it is not ours."""
    module = sys.modules.get(name)
    try:
        spec = module.__spec__ if module is not None else importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    if module is not None and getattr(module, "__file__", None):
        file = str(module.__file__)
    elif spec is not None and spec.origin:
        file = spec.origin
    else:
        # Nothing has this name, or only a folder without code: the import itself reports what is missing.
        return None
    return None if _is_ours(Path(file), name) else file


def hidden_elsewhere(folder: Path) -> Iterator[Path]:
    """Files in a folder that would hide one of our packages from a script in that folder."""
    for name in PACKAGES:
        for file in (folder / f"{name}.py", folder / name / "__init__.py"):
            if file.is_file() and not _is_ours(file, name):
                yield file


def _is_ours(file: Path, name: str) -> bool:
    return file.resolve() == _HOME / name / "__init__.py"


# -- mixed: another package has files in our folders --------------------------------------------


def mixed(site: Path = _HOME) -> str | None:
    """A sentence if other packages have files in our folders; None if there are no such packages, or for a checkout."""
    others = list(strangers(site)) if _recorded(site) else []
    if not others:
        return None
    folders = ", ".join(sorted({file.partition("/")[0] for package in others for file in package.files}))
    return f"files of {_names(others)} are in folders of nlmchem ({folders}) in {site}; {_remedy(others, site)}"


def strangers(site: Path) -> Iterator[Stranger]:
    """The other packages with files in folders that have the names of our packages, sorted by name."""
    for record in sorted(site.glob("*.dist-info/RECORD")):
        name, _, version = record.parent.name.removesuffix(".dist-info").partition("-")
        if name != "nlmchem" and (files := tuple(_files(record))):
            yield Stranger(name, version, files)


def _damaged(site: Path) -> Iterator[str]:
    """What is wrong with the files of our packages. Their sizes are compared, because this runs at each start.

    A file that somebody has edited is not reported: no other package has it.
    """
    missing, changed = [], []
    for file, size in _recorded(site).items():
        try:
            if os.stat(f"{site}/{file}").st_size != size:  # noqa: PTH116 (`Path` takes twice the time)
                changed.append(file)
        except FileNotFoundError:
            missing.append(file)
    owners = [package for package in strangers(site) if not {*package.files}.isdisjoint(changed)] if changed else []
    if owners:
        yield f"{changed[0]} of nlmchem in {site} was replaced by {_names(owners)}; {_remedy(owners, site)}"
    elif missing:
        cause = "as after the removal of a package with the same file"
        yield f"{missing[0]} of nlmchem is missing in {site}, {cause}; {_remedy([], site)}"


def _recorded(site: Path) -> dict[str, int]:
    """The files of our packages as they were installed, with their sizes; empty for a checkout."""
    return {file: size for record in site.glob("nlmchem-*.dist-info/RECORD") for file, size in _files(record).items()}


def _files(record: Path) -> dict[str, int]:
    """The files in folders with the names of our packages that a package has installed, with their sizes."""
    lines = record.read_text(encoding="utf-8", errors="replace").splitlines()
    rows = (line.rsplit(",", 2) for line in lines if line.startswith(_FOLDERS))
    return {row[0]: int(row[2]) for row in rows if len(row) == 3 and row[2].isdecimal() and "__pycache__" not in row[0]}


def _names(packages: list[Stranger]) -> str:
    return " and ".join(f"{package.name} {package.version}" for package in packages)


def _remedy(owners: list[Stranger], site: Path) -> str:
    import json

    names = " ".join([*(package.name for package in owners), "nlmchem"])
    why = "one environment cannot have both, so " if owners else ""
    # What pip installed nlmchem from: its name on an index, or the address of a file, a folder or a repository.
    source = "nlmchem"
    for file in site.glob("nlmchem-*.dist-info/direct_url.json"):
        stated = json.loads(file.read_text(encoding="utf-8"))
        source = f"{stated['vcs_info']['vcs']}+{stated['url']}" if "vcs_info" in stated else str(stated["url"])
    return f"{why}run `pip uninstall {names}`, then `pip install {source}`"
