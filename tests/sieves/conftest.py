"""What the tests of sieves share: a small MeSH, built."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from small_mesh import write_mesh

from sieves.lexicon import Lexicon
from sieves.mesh_lexicon import Sources, build_mesh_lexicon


@pytest.fixture(scope="session")
def mesh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lexicon of the small MeSH, with the history of 2020."""
    folder = tmp_path_factory.mktemp("mesh")
    descriptors, supplements, parents = write_mesh(folder)
    build_mesh_lexicon(Sources((descriptors,), (supplements,), (parents,)), folder / "mesh.sqlite")
    return folder / "mesh.sqlite"


@pytest.fixture
def lexicon(mesh: Path) -> Lexicon:
    return Lexicon.open(mesh)
