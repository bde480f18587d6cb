"""What the disk and the system can do to a run: forbid, vanish, fill up."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

GOOD = 6
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2


def _obey_permissions() -> None:
    """In a child of root's: give up, for good, the right to pass over permissions.

    Another user id would not do here: the interpreter itself may lie in root's own folder.
    """
    for right in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, right, 0, 0, 0)


@pytest.fixture
def obedient(tmp_path: Path) -> dict[str, Any]:
    """Options for a child that permissions hold for."""
    options = {"preexec_fn": _obey_permissions} if os.geteuid() == 0 else {}
    forbidden = tmp_path / "forbidden"
    forbidden.touch(mode=0)
    read = subprocess.run(["cat", forbidden], capture_output=True, check=False, **options)
    if read.returncode == 0:
        pytest.skip("this system lets root pass over permissions whatever it gives up")
    return options


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
    # Mended as the message says, it is read when the same command is given again.
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


def test_an_input_folder_that_may_not_be_listed_is_refused(
    good: Path, nlmchem: Any, tmp_path: Path, obedient: dict[str, Any]
) -> None:
    (good / "sub").chmod(0)
    run = nlmchem("annotate", good, "-o", tmp_path / "out", **obedient)
    (good / "sub").chmod(0o755)
    assert (run.returncode, run.stderr.count("\n")) == (2, 1)
    assert "sub cannot be listed" in run.stderr


def test_an_output_folder_that_is_a_file_is_refused(good: Path, nlmchem: Any, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    run = nlmchem("annotate", good, "-o", tmp_path / "out")
    assert (run.returncode, run.stderr.count("\n")) == (2, 1)
    assert "cannot be written" in run.stderr


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
def test_a_full_disk_stops_the_run_in_one_sentence_and_the_same_command_goes_on(
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


def test_a_file_that_vanishes_during_the_run_is_named(
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
    _, told = run.process.communicate(timeout=600)
    assert run.process.returncode == 3, told
    assert f"{gone}, article 1, read: it no longer exists" in told
    there = tree_of(out)
    assert {path: there[path] for path in undisturbed} == undisturbed
    assert len(there) == len(undisturbed) + 40


def test_a_broken_ledger_is_told_and_restart_mends_it(
    good: Path, nlmchem: Any, annotate: Any, tmp_path: Path, undisturbed: dict[str, bytes], tree_of: Any
) -> None:
    out = annotate(good).out
    ledger = out / ".nlmchem" / "ledger.sqlite"
    for content in (b"this is no ledger" * 1000, ledger.read_bytes()[:5000] + b"\xff" * 30_000):
        ledger.write_bytes(content)
        run = nlmchem("annotate", good, "-o", out, "--workers", 1)
        assert run.returncode in (1, 2), run.stderr
        assert run.stderr.count("\n") == 1, run.stderr
        assert "--restart" in run.stderr
        run = nlmchem("annotate", good, "-o", out, "--workers", 1, "--restart")
        assert run.returncode == 0, run.stderr
        assert tree_of(out) == undisturbed


def test_a_ledger_of_another_version_is_told(good: Path, nlmchem: Any, annotate: Any) -> None:
    import sqlite3

    out = annotate(good).out
    with sqlite3.connect(out / ".nlmchem" / "ledger.sqlite") as ledger:
        ledger.execute("PRAGMA user_version = 99")
    run = nlmchem("annotate", good, "-o", out)
    assert run.returncode == 2
    assert "version 99" in run.stderr
    assert "--restart" in run.stderr


def test_two_runs_at_the_same_time_do_not_meet(
    good: Path, articles: Any, start: Any, nlmchem: Any, wait_for: Any, tmp_path: Path
) -> None:
    for number in range(20, 40):
        (good / f"{number}.xml").write_bytes(articles.one(number))
    out = tmp_path / "out"
    first = start("annotate", good, "-o", out, "--workers", 1, slow=0.04)
    wait_for(lambda: (out / "manifest.json").exists())
    second = nlmchem("annotate", good, "-o", out, "--workers", 1)
    assert (second.returncode, second.stderr.count("\n")) == (2, 1)
    assert "another run is at work" in second.stderr
    told, _ = first.process.communicate(timeout=600)
    assert told.startswith("done 26 ")


def test_another_configuration_in_the_same_folder_is_refused_and_nothing_is_touched(
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


def test_a_restart_with_a_typing_error_destroys_nothing(
    good: Path, nlmchem: Any, annotate: Any, tmp_path: Path, undisturbed: dict[str, bytes], tree_of: Any
) -> None:
    out = annotate(good).out
    assert nlmchem("annotate", tmp_path / "typo", "-o", out, "--restart").returncode == 2
    assert nlmchem("annotate", tmp_path / "*.none", "-o", out, "--restart").returncode == 2
    (tmp_path / "empty").mkdir()
    assert nlmchem("annotate", tmp_path / "empty", "-o", out, "--restart").returncode == 2
    assert tree_of(out) == undisturbed
    assert annotate(good).counts.skipped == GOOD


def test_a_restart_takes_away_what_earlier_runs_wrote_and_nothing_else(
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


def test_a_part_file_that_is_lost_costs_its_articles_again_and_nothing_else(
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
