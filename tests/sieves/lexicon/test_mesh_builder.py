"""Lexicons built from MeSH files, on a small MeSH: which concepts they have, years, layers, errors for bad files."""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path

import pytest
from small_mesh import (
    DESCRIPTORS,
    SUPPLEMENTS,
    descriptor,
    supplement,
    write_descriptors,
    write_mesh,
    write_supplements,
)

from corpora.errors import ConfigurationError, NlmchemError, ResourceError
from sieves.cascade import Cascade
from sieves.lexicon.further_names import read_names
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.mesh_builder import Sources, build_mesh_lexicon
from sieves.lexicon.mesh_files import read_records
from sieves.lexicon.store import CHEMICAL, SUBSTANCE


def ids(lexicon: Lexicon, name: str) -> list[str]:
    return [match.identifier for match in lexicon.lookup(name)]


def test_names_of_descriptors_and_supplementary_records_are_found(lexicon: Lexicon) -> None:
    assert ids(lexicon, "Grain Spirit") == ["MESH:D000002"]
    assert ids(lexicon, "parabenic acid") == ["MESH:C000002"]


def test_an_inverted_name_is_found_in_the_order_of_running_text(lexicon: Lexicon) -> None:
    assert ids(lexicon, "4-hydroxybenzoic acid") == ["MESH:C000002"]
    assert ids(lexicon, "ethyl alcohol") == ["MESH:D000002"]


def test_names_of_other_concepts_are_not_answers_for_mentions(lexicon: Lexicon) -> None:
    assert ids(lexicon, "Abattoirs") == []
    assert ids(lexicon, "slaughterin") == []
    assert [match.identifier for match in lexicon.elsewhere("abattoirs")] == ["MESH:D000013"]
    assert [match.identifier for match in lexicon.elsewhere("slaughterin")] == ["MESH:C000004"]
    assert lexicon.elsewhere("ethanol") == ()


def test_the_head_of_a_branch_without_tree_number_gets_that_of_its_children(lexicon: Lexicon) -> None:
    assert ids(lexicon, "Lipids") == ["MESH:D000014"]
    assert lexicon.trees("MESH:D000014") == ("D10",)
    assert lexicon.parents("MESH:D000010") == ("MESH:D000014",)


def test_a_mixture_below_a_chemical_is_a_chemical(tmp_path: Path) -> None:
    oils = [
        descriptor("D000020", "Plant Oils", "D10.627 D20.215"),
        descriptor("D000021", "Sunflower Oil", "D20.215.1"),
        descriptor("D000022", "Toxin Mixtures", "D20.300"),
    ]
    build_mesh_lexicon(Sources((write_descriptors(tmp_path / "desc2024.xml", oils),)), tmp_path / "x.sqlite")
    with Lexicon.open(tmp_path / "x.sqlite") as lexicon:
        kinds = {name: lexicon.concept(identifier).distance for name, identifier in lexicon.names()}  # type: ignore[union-attr]
        assert kinds == {"Plant Oils": CHEMICAL, "Sunflower Oil": CHEMICAL, "Toxin Mixtures": SUBSTANCE}
        assert lexicon.trees("MESH:D000021") == ("D20.215.1", "D10.627", "D20.215")


def test_names_of_an_older_file_are_added_and_its_record_names_are_not_preferred(tmp_path: Path) -> None:
    newer = write_supplements(tmp_path / "supp2024.xml", [supplement("C000009", "fancitol|fantol")])
    older = write_supplements(tmp_path / "supp2017.xml", [supplement("C000009", "altol|fancitol")])
    sources = Sources((write_descriptors(tmp_path / "desc2024.xml"),), (newer, older))
    build_mesh_lexicon(sources, tmp_path / "x.sqlite")
    with Lexicon.open(tmp_path / "x.sqlite") as lexicon:
        (match,) = lexicon.lookup("altol")
        assert (match.identifier, match.preferred_name) == ("MESH:C000009", "fancitol")


def test_a_record_of_an_older_file_alone_may_have_become_a_descriptor_under_any_of_its_names(tmp_path: Path) -> None:
    _, _, parents = write_mesh(tmp_path)
    newer = write_supplements(tmp_path / "supp2024.xml", SUPPLEMENTS[1:])
    older = write_supplements(tmp_path / "supp2017.xml", [supplement("C000001", "altol|promotol")])
    sources = Sources((write_descriptors(tmp_path / "desc2024.xml"),), (newer, older), (parents,))
    build_mesh_lexicon(sources, tmp_path / "x.sqlite")
    with Lexicon.open(tmp_path / "x.sqlite", as_of=2020) as then:
        assert ids(then, "Promotine") == ["MESH:C000001"]


