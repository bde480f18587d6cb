"""What became of identifiers in another year, in articles and in tables."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from aged_mesh import write_aged_mesh
from command_line import invoke
from hypothesis import given
from hypothesis import strategies as st

import corpora
from corpora.errors import ConfigurationError
from corpora.model.document import mentions
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.migrated_files import TableColumns
from sieves.lexicon.migration import Migration, Outcome

ARTICLE = """\
1|t|Oldol, semagluton and partol one.
1|a|Ethanol, deadol, dividol, nameless.
1\t0\t5\tOldol\tChemical\tC000020
1\t7\t17\tsemagluton\tChemical\tMESH:C000033
1\t22\t32\tpartol one\tChemical\tC000021
1\t34\t41\tEthanol\tChemical\thttp://id.nlm.nih.gov/mesh/D000002
1\t43\t49\tdeadol\tChemical\tC000022|D000002
1\t51\t58\tdividol\tChemical\tC000021
1\t60\t68\tnameless\tChemical\tC000040
1\tCID\tC000020\tD000002

"""


@pytest.fixture(scope="module")
def aged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_aged_mesh(tmp_path_factory.mktemp("aged"))


@pytest.mark.parametrize(
    ("identifier", "year", "outcome", "successors", "why", "last", "since"),
    [
        ("D000002", 2026, Outcome.KEPT, [], "", "2026", ""),
        ("C000002", 2026, Outcome.KEPT, [], "", "2026", ""),
        ("C000033", 2026, Outcome.REPLACED, ["D000030"], "promoted to a heading", "2024", "2026"),
        ("C000033", 2024, Outcome.KEPT, [], "", "2024", ""),
        ("D000030", 2024, Outcome.REPLACED, ["C000033"], "the identifier of that year", "2026", ""),
        ("C000001", 2026, Outcome.REPLACED, ["D000015"], "promoted to a heading", "2020", "2024"),
        ("D000015", 2020, Outcome.REPLACED, ["C000001"], "the identifier of that year", "2026", ""),
        ("C000020", 2026, Outcome.REPLACED, ["C000030"], "renumbered", "2020", "2024"),
        ("C000021", 2026, Outcome.SEVERAL, ["C000031", "C000032"], "", "2017", "2020"),
        ("C000022", 2026, Outcome.RETIRED, [], "", "2017", "2020"),
        ("C000040", 2026, Outcome.RETIRED, [], "", "2020", "2024"),
        ("D000017", 2026, Outcome.RETIRED, [], "", "2024", "2026"),
        ("C999999", 2026, Outcome.UNKNOWN, [], "", "", ""),
    ],
)
def test_the_fate_of_an_identifier(
    aged: Path, identifier: str, year: int, outcome: Outcome, successors: list[str], why: str, last: str, since: str
) -> None:
    with Lexicon.open(aged) as lexicon:
        fate = Migration(lexicon, year).fate(f"MESH:{identifier}")
    assert (fate.outcome, fate.successors) == (outcome, tuple(f"MESH:{successor}" for successor in successors))
    assert (fate.why, fate.last, fate.since) == (why, last, since)


def test_the_text_of_the_mention_decides_between_several_successors(aged: Path) -> None:
    with Lexicon.open(aged) as lexicon:
        migration = Migration(lexicon, 2026)
        decided = migration.fate("MESH:C000021", "Partol One")
        assert (decided.outcome, decided.successors) == (Outcome.REPLACED, ("MESH:C000031",))
        assert decided.why.endswith("decided by the text")
        assert migration.fate("MESH:C000021", "dividol").outcome is Outcome.SEVERAL


@pytest.mark.parametrize(
    ("identifier", "text", "successor"),
    [
        ("C000010", "ethanol", "D000002"),
        ("C000040", "Calcium", "D000007"),
        ("C000010", "EtOH", None),
        ("C000010", "Grain Spirit", None),
        ("C000099", "ethanol", None),
    ],
)
def test_a_name_as_text_decides_where_nothing_else_is_known(
    aged: Path, identifier: str, text: str, successor: str | None
) -> None:
    """Not an abbreviation, a name of two concepts, or an identifier that is younger than all files."""
    with Lexicon.open(aged) as lexicon:
        fate = Migration(lexicon, 2026).fate(f"MESH:{identifier}", text)
    assert fate.successors == (() if successor is None else (f"MESH:{successor}",))
    assert (fate.why == "decided by the text") == (successor is not None)


def test_a_removed_record_has_its_headings_as_broader_concepts(aged: Path) -> None:
    with Lexicon.open(aged) as lexicon:
        assert Migration(lexicon, 2026).fate("MESH:C000022").broader == ("MESH:D000001", "MESH:D000005")


def test_a_year_without_a_list_is_refused(aged: Path) -> None:
    with Lexicon.open(aged) as lexicon, pytest.raises(ConfigurationError, match=r"MeSH 2019 \(it has 2017, 2020,"):
        Migration(lexicon, 2019)
    with Lexicon.open("starter") as starter, pytest.raises(ConfigurationError, match=r"\(it has none\)"):
        Migration(starter, 2026)


def test_articles_keep_their_format_and_the_spelling_of_identifiers(aged: Path, tmp_path: Path) -> None:
    source = tmp_path / "in" / "a.pubtator"
    source.parent.mkdir()
    source.write_text(ARTICLE, "utf-8")
    ran = invoke(["lexicon", "migrate", source, "--to", 2026, "-o", tmp_path / "out", "--lexicon", aged])
    assert ran.exit_code == 3
    (document,) = corpora.read([str(tmp_path / "out" / "a.pubtator")])
    infons = {mention.text: mention.annotation.infons["identifier"] for mention in mentions(document)}
    assert infons == {
        "Oldol": "C000030", "semagluton": "MESH:D000030", "partol one": "C000031", "deadol": "C000022|D000002",
        "Ethanol": "http://id.nlm.nih.gov/mesh/D000002", "dividol": "C000021", "nameless": "C000040",
    }  # fmt: skip
    assert "1\tCID\tC000030\tD000002" in (tmp_path / "out" / "a.pubtator").read_text("utf-8")
    counts = "kept 3 (1 distinct), replaced 4 (3 distinct), several successors 1 (1 distinct), retired 2 (2 distinct)"
    assert counts in ran.stdout
    assert ran.stdout.startswith("1 article in MeSH 2026: ")


def test_the_report_lists_each_identifier_and_the_mappings_are_sssom(aged: Path, tmp_path: Path) -> None:
    source = tmp_path / "a.pubtator"
    source.write_text(ARTICLE, "utf-8")
    invoke(["lexicon", "migrate", source, "--to", 2026, "-o", tmp_path / "out", "--lexicon", aged])
    with (tmp_path / "out" / "migration.tsv").open(encoding="utf-8") as lines:
        rows = {
            row["identifier"]: row for row in csv.DictReader(lines, delimiter="\t") if not row["why"].endswith("text")
        }
    assert (rows["C000020"]["successors"], rows["C000020"]["evidence"]) == ("C000030", "oldine")
    assert (rows["C000022"]["outcome"], rows["C000022"]["broader"]) == ("retired", "D000001,D000005")
    assert rows["D000002"]["mentions"] == "3"
    lines = (tmp_path / "out" / "migration.sssom.tsv").read_text("utf-8").splitlines()
    head, *mappings = [line.split("\t") for line in lines if not line.startswith("#")]
    found = {(row[0], row[2], row[3]) for row in mappings}
    assert head[:4] == ["subject_id", "subject_label", "predicate_id", "object_id"]
    assert ("mesh:C000033", "IAO:0100001", "mesh:D000030") in found
    assert ("mesh:C000021", "oboInOwl:consider", "mesh:C000032") in found
    assert ("mesh:C000022", "IAO:0100001", "sssom:NoTermFound") in found
    assert "#  mesh: http://id.nlm.nih.gov/mesh/" in lines


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.tsv", "id\tmention\tmesh\n1\toldol\tC000020\n2\tC000020\t-\n",
         "id\tmention\tmesh\n1\toldol\tC000030\n2\tC000020\t-\n"),
        ("a.csv", 'text,mesh\r\n"a, b","MESH:C000020,MESH:D000002"\r\n',
         'text,mesh\r\n"a, b","MESH:C000030,MESH:D000002"\r\n'),
        ("a.csv", "\ufefftext,mesh\npartol two,mesh:C000021\n", "\ufefftext,mesh\npartol two,mesh:C000032\n"),
        ("a.tsv", "x\t5' say \"C000020\"\tOMIM:1|C000020\n", "x\t5' say \"C000020\"\tOMIM:1|C000020\n"),
    ],
)  # fmt: skip
def test_only_cells_of_identifiers_change_in_a_table(
    aged: Path, tmp_path: Path, name: str, before: str, after: str
) -> None:
    (tmp_path / name).write_bytes(before.encode())
    ran = invoke(["lexicon", "migrate", tmp_path / name, "--to", 2026, "-o", tmp_path / "out", "--lexicon", aged])
    assert ((tmp_path / "out" / name).read_bytes().decode(), ran.exit_code) == (after, 0)


@given(st.text(alphabet=st.sampled_from(',\t"\r C000020;|x')), st.sampled_from([",", "\t"]))
def test_a_row_without_identifiers_to_change_is_never_changed(row: str, separator: str) -> None:
    table = TableColumns(separator, row)
    assert table.rewritten(row, lambda identifier, text: identifier) == row


def test_a_broken_file_is_reported_and_the_others_are_migrated(aged: Path, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.pubtator").write_text("1|t|Oldol.\n1|a|\n1\t0\t5\tOldol\tChemical\tC000020\n\n", "utf-8")
    (tmp_path / "in" / "b.json").write_text('{"documents": [', "utf-8")
    ran = invoke(
        ["lexicon", "migrate", tmp_path / "in", "--to", 2026, "-o", tmp_path / "out", "--lexicon", aged, "--json"]
    )
    assert ran.exit_code == 3
    assert "b.json" in ran.stderr
    assert json.loads(ran.stdout)["replaced"] == 1
    assert "C000030" in (tmp_path / "out" / "a.pubtator").read_text("utf-8")


def test_two_inputs_with_one_name_are_refused(aged: Path, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.tsv").write_text("C000020\n", "utf-8")
    inputs = [tmp_path / "a" / "x.tsv", tmp_path / "b" / "x.tsv"]
    ran = invoke(["lexicon", "migrate", *inputs, "--to", 2026, "-o", tmp_path / "out", "--lexicon", aged])
    assert isinstance(ran.exception, ConfigurationError)
    assert not (tmp_path / "out").exists()


def test_an_input_with_the_name_of_a_table_of_the_command_is_left_out_and_reported(aged: Path, tmp_path: Path) -> None:
    """It would be overwritten by the table; the results of an earlier migration have one."""
    (tmp_path / "in").mkdir()
    for name in ("x.tsv", "migration.tsv"):
        (tmp_path / "in" / name).write_text("C000020\n", "utf-8")
    ran = invoke(["lexicon", "migrate", tmp_path / "in", "--to", 2026, "-o", tmp_path / "out", "--lexicon", aged])
    assert ran.exit_code == 3
    assert "migration.tsv was left out: it has the name of a table of this command; rename it" in ran.stderr
    assert (tmp_path / "out" / "x.tsv").read_text("utf-8") == "C000030\n"
    assert "C000020" in (tmp_path / "out" / "migration.tsv").read_text("utf-8")
