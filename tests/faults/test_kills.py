"""Killed at random moments, then run to the end: the same bytes, and no finished article begun again."""

from __future__ import annotations

import random
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

DONE_AGAIN = """
    SELECT count(*) FROM event AS later JOIN event AS earlier USING (source, position, hash)
    WHERE later.what = 'begun' AND earlier.what IN ('done', 'failed') AND earlier.rowid < later.rowid
"""
BEGUN_AGAIN = "SELECT count(*) - count(DISTINCT source || ':' || position) FROM event WHERE what = 'begun'"


@pytest.fixture
def both_kinds(tmp_path: Path, articles: Any) -> Path:
    """One collection of many articles, which goes through a part file, and many files of one."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "collection.xml").write_bytes(articles.many(range(400)))
    (folder / "empty.xml").write_bytes(b"")
    for number in range(400, 500):
        (folder / f"{number}.xml").write_bytes(articles.one(number))
    return folder


def _ended(out: Path) -> int:
    """Articles that the ledger knows as done or failed; 0 where there is no ledger yet."""
    try:
        ledger = sqlite3.connect(f"file:{out}/.nlmchem/ledger.sqlite?mode=ro", uri=True)
        number: int = ledger.execute("SELECT count(*) FROM article").fetchone()[0]
        ledger.close()
    except sqlite3.OperationalError:
        return 0
    return number


def test_five_kills(
    both_kinds: Path, start: Any, nlmchem: Any, annotate: Any, tmp_path: Path, tree_of: Any, wait_for: Any
) -> None:
    out = tmp_path / "out"
    moments = random.Random(5)
    for kill in range(5):
        before = _ended(out)
        run = start("annotate", both_kinds, "-o", out, "--workers", 1 + kill % 2, slow=0.004)
        if kill % 2:
            time.sleep(moments.uniform(0.1, 1.5))
        else:
            wait_for(lambda before=before: _ended(out) > before)
            time.sleep(moments.uniform(0, 0.3))
        run.kill()
    last = nlmchem("annotate", both_kinds, "-o", out, "--workers", 2, "--json")
    assert last.returncode == 3, last.stderr
    whole = annotate(both_kinds, out=tmp_path / "whole")
    assert whole.counts.done == 500
    assert tree_of(out) == whole.tree
    with sqlite3.connect(out / ".nlmchem" / "ledger.sqlite") as ledger:
        assert ledger.execute(DONE_AGAIN).fetchone() == (0,)
        # The kills did hit work that was going on, or this would prove nothing.
        assert ledger.execute(BEGUN_AGAIN).fetchone()[0] > 0
        assert ledger.execute("SELECT count(*) FROM run").fetchone()[0] > 2


def test_a_collection_of_five_thousand_goes_on_where_it_was(
    start: Any, nlmchem: Any, annotate: Any, tmp_path: Path, articles: Any, wait_for: Any, tree_of: Any
) -> None:
    import json

    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "collection.xml").write_bytes(articles.many(range(5000)))
    out = tmp_path / "out"
    run = start("annotate", folder, "-o", out, "--workers", 2)
    part = out / ".nlmchem" / "parts" / "1.part"
    wait_for(lambda: part.exists() and part.stat().st_size > 1_000_000)
    run.kill()
    numbers = json.loads(nlmchem("annotate", folder, "-o", out, "--workers", 2, "--json").stdout)
    assert numbers["input"] == 5000 == numbers["done"] + numbers["skipped"]
    assert numbers["skipped"] > 500
    with sqlite3.connect(out / ".nlmchem" / "ledger.sqlite") as ledger:
        assert ledger.execute(DONE_AGAIN).fetchone() == (0,)
    assert tree_of(out) == annotate(folder, out=tmp_path / "whole").tree
    assert not part.exists()


def test_files_that_a_killed_run_was_writing_are_taken_away(
    both_kinds: Path, start: Any, nlmchem: Any, wait_for: Any, tmp_path: Path, tree_of: Any, annotate: Any
) -> None:
    (both_kinds / ("long" * 50 + ".xml")).write_bytes(b"")
    out = tmp_path / "out"
    run = start("annotate", both_kinds, "-o", out, "--workers", 1, slow=0.004)
    wait_for(lambda: (out / "400.xml").exists())
    run.kill()
    left = [
        out / ".499.xml.abcd1234.tmp",
        out / ".collection.xml.abcd_234.tmp",
        out / ".manifest.json.abcd1234.tmp",
        out / f".{'long' * 25}.abcd1234.tmp",
        out / "quarantine" / "empty.xml.0" / ".error.json.abcd1234.tmp",
    ]
    mine = [out / ".of-the-user.abcd1234.tmp", out / ".499.xml.short.tmp"]
    for path in (*left, *mine):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"half")
    assert nlmchem("annotate", both_kinds, "-o", out).returncode == 3
    assert not [path for path in left if path.exists()]
    assert all(path.exists() for path in mine)
    for path in mine:
        path.unlink()
    assert tree_of(out) == annotate(both_kinds, out=tmp_path / "whole").tree


@pytest.mark.parametrize("name", ["out-brat", "out-parquet", "out.jsonl"])
def test_killed_runs_into_folders_tables_and_one_file_continue(
    name: str, articles: Any, start: Any, nlmchem: Any, tmp_path: Path, wait_for: Any
) -> None:
    folder, out, whole = tmp_path / "in", tmp_path / name, tmp_path / f"whole-{name}"
    folder.mkdir()
    (folder / "collection.xml").write_bytes(articles.many(range(120)))
    for number in range(120, 140):
        (folder / f"{number}.xml").write_bytes(articles.one(number))
    format = name.partition("-")[2]
    options = ["--workers", 1, *(["--format", format] if format else [])]
    state = out if format else tmp_path / f".{name}.run"
    for _ in range(2):
        before = _ended(state)
        run = start("annotate", folder, "-o", out, *options, slow=0.01)
        wait_for(lambda before=before: _ended(state) > before)
        run.kill()
        assert format or not out.exists(), "a file is complete or absent"
        for text in out.rglob("[!.]*/[!.]*.txt"):
            assert text.with_suffix(".ann").exists(), "an article has both files"
    assert nlmchem("annotate", folder, "-o", out, *options).returncode == 0
    assert nlmchem("annotate", folder, "-o", whole, *options).returncode == 0
    assert _content(out) == _content(whole)
    assert not list(tmp_path.rglob(".*.partial"))


def _content(out: Path) -> dict[str, bytes]:
    if out.is_file():
        return {"": out.read_bytes()}
    files = (path for path in out.rglob("*") if path.is_file() and path.name != "manifest.json")
    return {str(path.relative_to(out)): path.read_bytes() for path in files if ".nlmchem" not in path.parts}
