"""A lexicon with several kinds of concepts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import small_mesh
from small_mesh import descriptor, write_descriptors, write_supplements

from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.mesh_builder import Sources, build_mesh_lexicon

DESCRIPTORS = (
    *small_mesh.DESCRIPTORS,
    descriptor("D100001", "Gemcitabine", "D03.383"),
    descriptor("D100002", "Cisplatin", "D01.210"),
    descriptor("D100003", "Anticonvulsants", "D27.505"),
    descriptor("D100004", "Ferritins|ferritin", "D12.776.157"),
    descriptor("D100005", "Estrazol", "D04.210 D06.472"),
    descriptor("D100006", "Tris-borate", "D02.092"),
    descriptor("D100007", "Tris", "D02.091"),
    descriptor("D100008", "Borates|borate", "D01.132"),
    descriptor("D100009", "Indoles|indole|indole derivatives", "D03.633"),
    descriptor("D100010", "Sodium", "D01.552"),
    descriptor("D100011", "Ions", "D01.248"),
    descriptor("D100012", "Zintraxol", "D27.600 D02.300"),
    descriptor("D100013", "Potassium", "D01.268"),
    descriptor("D100014", "Potassium Iodide", "D01.475"),
    descriptor("D100015", "Indole max|Sodium Buffalo", "B01.650"),
    descriptor("D100016", "Borate Carrier Ferritin", "D12.776.158"),
    descriptor("D100017", "Cisplatin Poisoning", "C25.723"),
)


@pytest.fixture(scope="session")
def kinds_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lexicon with chemicals, proteins, an organism, a disease and a pharmacological action."""
    folder = tmp_path_factory.mktemp("kinds")
    descriptors = write_descriptors(folder / "desc2024.xml", DESCRIPTORS)
    supplements = write_supplements(folder / "supp2024.xml")
    build_mesh_lexicon(Sources((descriptors,), (supplements,), ()), folder / "kinds.sqlite")
    return folder / "kinds.sqlite"


@pytest.fixture
def kinds(kinds_file: Path) -> Iterator[Lexicon]:
    """The lexicon, open."""
    with Lexicon.open(kinds_file) as lexicon:
        yield lexicon