def test_registry_numbers_are_stored_as_cross_references(tmp_path: Path) -> None:
    (tmp_path / "cas.tsv").write_text("D000002\t64-17-5\nD000099\t1-1-1\n", "utf-8")
    sources = Sources((write_descriptors(tmp_path / "desc2024.xml"),), registry=(tmp_path / "cas.tsv",))
    build_mesh_lexicon(sources, tmp_path / "x.sqlite")
    with Lexicon.open(tmp_path / "x.sqlite") as lexicon:
        assert lexicon.concepts.cross_referenced("CAS:64-17-5") == ("MESH:D000002",)
        assert lexicon.concepts.cross_referenced("CAS:1-1-1") == ()


def test_a_chemical_goes_before_a_protein_of_the_same_name(tmp_path: Path) -> None:
    records = (*DESCRIPTORS, descriptor("D000021", "Other Thing|Wonderin", "D02.5"))
    build_mesh_lexicon(Sources((write_descriptors(tmp_path / "desc2024.xml", records),)), tmp_path / "x.sqlite")
    assert ids(Lexicon.open(tmp_path / "x.sqlite"), "Wonderin") == ["MESH:D000021", "MESH:D000012"]


def test_which_branches_are_chemicals_is_configuration(tmp_path: Path) -> None:
    records = (*DESCRIPTORS, descriptor("D000021", "Other Thing|Wonderin", "D02.5"))
    path = write_descriptors(tmp_path / "desc2024.xml", records)
    build_mesh_lexicon(Sources((path,), branches=("D06",)), tmp_path / "x.sqlite")
    assert ids(Lexicon.open(tmp_path / "x.sqlite"), "Wonderin") == ["MESH:D000012", "MESH:D000021"]


def test_parents_are_headings_above_and_headings_mapped_to(lexicon: Lexicon) -> None:
    assert lexicon.parents("MESH:D000002") == ("MESH:D000001",)
    assert lexicon.parents("MESH:C000006") == ("MESH:D000001", "MESH:D000005")
    assert lexicon.trees("MESH:C000006") == ("D02.033", "D10.251")


# -- years --------------------------------------------------------------------------------------


def test_a_record_that_became_a_descriptor_is_the_descriptor_today(lexicon: Lexicon) -> None:
    assert ids(lexicon, "Promotol") == ["MESH:D000015"]
    assert ids(lexicon, "promotol") == ["MESH:D000015"]
    assert lexicon.translate("MESH:C000001") == "MESH:D000015"


def test_as_of_an_earlier_year_it_is_what_it_was_then(mesh: Path) -> None:
    then = Lexicon.open(mesh, as_of=2020)
    assert ids(then, "Promotol") == ["MESH:C000001"]
    assert ids(then, "Promotine") == ["MESH:C000001"]
    assert then.translate("MESH:D000015") == "MESH:C000001"
    assert then.translate("MESH:D000002") == "MESH:D000002"


def test_a_concept_younger_than_the_year_is_unknown_then(tmp_path: Path) -> None:
    descriptors, _, parents = write_mesh(tmp_path)
    build_mesh_lexicon(Sources((descriptors,), history=(parents,)), tmp_path / "x.sqlite")
    then = Lexicon.open(tmp_path / "x.sqlite", as_of=2020)
    assert (ids(then, "Promotol"), then.translate("MESH:D000015")) == ([], None)


def test_a_year_without_history_is_wrong_usage(mesh: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"no history of MeSH 1999 \(it has 2020, 2024\)"):
        Lexicon.open(mesh, as_of=1999)
    assert Lexicon.open(mesh, as_of=2024).lookup("Promotol")[0].identifier == "MESH:D000015"


def _mesh_of(folder: Path, *records: str, supplements: tuple[str, ...] = SUPPLEMENTS) -> Path:
    _, _, parents = write_mesh(folder)
    descriptors = write_descriptors(folder / "desc2024.xml", (*DESCRIPTORS, *records))
    sources = Sources((descriptors,), (write_supplements(folder / "supp2024.xml", supplements),), (parents,))
    build_mesh_lexicon(sources, folder / "x.sqlite")
    return folder / "x.sqlite"


