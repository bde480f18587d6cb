"""The years of a lexicon: headings of a newer year, records that are gone, and the identifiers of each year."""

from __future__ import annotations

from pathlib import Path

import pytest
from aged_mesh import write_aged_mesh, write_headings

from corpora.errors import ConfigurationError, ResourceError
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.looking_up import CrossReferences, kind, look_up
from sieves.lexicon.shipped import shipped_file
from sieves.lexicon.succession import last_successors, read_headings, words


@pytest.fixture(scope="module")
def aged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_aged_mesh(tmp_path_factory.mktemp("aged"))


def ids(lexicon: Lexicon, name: str) -> list[str]:
    return [match.identifier for match in lexicon.lookup(name)]


@pytest.mark.parametrize(("year", "expected"), [(None, "D000030"), (2026, "D000030"), (2024, "C000033")])
def test_a_new_heading_has_the_names_and_the_kind_of_the_record_with_its_name(
    aged: Path, year: int | None, expected: str
) -> None:
    with Lexicon.open(aged, year) as lexicon:
        assert ids(lexicon, "semagluton") == ids(lexicon, "Semaglutons") == [f"MESH:{expected}"]
        assert kind(lexicon, [f"MESH:{expected}"]) == "chemical"
        assert lexicon.parents(f"MESH:{expected}") == ("MESH:D000001",)


def test_a_new_heading_with_a_name_of_an_older_heading_is_below_it(aged: Path) -> None:
    with Lexicon.open(aged) as lexicon:
        assert lexicon.parents("MESH:D000031") == ("MESH:D000002",)
        assert ids(lexicon, "Grain Spirit") == ["MESH:D000031", "MESH:D000002"]
    with Lexicon.open(aged, 2024) as before:
        assert ids(before, "Grain Spirit") == ["MESH:D000002"]


def test_a_new_heading_without_any_record_is_known_but_no_answer_for_mentions(aged: Path) -> None:
    with Lexicon.open(aged) as lexicon:
        assert ids(lexicon, "Unheardols") == []
        (found,) = look_up(lexicon, "unheardols", CrossReferences(lexicon))
        assert (found["identifier"], found["kind"]) == ("MESH:D000032", "unknown")


def test_a_renamed_heading_has_its_new_name_and_keeps_the_old_ones(aged: Path) -> None:
    with Lexicon.open(aged) as lexicon:
        assert lexicon.preferred_name("MESH:D000004") == "Ascorbate"
        assert ids(lexicon, "Ascorbate") == ids(lexicon, "Ascorbic Acid") == ["MESH:D000004"]


def test_a_heading_that_is_gone_is_no_answer_of_the_new_year(aged: Path) -> None:
    with Lexicon.open(aged) as lexicon, Lexicon.open(aged, 2024) as before:
        assert ids(lexicon, "Dopamine") == []
        assert ids(before, "Dopamine") == ["MESH:D000017"]


def test_a_record_whose_name_another_one_has_now_is_replaced_by_it(aged: Path) -> None:
    with Lexicon.open(aged) as lexicon, Lexicon.open(aged, 2020) as before:
        assert ids(lexicon, "oldol") == ["MESH:C000030"]
        assert ids(before, "oldol") == ["MESH:C000020"]


def test_a_record_that_was_removed_still_names_a_chemical_and_its_headings_are_the_answer(aged: Path) -> None:
    with Lexicon.open(aged) as lexicon:
        assert ids(lexicon, "deadol") == []
        assert [match.identifier for match in lexicon.headings("deadol")] == ["MESH:D000001,MESH:D000005"]
        assert ids(lexicon.undated(), "deadol") == ["MESH:C000022"]
        assert ids(lexicon.undated(), "semagluton") == ["MESH:D000030"]


def test_a_year_that_no_file_has_is_refused_with_those_that_there_are(aged: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"no history of MeSH 2017 \(it has 2020, 2024, 2026\)"):
        Lexicon.open(aged, 2017)


def test_certain_cross_references_belong_to_one_concept_and_follow_it_into_another_year(aged: Path) -> None:
    with Lexicon.open(aged) as lexicon:
        references = CrossReferences(lexicon)
        assert references.of("MESH:D000030", "chebi") == references.of("MESH:C000033", "chebi") == ("CHEBI:1",)
        # Of two concepts with one identifier, the one with its label has it.
        assert references.of("MESH:D000002", "chebi") == ("CHEBI:2",)
        assert references.of("MESH:D000001", "chebi") == ()
        # A number of another name space is no compound of PubChem.
        assert references.of("MESH:D000007", "pubchem") == ()
        assert references.of_all(["MESH:D000002", "MESH:D000007"]) == {"chebi": "CHEBI:2,-", "pubchem": "77,-"}
        for query in ("CHEBI:2", "chebi:2", "PUBCHEM:77", "cid:77", "pubchem.compound:77", "77"):
            assert [entry["identifier"] for entry in look_up(lexicon, query, references)] == ["MESH:D000002"]
        assert lexicon.concepts.cross_referenced("CHEBI:1") == ("MESH:D000030",)


def test_names_are_the_same_if_their_words_are() -> None:
    assert words("CRF Receptor, Type 1") == words("CRF receptor type 1")
    assert words("Polycarbonates") == words("polycarbonate")
    assert words("Bisphenols") != words("bisphenol S")


def test_the_successor_of_a_successor_is_the_successor() -> None:
    assert last_successors([("a", "b"), ("b", "c"), ("x", "y"), ("y", "x")]) == [
        ("a", "c"), ("b", "c"), ("x", "y"), ("y", "x"),
    ]  # fmt: skip


def test_a_list_of_headings_is_read_or_refused_with_the_line(tmp_path: Path) -> None:
    assert read_headings(write_headings(tmp_path / "headings_2026.tsv"))["MESH:D000030"] == "Semaglutons"
    (tmp_path / "broken.tsv").write_text("ui\tname\nD000001\tAlcohols\nC000001\tpromotol\n", "utf-8")
    with pytest.raises(ResourceError, match=r"broken.tsv, line 3: not of the form identifier<TAB>name; correct"):
        read_headings(tmp_path / "broken.tsv")
    with pytest.raises(ResourceError, match="no list of headings at"):
        read_headings(tmp_path / "absent.tsv")


def test_every_identifier_of_the_default_lexicon_is_in_the_newest_files() -> None:
    with Lexicon.open(shipped_file()) as lexicon:
        years = lexicon.meta["listings"].split()
        files = sum(1 << years.index(year) for year in ("2024", "2026"))
        dead = lexicon.database.query(
            "SELECT id FROM concept WHERE years & 1 AND NOT listed & ? AND instr(id, ',') = 0 LIMIT 5", files
        )
        assert dead == []
        assert (lexicon.year, lexicon.meta["history"]) == ("2026", "2021 2024")
