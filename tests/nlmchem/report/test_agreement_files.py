"""The tables of the agreement of runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from corpora.reporting import ignore, table_cell
from nlmchem.evaluation.ensembles import Agreement, Contested, Division
from nlmchem.report.evaluation.ensemble import write_agreement


def test_no_cell_of_the_tables_is_computed_by_a_spreadsheet_program(tmp_path: Path) -> None:
    examples = (Contested("=HYPERLINK(1)", 0.5),)
    agreement = Agreement("spans", ("=a", "b"), np.ones((2, 2)), (Division("@1", 0.5, 1, 1, 1.0, examples),))
    write_agreement(agreement, tmp_path, ignore)
    cells = [cell for name in ("runs", "articles") for cell in (tmp_path / f"{name}.tsv").read_text().split()]
    assert {"\\=a", "\\@1", "\\=HYPERLINK(1)"} <= set(cells)
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]


def test_a_cell_is_one_line_and_no_formula() -> None:
    assert [table_cell(text) for text in ("a\tb\nc", "+1", "a=1", "")] == ["a b c", "\\+1", "a=1", ""]
