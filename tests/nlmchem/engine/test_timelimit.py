"""Time limits in the main thread and in other threads."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from nlmchem.engine.worker import TimeExpired, limited


def _work(seconds: float, done: list[str] | None = None) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
    if done is not None:
        done.append("all of it")


def test_work_that_takes_too_long_is_ended() -> None:
    done: list[str] = []
    with pytest.raises(TimeExpired), limited(0.1):
        _work(60, done)
    assert done == []


def test_work_in_another_thread_is_ended() -> None:
    raised: list[BaseException] = []

    def run() -> None:
        try:
            with limited(0.1):
                _work(5)
        except TimeExpired as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(5)
    assert len(raised) == 1


@pytest.mark.parametrize("seconds", [None, 5.0])
def test_work_within_the_limit_is_not_interrupted(seconds: float | None) -> None:
    with limited(seconds):
        _work(0.05)
    _work(0.05)


def test_except_exception_does_not_catch_it() -> None:
    def handles_exceptions() -> None:
        try:
            _work(5)
        except Exception:
            pytest.fail("it was caught")

    with pytest.raises(TimeExpired), limited(0.1):
        handles_exceptions()


def test_limits_can_follow_each_other() -> None:
    for _ in range(3):
        with pytest.raises(TimeExpired), limited(0.05):
            _work(5)
        with limited(1):
            _work(0.01)


def test_a_process_in_native_code_is_ended() -> None:
    program = (
        "from nlmchem.engine import worker\nworker.GRACE = 0.2\nwith worker.limited(0.1):\n    sum(range(10**14))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], check=False, timeout=30, capture_output=True)
    assert run.returncode == 1
