"""Worker processes: results in order, deaths reported for each block, a new pool after a death."""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import psutil
import pytest

from corpora.errors import ConfigurationError
from nlmchem.engine import executors
from nlmchem.engine.executors import DaskExecutor, Death, LocalExecutor, WorkersLost
from nlmchem.engine.tasks import Setup, Task, TaskResult
from nlmchem.run.options import default_workers
from nlmchem.run.plan import Configuration

SETUP = Setup(Configuration().parse(), "")


def echo(setup: Setup, block: tuple[Task, ...]) -> list[TaskResult]:
    for task in block:
        if task.format == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if task.format == "unpicklable":
            raise ValueError("an error that is not a failure")
    return [TaskResult(task.source, task.position, task.hash, document=str(os.getpid())) for task in block]


def block(number: int, kind: str = "") -> tuple[Task, ...]:
    return (Task(1, number, "", kind, b"", ""),)


@pytest.fixture
def executor(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalExecutor]:
    monkeypatch.setattr(executors, "annotate_block", echo)
    with LocalExecutor(2) as begun:
        yield begun


def test_results_come_in_order_from_other_processes(executor: LocalExecutor) -> None:
    outcomes = list(executor.run(SETUP, [block(number) for number in range(20)]))
    assert [outcome[0].position for outcome in outcomes if not isinstance(outcome, Death)] == list(range(20))
    assert str(os.getpid()) not in {o[0].document for o in outcomes if not isinstance(o, Death)}


def test_a_death_is_reported_for_its_block_and_the_next_call_works(executor: LocalExecutor) -> None:
    outcomes = list(executor.run(SETUP, [block(0, "kill"), *(block(number) for number in range(1, 9))]))
    assert isinstance(outcomes[0], Death)
    assert len(outcomes) == 9
    (after,) = executor.run(SETUP, [block(0)])
    assert not isinstance(after, Death)


def test_an_unexpected_exception_in_a_worker_affects_only_its_block(executor: LocalExecutor) -> None:
    outcomes = list(executor.run(SETUP, [block(0), block(1, "unpicklable"), block(2)]))
    assert [isinstance(outcome, Death) for outcome in outcomes] == [False, True, False]
    assert "ValueError: an error that is not a failure" in str(outcomes[1])


def test_a_pool_that_breaks_during_submission_is_a_death_for_the_other_blocks(
    executor: LocalExecutor,
) -> None:
    list(executor.run(SETUP, [block(0)]))
    for worker in executor._pool._processes.values():
        os.kill(worker.pid, signal.SIGKILL)
    outcomes = list(executor.run(SETUP, [block(number) for number in range(200)]))
    assert len(outcomes) == 200
    assert isinstance(outcomes[-1], Death)
    assert not isinstance(next(executor.run(SETUP, [block(0)])), Death)


HELD: list[bytes] = []


def grow(setup: Setup, block: tuple[Task, ...]) -> list[TaskResult]:
    """Keep 400 MB more than after the first block, and let loky's check be due."""
    if block[0].position == 1:
        HELD.append(b"x" * 400_000_000)
        time.sleep(1.1)
    return echo(setup, block)


def test_a_worker_whose_memory_grows_is_not_ended_and_nothing_is_printed(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    """loky ends a worker that has grown by 300 MB, with a warning, where psutil is installed."""
    monkeypatch.setattr(executors, "annotate_block", grow)
    with LocalExecutor(1) as begun:
        outcomes = [next(begun.run(SETUP, [block(number)])) for number in range(4)]
    assert len({outcome[0].document for outcome in outcomes if not isinstance(outcome, Death)}) == 1
    assert not recwarn.list


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, "check that /dev/shm can be written"),
        (errno.EMFILE, "too many files are open; raise the limit with `ulimit -n`"),
    ],
)
def test_workers_that_cannot_be_started_are_one_sentence(
    number: int, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The semaphores of the workers are files in /dev/shm, which may be full or read-only."""

    def full(*arguments: object, **options: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("loky.ProcessPoolExecutor", full)
    with LocalExecutor(1) as executor, pytest.raises(WorkersLost, match=remedy):
        executor.run(Setup(Configuration().parse(), ""), [()])


def test_too_many_open_files_are_not_blamed_on_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def __init__(self, *arguments: object, **options: object) -> None:
            self._processes: dict[int, object] = {}

        def submit(self, *arguments: object) -> None:
            raise OSError(errno.EMFILE, "Too many open files")

        def shutdown(self, **options: object) -> None:
            pass

    monkeypatch.setattr("loky.ProcessPoolExecutor", Full)
    with LocalExecutor(1) as executor, pytest.raises(WorkersLost, match="raise the limit with `ulimit -n`"):
        executor.run(SETUP, [()])


def linger(setup: Setup, block: tuple[Task, ...]) -> list[TaskResult]:
    """As a plugin with a thread that never ends, which keeps its process alive."""
    threading.Thread(target=threading.Event().wait).start()
    return echo(setup, block)


def test_a_worker_with_a_thread_that_never_ends_is_ended(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(executors, "annotate_block", linger)
    monkeypatch.setattr(executors, "LINGER", 0.5)
    with LocalExecutor(1) as executor:
        (outcome,) = executor.run(SETUP, [block(0)])
    assert not isinstance(outcome, Death)
    assert "1 worker did not end, because of a thread of a plugin, and had to be killed" in caplog.text
    assert not psutil.pid_exists(int(outcome[0].document))


# -- Dask ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [b"", b"SSH-2.0-OpenSSH_9.6\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n", bytes(64)])
def test_a_port_that_is_not_dask_is_refused(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="needs the dask extra: pip install 'nlmchem[dask]'")
    monkeypatch.setattr(executors, "ANSWER", 1.0)
    accepted: list[socket.socket] = []

    def accept() -> None:
        with suppress(OSError):
            while True:
                accepted.append(listener.accept()[0])
                accepted[-1].sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=accept)
        thread.start()
        address = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(ConfigurationError, match=f"no Dask scheduler answers at {address}; start one with"):
            DaskExecutor(address)
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
    for connection in accepted:
        connection.close()


def test_a_worker_ends_with_its_run_on_systems_without_a_signal_for_that() -> None:
    """macOS has no `prctl`. The run is a process that starts a worker and is killed."""
    worker = (
        "import os, sys, time; from nlmchem.engine import executors; executors.ctypes.CDLL = lambda name: object(); "
        "executors._prepare_worker(int(sys.argv[1]), 0); print(os.getpid(), flush=True); time.sleep(600)"
    )
    code = f"import os, subprocess, sys; subprocess.run([sys.executable, '-c', {worker!r}, str(os.getpid())])"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        started = psutil.Process(int(run.stdout.readline()))
        run.kill()
        started.wait(timeout=60)


def test_without_limits_of_processors_there_is_a_worker_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """macOS does not limit the processors of a process."""
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert default_workers() == 7
