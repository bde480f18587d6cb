"""`nlmchem lexicon`: outputs and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import invoke
from small_mesh import write_mesh

from corpora.errors import ConfigurationError, ResourceError

EXAMPLE = """\
1|t|Ethanol and wine.
1|a|
1\t0\t7\tEthanol\tChemical\tMESH:D000002
1\t12\t16\twine\tChemical\t-

"""


def run(*arguments: object) -> tuple[int, str]:
    result = invoke(["lexicon", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout


def test_build_writes_a_lexicon(tmp_path: Path) -> None:
    descriptors, supplements, parents = write_mesh(tmp_path)
    code, text = run(
        "build",
        "--desc",
        descriptors,
        "--supp",
        supplements,
        "--history",
        parents,
        "-o",
        tmp_path / "x.sqlite",
        "--no-shipped-names",
    )
    assert (code, "version" in text, (tmp_path / "x.sqlite").exists()) == (0, True, True)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_info_shows_the_lexicon_in_use_its_years_and_counts(mesh: Path) -> None:
    facts = json.loads(run("info", "--lexicon", mesh, "--json")[1])
    assert (facts["in use"], facts["year"], facts["history"]) == (str(mesh), "2024", "2020")
    assert (facts["chemicals"], facts["other substances"], facts["other concepts"]) == (22, 2, 2)
    assert "year\t2024" in run("info", "--lexicon", mesh)[1]
    assert "in use\tthe starter lexicon" in run("info", "--lexicon", "starter")[1]
    assert "in use\tthe default lexicon (MeSH 2026), unpacked to " in run("info")[1]


HEAD = "query\tidentifier\tname\tpreferred_name\tkind\tlayer\tcount\tchebi\tpubchem\n"


def test_lookup_prints_a_header_and_the_concepts_of_each_name(mesh: Path) -> None:
    lines = (
        "ethanol\tMESH:D000002\tEthanol\tEthanol\tchemical\tmesh\t0\t\t\n"
        "Insulin\tMESH:D000012\tInsulin\tInsulin\tprotein\tmesh\t0\t\t\n"
    )
    assert run("lookup", "ethanol", "Insulin", "--lexicon", mesh) == (0, HEAD + lines)
    code, text = run("lookup", "promotol", "--lexicon", mesh, "--as-of", 2020, "--json")
    assert (code, json.loads(text)["identifier"]) == (0, "MESH:C000001")


def test_lookup_reads_names_from_standard_input(mesh: Path) -> None:
    result = invoke(["lexicon", "lookup", "-", "--lexicon", str(mesh), "--json"], input="Ethanol\n\ncalcium\n")
    assert [json.loads(line)["query"] for line in result.stdout.splitlines()] == ["Ethanol", "calcium"]


@pytest.mark.parametrize("query", ["D000002", "MESH:D000002"])
def test_lookup_finds_a_concept_by_its_identifier(mesh: Path, query: str) -> None:
    assert run("lookup", query, "--lexicon", mesh) == (
        0, HEAD + f"{query}\tMESH:D000002\tEthanol\tEthanol\tchemical\tidentifier\t0\t\t\n",
    )  # fmt: skip


def test_lookup_finds_a_concept_by_its_cas_number() -> None:
    for query in ("2776-93-4", "CAS:2776-93-4"):
        assert "\tMESH:C000009\tN-acetylglucosaminylasparagine\t" in run("lookup", query)[1]


@pytest.mark.parametrize(
    "query", ["CHEBI:15377", "PUBCHEM:962", "962", "http://id.nlm.nih.gov/mesh/D014867", "mesh:D014867"]
)
def test_lookup_finds_a_concept_by_identifiers_of_other_databases_and_shows_them(query: str) -> None:
    assert (
        f"{query}\tMESH:D014867\tWater\tWater\tchemical\tidentifier\t0\tCHEBI:15377\t962\n" in run("lookup", query)[1]
    )


def test_the_default_year_is_that_of_the_newest_headings() -> None:
    for year, expected in ((), "D000099194"), (("--as-of", 2026), "D000099194"), (("--as-of", 2024), "C000591245"):
        assert f"\tMESH:{expected}\t" in run("lookup", "semaglutide", *year)[1]


def test_the_versions_name_the_year_of_mesh() -> None:
    answer = json.loads(invoke(["--version", "--json"]).stdout)
    assert (answer["mesh"], list(answer)) == ("2026", ["nlmchem", "mesh", "lexicon", "python"])
    alone = invoke(["--json"])
    assert isinstance(alone.exception, ConfigurationError)


def test_lookup_finds_other_concepts_and_their_kind(mesh: Path) -> None:
    assert "\tMESH:D000013\tAbattoirs\tAbattoirs\tother\t" in run("lookup", "abattoirs", "--lexicon", mesh)[1]
    assert "\tMESH:D001943\tBreast Cancer\tBreast Neoplasms\tdisease\t" in run("lookup", "breast cancer")[1]


def test_lookup_suggests_what_the_sieves_read() -> None:
    result = invoke(["lexicon", "lookup", "asprin"])
    assert "'asprin'; the sieves suggest 'asprin': MESH:D001241 (Aspirin)" in result.stderr


def test_lookup_ends_with_code_1_if_one_name_is_not_found(mesh: Path) -> None:
    code, text = run("lookup", "wine", "Ethanol", "--lexicon", mesh)
    assert (code, text.count("\n")) == (1, 2)


def test_explain_shows_all_sieves_and_the_winner(mesh: Path) -> None:
    _, text = run("explain", "XQ", "--define", "XQ=linoleic acid", "--lexicon", mesh)
    assert "-> defined\tMESH:D000005 ('Linoleic Acid' in mesh from 'linoleic acid')" in text
    assert "exact\tno answer" in text
    assert json.loads(run("explain", "NaCl", "--lexicon", mesh, "--json")[1])["winner"] == "formula"


def test_explain_reports_that_no_sieve_has_an_answer(mesh: Path) -> None:
    assert "no sieve has an answer for 'wine': its identifier is -" in run("explain", "wine", "--lexicon", mesh)[1]


def test_order_measures_each_sieve_and_annotate_takes_the_order(mesh: Path, tmp_path: Path) -> None:
    (tmp_path / "gold.pubtator").write_text(EXAMPLE, "utf-8")
    text = json.loads(run("order", "--gold", tmp_path / "gold.pubtator", "--lexicon", mesh, "--json")[1])
    assert ["exact", 2, 1, 1] in text["sieves"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["lookup", "x", "--lexicon", "/nowhere.sqlite"], ResourceError),
        (["explain", "x", "--define", "nothing"], ConfigurationError),
        (["lookup", "x", "--as-of", "1999"], ConfigurationError),
    ],
)
def test_wrong_usage_is_reported_as_an_error(arguments: list[str], error: type[Exception]) -> None:
    with pytest.raises(error):
        run(*arguments)
