"""Errors of the disk and the system: missing permissions, deleted files, a full disk, damaged ledgers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from companion_cases import cases

from corpora.errors import ConfigurationError
from nlmchem.engine.runner import RunStopped

GOOD = 6


def test_a_file_that_may_not_be_read_is_named(
    good: Path, articles: Any, nlmchem: Any, undisturbed: dict[str, bytes], tree_of: Any, tmp_path: Path,
    obedient: dict[str, Any],
) -> None:  # fmt: skip
    secret = good / "secret.xml"
    secret.write_bytes(articles.one(9))
    secret.chmod(0)
    out = tmp_path / "out"
    run = nlmchem("annotate", good, "-o", out, "--workers", 1, **obedient)
    assert run.returncode == 3, run.stderr
    assert f"{secret}, article 1, read: there is no permission to read it; change its permissions" in run.stderr
    assert tree_of(out) == undisturbed
    # After the correction that the message suggests, the same command reads the file.
    secret.chmod(0o644)
    run = nlmchem("annotate", good, "-o", out, "--workers", 1, **obedient)
    assert (run.returncode, run.stdout.split(" articles")[0]) == (0, f"done 1 + failed 0 + skipped {GOOD} = {GOOD + 1}")


@pytest.mark.parametrize("there", [True, False])
def test_an_output_folder_that_may_not_be_written_is_refused(
    there: bool, good: Path, nlmchem: Any, tmp_path: Path, obedient: dict[str, Any]
) -> None:
    out = tmp_path / "above" / "out"
    (out if there else out.parent).mkdir(parents=True)
    (out if there else out.parent).chmod(0o555)
    run = nlmchem("annotate", good, "-o", out, "--workers", 1, **obedient)
    assert run.returncode == 2, run.stderr
    assert f"the output folder {out} cannot be written" in run.stderr
    assert run.stderr.count("\n") == 1


def test_an_input_folder_that_may_not_be_listed_fails_alone(
    good: Path, nlmchem: Any, tmp_path: Path, obedient: dict[str, Any]
) -> None:
    (good / "sub").chmod(0)
    run = nlmchem("annotate", good, "-o", tmp_path / "out", **obedient)
    (good / "sub").chmod(0o755)
    assert run.returncode == 3
    assert "sub, article 1, read: there is no permission to read it; change its permissions" in run.stderr
    assert (tmp_path / "out" / "a-good.xml").is_file()


def test_links_to_what_may_not_be_read_fail_alone(
    good: Path, articles: Any, nlmchem: Any, tmp_path: Path, obedient: dict[str, Any], undisturbed: dict[str, bytes],
    tree_of: Any,
) -> None:  # fmt: skip
    closed, secret = tmp_path / "closed", tmp_path / "secret.xml"
    closed.mkdir()
    (closed / "a.xml").write_bytes(articles.one(9))
    secret.write_bytes(articles.one(9))
    links = {"file": secret, "folder": closed, "behind.xml": closed / "a.xml"}
    for name, target in links.items():
        (good / name).symlink_to(target)
    closed.chmod(0)
    secret.chmod(0)
    out = tmp_path / "out"
    run = nlmchem("annotate", good, "-o", out, "--workers", 1, **obedient)
    converted = nlmchem("convert", good, tmp_path / "converted", "--format", "jsonl", **obedient)
    closed.chmod(0o755)
    secret.chmod(0o644)
    assert (run.returncode, converted.returncode) == (3, 3), run.stderr + converted.stderr
    # A command prints the first of equal reasons, and stores all of them.
    first = f"{good / 'behind.xml'}, article 1, read: there is no permission"
    for outcome, folder in ((run, out), (converted, tmp_path / "converted")):
        assert f"failed: {first}" in outcome.stderr
        assert f"failed: 2 more articles like {first}" in outcome.stderr
        records = [json.loads(record.read_text()) for record in (folder / "quarantine").rglob("error.json")]
        assert {Path(record["input"]).name for record in records} == set(links)
    assert tree_of(out) == undisturbed
    assert len(list((tmp_path / "converted").rglob("*.jsonl"))) == len(undisturbed)


def test_a_clock_that_goes_back_changes_nothing(
    good: Path, nlmchem: Any, tmp_path: Path, undisturbed: dict[str, bytes], tree_of: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The clock goes back an hour whenever it is read, and the files of a first run are of the future."""
    monkeypatch.setenv("TEST_CLOCK_GOES_BACK", "1")
    out, converted = tmp_path / "out", tmp_path / "converted"
    first = nlmchem("annotate", good / "a-good.xml", "-o", out, "--workers", 1, misbehaving=True)
    assert first.returncode == 0, first.stderr
    for path in (*good.rglob("*"), *out.rglob("*")):
        os.utime(path, (1 << 32, 1 << 32))
    run = nlmchem("annotate", good, "-o", out, "--workers", 2, "--timeout", 60, misbehaving=True)
    assert run.returncode == 0, run.stderr
    assert "skipped 1" in run.stdout
    assert tree_of(out) == undisturbed
    for _ in range(2):
        again = nlmchem("convert", good, converted, "--format", "jsonl", misbehaving=True)
        assert again.returncode == 0, again.stderr
        for path in converted.rglob("*"):
            os.utime(path, (1 << 32, 1 << 32))


