"""The queries of the page about all of PMC run on parts that nlmchem wrote."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from command_line import call

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "howto" / "all-of-pmc.md").read_text(encoding="utf-8")


def test_the_ten_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    queries = re.findall(r"^```sql\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(queries) == 10
    (tmp_path / "articles").mkdir()
    for path in (ROOT / "examples").glob("*.*"):
        shutil.copy(path, tmp_path / "articles")
    monkeypatch.chdir(tmp_path)
    parts = ("--format", "parquet", "--per-file", "4", "--workers", "1")
    run = call("annotate", "articles/", "-o", "annotated/", "--tagger", "lexicon", *parts, capsys=capsys)
    assert run.returncode == 0, run.stderr
    rows = [duckdb.sql(query).fetchall() for query in queries]
    assert all(rows)
    assert rows[0] == [(7, 739, 21)], "as the page says"
