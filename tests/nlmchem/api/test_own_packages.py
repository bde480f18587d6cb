"""A file that hides one of our packages is named in the error and by `nlmchem doctor`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nlmchem.api import own_packages
from nlmchem.bench import selfcheck


@pytest.mark.parametrize("name", own_packages.PACKAGES)
@pytest.mark.parametrize("file", ["{}.py", "{}/__init__.py"])
def test_the_import_error_names_the_file_in_the_way(name: str, file: str, tmp_path: Path) -> None:
    hiding = tmp_path / file.format(name)
    hiding.parent.mkdir(exist_ok=True)
    hiding.write_text("")
    done = subprocess.run(
        [sys.executable, "-c", "import nlmchem"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"ImportError: {hiding.resolve()} is in the way: nlmchem needs its own package {name!r}")
    assert list(own_packages.hidden_elsewhere(tmp_path)) == [hiding]


def test_a_module_that_was_imported_before_is_named(tmp_path: Path) -> None:
    (tmp_path / "sieves.py").write_text("")
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.path.insert(0, 'x'); import sieves, nlmchem"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "sieves.py is in the way" in done.stderr


def test_an_installed_package_that_is_found_before_ours_is_named(tmp_path: Path) -> None:
    """As `sieves` of the package index beside an editable installation of nlmchem."""
    (tmp_path / "sieves").mkdir()
    (tmp_path / "sieves" / "__init__.py").write_text("import its_dependency\n")
    (tmp_path / "sieves-0.14.0.dist-info").mkdir()
    (tmp_path / "sieves-0.14.0.dist-info" / "RECORD").write_text("sieves/__init__.py,sha256=x,22\n")
    done = subprocess.run(
        [sys.executable, "-m", "nlmchem", "--help"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == (
        f"nlmchem: sieves 0.14.0 is in the way: nlmchem needs its own package 'sieves', and Python finds "
        f"{tmp_path}/sieves/__init__.py first; run `pip uninstall sieves`\n"
    )


def test_folders_without_code_and_our_own_packages_are_not_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "corpora").mkdir()
    command = [sys.executable, "-c", "import nlmchem"]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0
    assert not list(own_packages.hidden_elsewhere(tmp_path))
    assert not list(own_packages.hidden_elsewhere(Path(own_packages.__file__).parents[2]))
    own_packages.require()


def test_free_memory_is_that_of_the_machine_or_of_the_container(tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 8000 kB\nMemAvailable:    4000 kB\n")
    assert selfcheck.free_memory(meminfo, tmp_path) == 4000 * 1024
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("1000\n")
    assert selfcheck.free_memory(meminfo, tmp_path) == 4000 * 1024
    (tmp_path / "memory.max").write_text("3000\n")
    assert selfcheck.free_memory(meminfo, tmp_path) == 2000
    assert selfcheck.free_memory(tmp_path / "nowhere", tmp_path) is None


def test_processor(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor : 0\nmodel name : A Processor\nflags : sse\n")
    assert selfcheck.processor(cpuinfo) == "A Processor"
