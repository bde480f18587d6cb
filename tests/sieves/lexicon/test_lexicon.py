"""The term store: what a name stands for, in TSV and in SQLite, and the errors for files that are no lexicons."""

from __future__ import annotations

import pickle
import shutil
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.errors import ResourceError
from sieves.lexicon.concepts import with_inherited
from sieves.lexicon.lexicon import Lexicon, Match, build_lexicon, fold_key, plain, singular
from sieves.lexicon.looking_up import CrossReferences, kind, look_up
from sieves.normalizer import Normalizer

WATER = "MESH:D014867\twater\tH2O|heavy rain"
IRON = "MESH:D007501\tiron\tFe"
PBS = "MESH:D010710,MESH:D012965\tphosphate-buffered saline\tPBS"


@pytest.fixture
def write(tmp_path: Path):
    def write(*lines: str, name: str = "names.tsv") -> Path:
        path = tmp_path / name
        path.write_text("# identifier, preferred name, synonyms\n" + "".join(f"{line}\n" for line in lines), "utf-8")
        return path

    return write


def identifiers(lexicon: Lexicon, name: str) -> list[str]:
    return [match.identifier for match in lexicon.lookup(name)]


# -- names --------------------------------------------------------------------------------------


def test_a_name_gives_its_concept_and_the_name_that_matched(write) -> None:
    lexicon = Lexicon.open(write(WATER))
    assert lexicon.lookup("H2O") == (Match("MESH:D014867", "H2O", "water", "names"),)


def test_an_unknown_name_an_empty_one_and_one_of_ten_thousand_letters_give_nothing(write) -> None:
    lexicon = Lexicon.open(write(WATER))
    assert [lexicon.lookup(name) for name in ("wine", "", " ", "x" * 10_000)] == [(), (), (), ()]


def test_a_name_of_ten_thousand_letters_is_a_name(write) -> None:
    lexicon = Lexicon.open(write(f"MESH:C000001\tx\t{'y' * 10_000}"))
    assert identifiers(lexicon, "y" * 10_000) == ["MESH:C000001"]


@pytest.mark.parametrize("text", ["heavy rain", "Heavy Rain", "HEAVY RAIN", "heavy\u00a0rain", " heavy \n rain"])
def test_long_names_match_in_any_case_and_layout(write, text: str) -> None:
    assert identifiers(Lexicon.open(write(WATER)), text) == ["MESH:D014867"]


@pytest.mark.parametrize(("text", "found"), [("iron", 1), ("Iron", 1), ("IRON", 0), ("Fe", 1), ("FE", 0), ("fe", 0)])
def test_short_names_match_as_written_or_with_the_capital_of_a_sentence(write, text: str, found: int) -> None:
    assert len(Lexicon.open(write(IRON)).lookup(text)) == found


@pytest.mark.parametrize("name", ["HEPES", "NaHCO3", "NADPH", "K3Fe(CN)6", "urea", "Na+"])
def test_the_case_of_short_names_formulae_and_abbreviations_is_kept(name: str) -> None:
    assert fold_key(name) is None


@pytest.mark.parametrize(
    ("text", "name"), [("Ca²⁺", "Ca2+"), ("CO₂", "CO2"), ("2′", "2'"), ("β‐D", "β-D"), ("•OH", "·OH")]
)
def test_names_match_in_any_layout(text: str, name: str) -> None:
    assert plain(text) == name


@given(st.text())
def test_plain_text_has_the_offsets_of_the_text(text: str) -> None:
    assert len(plain(text)) == len(text)


@pytest.mark.parametrize(("text", "one"), [("lipids", "lipid"), ("Cas", None), ("ATPs", "ATP"), ("salt", None)])
def test_a_plural_leaves_three_letters(text: str, one: str | None) -> None:
    assert singular(text) == one


def test_an_exact_name_hides_those_of_another_case(write) -> None:
    lexicon = Lexicon.open(write("MESH:D000001\tprecise", "MESH:D000002\tPrecise"))
    assert identifiers(lexicon, "Precise") == ["MESH:D000002"]
    assert identifiers(lexicon, "PRECISE") == ["MESH:D000001", "MESH:D000002"]