def test_a_record_that_a_year_has_not_is_known_by_the_headings_it_maps_to(tmp_path: Path) -> None:
    path = _mesh_of(tmp_path, supplements=(*SUPPLEMENTS, supplement("C000007", "newol", "D000001 D000005")))
    now, then = Lexicon.open(path), Lexicon.open(path, as_of=2020)
    assert (ids(now, "newol"), now.headings("newol")) == (["MESH:C000007"], ())
    assert ids(then, "newol") == []
    assert [match.identifiers for match in then.headings("Newol")] == [("MESH:D000001", "MESH:D000005")]
    found = Cascade(then).resolve("newol")
    assert found is not None
    assert (found.sieve, found.identifiers) == ("heading", ("MESH:D000001", "MESH:D000005"))


@pytest.mark.parametrize(
    ("trees", "headings"), [("D02.033.375.1", [("MESH:D000002",)]), ("D02.033.375.1 D09.811.1", []), ("D15.1", [])]
)
def test_a_younger_descriptor_is_known_by_the_one_heading_above_it(tmp_path: Path, trees: str, headings: list) -> None:
    then = Lexicon.open(_mesh_of(tmp_path, descriptor("D000021", "Novelol", trees)), as_of=2020)
    assert [match.identifiers for match in then.headings("novelol")] == headings


def _traded(record: str, number: int) -> str:
    before, term, after = record.partition(f"<TermUI>T{number:06}")
    head, tag, rest = before.rpartition('LexicalTag="NON"')
    return f'{head}LexicalTag="TRD"{rest}{term}{after}' if tag else record


def test_trade_names_are_a_layer_and_a_sieve_of_their_own(tmp_path: Path) -> None:
    path = _mesh_of(tmp_path, _traded(descriptor("D000021", "Wonderazole|Wondrex|Azole W", "D03.2"), 1))
    with Lexicon.open(path) as lexicon:
        assert [match.layer for match in lexicon.lookup("Wondrex")] == ["mesh trade names"]
        cascade = Cascade(lexicon)
        told = {text: cascade.resolve(text) for text in ("Wondrex", "WONDREX", "Wonderazole", "Azole W", "Ethanol®")}
    sieves = {text: found.sieve for text, found in told.items() if found}
    assert sieves == {
        "Wondrex": "trade", "WONDREX": "trade", "Wonderazole": "exact", "Azole W": "exact", "Ethanol®": "trade",
    }  # fmt: skip
    assert told["WONDREX"] is not None
    assert told["WONDREX"].layer == "mesh trade names"


@pytest.mark.parametrize(
    "registry",
    [
        "<RegistryNumber>64-17-5</RegistryNumber>",
        "<RegistryNumber>0</RegistryNumber><RelatedRegistryNumberList>"
        "<RelatedRegistryNumber>64-17-5 (Ethanol)</RelatedRegistryNumber></RelatedRegistryNumberList>",
        "<RegistryNumberList><RegistryNumber>3K9958V90M</RegistryNumber><RegistryNumber>64-17-5</RegistryNumber>"
        "<RegistryNumber>EC 1.1.1.1</RegistryNumber></RegistryNumberList>",
    ],
)
def test_registry_numbers_of_records_are_found(tmp_path: Path, registry: str) -> None:
    path = write_descriptors(tmp_path / "desc2026.xml", [descriptor("D000002", "Ethanol", registry=registry)])
    build_mesh_lexicon(Sources((path,), ()), tmp_path / "x.sqlite")
    with Lexicon.open(tmp_path / "x.sqlite") as lexicon:
        assert lexicon.concepts.cross_referenced("CAS:64-17-5") == ("MESH:D000002",)
        assert not lexicon.concepts.cross_referenced("PUBCHEM:0")


# -- layers -------------------------------------------------------------------------------------


@pytest.fixture
def layered(tmp_path: Path) -> Lexicon:
    descriptors, supplements, parents = write_mesh(tmp_path)
    (tmp_path / "far.tsv").write_text(
        "firewater\tCHEBI:1\nretinole\t22\nsome salt\tCHEBI:7\nEthanol\tCHEBI:9\nnamed alike\tCHEBI:9\n",
        "utf-8",
    )
    (tmp_path / "crossref.tsv").write_text(
        "D000002\tCHEBI:1\n22\tD000003\nD000008\tCHEBI:7\nD000007\tCHEBI:7\n", "utf-8"
    )
    with gzip.open(tmp_path / "bank.csv.gz", "wt") as file:
        file.write('DrugBank ID,CAS,Common name,Synonyms\nDB00001,64-17-5,Spiritol,"Aqua vitae | Ethanol"\n')
    sources = Sources(
        (descriptors,),
        (supplements,),
        (parents,),
        crossrefs=(tmp_path / "crossref.tsv",),
        names=(("far", tmp_path / "far.tsv"), ("bank", tmp_path / "bank.csv.gz")),
    )
    build_mesh_lexicon(sources, tmp_path / "x.sqlite")
    return Lexicon.open(tmp_path / "x.sqlite")


