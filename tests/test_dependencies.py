"""Every third-party package that the source imports is declared: in the dependencies, or in the extra of its room."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("corpora", "sieves", "indexing", "ensemble", "nlmchem")
ROOMS_OF_EXTRAS = {
    "models": (
        "nlmchem/bench/selfcheck.py",
        "nlmchem/companions/senses/encoders.py",
        "nlmchem/tagging/models/",
        "nlmchem/tagging/registry.py",
        "nlmchem/tagging/tokenization/word_pieces.py",
        "corpora/extras.py",
        "sieves/dense/encoders.py",
    ),
    "train": (
        "nlmchem/tagging/training/",
        "nlmchem/companions/senses/building.py",
        "nlmchem/companions/senses/encoder_training.py",
        "nlmchem/companions/studies/commands.py",
        "indexing/learning/forest.py",
        "sieves/dense/training.py",
    ),
    "report": ("nlmchem/report/",),
    "dask": ("nlmchem/engine/executors.py",),
    "parquet": ("corpora/formats/", "ensemble/silver/"),
    "inception": ("nlmchem/companions/curation/formats/inception.py",),
    "mcp": ("nlmchem/companions/annotators/serving.py",),
    "pandas": ("nlmchem/api/results.py",),
    "spacy": ("corpora/formats/spacy.py", "nlmchem/api/spacy_component.py"),
}
"""Extra -> where packages of this extra may be imported."""


@cache
def project() -> dict[str, Any]:
    content: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return content


NOT_INSTALLED = {"cassis": "dkpro-cassis"}
"""Module -> package, of extras that the environment of the tests does not have and whose names differ."""


def names(requirements: list[str]) -> set[str]:
    """Normalized package names of requirements."""
    return {re.split(r"[^A-Za-z0-9_.-]", line)[0].lower().replace("_", "-") for line in requirements}


@cache
def third_party_imports(path: Path) -> set[str]:
    """Top-level names of the modules that a file imports, type checking and functions included."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module).partition(".")[0])
    return found - set(sys.stdlib_module_names) - set(PACKAGES)


@cache
def distributions() -> dict[str, list[str]]:
    """Module -> names of the installed packages that provide it."""
    return dict(packages_distributions())


def sources() -> list[Path]:
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def declared_for(name: str) -> set[str]:
    """The packages that a file may import: the dependencies, and the extras of its room."""
    extras = [extra for extra, rooms in ROOMS_OF_EXTRAS.items() if name.startswith(rooms)]
    lines = [line for extra in extras for line in project()["optional-dependencies"].get(extra, [])]
    return names([*project()["dependencies"], *lines])


def test_third_party_imports_are_declared() -> None:
    found = [
        f"{name} imports {module}, which pyproject.toml does not declare for it"
        for name, path in ((path.relative_to(ROOT).as_posix(), path) for path in sources())
        for module in sorted(third_party_imports(path))
        if not names(distributions().get(module, [NOT_INSTALLED.get(module, module)])) & declared_for(name)
    ]
    assert found == []


def test_an_extra_is_declared_for_its_room_only() -> None:
    assert "matplotlib" in declared_for("nlmchem/report/charts.py")
    assert "matplotlib" not in declared_for("nlmchem/api/files.py")


def test_every_dependency_is_imported() -> None:
    """A package that nothing imports is not a dependency."""
    modules = {module for path in sources() for module in third_party_imports(path)}
    imported = {name for module in modules for name in names(distributions().get(module, [module]))}
    assert names(project()["dependencies"]) <= imported


def test_pinned_versions_cover_all_declared_packages() -> None:
    pinned = names((ROOT / "constraints.txt").read_text("utf-8").splitlines())
    extras = project()["optional-dependencies"].values()
    declared = names([*project()["dependencies"], *(line for lines in extras for line in lines)]) - {"nlmchem"}
    assert declared <= pinned
