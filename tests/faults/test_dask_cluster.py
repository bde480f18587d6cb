"""A Dask cluster on this machine, in processes of its own: the output is the same, also when workers die."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nlmchem.engine.executors import DaskExecutor

pytest.importorskip("distributed", reason="needs the dask extra: pip install 'nlmchem[dask]'")
pytestmark = [pytest.mark.dask, pytest.mark.slow]

PLUGIN = Path(__file__).with_name("misbehaving")
GOOD = 6


class Cluster:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workers: list[subprocess.Popen[bytes]] = []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        port = self.address.rpartition(":")[2]
        self.scheduler = self._begin("scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")
        self._wait_for_scheduler(int(port))

    def _wait_for_scheduler(self, port: int) -> None:
        """A run waits 10 s for a scheduler, which is too short on a machine with other work."""
        deadline = time.monotonic() + 120
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=5).close()
                return
            except OSError:
                assert time.monotonic() < deadline, (self.folder / "log").read_text()
                time.sleep(0.2)

    def add_worker(self, *more: str, slow: float = 0.0) -> subprocess.Popen[bytes]:
        options = ["--nthreads", "1", "--host", "127.0.0.1", "--no-dashboard", "--local-directory", str(self.folder)]
        self.workers.append(self._begin("worker", self.address, *options, *more, slow=slow))
        return self.workers[-1]

    def _begin(self, *arguments: str, slow: float = 0.0) -> subprocess.Popen[bytes]:
        paths = os.pathsep.join([str(PLUGIN), *filter(None, [os.environ.get("PYTHONPATH")])])
        env = {**os.environ, "PYTHONPATH": paths, "TEST_SLOW": str(slow)}
        # Dask gives up on a task after it has killed four workers. Two are enough for these tests.
        env["DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES"] = "1"
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", *arguments], env=env, start_new_session=True, stdout=log, stderr=log
            )

    def stop(self) -> None:
        for process in (*self.workers, self.scheduler):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    (tmp_path / "cluster").mkdir()
    begun = Cluster(tmp_path / "cluster")
    yield begun
    begun.stop()


def test_the_output_is_the_same_when_one_of_two_workers_is_killed(
    cluster: Cluster, good: Path, articles: Any, start: Any, wait_for: Any, annotate: Any, tmp_path: Path, tree_of: Any
) -> None:
    (good / "collection.xml").write_bytes(articles.many(range(100, 200)))
    whole = annotate(good, out=tmp_path / "whole")
    out = tmp_path / "out"
    first = cluster.add_worker(slow=0.02)
    cluster.add_worker(slow=0.02)
    run = start("annotate", good, "-o", out, "--dask", cluster.address, "--json")
    wait_for(lambda: list(out.glob(".nlmchem/parts/*.part")))
    # The whole group with the nanny, which would start the worker again.
    os.killpg(first.pid, signal.SIGKILL)
    printed, errors = run.process.communicate(timeout=600)
    assert run.process.returncode == 0, errors
    assert json.loads(printed)["done"] == GOOD + 100
    assert tree_of(out) == whole.tree


def test_a_worker_with_several_threads_gives_the_same_output(
    cluster: Cluster, good: Path, articles: Any, nlmchem: Any, annotate: Any, tmp_path: Path, tree_of: Any
) -> None:
    (good / "collection.xml").write_bytes(articles.many(range(100, 150)))
    whole = annotate(good, out=tmp_path / "whole")
    cluster.add_worker("--nthreads", "4")
    out = tmp_path / "out"
    run = nlmchem("annotate", good, "-o", out, "--dask", cluster.address, "--timeout", 60, processes=True)
    assert run.returncode == 0, run.stderr
    assert tree_of(out) == whole.tree


def test_workers_may_come_and_go_during_a_run(
    cluster: Cluster, good: Path, articles: Any, start: Any, wait_for: Any, annotate: Any, tmp_path: Path, tree_of: Any
) -> None:
    (good / "collection.xml").write_bytes(articles.many(range(100, 300)))
    whole = annotate(good, out=tmp_path / "whole")
    out = tmp_path / "out"
    first = cluster.add_worker(slow=0.02)
    run = start("annotate", good, "-o", out, "--dask", cluster.address, "--json")
    wait_for(lambda: list(out.glob(".nlmchem/parts/*.part")))
    with DaskExecutor(cluster.address) as executor:
        assert executor.workers == 1
        cluster.add_worker("--nthreads", "2", slow=0.02)
        wait_for(lambda: executor.workers == 2)
        cluster.add_worker(slow=0.02)
        wait_for(lambda: executor.workers == 3)
        # The whole group with the nanny, which would start the worker again.
        os.killpg(first.pid, signal.SIGKILL)
        wait_for(lambda: executor.workers == 2)
    printed, errors = run.process.communicate(timeout=600)
    assert run.process.returncode == 0, errors
    assert json.loads(printed)["done"] == GOOD + 200
    assert tree_of(out) == whole.tree


def test_an_article_that_kills_its_worker_is_put_into_quarantine(
    cluster: Cluster, good: Path, articles: Any, nlmchem: Any, tmp_path: Path, undisturbed: dict[str, bytes],
    tree_of: Any,
) -> None:  # fmt: skip
    (good / "killer.xml").write_bytes(articles.one(11, "KILLS-ITS-WORKER"))
    (good / "endless.xml").write_bytes(articles.one(12, "NEVER-ENDS"))
    cluster.add_worker()
    cluster.add_worker()
    out = tmp_path / "out"
    run = nlmchem("annotate", good, "-o", out, "--dask", cluster.address, "--timeout", 2, misbehaving=True)
    assert run.returncode == 3, run.stderr
    assert tree_of(out) == undisturbed
    failures = json.loads((out / "manifest.json").read_text())["failures"]
    stages = {Path(failure["path"]).stem: failure["stage"] for failure in failures}
    assert stages == {"endless": "time", "killer": "worker"}


def test_a_cluster_without_workers_stops_the_run_in_one_sentence(
    cluster: Cluster, good: Path, nlmchem: Any, tmp_path: Path, undisturbed: dict[str, bytes], tree_of: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    out = tmp_path / "out"
    monkeypatch.setenv("TEST_PATIENCE", "3")
    run = nlmchem("annotate", good, "-o", out, "--dask", cluster.address, misbehaving=True)
    assert run.returncode == 1, run.stderr
    assert "the Dask cluster has had no worker for 3 s; start workers" in run.stderr
    assert "the same command" in run.stderr
    assert "Traceback" not in run.stderr
    cluster.add_worker()
    monkeypatch.delenv("TEST_PATIENCE")
    run = nlmchem("annotate", good, "-o", out, "--dask", cluster.address, misbehaving=True)
    assert run.returncode == 0, run.stderr
    assert tree_of(out) == undisturbed


def test_a_run_continues_without_a_worker_whose_machine_has_died(
    good: Path, articles: Any, start: Any, wait_for: Any, annotate: Any, tmp_path: Path, tree_of: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A machine that has died closes no connection: its processes are stopped, not killed."""
    (good / "collection.xml").write_bytes(articles.many(range(100, 200)))
    whole = annotate(good, out=tmp_path / "whole")
    (tmp_path / "cluster").mkdir()
    # Dask waits five minutes for a worker that is silent.
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL", "3s")
    cluster = Cluster(tmp_path / "cluster")
    try:
        # Dask asks a nanny for 30 s to start its worker again.
        first = cluster.add_worker("--no-nanny", slow=0.02)
        cluster.add_worker("--no-nanny", slow=0.02)
        out = tmp_path / "out"
        run = start("annotate", good, "-o", out, "--dask", cluster.address, "--json")
        wait_for(lambda: list(out.glob(".nlmchem/parts/*.part")))
        os.killpg(first.pid, signal.SIGSTOP)
        printed, errors = run.process.communicate(timeout=600)
        assert run.process.returncode == 0, errors
        assert json.loads(printed)["done"] == GOOD + 100
        assert tree_of(out) == whole.tree
    finally:
        cluster.stop()


