"""The builder on descriptors of MeSH; the whole of MeSH is the benchmarks' work."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.mesh_builder import Sources, build_mesh_lexicon

NAMED = re.compile("<DescriptorName><String>(?:Gemcitabine|Lipids|Abattoirs|Ethanol)<")


@pytest.mark.realdata
def test_the_descriptors_of_a_year_make_a_lexicon(shared_data: Path, tmp_path: Path) -> None:
    mesh = shared_data / "mesh"
    text = gzip.decompress((mesh / "desc2024-derived.xml.gz").read_bytes()).decode()
    records = re.findall(r"<DescriptorRecord .*?</DescriptorRecord>", text, re.DOTALL)
    # Every eighth one, and those that are looked up.
    kept = [record for number, record in enumerate(records) if number % 8 == 0 or NAMED.search(record)]
    (tmp_path / "desc2024.xml").write_text(f"<DescriptorRecordSet>{''.join(kept)}</DescriptorRecordSet>")
    sources = Sources((tmp_path / "desc2024.xml",), history=(mesh / "parents_2021.json.gz",))
    build_mesh_lexicon(sources, tmp_path / "mesh.sqlite")
    with Lexicon.open(tmp_path / "mesh.sqlite") as lexicon:
        assert lexicon.database.counts()["chemicals"] > 600
        assert lexicon.database.counts()["other concepts"] > 1_800
        assert lexicon.lookup("Gemcitabine")[0].identifier == "MESH:D000093542"
        assert lexicon.lookup("Lipids")[0].identifier == "MESH:D008055"
        assert (lexicon.lookup("Abattoirs"), len(lexicon.elsewhere("Abattoirs"))) == ((), 1)
    with Lexicon.open(tmp_path / "mesh.sqlite", as_of=2021) as then:
        assert then.lookup("Gemcitabine") == ()
        assert then.lookup("Ethanol")[0].identifier == "MESH:D000431"
