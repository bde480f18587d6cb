"""Fixtures of all tests: the folder of real data, the examples, a small MeSH."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from sieves.lexicon.lexicon import Lexicon

# How long an example takes says how crowded the machine is.
settings.register_profile("no clock", deadline=None)
settings.load_profile("no clock")

ROOT = Path(__file__).resolve().parents[1]

# Two test processes share two cores: more threads only wait for each other, and threads that wait should sleep. Both
# are read when torch is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# The tests start hundreds of processes. Without byte code each compiles all modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# One cache for all tests and the processes that they start: the default lexicon is unpacked once.
os.environ["NLMCHEM_HOME"] = str(ROOT / ".pytest_cache" / "home")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first, so that no worker begins the longest one when the others have ended."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora beside the checkout; tests that need it skip where it is absent."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("no ../shared/data beside the checkout: real corpora are not part of the repository")
    return folder


@pytest.fixture(scope="session")
def examples() -> Path:
    """The example articles of the repository."""
    return ROOT / "examples"


@pytest.fixture(scope="session")
def mesh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lexicon of the small MeSH, with the history of 2020."""
    from small_mesh import write_mesh

    from sieves.lexicon.mesh_builder import Sources, build_mesh_lexicon

    folder = tmp_path_factory.mktemp("mesh")
    descriptors, supplements, parents = write_mesh(folder)
    build_mesh_lexicon(Sources((descriptors,), (supplements,), (parents,)), folder / "mesh.sqlite")
    return folder / "mesh.sqlite"


@pytest.fixture
def lexicon(mesh: Path) -> Lexicon:
    """The small MeSH, open."""
    from sieves.lexicon.lexicon import Lexicon

    return Lexicon.open(mesh)
