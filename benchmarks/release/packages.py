"""Builds the source archive and the wheel, and checks that both work outside the checkout.

    python -m benchmarks.release.packages -o dist

The source archive is made of the files that git tracks, and the wheel is made of the source archive, as the program
`build` does. Then the wheel is installed in an empty environment that uses the dependencies of the present one, and
commands of a user run there, in another folder. Needs setuptools, pip and the dependencies of nlmchem.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("corpora", "sieves", "indexing", "ensemble", "nlmchem")
COMMANDS = (
    ("--version",),
    ("annotate", "examples", "-o", "annotated"),
    ("view", "annotated", "-o", "pages"),
    ("lexicon", "lookup", "zinc oxide"),
    ("evaluate", "spans", "annotated", "annotated", "--samples", "0", "--no-verify"),
)
"""Commands that need the models, the lexicon, the templates and the tables of the wheel."""


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    """Run a command and return what it prints. Ends the script with its messages if it fails."""
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def tracked() -> list[str]:
    """The files of the checkout that git tracks."""
    return run("git", "ls-files", "-z", cwd=ROOT).strip("\0").split("\0")


def copied(files: Iterable[str], folder: Path) -> Path:
    """Copy files of the checkout into a folder, with their relative paths."""
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    return folder


def build(kind: str, source: Path, out: Path) -> Path:
    """Call a hook of the build backend (PEP 517): `sdist` or `wheel`. Returns the file."""
    out.mkdir(parents=True, exist_ok=True)
    code = f"import sys, setuptools.build_meta as backend; print('\\n' + backend.build_{kind}(sys.argv[1]))"
    return out / run(sys.executable, "-c", code, out.resolve(), cwd=source).splitlines()[-1]


def missing(wheel: Path, files: Iterable[str]) -> list[str]:
    """Tracked files of the packages that the wheel does not contain."""
    with zipfile.ZipFile(wheel) as archive:
        there = set(archive.namelist())
    return [name for name in files if name.partition("/")[0] in PACKAGES and name not in there]


def installed(wheel: Path, folder: Path) -> Path:
    """A new environment with this wheel and the dependencies of the present environment; returns its Python."""
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip())
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", site, wheel, cwd=folder)
    # A path file adds the folders themselves, but not the editable installations in them.
    dependencies = (path for path in sys.path if Path(path).name == "site-packages")
    (site / "dependencies.pth").write_text("\n".join(dependencies) + "\n", encoding="utf-8")
    return python


def use(python: Path, folder: Path) -> None:
    """Run the commands of a user in a folder that contains only the example articles."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    env["NLMCHEM_HOME"] = str(folder / "home")
    place = run(python, "-c", "import nlmchem, corpora; print(nlmchem.__file__, corpora.__file__)", cwd=folder, env=env)
    if any(not Path(file).is_relative_to(python.parents[1]) for file in place.split()):
        sys.exit(f"not the installed packages were tested, but {place}")
    for command in COMMANDS:
        printed = run(python, "-m", "nlmchem", *command, cwd=folder, env=env)
        print(f"nlmchem {' '.join(command)}: {printed.strip().splitlines()[0] if printed.strip() else 'done'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=ROOT / "dist")
    out = parser.parse_args().out.resolve()
    files = [name for name in tracked() if (ROOT / name).is_file()]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        archive = build("sdist", copied(files, work / "checkout"), out)
        with tarfile.open(archive) as stream:
            stream.extractall(work / "source", filter="data")
        [source] = (work / "source").iterdir()
        if absent := [name for name in files if not (source / name).exists() and not name.startswith(".git")]:
            sys.exit(f"the source archive does not contain {', '.join(absent[:5])}; add them to MANIFEST.in")
        wheel = build("wheel", source, out)
        if absent := missing(wheel, files):
            sys.exit(f"the wheel does not contain {', '.join(absent[:5])}; add them to package-data in pyproject.toml")
        for path in (archive, wheel):
            print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
        (work / "use").mkdir()
        use(installed(wheel, work / "environment"), work / "use")


if __name__ == "__main__":
    main()
