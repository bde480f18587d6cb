"""`annotate --xrefs`: identifiers of ChEBI and PubChem as infons and as columns."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from command_line import invoke

import corpora
from corpora.model.document import mentions
from corpora.model.mention_infons import cross_reference
from nlmchem import define

ARTICLE = """\
1|t|Water and wine with brine.
1|a|
1\t0\t5\tWater\tChemical\thttp://id.nlm.nih.gov/mesh/D014867
1\t10\t14\twine\tChemical\t-
1\t20\t25\tbrine\tChemical\tD014867,D000001
1\t20\t25\tbrine\tChemical\tCHEBI:1

"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "a.pubtator").write_text(ARTICLE, "utf-8")
    return tmp_path / "a.pubtator"


def annotate(source: Path, out: Path, *more: object) -> None:
    steps = ("--steps", "normalize", "--existing", "keep", "--xrefs")
    ran = invoke(["annotate", source, "-o", out, *steps, *more])
    assert ran.exit_code == 0, ran.output


def test_mentions_get_one_identifier_for_each_concept_as_infons(source: Path, tmp_path: Path) -> None:
    annotate(source, tmp_path / "out.json")
    (document,) = corpora.read([str(tmp_path / "out.json")])
    found = [(cross_reference(m, "chebi"), cross_reference(m, "pubchem")) for m in mentions(document)]
    assert found == [("CHEBI:15377", "962"), (None, None), ("CHEBI:15377,CHEBI:3305", "962,-"), (None, None)]


@pytest.mark.parametrize(("suffix", "separator"), [("tsv", "\t"), ("csv", ",")])
def test_tables_get_columns_on_demand(source: Path, tmp_path: Path, suffix: str, separator: str) -> None:
    annotate(source, tmp_path / f"out.{suffix}", "--identifiers", "curie")
    with (tmp_path / f"out.{suffix}").open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter=separator))
    assert [(row["identifier"], row["chebi"], row["pubchem"]) for row in rows][:2] == [
        ("mesh:D014867", "CHEBI:15377", "962"), ("", "", ""),
    ]  # fmt: skip
    steps = ("--steps", "normalize", "--existing", "keep")
    invoke(["annotate", source, "-o", tmp_path / f"plain.{suffix}", *steps])
    assert "chebi" not in (tmp_path / f"plain.{suffix}").read_text("utf-8")


def test_the_manifest_names_the_year_of_mesh(source: Path, tmp_path: Path) -> None:
    for year, more in (("2026", ()), ("2021", ("--as-of", 2021))):
        annotate(source, tmp_path / year, *more)
        manifest = json.loads((tmp_path / year / "manifest.json").read_text("utf-8"))
        assert manifest["configuration"]["steps"]["normalize"]["resources"]["MeSH"] == year


def test_a_concept_is_defined_by_the_identifiers_of_other_databases() -> None:
    water = define("CHEBI:15377")
    assert (water.identifier, water.chebi, water.pubchem) == ("MESH:D014867", ("CHEBI:15377",), ("962",))
    assert define("mesh:D014867") == define("PUBCHEM:962") == water