def test_a_name_of_several_concepts_gives_them_in_a_total_order(write) -> None:
    lines = [
        "MESH:C000001\tother\tshared",
        "MESH:D000009\tthird\tshared",
        "MESH:D000002\tsecond\tshared",
        "MESH:C000009\tshared",
    ]
    expected = ["MESH:C000009", "MESH:D000002", "MESH:D000009", "MESH:C000001"]
    assert identifiers(Lexicon.open(write(*lines)), "shared") == expected
    assert identifiers(Lexicon.open(write(*reversed(lines), name="turned.tsv")), "shared") == expected


def test_a_name_given_twice_to_a_concept_is_one_name(write) -> None:
    assert list(Lexicon.open(write("MESH:D014867\twater\tH2O|water|H2O")).names()) == [
        ("H2O", "MESH:D014867"),
        ("water", "MESH:D014867"),
    ]


def test_a_mixture_has_several_identifiers(write) -> None:
    (match,) = Lexicon.open(write(PBS)).lookup("PBS")
    assert match.identifiers == ("MESH:D010710", "MESH:D012965")


# -- files --------------------------------------------------------------------------------------


def test_tsv_and_sqlite_give_the_same_answers_and_version(write, tmp_path: Path) -> None:
    source, built = write(WATER, IRON, PBS), tmp_path / "names.sqlite"
    build_lexicon([source], built)
    written, compiled = Lexicon.open(source), Lexicon.open(built)
    assert compiled.version == written.version
    assert list(compiled.names()) == list(written.names())
    assert compiled.lookup("PBS") == written.lookup("PBS")


def test_the_version_is_that_of_the_content(write) -> None:
    version = Lexicon.open(write(WATER, IRON)).version
    assert Lexicon.open(write(IRON, "", "# a comment", WATER, name="moved.tsv")).version == version
    assert Lexicon.open(write(WATER, name="less.tsv")).version != version
    assert Lexicon.open(write(WATER, IRON.replace("Fe", "Fe2+"), name="else.tsv")).version != version


def test_the_first_of_two_layers_is_trusted_more(write, tmp_path: Path) -> None:
    first = write("MESH:D000009\tpreferred\tshared", name="first.tsv")
    second = write("MESH:D000001\tshared", "MESH:D000009\tother\tmore", name="second.tsv")
    build_lexicon([first, second], tmp_path / "both.sqlite")
    lexicon = Lexicon.open(tmp_path / "both.sqlite")
    assert [(match.identifier, match.layer) for match in lexicon.lookup("shared")] == [
        ("MESH:D000009", "first"),
        ("MESH:D000001", "second"),
    ]
    assert lexicon.lookup("more")[0].preferred_name == "preferred"


def test_building_twice_gives_the_same_bytes(write, tmp_path: Path) -> None:
    for name in ("a.sqlite", "b.sqlite"):
        build_lexicon([write(WATER, PBS)], tmp_path / name)
    assert (tmp_path / "a.sqlite").read_bytes() == (tmp_path / "b.sqlite").read_bytes()


def test_a_failed_build_leaves_the_old_lexicon_and_nothing_else(write, tmp_path: Path) -> None:
    out = tmp_path / "names.sqlite"
    build_lexicon([write(WATER)], out)
    before = out.read_bytes()
    with pytest.raises(ResourceError):
        build_lexicon([write("broken", name="broken.tsv")], out)
    assert out.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"names.tsv", "names.sqlite", "broken.tsv"}


def test_a_lexicon_is_read_only(write, tmp_path: Path) -> None:
    out = tmp_path / "a b?#%.sqlite"
    build_lexicon([write(WATER)], out)
    lexicon = Lexicon.open(out)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        lexicon.database._connection.execute("DELETE FROM name")


