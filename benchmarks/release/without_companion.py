"""Runs the tests in a copy of the tree without a companion: the core does not need it, and companions not each other.

    python -m benchmarks.release.without_companion keyphrases                       # all remaining tests
    python -m benchmarks.release.without_companion keyphrases --quick               # of `make quick` and companions
    python -m benchmarks.release.without_companion keyphrases tests/test_plugins.py -x

The copy has all files that git tracks, except the folder of the companion, its tests, its pages (`DOCS` in the file
`cases.py` of its tests) with the lines that link to them, the benchmarks that import it, and its lines in
`pyproject.toml`. What is generated (the metadata, the stub of `nlmchem.load`, the list of public
names) is generated again. The copy is a git repository with one commit. The packages of the present environment are
used. Other words are arguments of pytest.
"""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENERATED = {
    "nlmchem/__init__.pyi": "from nlmchem.api.loading import stub; print(stub())",
    "nlmchem/commands/__init__.pyi": "from nlmchem.commands.functions import stub; print(stub())",
    "tests/public_names.txt": "from benchmarks.release.public_names import lines; print(*lines(), sep='\\n')",
}
"""Files with what prints them."""
_LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def copy_without(companion: str, folder: Path, root: Path = ROOT) -> Path:
    """A copy of the tree without a companion, in a new folder. Raises `ValueError` for a name that is no companion."""
    if not (root / "nlmchem" / "companions" / companion).is_dir():
        raise ValueError(f"there is no companion {companion!r} in nlmchem/companions")
    left_out = (f"nlmchem/companions/{companion}/", f"tests/nlmchem/companions/{companion}/")
    cases = root / "tests" / "nlmchem" / "companions" / companion / "cases.py"
    pages = {root / "docs" / page for page in runpy.run_path(str(cases)).get("DOCS", ())}
    for name in _files(root):
        source, target = root / name, folder / name
        if name.startswith(left_out) or not source.is_file() or source in pages or _needs(source, name, companion):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            target.write_text(_without_links(source, pages), "utf-8")
        else:
            shutil.copyfile(source, target)
    project = (folder / "pyproject.toml").read_text("utf-8").splitlines(keepends=True)
    (folder / "pyproject.toml").write_text("".join(line for line in project if _module(companion) not in line), "utf-8")
    for kernel in (root / "nlmchem" / "tagging" / "kernel").glob("*.so"):
        shutil.copy(kernel, folder / kernel.relative_to(root))
    _python(folder, "setup.py", "--quiet", "egg_info")
    for name, code in GENERATED.items():
        (folder / name).write_text(_python(folder, "-c", code), "utf-8")
    return folder


def environment(folder: Path) -> dict[str, str]:
    """The environment of processes that import the copy."""
    return {**os.environ, "PYTHONPATH": str(folder)}


def _module(companion: str) -> str:
    return f"nlmchem.companions.{companion}"


def _files(root: Path) -> list[str]:
    """What git tracks, and new files that it does not ignore."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    return subprocess.run(listed, cwd=root, capture_output=True, text=True, check=True).stdout.strip("\0").split("\0")


def _without_links(page: Path, others: set[Path]) -> str:
    """A page without the lines that link to others."""
    lines = page.read_text("utf-8").splitlines(keepends=True)
    return "".join(
        line for line in lines if not any((page.parent / target).resolve() in others for target in _LINK.findall(line))
    )


def _needs(source: Path, name: str, companion: str) -> bool:
    """Whether a file is a benchmark that imports the companion."""
    return (
        name.startswith("benchmarks/")
        and re.search(rf"^from {_module(companion)}\.", source.read_text("utf-8", "replace"), re.MULTILINE) is not None
    )


def _python(folder: Path, *words: str) -> str:
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=folder, env=environment(folder), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def _commit(folder: Path) -> None:
    """Make the copy a checkout: cards have the hash of its commit, and some tests ask git for its files."""
    author = ("-c", "user.name=nlmchem", "-c", "user.email=nlmchem@localhost")
    for words in (("init", "--quiet"), ("add", "--all"), (*author, "commit", "--quiet", "--message", "A copy")):
        subprocess.run(["git", *words], cwd=folder, check=True)


def quick_tests(root: Path = ROOT) -> list[str]:
    """The tests of `make quick` and of companions, which break first if something needs a companion."""
    listed = re.search(r"^QUICK := ((?:.*\\\n)*.*)", (root / "Makefile").read_text("utf-8"), re.MULTILINE)
    if listed is None:
        raise ValueError("the Makefile has no list QUICK")
    tests = listed[1].replace("\\\n", " ").split()
    pages = "tests/docs/test_pages.py::test_commands_have_the_options_that_pages_give_them"
    return ["-m", "not slow and not realdata", *tests, "tests/nlmchem/companions", "tests/test_plugins.py", pages]


def main() -> None:
    companion, *words = sys.argv[1:]
    if words == ["--quick"]:
        words = quick_tests()
    with tempfile.TemporaryDirectory() as parent:
        folder = copy_without(companion, Path(parent) / "nlmchem")
        _commit(folder)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(words or ["tests"])]
        raise SystemExit(subprocess.run(command, cwd=folder, env=environment(folder), check=False).returncode)


if __name__ == "__main__":
    main()
