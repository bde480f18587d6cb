"""Names of the user on top of a lexicon: the table, its errors, and what the lexicon answers with it."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path

import pytest

from corpora.errors import ConfigurationError
from sieves.cascade import Cascade
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.looking_up import CrossReferences, look_up
from sieves.lexicon.tables import OwnName, conflicts_sentence, read_own_names
from sieves.sieve import ArticleContext


def table(folder: Path, content: str, name: str = "my.tsv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_a_table_has_name_and_identifier_and_if_wanted_preferred_name_and_class(tmp_path: Path) -> None:
    path = table(tmp_path, "compound 17\tLAB:17\tHousamine\tprotein\n# a comment\n\nlead\t-\n")
    assert read_own_names(path) == [OwnName("compound 17", "LAB:17", "Housamine", "protein"), OwnName("lead", "-")]


def test_a_first_line_of_column_names_gives_their_order(tmp_path: Path) -> None:
    path = table(tmp_path, 'Identifier,comment,Name\nD001241,x,"aspirin, plain"\n"LAB:1,LAB:2",,mix\n', "my.csv")
    assert read_own_names(path) == [OwnName("aspirin, plain", "MESH:D001241"), OwnName("mix", "LAB:1,LAB:2")]


def test_a_table_may_be_compressed(tmp_path: Path) -> None:
    path = tmp_path / "my.csv.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbfx17,LAB:17\n"))
    assert read_own_names(path) == [OwnName("x17", "LAB:17")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x18\tx17\n", r"my.tsv, line 1: 'x17' is no identifier such as LAB:17 .*name them in the first line"),
        ("a\tLAB:1\nx17\n", r"line 2: the name 'x17' has no identifier; add one such as LAB:17, or - to block"),
        ("++\tLAB:1\n", r"line 1: the name '\+\+' has no letter or digit"),
        (f"{'x' * 201}\tLAB:1\n", r"line 1: .* is longer than 200 characters"),
        ("# nothing\n", r"my.tsv has no names; write a name and an identifier into each line"),
        ("name\tidentifier\n", r"has no names"),
        (
            "a\tLAB:1\nb\tLAB:2\na\tLAB:3\n",
            r"line 3: the name 'a' has the identifier LAB:3 here, and LAB:1 in line 1; ",
        ),
        ("a\tLAB:1\na\t-\n", r"line 2: the name 'a' has the identifier - here, and LAB:1 in line 1; remove one"),
        ("name\tName\tidentifier\na\tb\tLAB:1\n", r"line 1: the columns 'name' and 'Name' have the same meaning; keep"),
        ("name\tsynonym\tid\na\tb\tLAB:1\n", r"line 1: the columns 'name' and 'synonym' have the same meaning"),
        (
            f'a\tLAB:1\n"b\tLAB:2\n{"c" * 140_000}',
            r"line 3: the name .* is longer than 200 char",
        ),
    ],
)
def test_a_wrong_table_is_refused_with_its_line(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        read_own_names(table(tmp_path, content))


def test_a_missing_or_damaged_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"no table of names at .*none\.tsv; check the path"):
        read_own_names(tmp_path / "none.tsv")
    (tmp_path / "bad.tsv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match=r"cannot be read .*; write it as UTF-8"):
        read_own_names(tmp_path / "bad.tsv")
    (tmp_path / "cut.tsv.gz").write_bytes(gzip.compress(b"a\tLAB:1\n")[:-9])
    with pytest.raises(ConfigurationError, match=r"cut.tsv.gz cannot be read .*; check the file"):
        read_own_names(tmp_path / "cut.tsv.gz")


def test_a_name_with_two_identifiers_in_two_tables_is_refused(tmp_path: Path) -> None:
    tables = [table(tmp_path, f"a\tLAB:1\nb\tLAB:{number}\n", f"{number}.tsv") for number in (1, 2)]
    with pytest.raises(
        ConfigurationError, match=r"2\.tsv: the name 'b' has the identifier LAB:2 here, and LAB:1 in .*1\."
    ):
        Lexicon.open("starter", names=tables)


@pytest.fixture
def mesh(tmp_path: Path) -> Path:
    return table(tmp_path, "MESH:D1\tAspirin\tASA\nMESH:D2\tLead\nMESH:D3\tEthanol\n", "mesh.tsv")


def opened(mesh: Path, content: str) -> Lexicon:
    return Lexicon.open(mesh, names=[table(mesh.parent, content)])


def answers(lexicon: Lexicon, text: str, article: ArticleContext | None = None) -> tuple[str, ...]:
    found = Cascade(lexicon).resolve(text, article or ArticleContext())
    return () if found is None else found.identifiers


def test_own_names_are_found_and_the_others_stay(mesh: Path) -> None:
    with opened(mesh, "compound seventeen\tLAB:17\tHousamine\n") as lexicon:
        assert answers(lexicon, "Compound seventeen") == answers(lexicon, "housamine") == ("LAB:17",)
        assert answers(lexicon, "ethanol") == ("MESH:D3",)
        assert lexicon.preferred_name("LAB:17") == "Housamine"
        assert lexicon.preferred_name("MESH:D3") == "Ethanol"
        assert lexicon.concepts.names_of("LAB:17") == ("Housamine", "compound seventeen")


def test_an_own_name_wins_and_the_conflict_is_reported(mesh: Path) -> None:
    with opened(mesh, "aspirin\tLAB:1\nethanol\tMESH:D3\nspirit\tMESH:D3\n") as lexicon:
        # Although `Aspirin` is the spelling of MeSH.
        assert answers(lexicon, "aspirin") == answers(lexicon, "Aspirin") == ("LAB:1",)
        assert answers(lexicon, "spirit") == ("MESH:D3",)
        assert list(lexicon.conflicts()) == [("aspirin", "LAB:1", "MESH:D1 (Aspirin)")]
        assert conflicts_sentence(lexicon.conflicts()) == (
            "1 of your names means another concept in the lexicon, and yours is used: "
            "'aspirin' is LAB:1, not MESH:D1 (Aspirin)"
        )
    with opened(mesh, "new name\tLAB:1\n") as lexicon:
        assert conflicts_sentence(lexicon.conflicts()) is None


def test_a_blocked_name_has_no_answer_but_names_around_it_do(mesh: Path) -> None:
    with opened(mesh, "lead\t-\n") as lexicon:
        assert answers(lexicon, "lead") == answers(lexicon, "Lead") == ()
        assert look_up(lexicon, "lead", CrossReferences(lexicon)) == []
        assert answers(lexicon, "aspirin") == ("MESH:D1",)


def test_the_definition_of_an_article_is_preferred(mesh: Path) -> None:
    article = ArticleContext({"X17": ("ethanol",)})
    with opened(mesh, "X17\tLAB:17\n") as lexicon:
        assert answers(lexicon, "X17", article) == ("MESH:D3",)
        assert answers(lexicon, "X17") == ("LAB:17",)


def test_identifiers_and_classes_are_looked_up(mesh: Path) -> None:
    with opened(mesh, "x17\tLAB:17\tHousamine\tprotein\n") as lexicon:
        [entry] = look_up(lexicon, "LAB:17", CrossReferences(lexicon))
        assert (entry["preferred_name"], entry["kind"]) == ("Housamine", "protein")


def test_the_version_depends_on_the_names_and_pickled_lexicons_have_them(mesh: Path) -> None:
    with Lexicon.open(mesh) as plain, opened(mesh, "x17\tLAB:17\n") as lexicon:
        assert lexicon.version != plain.version
        # What was made of the names of the lexicon is used again.
        assert lexicon.database.content() == plain.database.content()
        with pickle.loads(pickle.dumps(lexicon)) as copy:
            assert copy.version == lexicon.version
            assert answers(copy, "x17") == ("LAB:17",)
        version = lexicon.version
    with opened(mesh, "x17\tLAB:18\n") as other:
        assert other.version != version


def test_a_quotation_mark_that_nothing_closes_takes_no_other_names(tmp_path: Path) -> None:
    path = table(tmp_path, 'name\tidentifier\n"x17\tLAB:17\nx18\tLAB:18\n')
    assert [one.identifier for one in read_own_names(path)] == ["LAB:17", "LAB:18"]


TURNED = {
    "names.tsv": "XR-9051\tMY:1\ttariquidar\ntariq\tMY:1\n",
    "header.tsv": "name\tidentifier\tpreferred name\nXR-9051\tMY:1\ttariquidar\ntariq\tMY:1\t\n",
    "lexicon.tsv": "MY:1\ttariquidar\tXR-9051|tariq\n",
    "lexicon.csv": "MY:1,tariquidar,XR-9051|tariq\n",
    "columns.csv": "identifier,name,synonyms\nMY:1,tariquidar,XR-9051|tariq\n",
}


@pytest.mark.parametrize("name", TURNED)
def test_a_table_is_read_in_either_order_as_names_and_as_a_lexicon(name: str, mesh: Path, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(TURNED[name], "utf-8")
    for opened in (Lexicon.open(path), Lexicon.open(mesh, names=[path])):
        with opened as lexicon:
            for text in ("XR-9051", "tariq", "tariquidar"):
                assert [match.identifier for match in lexicon.lookup(text)] == ["MY:1"]
            assert lexicon.preferred_name("MY:1") == "tariquidar"


def test_the_first_line_of_a_lexicon_may_have_a_name_that_looks_like_an_identifier(tmp_path: Path) -> None:
    path = tmp_path / "lexicon.tsv"
    path.write_text("MESH:D000001\tN:P\n", "utf-8")
    with Lexicon.open(path) as lexicon:
        assert [match.identifier for match in lexicon.lookup("N:P")] == ["MESH:D000001"]
