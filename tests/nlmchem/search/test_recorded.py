"""The facts that a run records of its articles: the index is made of them, and is the one that reading gives."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from corpora.commands.command import Logged
from nlmchem.search import store
from nlmchem.search.recorded import FILE
from tests.support.command_line import call

TEXTS = ("Cisplatin and water.", "Aspirin, then cisplatin. Aspirin (ASA) again: ASA.", "Nothing here.")
SILENT = Logged()


@pytest.fixture(params=["biocxml", "biocjson", "jsonl"])
def run(request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A run of single articles, and of a file with several."""
    texts, folder = tmp_path / "texts", tmp_path / "run"
    (texts / "more").mkdir(parents=True)
    for number, text in enumerate(TEXTS):
        (texts / f"{number}.txt").write_text(text)
    (texts / "more" / "all.pubtator").write_text("\n\n".join(f"{n}|t|{text}" for n, text in enumerate(TEXTS, 1)) + "\n")
    ran = call(
        "annotate", texts, "-o", folder, "--tagger", "lexicon", "--format", request.param, "-q", capsys=capsys
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return folder


def contents(run: Path) -> list[str]:
    """All that the index of a run contains."""
    with store.open_index(str(run), SILENT) as database:
        return list(database.iterdump())


def fail(*arguments: object) -> None:
    raise AssertionError("an article was read")


def test_the_index_of_a_run_is_made_without_reading_its_articles(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(store, "facts_of", fail)
        recorded = contents(run)
    (run / ".nlmchem" / "search.sqlite").unlink()
    (run / ".nlmchem" / FILE).unlink()
    assert contents(run) == recorded
    assert sum("Cisplatin" in line for line in recorded) > 0


def test_an_output_that_was_changed_or_removed_is_noticed(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = sorted(path for path in run.iterdir() if path.name[0] in "01")
    first.unlink()
    os.utime(second, ns=(1, 1))
    read: list[str] = []
    facts_of = store.facts_of
    monkeypatch.setattr(store, "facts_of", lambda document: read.append(document.id) or facts_of(document))
    with store.open_index(str(run), SILENT) as database:
        assert database.execute("SELECT count(*) FROM article").fetchone() == (len(TEXTS) * 2 - 1,)
    assert read == ["1"]


@pytest.mark.parametrize("content", [b"", b"no database" * 100])
def test_damaged_facts_are_not_used(run: Path, content: bytes) -> None:
    before = contents(run)
    (run / ".nlmchem" / "search.sqlite").unlink()
    (run / ".nlmchem" / FILE).write_bytes(content)
    assert contents(run) == before


def test_facts_of_another_version_or_damaged_ones_are_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text(TEXTS[0])
    run = tmp_path / "run"
    for content in (b"no database" * 100, None):
        path = run / ".nlmchem" / FILE
        if content is None:
            with sqlite3.connect(path) as database:
                database.execute("PRAGMA user_version=99")
            database.close()
        else:
            path.parent.mkdir(parents=True)
            path.write_bytes(content)
        ran = call(
            "annotate", tmp_path / "a.txt", "-o", run, "--tagger", "lexicon", "--restart", "-q", capsys=capsys
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        (run / ".nlmchem" / "search.sqlite").unlink(missing_ok=True)
        with monkeypatch.context() as patched:
            patched.setattr(store, "facts_of", fail)
            assert "Cisplatin" in "".join(contents(run))


def test_formats_that_lose_parts_record_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, run, converted = tmp_path / "a.txt", tmp_path / "run", tmp_path / "converted"
    text.write_text(TEXTS[0])
    assert call("annotate", text, "-o", run, "--tagger", "lexicon", "--format", "tsv", capsys=capsys).returncode == 0
    assert call("convert", text, converted, "--format", "biocxml", capsys=capsys).returncode == 0
    assert not list(tmp_path.rglob(FILE))


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM facts WHERE position = 1",
        "UPDATE facts SET facts = zeroblob(40)",
        "UPDATE facts SET facts = (SELECT facts FROM facts WHERE output LIKE '0%')",
        "UPDATE facts SET articles = 1",
        "UPDATE facts SET facts = CAST('text' AS TEXT), stamp = 7",
        "ALTER TABLE facts DROP COLUMN digest",
    ],
)
def test_facts_that_are_not_as_they_were_written_are_not_used(run: Path, change: str) -> None:
    before = contents(run)
    (run / ".nlmchem" / "search.sqlite").unlink()
    with sqlite3.connect(run / ".nlmchem" / FILE) as database:
        database.executescript(change)
    database.close()
    assert contents(run) == before


def test_facts_with_a_flipped_bit_anywhere_are_not_used(run: Path) -> None:
    """Nor do they make the index unusable: what they lack is read from the articles."""
    before = contents(run)
    path = run / ".nlmchem" / FILE
    whole = path.read_bytes()
    for at in range(0, len(whole), len(whole) // 25):
        content = bytearray(whole)
        content[at] ^= 1 << at % 8
        path.write_bytes(content)
        (run / ".nlmchem" / "search.sqlite").unlink()
        assert contents(run) == before


def test_facts_that_are_damaged_while_they_are_written_are_removed(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run goes on, and the next one records again."""
    before, texts = contents(run), run.parent / "texts"
    path = run / ".nlmchem" / FILE
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"x" * (len(content) - 4096))
    (texts / "0.txt").write_text(TEXTS[0] + " Zinc.")
    annotate = ("annotate", texts, "-o", run, "--tagger", "lexicon", "--format")
    kind = {".xml": "biocxml", ".json": "biocjson"}.get(next(run.glob("0.*")).suffix, "jsonl")
    assert call(*annotate, kind, "-q", capsys=capsys).returncode == 0
    assert not path.exists()
    assert "Zinc" in "".join(contents(run))
    (texts / "0.txt").write_text(TEXTS[0])
    assert call(*annotate, kind, "-q", capsys=capsys).returncode == 0
    assert path.exists()
    assert len(contents(run)) == len(before)


@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
def test_what_is_no_file_of_facts_is_not_waited_for(run: Path, kind: str) -> None:
    before, path = contents(run), run / ".nlmchem" / FILE
    path.unlink()
    (run / ".nlmchem" / "search.sqlite").unlink()
    if kind == "link":
        path.symlink_to("/nowhere")
    else:
        path.mkdir() if kind == "folder" else os.mkfifo(path)
    assert contents(run) == before