def test_an_output_folder_that_is_a_file_is_refused(good: Path, nlmchem: Any, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    run = nlmchem("annotate", good, "-o", tmp_path / "out")
    assert (run.returncode, run.stderr.count("\n")) == (2, 1)
    assert "is a file; name a folder" in run.stderr


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 512 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", place], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted: {mounted.stderr.decode().strip()}")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount a small disk")
@pytest.mark.parametrize("collection", [True, False])
def test_a_full_disk_stops_the_run_in_one_sentence_and_the_same_command_continues_it(
    collection: bool, tmp_path: Path, articles: Any, nlmchem: Any, annotate: Any, small_disk: Path, tree_of: Any
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    if collection:
        (folder / "all.xml").write_bytes(articles.many(range(250)))
    else:
        for number in range(100):
            (folder / f"{number}.xml").write_bytes(articles.one(number))
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * (330 if collection else 200) * 1024)
    out = small_disk / "out"
    run = nlmchem("annotate", folder, "-o", out, "--workers", 1)
    assert run.returncode == 1, run.stdout + run.stderr
    assert run.stderr.count("\n") == 1, run.stderr
    assert "space" in run.stderr or "disk" in run.stderr
    assert "the same command" in run.stderr
    assert not list(out.rglob("*.tmp"))
    ballast.unlink()
    if collection:
        subprocess.run(["mount", "-o", "remount,size=4m", small_disk], check=True)
    else:
        subprocess.run(["mount", "-o", "remount,size=8m", small_disk], check=True)
    run = nlmchem("annotate", folder, "-o", out, "--workers", 1)
    assert run.returncode == 0, run.stderr
    assert tree_of(out) == annotate(folder, out=tmp_path / "whole").tree


