"""Runs that are killed and continued: the output is the same, and finished articles are not annotated again."""

from __future__ import annotations

import random
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from article_events import VARIABLE, begun_again, done_again

pytestmark = pytest.mark.slow

ENDED = ("done", "failed")


@pytest.fixture
def events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The log of what the commands of a test begin and finish."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "events"))
    return tmp_path / "events"


@pytest.fixture
def both_kinds(tmp_path: Path, articles: Any) -> Path:
    """One collection of many articles, which is written through a part file, and many files with one article each."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "collection.xml").write_bytes(articles.many(range(200)))
    (folder / "empty.xml").write_bytes(b"")
    for number in range(200, 260):
        (folder / f"{number}.xml").write_bytes(articles.one(number))
    return folder


def _ended(out: Path) -> int:
    """The number of articles in the ledger; 0 if there is no ledger yet."""
    try:
        ledger = sqlite3.connect(f"file:{out}/.nlmchem/ledger.sqlite?mode=ro", uri=True)
        number: int = ledger.execute("SELECT count(*) FROM article").fetchone()[0]
        ledger.close()
    except sqlite3.OperationalError:
        return 0
    return number


def test_a_run_that_is_killed_five_times(
    both_kinds: Path, start: Any, nlmchem: Any, annotate: Any, tmp_path: Path, tree_of: Any, wait_for: Any, events: Path
) -> None:
    out = tmp_path / "out"
    moments = random.Random(5)
    for kill in range(5):
        before = _ended(out)
        run = start("annotate", both_kinds, "-o", out, "--workers", 1 + kill % 2, slow=0.008)
        if kill % 2:
            time.sleep(moments.uniform(0.1, 1.5))
        else:
            wait_for(lambda before=before: _ended(out) > before)
            time.sleep(moments.uniform(0, 0.3))
        run.kill()
    last = nlmchem("annotate", both_kinds, "-o", out, "--workers", 2, "--json", misbehaving=True)
    assert last.returncode == 3, last.stderr
    whole = annotate(both_kinds, out=tmp_path / "whole")
    assert whole.counts.done == 260
    assert tree_of(out) == whole.tree
    assert done_again(events, ENDED) == 0
    # Some kills must have interrupted work, otherwise the test would prove nothing.
    assert begun_again(events) > 0
    with sqlite3.connect(out / ".nlmchem" / "ledger.sqlite") as ledger:
        assert ledger.execute("SELECT count(*) FROM run").fetchone()[0] > 2


def test_numbered_parts_of_a_run_that_is_killed_five_times(
    both_kinds: Path, start: Any, nlmchem: Any, tmp_path: Path, tree_of: Any, wait_for: Any, events: Path
) -> None:
    out, parts = tmp_path / "out", ("--format", "jsonl", "--per-file", 30)
    moments = random.Random(7)
    for kill in range(5):
        run = start("annotate", both_kinds, "-o", out, "--workers", 1 + kill % 2, *parts, slow=0.008)
        if not kill:
            wait_for(lambda: _ended(out) > 0)
        time.sleep(moments.uniform(0.1, 1.5))
        run.kill()
        assert all(len(content.splitlines()) == 30 for content in tree_of(out).values()), "a part is whole or absent"
    last = nlmchem("annotate", both_kinds, "-o", out, "--workers", 2, *parts, "--json", misbehaving=True)
    assert last.returncode == 3, last.stderr
    nlmchem("annotate", both_kinds, "-o", tmp_path / "whole", "--workers", 1, *parts)
    assert tree_of(out) == tree_of(tmp_path / "whole")
    assert len(tree_of(out)) == 9
    assert done_again(events, ENDED) == 0


def test_a_large_collection_is_continued_inside_the_collection(
    start: Any, nlmchem: Any, annotate: Any, tmp_path: Path, articles: Any, wait_for: Any, tree_of: Any, events: Path
) -> None:
    import json

    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "collection.xml").write_bytes(articles.many(range(1500)))
    out = tmp_path / "out"
    run = start("annotate", folder, "-o", out, "--workers", 2)
    part = out / ".nlmchem" / "parts" / "1.part"
    wait_for(lambda: part.exists() and part.stat().st_size > 300_000)
    run.kill()
    last = nlmchem("annotate", folder, "-o", out, "--workers", 2, "--json", misbehaving=True)
    numbers = json.loads(last.stdout)
    assert numbers["input"] == 1500 == numbers["done"] + numbers["skipped"]
    assert numbers["skipped"] > 150
    assert done_again(events, ENDED) == 0
    assert tree_of(out) == annotate(folder, out=tmp_path / "whole").tree
    assert not part.exists()


def test_temporary_files_of_a_killed_run_are_deleted(
    both_kinds: Path, start: Any, nlmchem: Any, wait_for: Any, tmp_path: Path, tree_of: Any, annotate: Any
) -> None:
    (both_kinds / ("long" * 56 + ".xml")).write_bytes(b"")
    out = tmp_path / "out"
    run = start("annotate", both_kinds, "-o", out, "--workers", 1, slow=0.008)
    wait_for(lambda: (out / "200.xml").exists())
    run.kill()
    left = [
        out / ".259.xml.abcd1234.tmp",
        out / ".collection.xml.abcd0234.tmp",
        out / ".manifest.json.abcd1234.tmp",
        out / f".{'long' * 55}.abcd1234.tmp",
        out / "quarantine" / "empty.xml.0" / ".error.json.abcd1234.tmp",
    ]
    mine = [out / ".of-the-user.abcd1234.tmp", out / ".259.xml.short.tmp"]
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
