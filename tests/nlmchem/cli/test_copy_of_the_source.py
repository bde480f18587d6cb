"""A copy of the source without installed metadata, such as a clone on PYTHONPATH: commands work and have a version."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
WITHOUT_METADATA = """
import importlib.metadata as metadata
import re
import sys

found, every = metadata.Distribution.from_name, metadata.distributions
is_ours = lambda name: re.sub("[-_.]+", "-", name).lower() == "nlmchem"

def from_name(name):
    if is_ours(name):
        raise metadata.PackageNotFoundError(name)
    return found(name)

metadata.Distribution.from_name = from_name
metadata.distributions = lambda **given: (package for package in every(**given) if not is_ours(package.name))

from nlmchem.cli import main

sys.argv = ["nlmchem", *sys.argv[1:]]
main()
"""


def nlmchem(folder: Path, *arguments: str) -> str:
    code = [sys.executable, "-c", WITHOUT_METADATA, *arguments]
    ended = subprocess.run(code, cwd=folder, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_commands_work(tmp_path: Path) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert nlmchem(tmp_path, "--version").strip() == version
    (tmp_path / "a.txt").write_text("Rats were given glucose.", "utf-8")
    nlmchem(tmp_path, "annotate", "a.txt", "-o", "out", "--tagger", "lexicon", "--lexicon", "starter", "--workers", "1")
    assert json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))["configuration"]["version"] == version
    assert "glucose" in nlmchem(tmp_path, "convert", "out/a.xml", "-", "--format", "tsv")
