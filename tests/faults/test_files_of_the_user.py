"""A run replaces no file of the user: neither one that was there before, nor an output that was corrected by hand."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from corpora.errors import ConfigurationError
from corpora.storage.atomic import MARKER
from nlmchem.commands.progress import Terminal
from nlmchem.engine.runner import replay
from nlmchem.run.options import Shard

MINE = b"<collection>corrected by hand</collection>"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def put(path: Path, content: bytes = MINE) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def touch(path: Path, articles: Any) -> None:
    """Another content of an input."""
    path.write_bytes(articles.one(77))


# -- files that were there before ---------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["a-good.xml", "sub/z-good.xml", "manifest.json", "quarantine/notes.txt", "quarantine"]
)
def test_a_file_of_the_user_is_refused_before_any_work(
    name: str, good: Path, annotate: Any, out: Path, tree_of: Any
) -> None:
    mine = put(out / name)
    named = mine.parent if mine.parent.name == "quarantine" else mine
    for options in ({}, {"restart": True}):
        with pytest.raises(ConfigurationError, match=f"{named} exists, and nlmchem did not write it; move it away"):
            annotate(good, out=out, **options)
    assert mine.read_bytes() == MINE
    assert tree_of(out) == ({name: MINE} if name in ("a-good.xml", "sub/z-good.xml") else {})
    assert not (out / ".nlmchem").exists()


@pytest.mark.parametrize("format", ["brat", "jsonl"])
def test_a_folder_of_the_user_at_the_place_of_an_output_is_refused(
    format: str, good: Path, annotate: Any, out: Path
) -> None:
    from corpora.formats.registry import suffix_of

    mine = put(out / f"a-good{suffix_of(format)}" / "notes.txt")
    with pytest.raises(ConfigurationError, match=f"{mine.parent} exists, and nlmchem did not write it"):
        annotate(good, out=out, format=format)
    assert mine.read_bytes() == MINE


def test_other_files_of_the_user_stay_beside_the_outputs(good: Path, annotate: Any, out: Path) -> None:
    mine = [put(out / name) for name in ("notes.txt", ".a-good.xml.old/x", ".a-good.partial/x", ".git/config")]
    assert annotate(good, out=out).counts.done == 6
    assert annotate(good, out=out, restart=True).counts.done == 6
    assert all(path.read_bytes() == MINE for path in mine)


def test_a_member_of_an_archive_that_would_replace_a_file_of_the_user_fails_alone(
    tmp_path: Path, articles: Any, annotate: Any, out: Path
) -> None:
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
        for number in (1, 2):
            archive.writestr(f"{number}.xml", articles.one(number))
    mine = put(out / "in" / "1.xml")
    run = annotate(tmp_path / "in.zip", out=out)
    assert (run.counts.done, run.counts.failed) == (1, 1)
    assert f"{mine} exists, and nlmchem did not write it" in run.failures()[0]["message"]
    assert mine.read_bytes() == MINE


@pytest.mark.parametrize("runs", ["runs", "silver"])
def test_no_run_begins_where_a_later_one_would_replace_a_file_of_the_user(
    runs: str, good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ensemble import TASKS
    from ensemble.combine import Rule
    from nlmchem.engine import runs as module
    from nlmchem.run.options import RunOptions
    from nlmchem.run.plan import Configuration
    from nlmchem.voting.silver import build_silver

    monkeypatch.setattr(module, "annotate_folder", lambda *given, **more: pytest.fail("a run has begun"))
    configuration = Configuration.of(steps=("tag",), tagger="lexicon,default", lexicon="starter")
    place = tmp_path / ("out" if runs == "runs" else "out/runs")
    mine = put(place / "default" / "sub" / "z-good.xml")
    rule = Rule(TASKS, 0.5, "merge", False)
    commands = {
        "runs": lambda: module.annotate_runs([str(good)], place, module.plan_runs(configuration), RunOptions()),
        "silver": lambda: build_silver(
            [str(good)], tmp_path / "out", configuration, RunOptions(), rule, {}, pytest.fail
        ),
    }
    with pytest.raises(ConfigurationError, match=f"{mine} exists, and nlmchem did not write it"):
        commands[runs]()
    assert mine.read_bytes() == MINE
    assert list(tmp_path.rglob(".nlmchem")) == []


def test_a_silver_corpus_of_the_user_is_refused_before_the_runs(good: Path, nlmchem: Any, tmp_path: Path) -> None:
    mine = put(tmp_path / "out" / "corpus" / "silver.xml")
    arguments = ("silver", "build", good, "--taggers", "lexicon,default", "--lexicon", "starter")
    ended = nlmchem(*arguments, "-o", tmp_path / "out")
    assert ended.returncode == 2
    assert "corpus was not made by `nlmchem silver`" in ended.stderr
    assert not (tmp_path / "out" / "runs").exists()
    assert mine.read_bytes() == MINE


# -- outputs that were corrected ----------------------------------------------------------------


@pytest.mark.parametrize("format", ["biocxml", "brat"])
def test_a_corrected_output_is_kept_when_its_input_changes(
    format: str, good: Path, articles: Any, annotate: Any, out: Path
) -> None:
    annotate(good, out=out, format=format)
    output = next(path for path in out.glob("a-good*"))
    corrected = output if output.is_file() else next(output.glob("*.txt"))
    corrected.write_bytes(MINE)
    touch(good / "a-good.xml", articles)
    for _time in range(2):
        run = annotate(good, out=out, format=format)
        assert (run.counts.failed, run.counts.articles) == (1, 6)
        assert f"its output {output} was changed after nlmchem wrote it, and is kept" in run.failures()[0]["message"]
        assert corrected.read_bytes() == MINE
    output.rename(out / "moved")
    run = annotate(good, out=out, format=format)
    assert (run.counts.failed, run.counts.done) == (0, 1)
    assert b"Article 77" in (output if output.is_file() else next(output.glob("*.txt"))).read_bytes()
    assert not list(out.glob("quarantine/*"))


def test_a_corrected_output_is_kept_by_a_restart(
    good: Path, annotate: Any, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    annotate(good, out=out)
    for name in ("a-good.xml", "m-good.xml"):
        (out / name).write_bytes(MINE)
    # The input of one of them is gone.
    (good / "m-good.json").unlink()
    run = annotate(good, out=out, restart=True)
    assert "2 outputs were changed after nlmchem wrote them, and are kept; the first is " in capsys.readouterr().err
    assert (run.counts.failed, run.counts.done) == (1, 3)
    assert [(out / name).read_bytes() for name in ("a-good.xml", "m-good.xml")] == [MINE, MINE]


def test_a_corrected_output_is_kept_by_a_replay(
    good: Path, articles: Any, annotate: Any, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = articles.document(8).replace("NaCl", "Na\x0bCl")
    (good / "mixed.xml").write_bytes(articles.xml(articles.document(7), bad, articles.document(9)))
    assert annotate(good, out=out).counts.failed == 1
    (copy,) = (out / "quarantine").rglob("article.xml")
    copy.write_bytes(copy.read_bytes().replace(b"\x0b", b""))
    whole = (out / "mixed.xml").read_bytes()
    (out / "mixed.xml").write_bytes(MINE)
    assert replay(out, progress=Terminal()).failed == 1
    assert "mixed.xml was changed after nlmchem wrote it, and is kept" in capsys.readouterr().err
    assert (out / "mixed.xml").read_bytes() == MINE
    (out / "mixed.xml").write_bytes(whole)
    assert replay(out).failed == 0
    assert (out / "mixed.xml").read_bytes().count(b"<document>") == 3


def test_a_changed_manifest_is_refused_before_any_work(good: Path, annotate: Any, out: Path) -> None:
    annotate(good, out=out)
    (out / "manifest.json").write_bytes(MINE)
    with pytest.raises(ConfigurationError, match=r"manifest\.json exists, and was changed by hand"):
        annotate(good, out=out)
    assert (out / "manifest.json").read_bytes() == MINE


def test_a_restart_after_a_damaged_ledger_replaces_our_outputs_and_keeps_corrected_ones(
    good: Path, annotate: Any, out: Path, undisturbed: dict[str, bytes], tree_of: Callable[[Path], dict[str, bytes]]
) -> None:
    annotate(good, out=out)
    for ledger in (out / ".nlmchem").glob("ledger.sqlite*"):
        ledger.write_bytes(b"damaged")
    (out / "a-good.xml").write_bytes(MINE)
    run = annotate(good, out=out, restart=True)
    assert (run.counts.done, run.counts.failed) == (5, 1)
    assert tree_of(out) == {**undisturbed, "a-good.xml": MINE}


# -- several commands in one folder -------------------------------------------------------------


def test_shards_of_one_run_work_in_a_folder_at_the_same_time(
    good: Path, start: Any, nlmchem: Any, out: Path, wait_for: Any, tmp_path: Path, annotate: Any, tree_of: Any
) -> None:
    first = start("annotate", good, "-o", out, "--shard", "1/2", "--workers", 1, slow=5)
    wait_for(lambda: (out / ".nlmchem-1-of-2" / "ledger.sqlite").exists())
    again = nlmchem("annotate", good, "-o", out, "--shard", "1/2", processes=True)
    assert "another nlmchem command (process " in again.stderr
    whole = nlmchem("convert", good, "-o", out, "--format", "jsonl", processes=True)
    assert whole.returncode == 2
    second = nlmchem("annotate", good, "-o", out, "--shard", "2/2", "--workers", 1, processes=True)
    assert second.returncode == 0, second.stderr
    first.kill()
    assert nlmchem("annotate", good, "-o", out, "--shard", "1/2", processes=True).returncode == 0
    assert tree_of(out) == annotate(good, out=tmp_path / "whole").tree
    assert not list(tmp_path.rglob("*.nlmchem-lock"))


def test_a_restarted_shard_keeps_a_corrected_output(good: Path, annotate: Any, out: Path) -> None:
    shards = [Shard(1, 2), Shard(2, 2)]
    for shard in shards:
        annotate(good, out=out, shard=shard)
    (out / "a-good.xml").write_bytes(MINE)
    assert sum(annotate(good, out=out, shard=shard, restart=True).counts.failed for shard in shards) == 1
    assert (out / "a-good.xml").read_bytes() == MINE


def test_a_temporary_folder_of_a_killed_run_is_removed_and_one_of_the_user_stays(
    good: Path, annotate: Any, out: Path
) -> None:
    annotate(good, out=out, format="brat")
    (output,) = out.glob("a-good*")
    ours, mine = out / f".{output.name}.0123abcd.partial", out / f".{output.name}.deadbeef.partial"
    put(ours / "new" / "1.txt")
    put(ours / MARKER, b"")
    put(mine / "1.txt")
    manifest = json.loads((out / "manifest.json").read_bytes())
    with sqlite3.connect(out / ".nlmchem" / "ledger.sqlite") as ledger:
        ledger.execute("UPDATE run SET ended = NULL")
    ledger.close()
    annotate(good, out=out, format="brat")
    assert manifest["state"] == "finished"
    assert (ours.exists(), mine.exists()) == (False, True)