FILLING = (
    ("convert", "{in}", "{disk}/out.xml"),
    ("convert", "{in}", "{disk}/out", "--format", "jsonl"),
    ("convert", "{in}", "{disk}/out", "--format", "brat"),
    ("corpora", "split", "{in}", "-o", "{disk}/out"),
    ("ensemble", "spans", "{in}", "{in}2", "--restart", "--workers", "1", "-o", "{disk}/out"),
    ("view", "{in}", "-o", "{disk}/out"),
    ("annotate", "{in}", "--steps", "", "--workers", "1", "--format", "jsonl", "--per-file", "40", "-o", "{disk}/out"),
    ("lexicon", "migrate", "{in}", "--to", "2026", "-o", "{disk}/out"),
    ("lexicon", "export", "--lexicon", "starter", "-o", "{disk}/out.ttl"),
    *cases("FILLING").values(),
)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount a small disk")
@pytest.mark.parametrize("words", FILLING, ids=lambda words: f"{words[0]} {words[1]} {words[-1]}")
def test_a_full_disk_ends_any_command_in_one_sentence_that_names_its_output(
    words: tuple[str, ...], tmp_path: Path, articles: Any, nlmchem: Any, small_disk: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.xml").write_bytes(articles.many(range(100 * number, 100 * number + 40)))
    shutil.copytree(folder, tmp_path / "in2")
    (small_disk / "ballast").write_bytes(b"x" * 500 * 1024)
    command = [word.format_map({"in": folder, "disk": small_disk}) for word in words]
    run = nlmchem(*command)
    assert run.returncode == 1, run.stdout + run.stderr
    told = run.stderr.splitlines()[-1]
    assert str(small_disk) in told
    assert "is full" in told or "No space left" in told
    assert not list(small_disk.rglob("*.tmp"))
    assert not list(small_disk.glob(".*.partial"))
    (small_disk / "ballast").unlink()
    subprocess.run(["mount", "-o", "remount,size=8m", small_disk], check=True)
    run = nlmchem(*command)
    assert run.returncode == 0, run.stderr


def test_a_file_that_is_deleted_during_the_run_is_named(
    good: Path, articles: Any, start: Any, wait_for: Any, tmp_path: Path, undisturbed: dict[str, bytes], tree_of: Any
) -> None:
    for number in range(20, 60):
        (good / f"{number}.xml").write_bytes(articles.one(number))
    gone = good / "sub" / "zz.xml"
    gone.write_bytes(articles.one(9))
    out = tmp_path / "out"
    run = start("annotate", good, "-o", out, "--workers", 1, slow=0.04)
    wait_for(lambda: (out / "manifest.json").exists())
    gone.unlink()
    _, printed = run.process.communicate(timeout=600)
    assert run.process.returncode == 3, printed
    assert f"{gone}, article 1, read: it no longer exists" in printed
    there = tree_of(out)
    assert {path: there[path] for path in undisturbed} == undisturbed
    assert len(there) == len(undisturbed) + 40


def test_a_damaged_ledger_is_reported_and_restart_makes_a_new_one(
    good: Path, annotate: Any, undisturbed: dict[str, bytes]
) -> None:
    out = annotate(good).out
    ledger = out / ".nlmchem" / "ledger.sqlite"
    for content in (b"this is no ledger" * 1000, ledger.read_bytes()[:5000] + b"\xff" * 30_000):
        ledger.write_bytes(content)
        with pytest.raises((ConfigurationError, RunStopped), match="restart=True"):
            annotate(good)
        assert annotate(good, restart=True).tree == undisturbed


def test_a_ledger_of_another_version_is_refused(good: Path, nlmchem: Any, annotate: Any) -> None:
    import sqlite3

    out = annotate(good).out
    with sqlite3.connect(out / ".nlmchem" / "ledger.sqlite") as ledger:
        ledger.execute("PRAGMA user_version = 99")
    run = nlmchem("annotate", good, "-o", out)
    assert run.returncode == 2
    assert "version 99" in run.stderr
    assert "--restart" in run.stderr


def test_a_second_run_in_the_same_folder_is_refused(
    good: Path, articles: Any, start: Any, nlmchem: Any, wait_for: Any, tmp_path: Path
) -> None:
    for number in range(20, 40):
        (good / f"{number}.xml").write_bytes(articles.one(number))
    out = tmp_path / "out"
    first = start("annotate", good, "-o", out, "--workers", 1, slow=0.04)
    wait_for(lambda: (out / "manifest.json").exists())
    second = nlmchem("annotate", good, "-o", out, "--workers", 1)
    assert (second.returncode, second.stderr.count("\n")) == (2, 1)
    assert "another nlmchem command (process " in second.stderr
    printed, _ = first.process.communicate(timeout=600)
    assert printed.startswith("done 26 ")


def test_another_configuration_in_the_same_folder_is_refused_and_changes_nothing(
    good: Path, nlmchem: Any, annotate: Any, undisturbed: dict[str, bytes], tree_of: Any
) -> None:
    out = annotate(good).out
    manifest = (out / "manifest.json").read_bytes()
    run = nlmchem("annotate", good, "-o", out, "--skip-sections", "REF")
    assert (run.returncode, run.stderr.count("\n")) == (2, 1)
    assert "skip_sections" in run.stderr
    assert "--restart" in run.stderr
    assert (tree_of(out), (out / "manifest.json").read_bytes()) == (undisturbed, manifest)
    assert nlmchem("annotate", good, "-o", out, "--skip-sections", "REF", "--restart").returncode == 0


def test_a_refused_restart_deletes_nothing(
    good: Path, nlmchem: Any, annotate: Any, tmp_path: Path, undisturbed: dict[str, bytes], tree_of: Any
) -> None:
    out = annotate(good).out
    assert nlmchem("annotate", tmp_path / "typo", "-o", out, "--restart").returncode == 2
    assert nlmchem("annotate", tmp_path / "*.none", "-o", out, "--restart").returncode == 2
    (tmp_path / "empty").mkdir()
    assert nlmchem("annotate", tmp_path / "empty", "-o", out, "--restart").returncode == 2
    assert tree_of(out) == undisturbed
    assert annotate(good).counts.skipped == GOOD


def test_a_restart_deletes_only_the_files_of_earlier_runs(
    good: Path, articles: Any, annotate: Any, undisturbed: dict[str, bytes]
) -> None:
    (good / "old.xml").write_bytes(articles.one(7))
    (good / "bad.xml").write_bytes(b"")
    out = annotate(good).out
    (out / "notes.txt").write_text("mine")
    (good / "old.xml").unlink()
    (good / "bad.xml").unlink()
    run = annotate(good, restart=True)
    assert run.counts.done == GOOD
    assert run.tree == {**undisturbed, "notes.txt": b"mine"}
    assert not (out / "quarantine").exists()


def test_articles_of_a_lost_part_file_are_annotated_again(
    good: Path, articles: Any, start: Any, wait_for: Any, annotate: Any, tmp_path: Path
) -> None:
    (good / "many.xml").write_bytes(articles.many(range(100, 400)))
    out = tmp_path / "out"
    run = start("annotate", good, "-o", out, "--workers", 1, slow=0.01)
    wait_for(lambda: list(out.glob(".nlmchem/parts/*.part")))
    time.sleep(0.3)
    run.kill()
    shutil.rmtree(out / ".nlmchem" / "parts")
    assert annotate(good, out=out).tree == annotate(good, out=tmp_path / "whole").tree