def test_a_lexicon_pickles_as_its_path(write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_lexicon([write(WATER)], tmp_path / "names.sqlite")
    monkeypatch.chdir(tmp_path)
    content = pickle.dumps(Lexicon.open("names.sqlite"))
    monkeypatch.chdir("/")
    assert identifiers(pickle.loads(content), "water") == ["MESH:D014867"]
    assert pickle.loads(pickle.dumps(Lexicon.open())).version == Lexicon.open().version


def test_a_record_that_became_a_descriptor_has_the_name_of_the_descriptor(mesh: Path) -> None:
    with Lexicon.open(mesh) as lexicon:
        assert lexicon.preferred_name("MESH:C000001") == "Promotol"
        (found,) = look_up(lexicon, "promotol", CrossReferences(lexicon))
        assert (found["identifier"], found["preferred_name"]) == ("MESH:D000015", "Promotol")


def test_a_missing_lexicon_gives_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"^no lexicon at .*none\.sqlite; build one with `nlmchem lexicon build`"):
        Lexicon.open(tmp_path / "none.sqlite")
    with pytest.raises(ResourceError, match=r"^no lexicon at .*none\.tsv; "):
        build_lexicon([tmp_path / "none.tsv"], tmp_path / "out.sqlite")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("water", "not of the form"),
        ("MESH:D014867\twater\tH2O\tmore", "not of the form"),
        ("MESH:D014867", "not of the form"),
        ("D014867\twater", "is not an identifier"),
        ("MESH:D014867, MESH:D1\twater", "is not an identifier"),
        ("\twater", "is not an identifier"),
        ("MESH:D014867\t\tH2O", "an empty name"),
        ("MESH:D014867\twater\tH2O|", "an empty name"),
        ("MESH:D014867\twater\tH2O| |x", "an empty name"),
    ],
)
def test_a_malformed_line_is_named_by_its_number(write, line: str, reason: str) -> None:
    with pytest.raises(ResourceError, match=rf"names\.tsv, line 3: .*{reason}"):
        Lexicon.open(write(IRON, line))


def test_a_concept_given_twice_is_named_by_both_lines(write) -> None:
    with pytest.raises(ResourceError, match=r"line 4: MESH:D014867 is already in line 2"):
        Lexicon.open(write(WATER, IRON, WATER))


def _foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE meta (key TEXT, value TEXT)")


def _older(path: Path) -> None:
    build_lexicon([path.with_suffix(".tsv")], path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE meta SET value = '1' WHERE key = 'schema'")


def _torn(path: Path) -> None:
    build_lexicon([path.with_suffix(".tsv")], path)
    path.write_bytes(path.read_bytes()[:5000])


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (_foreign, "has version None, this program reads version 4"),
        (_older, "has version 1, this program reads version 4"),
        (_torn, "is not a lexicon or is broken"),
        (lambda path: path.write_bytes(b"SQLite format 3\x00" + b"\x00" * 50), "is not a lexicon or is broken"),
        (lambda path: path.write_bytes(b""), "is not a lexicon: it is neither"),
        (lambda path: path.write_bytes(b"PK\x03\x04"), "is not a lexicon: it is neither"),
        (lambda path: path.mkdir(), "cannot read a lexicon"),
    ],
)
def test_a_file_that_is_no_lexicon_gives_an_error_of_one_sentence(write, spoil, reason: str) -> None:
    path = write(WATER).with_suffix(".sqlite")
    spoil(path)
    with pytest.raises(ResourceError, match=reason) as error:
        Lexicon.open(path)
    assert str(error.value).endswith("leave lexicon out to use the default lexicon")
    assert "\n" not in str(error.value)


def test_an_empty_name_is_no_lexicon() -> None:
    with pytest.raises(ResourceError, match="name of the lexicon is empty; name a file, or leave lexicon out"):
        Lexicon.open("")


@pytest.mark.parametrize(
    ("content", "reason"), [(b"", "is empty"), (b"# x\n", "is empty"), (b"MESH:D1\t\xff\n", "is not UTF-8")]
)
def test_a_tsv_without_names_or_in_another_encoding_is_no_lexicon(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "x.tsv").write_bytes(content)
    with pytest.raises(ResourceError, match=reason):
        Lexicon.open(tmp_path / "x.tsv")


