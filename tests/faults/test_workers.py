"""Articles that kill their worker or never end are put into quarantine, and the others are annotated."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import psutil
import pytest
from article_events import VARIABLE, begun

pytestmark = pytest.mark.slow

GOOD = 6


def _failures(out: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((out / "manifest.json").read_text())["failures"]
    return found


@pytest.mark.parametrize("workers", [1, 2])
def test_an_article_that_kills_its_worker_is_quarantined(
    workers: int, good: Path, articles: Any, nlmchem: Any, tmp_path: Path, undisturbed: dict[str, bytes], tree_of: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    events = tmp_path / "events"
    monkeypatch.setenv(VARIABLE, str(events))
    killer = articles.xml(articles.document(11), articles.document(12, "KILLS-ITS-WORKER"), articles.document(13))
    (good / "killer.xml").write_bytes(killer)
    out = tmp_path / "out"
    run = nlmchem("annotate", good, "-o", out, "--workers", workers, misbehaving=True)
    assert run.returncode == 3, run.stderr
    assert f"done {GOOD + 2} + failed 1 + skipped 0 = {GOOD + 3} articles" in run.stdout
    there = tree_of(out)
    assert there.pop("killer.xml").count(b"<document>") == 2
    assert there == undisturbed
    (failure,) = _failures(out)
    assert (failure["path"], failure["position"], failure["stage"]) == (str(good / "killer.xml"), 1, "worker")
    assert "died twice" in failure["message"]
    if workers > 1:
        return
    # The same command does not try the article again. After a correction it can be replayed.
    before = begun(events)
    assert len(before) > GOOD + 3, "the killer and its block were tried again"
    assert nlmchem("annotate", good, "-o", out, "--workers", workers, misbehaving=True).returncode == 3
    assert begun(events) == before
    (article,) = (out / "quarantine" / "killer.xml.1").glob("article.xml")
    article.write_bytes(article.read_bytes().replace(b"KILLS-ITS-WORKER", b"ethanol"))
    assert nlmchem("replay", out / "quarantine").returncode == 0
    assert tree_of(out)["killer.xml"].count(b"<document>") == 3
    assert not (out / "quarantine").exists()


@pytest.mark.parametrize(
    ("word", "stage", "message"), [("NEVER-ENDS", "time", "longer than 2 s"), ("STUCK-IN-C", "worker", "limit of 2 s")]
)
def test_an_article_that_never_ends_is_quarantined(
    word: str, stage: str, message: str, good: Path, articles: Any, nlmchem: Any, tmp_path: Path,
    undisturbed: dict[str, bytes], tree_of: Any,
) -> None:  # fmt: skip
    (good / "endless.xml").write_bytes(articles.one(11, word))
    out = tmp_path / "out"
    run = nlmchem("annotate", good, "-o", out, "--workers", 2, "--timeout", 2, misbehaving=True)
    assert run.returncode == 3, run.stderr
    assert tree_of(out) == undisturbed
    (failure,) = _failures(out)
    assert (failure["path"], failure["stage"]) == (str(good / "endless.xml"), stage)
    assert message in failure["message"]


def test_workers_that_cannot_start_stop_the_run_and_quarantine_nothing(
    good: Path, nlmchem: Any, tmp_path: Path
) -> None:
    broken = tmp_path / "plugin"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text(
        "import os, sys\nif any('loky' in a for a in sys.orig_argv) and 'resource_tracker' not in str(sys.orig_argv):\n"
        "    os._exit(1)\n"
    )
    env = {**os.environ, "PYTHONPATH": str(broken)}
    run = nlmchem("annotate", good, "-o", tmp_path / "out", "--workers", 1, env=env)
    assert run.returncode == 1, run.stderr
    assert "workers die before they receive any article" in run.stderr
    assert "Traceback" not in run.stderr
    assert not (tmp_path / "out" / "quarantine").exists()


def test_a_worker_with_another_lexicon_stops_the_run(good: Path, nlmchem: Any, tmp_path: Path) -> None:
    lexicon = tmp_path / "names.tsv"
    lexicon.write_text("MESH:D005947\tglucose\n")
    changing = tmp_path / "plugin"
    changing.mkdir()
    (changing / "sitecustomize.py").write_text(
        "import sys\nif any('popen_loky' in a for a in sys.orig_argv):\n"
        f"    open({str(lexicon)!r}, 'a').write('MESH:D000431\\tethanol\\n')\n"
    )
    env = {**os.environ, "PYTHONPATH": str(changing)}
    out = tmp_path / "out"
    run = nlmchem("annotate", good, "-o", out, "--workers", 1, "--lexicon", lexicon, env=env)
    assert run.returncode == 1, run.stderr
    assert "another lexicon, model or version" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_lexicon_that_is_deleted_during_the_run_stops_it(
    good: Path, articles: Any, start: Any, wait_for: Any, tmp_path: Path
) -> None:
    lexicon = tmp_path / "names.tsv"
    lexicon.write_text("MESH:D005947\tglucose\n")
    for number in range(20, 60):
        (good / f"{number}.xml").write_bytes(articles.one(number))
    (good / "a-killer.xml").write_bytes(articles.one(11, "KILLS-ITS-WORKER"))
    out = tmp_path / "out"
    run = start("annotate", good, "-o", out, "--workers", 1, "--lexicon", lexicon, slow=0.1)
    wait_for(lambda: (out / "manifest.json").exists())
    lexicon.unlink()
    _, printed = run.process.communicate(timeout=600)
    assert run.process.returncode == 1, printed
    assert "no lexicon at" in printed
    assert "the same command" in printed
    assert "Traceback" not in printed


@pytest.mark.parametrize(
    "signal_sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=["Ctrl-C", "a batch system", "a closed terminal"]
)
def test_a_stopped_run_ends_cleanly_and_the_same_command_continues_it(
    good: Path, articles: Any, start: Any, nlmchem: Any, wait_for: Any, tmp_path: Path, tree_of: Any, annotate: Any,
    signal_sent: signal.Signals,
) -> None:  # fmt: skip
    for number in range(20, 120):
        (good / f"{number}.xml").write_bytes(articles.one(number))
    out = tmp_path / "out"
    run = start("annotate", good, "-o", out, "--workers", 2, slow=0.06)
    wait_for(lambda: (out / "20.xml").exists())
    assert run.kill(signal_sent) == 130
    printed = run.process.stderr.read()
    assert "Traceback" not in printed, printed
    # Progress lines may precede it: where the machine is slow, also one of the check before the run.
    assert "run the same command again" in printed.splitlines()[-1], printed
    assert "Warning" not in printed, printed
    assert json.loads((out / "manifest.json").read_text())["state"] == "stopped"
    done = len(list(out.glob("*.xml")))
    again = nlmchem("annotate", good, "-o", out, "--workers", 2)
    assert again.returncode == 0
    assert f"skipped {done}" in again.stdout or done < GOOD
    assert tree_of(out) == annotate(good, out=tmp_path / "whole").tree


def test_ctrl_c_does_not_reach_the_workers(
    good: Path, articles: Any, start: Any, wait_for: Any, tmp_path: Path
) -> None:
    for number in range(20, 60):
        (good / f"{number}.xml").write_bytes(articles.one(number))
    out = tmp_path / "out"
    run = start("annotate", good, "-o", out, "--workers", 2, slow=0.05)
    wait_for(lambda: (out / "20.xml").exists())
    # A terminal sends these signals to all processes of a run. Only the run itself may answer them.
    for child in psutil.Process(run.process.pid).children(recursive=True):
        child.send_signal(signal.SIGINT)
        child.send_signal(signal.SIGHUP)
    counts, messages = run.process.communicate(timeout=300)
    assert run.process.returncode == 0, messages
    assert f"done {40 + GOOD}" in counts, counts
    assert "worker" not in messages


def test_workers_end_when_the_run_is_killed(
    good: Path, articles: Any, start: Any, wait_for: Any, tmp_path: Path
) -> None:
    for number in range(20, 60):
        (good / f"{number}.xml").write_bytes(articles.one(number))
    run = start("annotate", good, "-o", tmp_path / "out", "--workers", 2, slow=0.1)
    wait_for(lambda: (tmp_path / "out" / "a-good.xml").exists())
    children = psutil.Process(run.process.pid).children(recursive=True)
    assert len(children) >= 2
    # Only the run is killed, as by the system when memory is short.
    os.kill(run.process.pid, signal.SIGKILL)
    wait_for(lambda: not any(child.is_running() and child.status() != "zombie" for child in children))