@pytest.mark.parametrize(
    ("name", "identifier"),
    [("firewater", "D000002"), ("retinole", "D000003"), ("named alike", "D000002"), ("Aqua vitae", "D000002")],
)
def test_names_of_other_terminologies_are_joined_by_crossref_or_a_preferred_name(
    layered: Lexicon, name: str, identifier: str
) -> None:
    assert ids(layered, name) == [f"MESH:{identifier}"]


def test_labels_and_synonyms_of_a_table_of_statements_are_joined_apart(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text(
        "text\tcurie\tname\tpredicate\tsource\n"
        "ethanol\tdrugcentral:1\tDopamine\toboInOwl:hasRelatedSynonym\tx\n"
        "firewater\tdrugcentral:1\tDopamine\toboInOwl:hasRelatedSynonym\tx\n"
        "Dopamine\tdrugcentral:1\tDopamine\trdfs:label\tx\n",
        "utf-8",
    )
    groups = {names for _, names in read_names(tmp_path / "x.tsv")}
    assert groups == {("ethanol", "firewater"), ("Dopamine",)}


def test_an_ambiguous_crossref_joins_nothing(layered: Lexicon) -> None:
    assert ids(layered, "some salt") == []


def test_external_names_may_be_left_out(layered: Lexicon) -> None:
    assert layered.external == {"far", "bank"}
    assert layered.lookup("firewater", external=False) == ()
    assert layered.lookup("Ethanol", external=False)[0].layer == "mesh"


def test_annotated_articles_are_a_layer_with_counts(tmp_path: Path) -> None:
    (tmp_path / "gold.pubtator").write_text(
        "1|t|We drank firewater twice.\n1|a|\n1\t9\t18\tfirewater\tChemical\tD000002\n\n"
        "2|t|We drank firewater.\n2|a|\n2\t9\t18\tfirewater\tChemical\tMESH:D000002\n\n",
        "utf-8",
    )
    sources = Sources((write_descriptors(tmp_path / "desc2024.xml"),), corpora=(("gold", tmp_path / "gold.pubtator"),))
    build_mesh_lexicon(sources, tmp_path / "x.sqlite")
    (match,) = Lexicon.open(tmp_path / "x.sqlite").lookup("firewater")
    assert (match.identifier, match.layer, match.count) == ("MESH:D000002", "gold", 2)


# -- the file -----------------------------------------------------------------------------------


def test_building_twice_gives_the_same_bytes(tmp_path: Path, mesh: Path) -> None:
    descriptors, supplements, parents = write_mesh(tmp_path)
    build_mesh_lexicon(Sources((descriptors,), (supplements,), (parents,)), tmp_path / "again.sqlite")
    assert (tmp_path / "again.sqlite").read_bytes() == mesh.read_bytes()


def test_a_built_lexicon_is_read_only(lexicon: Lexicon) -> None:
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        lexicon.database._connection.execute("DELETE FROM name")


def test_a_name_of_ten_thousand_characters_is_kept_and_found(tmp_path: Path) -> None:
    path = _mesh_of(tmp_path, supplements=(*SUPPLEMENTS, supplement("C000008", "poly" * 2_500)))
    with Lexicon.open(path) as lexicon:
        assert ids(lexicon, "poly" * 2_500) == ["MESH:C000008"]
        assert Cascade(lexicon).resolve("poly" * 2_499) is None


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def _twice(path: Path) -> None:
    write_supplements(path, (*SUPPLEMENTS, supplement("C000001", "again")))


def _two_ids(path: Path) -> None:
    write_supplements(
        path,
        [
            SUPPLEMENTS[0].replace(
                "</SupplementalRecordUI>", "</SupplementalRecordUI><SupplementalRecordUI>C9</SupplementalRecordUI>", 1
            )
        ],
    )


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (_cut, "cut off"),
        (_twice, "has two records MESH:C000001"),
        (_two_ids, "must have one SupplementalRecordUI"),
        (lambda path: write_supplements(path, [supplement("X1", "x")]), "must have one SupplementalRecordUI"),
        (lambda path: write_supplements(path, [supplement("C000009", " ")]), "C000009 has no name"),
        (lambda path: write_supplements(path, []), "has no MeSH records"),
        (lambda path: path.write_bytes(gzip.compress(b"<a><b></a>")), "broken or cut off"),
        (
            lambda path: path.write_bytes(gzip.compress(b'<!DOCTYPE a [<!ENTITY x "y">]><a/>')),
            "DOCTYPE declares entities",
        ),
        (lambda path: path.write_bytes(b""), "broken or cut off|cut off"),
        (lambda path: path.unlink(), "no MeSH file at"),
    ],
)
def test_a_bad_file_gives_an_error_of_one_sentence_and_leaves_nothing(tmp_path: Path, spoil, reason: str) -> None:
    descriptors, supplements, _ = write_mesh(tmp_path)
    spoil(supplements)
    before = {path.name for path in tmp_path.iterdir()}
    with pytest.raises(ResourceError, match=reason) as error:
        build_mesh_lexicon(Sources((descriptors,), (supplements,)), tmp_path / "out" / "x.sqlite")
    assert "\n" not in str(error.value)
    assert {path.name for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("name", ["desc.xml", "descriptors12345.xml"])
def test_the_name_of_a_file_must_have_a_year(tmp_path: Path, name: str) -> None:
    with pytest.raises(NlmchemError, match="has no MeSH year"):
        build_mesh_lexicon(Sources((write_descriptors(tmp_path / name),)), tmp_path / "x.sqlite")


def test_a_folder_that_cannot_be_written_gives_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ResourceError, match="cannot write a lexicon to"):
        build_mesh_lexicon(Sources((write_descriptors(tmp_path / "desc2024.xml"),)), tmp_path / "file" / "x.sqlite")