def test_windows_line_ends_and_a_byte_order_mark_are_no_part_of_names(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_bytes(b"\xef\xbb\xbfMESH:D014867\twater\tH2O\r\n")
    assert list(Lexicon.open(tmp_path / "x.tsv").names()) == [("H2O", "MESH:D014867"), ("water", "MESH:D014867")]


def test_a_place_that_cannot_be_written_to_gives_an_error(write, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ResourceError, match="cannot write a lexicon to"):
        build_lexicon([write(WATER)], tmp_path / "file" / "out.sqlite")


def test_the_file_may_go_while_it_is_open(write, tmp_path: Path) -> None:
    out = tmp_path / "names.sqlite"
    build_lexicon([write(WATER)], out)
    with Lexicon.open(out) as lexicon:
        shutil.move(out, tmp_path / "moved.sqlite")
        assert identifiers(lexicon, "water") == ["MESH:D014867"]


def _replace(path: Path) -> None:
    new = path.with_name("new")
    new.write_bytes(b"another file")
    new.replace(path)


# -- a lexicon that vanishes ---------------------------------------------------------------------


def test_a_lexicon_that_vanished_before_a_worker_opens_it_gives_an_error(write, tmp_path: Path) -> None:
    build_lexicon([write(WATER, IRON)], tmp_path / "x.sqlite")
    with Lexicon.open(tmp_path / "x.sqlite") as lexicon:
        sent = pickle.dumps(lexicon)
    (tmp_path / "x.sqlite").unlink()
    with pytest.raises(ResourceError, match=r"no lexicon at .*x\.sqlite"):
        pickle.loads(sent)


def test_a_lexicon_that_is_overwritten_under_its_reader_gives_an_error(write, tmp_path: Path) -> None:
    build_lexicon([write(WATER, IRON)], tmp_path / "x.sqlite")
    with Lexicon.open(tmp_path / "x.sqlite") as lexicon:
        stages = (Normalizer(lexicon),)
        (tmp_path / "x.sqlite").write_bytes(b"gone" * 2048)
        for ask in (lexicon.check, lambda: list(lexicon.names()), lambda: list(lexicon.database.keys())):
            with pytest.raises(ResourceError, match="is broken"):
                ask()
        # A stage may answer from what it has read; it gives no article back.
        for stage in stages:
            with pytest.raises(ResourceError, match="is broken"):
                stage([])


@pytest.mark.parametrize("go", [Path.unlink, lambda path: path.rename(path.with_name("y")), _replace])
def test_a_lexicon_that_is_replaced_under_its_reader_stays_what_it_was(write, tmp_path: Path, go) -> None:
    build_lexicon([write(WATER, IRON)], tmp_path / "x.sqlite")
    with Lexicon.open(tmp_path / "x.sqlite") as lexicon:
        go(tmp_path / "x.sqlite")
        lexicon.check()
        assert identifiers(lexicon, "water") == ["MESH:D014867"]


def test_a_lexicon_with_a_view_is_refused(write, tmp_path: Path) -> None:
    path = tmp_path / "mesh.sqlite"
    build_lexicon([write("MESH:D014867\twater")], path)
    with sqlite3.connect(path) as connection:
        connection.executescript(
            "DROP TABLE meta; CREATE VIEW meta AS WITH RECURSIVE n(key, value) AS"
            " (SELECT 1, 1 UNION ALL SELECT key + 1, 1 FROM n) SELECT key, value FROM n;"
        )
    with pytest.raises(ResourceError, match="has a view 'meta'"):
        Lexicon.open(path)


NUMBERS = {"plant oils": ["D10.1", "D20.1"], "vaccines": ["D20.3"], "enzyme": ["D08.811.1"], "oils": ["D10"]}


@pytest.mark.parametrize(
    ("own", "above", "numbers"),
    [
        (["D20.1.2"], ["plant oils"], ("D20.1.2", "D10.1", "D20.1")),  # a mixture below a chemical is a chemical
        (["D20.3.1"], ["vaccines"], ("D20.3.1",)),
        (["D20.4.1"], ["oils", "enzyme"], ("D20.4.1",)),
        (["D10.1.1"], ["vaccines"], ("D10.1.1",)),
        ([], ["plant oils", "oils"], ("D10", "D10.1", "D20.1")),
        ([], [], ()),
    ],
)
def test_broader_concepts_decide_where_the_own_tree_numbers_do_not(
    own: list[str], above: list[str], numbers: tuple[str, ...]
) -> None:
    assert with_inherited(own, above, NUMBERS.__getitem__) == numbers


def test_sunflower_oil_is_a_chemical_as_palm_oil_is() -> None:
    with Lexicon.open() as mesh:
        kinds = {kind(mesh, mesh.lookup(name)[0].identifiers) for name in ("sunflower oil", "palm oil", "clove oil")}
        assert kinds == {"chemical"}
        assert kind(mesh, mesh.lookup("kombucha tea")[0].identifiers) == "other substance"
