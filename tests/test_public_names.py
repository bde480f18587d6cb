"""What is public: the code, the recorded list and docs/reference/public.md agree."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.release.public_names import MODULES, lines

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "reference" / "public.md").read_text("utf-8")


def test_public_names_are_the_recorded_ones() -> None:
    recorded = (ROOT / "tests" / "public_names.txt").read_text("utf-8").splitlines()
    assert list(lines()) == recorded, "add a line to CHANGELOG.md, then see benchmarks/release/public_names.py"


def test_the_page_lists_the_public_modules_with_their_names() -> None:
    rows = re.findall(r"^\| `([a-z_.]+)` \| (.*?) \|", PAGE, re.MULTILINE)
    listed = {
        module: tuple(sorted(re.findall(r"`(\w+)`", names)))
        for module, names in rows
        # A companion can be left out.
        if module in MODULES or not module.startswith("nlmchem.companions.")
    }
    wanted = {module: tuple(sorted(names or import_module(module).__all__)) for module, names in MODULES.items()}
    assert listed == wanted


@pytest.mark.parametrize("package", ["corpora", "ensemble", "indexing", "nlmchem", "sieves"])
def test_each_package_states_its_public_names(package: str) -> None:
    module = import_module(package)
    assert package in MODULES
    assert all(hasattr(module, name) for name in module.__all__)
