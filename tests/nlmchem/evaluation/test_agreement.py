"""Agreement of runs and disagreement on articles: worked examples.

The text of every document:   Copper sulfate and zinc in cells
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from command_line import invoke

from corpora.errors import ConfigurationError
from corpora.reporting import table_cell
from ensemble.runs import open_poll
from nlmchem.evaluation.ensembles import Agreement, Division, measure_agreement
from nlmchem.voting.results import write_agreement

TEXT = "Copper sulfate and zinc in cells"
COPPER, SALT, ZINC, CELLS = (0, 6), (0, 14), (19, 23), (27, 32)
Marks = list[tuple[int, int]]


@pytest.fixture
def runs(tmp_path: Path) -> Callable[..., list[str]]:
    """Runs a, b, c ... of {document: marks}; a mention's identifier is its first letter's."""

    def write(*contents: dict[str, Marks]) -> list[str]:
        paths = []
        for number, documents in enumerate(contents):
            path = tmp_path / f"{chr(ord('a') + number)}.pubtator"
            lines = []
            for id, marks in documents.items():
                lines += [f"{id}|t|{TEXT}", f"{id}|a|"]
                lines += [f"{id}\t{s}\t{e}\t{TEXT[s:e]}\tChemical\tMESH:{TEXT[s].upper()}" for s, e in marks]
                lines.append("")
            path.write_text("\n".join(lines) + "\n")
            paths.append(str(path))
        return paths

    return write


def agreement(paths: list[str], task: str = "spans", missing: str = "error") -> Agreement:
    with open_poll(paths, missing=missing, report=lambda sentence: None) as poll:
        return measure_agreement(poll, task)


def test_f1_between_each_two_runs_over_all_documents(runs: Callable[..., list[str]]) -> None:
    # a: copper, zinc | zinc      b: copper | zinc     c: cells | nothing
    found = agreement(runs({"1": [COPPER, ZINC], "2": [ZINC]}, {"1": [COPPER], "2": [ZINC]}, {"1": [CELLS], "2": []}))
    # a and b: 2 in common of 3 and 2: 2 * 2 / 5. c has nothing in common with the others.
    assert np.round(found.f1, 4).tolist() == [[1.0, 0.8, 0.0], [0.8, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert found.mean() == pytest.approx(0.8 / 3)
    assert found.outsiders() == [("c", 0.0), ("a", pytest.approx(0.4)), ("b", pytest.approx(0.4))]


def test_division_is_the_sum_over_contested_items(runs: Callable[..., list[str]]) -> None:
    # Document 1: zinc by all four (0), copper by 2 of 4 (4 * 1/2 * 1/2 = 1), cells by 1 of 4 (4 * 1/4 * 3/4 = 3/4).
    found = agreement(runs({"1": [COPPER, ZINC]}, {"1": [COPPER, ZINC]}, {"1": [ZINC, CELLS]}, {"1": [ZINC]}))
    (one,) = found.divisions
    assert (one.distinct, one.contested, one.division) == (3, 2, 1.75)
    # Pairs: ab 1, ac and bc 2*1/4, ad and bd 2*1/3, cd 2*1/3.
    assert one.agreement == pytest.approx((1 + 0.5 + 0.5 + 3 * 2 / 3) / 6)
    assert list(one.examples) == [("Copper (0)", 0.5), ("cells (27)", 0.25)]


def test_articles_are_ordered_by_division_and_ties_are_decided(runs: Callable[..., list[str]]) -> None:
    found = agreement(
        runs(
            {"calm": [ZINC], "b": [COPPER], "a": [COPPER], "torn": [COPPER, ZINC]},
            {"calm": [ZINC], "b": [], "a": [], "torn": [SALT]},
        )
    )
    assert [one.document for one in found.divisions] == ["torn", "a", "b", "calm"]
    assert [one.division for one in found.divisions] == [3.0, 1.0, 1.0, 0.0]


def test_two_runs_without_items_agree(runs: Callable[..., list[str]]) -> None:
    found = agreement(runs({"1": []}, {"1": []}))
    assert (found.f1.tolist(), found.divisions[0].agreement) == ([[1.0, 1.0], [1.0, 1.0]], 1.0)


def test_a_run_without_the_article_does_not_count_for_it(runs: Callable[..., list[str]]) -> None:
    found = agreement(runs({"1": [ZINC], "2": [ZINC]}, {"1": [ZINC], "2": [ZINC]}, {"1": [ZINC]}), missing="abstain")
    assert {one.document: one.division for one in found.divisions} == {"1": 0.0, "2": 0.0}
    assert (found.f1 == 1).all()


def test_identifiers_are_compared_by_document_not_by_place(runs: Callable[..., list[str]]) -> None:
    # Copper and copper sulfate both have the identifier MESH:C here, so the runs agree.
    paths = runs({"1": [COPPER]}, {"1": [SALT]})
    assert agreement(paths, "identifiers").mean() == 1.0
    assert agreement(paths).mean() == 0.0


def test_the_order_of_runs_does_not_matter(runs: Callable[..., list[str]]) -> None:
    paths = runs({"1": [COPPER, ZINC]}, {"1": [ZINC]}, {"1": [CELLS]})
    here, there = agreement(paths), agreement(paths[::-1])
    assert (here.runs, here.divisions) == (there.runs, there.divisions)
    assert (here.f1 == there.f1).all()


def test_one_run_or_an_unknown_task_is_refused(runs: Callable[..., list[str]]) -> None:
    paths = runs({"1": [ZINC]}, {"1": [ZINC]})
    with pytest.raises(ConfigurationError, match="two or more"):
        agreement(paths[:1])
    with pytest.raises(ConfigurationError, match="words"):
        agreement(paths, "words")


def test_the_command_writes_tables(runs: Callable[..., list[str]], tmp_path: Path) -> None:
    paths = runs({"1": [COPPER, ZINC], "2": [ZINC]}, {"1": [COPPER], "2": [ZINC]})
    out = tmp_path / "out"
    result = invoke(["ensemble", "agreement", *paths, "-o", str(out), "--json", "--workers", "1"])
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    assert [one["document"] for one in printed["articles"]] == ["1", "2"]
    assert json.loads((out / "report" / "agreement.json").read_text()) == printed
    assert (out / "report" / "runs.tsv").read_text() == "run\ta\tb\na\t1.0000\t0.8000\nb\t0.8000\t1.0000\n"
    rows = (out / "report" / "articles.tsv").read_text().splitlines()
    assert rows[1] == "1\t1.0000\t0.6667\t2\t1\tzinc (19) 0.5000"


def test_no_cell_of_the_tables_is_computed_by_a_spreadsheet_program(tmp_path: Path) -> None:
    examples = (("=HYPERLINK(1)", 0.5),)
    agreement = Agreement("spans", ("=a", "b"), np.ones((2, 2)), (Division("@1", 0.5, 1, 1, 1.0, examples),))
    write_agreement(agreement, tmp_path)
    cells = [cell for name in ("runs", "articles") for cell in (tmp_path / f"{name}.tsv").read_text().split()]
    assert {"\\=a", "\\@1", "\\=HYPERLINK(1)"} <= set(cells)
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]


def test_a_cell_is_one_line_and_no_formula() -> None:
    assert [table_cell(text) for text in ("a\tb\nc", "+1", "a=1", "")] == ["a b c", "\\+1", "a=1", ""]
