"""A time limit for work in this thread: first an exception, then the end of the process."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["TimeExpired", "limited"]

GRACE = 10.0
"""Seconds after the limit after which a process that has not raised the exception is ended."""


class TimeExpired(BaseException):
    """The time limit has passed. It is no `Exception`, so that `except Exception` does not catch it."""


@contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Raise `TimeExpired` in the block after `seconds`; None: no limit.

    Native code that does not return to the interpreter cannot raise it. A C thread, which does not need the lock of
    the interpreter, ends such a process `GRACE` seconds later, and the run finds a dead worker. A process can have
    one limited block at a time.
    """
    if seconds is None:
        yield
        return
    with open(os.devnull, "w") as null:  # noqa: PTH123 (faulthandler needs a file with a descriptor)
        faulthandler.dump_traceback_later(seconds + GRACE, exit=True, file=null)
        try:
            in_main_thread = threading.current_thread() is threading.main_thread()
            with _alarm(seconds) if in_main_thread else _thrown(seconds):
                yield
        finally:
            faulthandler.cancel_dump_traceback_later()


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def expire(number: int, frame: FrameType | None) -> None:
        raise TimeExpired

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _thrown(seconds: float) -> Iterator[None]:
    # Dask runs tasks in threads, which receive no signals.
    thread = threading.get_ident()
    lock = threading.Lock()
    over = False

    def expire() -> None:
        with lock:
            if not over:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TimeExpired))

    timer = threading.Timer(seconds, expire)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        with lock:
            over = True
        timer.cancel()