def test_the_end_of_the_scheduler_stops_the_run_and_another_one_continues_it(
    cluster: Cluster, good: Path, articles: Any, start: Any, wait_for: Any, annotate: Any, nlmchem: Any,
    tmp_path: Path, tree_of: Any, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    (good / "collection.xml").write_bytes(articles.many(range(100, 200)))
    whole = annotate(good, out=tmp_path / "whole")
    cluster.add_worker(slow=0.05)
    out = tmp_path / "out"
    monkeypatch.setenv("TEST_PATIENCE", "10")
    run = start("annotate", good, "-o", out, "--dask", cluster.address)
    wait_for(lambda: list(out.glob(".nlmchem/parts/*.part")))
    os.killpg(cluster.scheduler.pid, signal.SIGKILL)
    _, errors = run.process.communicate(timeout=600)
    assert run.process.returncode == 1, errors
    assert "nlmchem: the Dask" in errors
    assert "Traceback" not in errors
    (tmp_path / "other").mkdir()
    other = Cluster(tmp_path / "other")
    try:
        other.add_worker()
        again = nlmchem("annotate", good, "-o", out, "--dask", other.address, processes=True)
        assert again.returncode == 0, again.stderr
        assert tree_of(out) == whole.tree
    finally:
        other.stop()


def test_an_address_without_a_scheduler_is_refused(good: Path, nlmchem: Any, tmp_path: Path) -> None:
    run = nlmchem("annotate", good, "-o", tmp_path / "out", "--dask", "not an address")
    assert run.returncode == 2, run.stderr
    assert "no Dask scheduler answers" in run.stderr
    assert "Traceback" not in run.stderr
