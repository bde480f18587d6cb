"""`nlmchem lexicon`: outputs and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_mesh import write_mesh
from typer.testing import CliRunner

from corpora.errors import ConfigurationError, ResourceError
from nlmchem.cli.lexicon import app

EXAMPLE = """\
1|t|Ethanol and wine.
1|a|
1\t0\t7\tEthanol\tChemical\tMESH:D000002
1\t12\t16\twine\tChemical\t-

"""


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=True)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout


def test_build_writes_a_lexicon(tmp_path: Path) -> None:
    descriptors, supplements, parents = write_mesh(tmp_path)
    code, told = run(
        "build",
        "--desc",
        descriptors,
        "--supp",
        supplements,
        "--history",
        parents,
        "-o",
        tmp_path / "x.sqlite",
        "--no-starter",
    )
    assert (code, "version" in told, (tmp_path / "x.sqlite").exists()) == (0, True, True)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_info_shows_version_years_and_counts(mesh: Path) -> None:
    told = json.loads(run("info", "--lexicon", mesh, "--json")[1])
    assert (told["year"], told["history"], told["concepts"]) == ("2024", "2020", 24)
    assert "year\t2024" in run("info", "--lexicon", mesh)[1]


def test_lookup_prints_matches_and_exits_with_1_without_a_match(mesh: Path) -> None:
    code, told = run("lookup", "promotol", "--lexicon", mesh, "--as-of", 2020, "--json")
    assert (code, json.loads(told)["identifier"]) == (0, "MESH:C000001")
    assert run("lookup", "wine", "--lexicon", mesh) == (1, "")


def test_explain_shows_all_sieves_and_the_winner(mesh: Path) -> None:
    _, told = run("explain", "XQ", "--define", "XQ=linoleic acid", "--lexicon", mesh)
    assert "-> defined\tMESH:D000005 ('Linoleic Acid' in mesh from 'linoleic acid')" in told
    assert "exact\tno answer" in told
    assert json.loads(run("explain", "NaCl", "--lexicon", mesh, "--json")[1])["winner"] == "formula"


def test_explain_reports_that_no_sieve_has_an_answer(mesh: Path) -> None:
    assert "no sieve has an answer for 'wine': its identifier is -" in run("explain", "wine", "--lexicon", mesh)[1]


def test_order_measures_each_sieve_and_annotate_takes_the_order(mesh: Path, tmp_path: Path) -> None:
    (tmp_path / "gold.pubtator").write_text(EXAMPLE, "utf-8")
    told = json.loads(run("order", "--gold", tmp_path / "gold.pubtator", "--lexicon", mesh, "--json")[1])
    assert ["exact", 2, 1, 1] in told["sieves"]


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
