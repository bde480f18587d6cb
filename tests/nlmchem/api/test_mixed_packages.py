"""Other packages have folders with the names of ours, and pip mixes their files in silence: nlmchem names them."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
import venv
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("corpora", "sieves", "indexing", "ensemble", "nlmchem")
OTHER = {
    "sieves/__init__.py": "import sieves.tasks as tasks\nfrom sieves.data import Doc\n",
    "sieves/data/__init__.py": "import a_package_that_is_not_installed\n",
    "sieves/tasks/__init__.py": "",
}
"""The layout of the package `sieves` 0.14.0 of the package index."""


def wheel(folder: Path, name: str, version: str, files: Mapping[str, str]) -> Path:
    """Write a wheel."""
    about = f"{name}-{version}.dist-info"
    files = {
        **files,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": f"[console_scripts]\n{name} = {name}.cli:main\n",
    }
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in files.items():
            archive.writestr(file, text)
        archive.writestr(f"{about}/RECORD", "".join(f"{file},{hashed(text)}\n" for file, text in files.items()))
    return path


def hashed(text: str) -> str:
    """The hash and the size of a file, as RECORD has them."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
    return f"sha256={digest},{len(text.encode())}"


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Our code without its models and lexicon, and the other package."""
    folder = tmp_path_factory.mktemp("wheels")
    code = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    ours = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in code}
    return {"nlmchem": wheel(folder, "nlmchem", "0.9.0", ours), "sieves": wheel(folder, "sieves", "0.14.0", OTHER)}


@dataclass(frozen=True)
class Environment:
    """An environment in which packages are installed by pip."""

    folder: Path

    @property
    def site(self) -> Path:
        [site] = (self.folder / "lib").glob("python*/site-packages")
        return site

    def pip(self, *arguments: str | Path) -> None:
        pip = [sys.executable, "-m", "pip", "--python", self.folder / "bin" / "python", *arguments]
        subprocess.run([str(part) for part in pip], capture_output=True, check=True)

    def install(self, package: str | Path) -> None:
        self.pip("install", "--no-index", "--no-deps", "--no-compile", package)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        program, *arguments = command
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run(
            [str(self.folder / "bin" / program), *arguments],
            cwd=self.folder, env=variables, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def mend(self, sentence: str) -> None:
        """Run the two commands that the sentence names."""
        uninstall, install = re.findall(r"`pip (.+?)`", sentence)
        self.pip("uninstall", "--yes", *uninstall.split()[1:])
        assert install.startswith("install ")
        self.install(install.removeprefix("install "))


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    venv.create(tmp_path / "venv", with_pip=False)
    made = Environment(tmp_path / "venv")
    # A path file adds the dependencies, but not the editable installations beside them.
    dependencies = [path for path in sys.path if Path(path).name == "site-packages"]
    (made.site / "dependencies.pth").write_text("\n".join(dependencies), encoding="utf-8")
    return made


@pytest.mark.slow
def test_a_package_that_replaces_a_file_of_ours_is_named_with_the_commands_that_help(
    environment: Environment, wheels: dict[str, Path]
) -> None:
    environment.install(wheels["nlmchem"])
    with (environment.site / "sieves" / "sieve.py").open("a") as edited:
        edited.write("# Somebody has edited this file, which is no problem.\n")
    assert environment.run("nlmchem", "--help").returncode == 0
    environment.install(wheels["sieves"])

    shown = environment.run("nlmchem", "--help")
    assert (shown.returncode, shown.stdout) == (1, "")
    [sentence] = shown.stderr.splitlines()
    assert sentence.startswith("nlmchem: sieves/__init__.py of nlmchem in ")
    assert " was replaced by sieves 0.14.0; one environment cannot have " in sentence
    assert " so run `pip uninstall sieves nlmchem`, then `pip install " in sentence
    assert environment.run("python", "-m", "nlmchem", "--help").stderr == shown.stderr
    raised = environment.run("python", "-c", "import nlmchem").stderr.splitlines()[-1]
    assert raised == sentence.replace("nlmchem: ", "ImportError: ", 1)

    environment.mend(sentence)
    assert environment.run("nlmchem", "--help").returncode == 0


@pytest.mark.slow
def test_a_package_whose_file_ours_has_replaced_is_named_by_doctor_and_after_its_removal(
    environment: Environment, wheels: dict[str, Path]
) -> None:
    environment.install(wheels["sieves"])
    environment.install(wheels["nlmchem"])
    assert environment.run("nlmchem", "--help").returncode == 0
    finding = next(line for line in environment.run("nlmchem", "doctor").stdout.splitlines() if "packages: " in line)
    assert finding.startswith("FAIL  packages: files of sieves 0.14.0 are in folders of nlmchem (sieves) in ")

    environment.pip("uninstall", "--yes", "sieves")
    [sentence] = environment.run("nlmchem", "--help").stderr.splitlines()
    assert sentence.startswith("nlmchem: sieves/__init__.py of nlmchem is missing in ")
    environment.mend(sentence)
    assert environment.run("nlmchem", "--help").returncode == 0