@pytest.mark.parametrize("filler", [b"<a/>", b"<DescriptorRecord>" + b" " * 4000])
def test_a_compressed_file_without_records_does_not_fill_the_memory(tmp_path: Path, filler: bytes) -> None:
    path = tmp_path / "desc2024.gz"
    path.write_bytes(gzip.compress(b"<DescriptorRecordSet>" + filler * ((6 << 20) // len(filler))))
    with pytest.raises(ResourceError, match="no record ends within 4 MB"):
        list(read_records(path))


def _own(folder: Path, earlier: Path, year: int, *names: str) -> Lexicon:
    """A lexicon of files of one year, with the names of an earlier lexicon."""
    folder.mkdir()
    supplements = write_supplements(folder / f"supp{year}.xml", [supplement("C000009", "|".join(names))])
    sources = Sources((write_descriptors(folder / f"desc{year}.xml"),), (supplements,), earlier=earlier)
    build_mesh_lexicon(sources, folder / "own.sqlite")
    return Lexicon.open(folder / "own.sqlite")


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    supplements = write_supplements(
        tmp_path / "supp2024.xml", [supplement("C000009", "fancitol|FX-12"), supplement("C000010", "gonitol")]
    )
    build_mesh_lexicon(Sources((write_descriptors(tmp_path / "desc2024.xml"),), (supplements,)), tmp_path / "x.sqlite")
    return tmp_path / "x.sqlite"


def test_names_and_records_of_an_earlier_lexicon_are_added(tmp_path: Path, earlier: Path) -> None:
    own = _own(tmp_path / "own", earlier, 2026, "fancitol", "fantol")
    assert ids(own, "FX-12") == ids(own, "fantol") == ["MESH:C000009"]
    assert ids(own, "gonitol") == []
    assert ids(own.undated(), "gonitol") == ["MESH:C000010"]
    assert [match.identifier for match in own.elsewhere("abattoirs")] == ["MESH:D000013"]
    assert own.meta["source"].endswith(", names of MeSH 2024 in x.sqlite")


def test_files_of_an_earlier_year_get_names_but_no_younger_records(tmp_path: Path, earlier: Path) -> None:
    own = _own(tmp_path / "own", earlier, 2020, "fancitol", "fantol")
    assert ids(own, "FX-12") == ["MESH:C000009"]
    assert ids(own, "gonitol") == []


def test_the_same_files_and_an_earlier_lexicon_of_them_give_the_same_names(tmp_path: Path, earlier: Path) -> None:
    own = _own(tmp_path / "own", earlier, 2024, "fancitol", "FX-12")
    with Lexicon.open(earlier) as old:
        assert sorted(own.names()) == sorted(old.names())
