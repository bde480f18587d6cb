"""A time limit for a piece of work in this thread: first a word, then force."""

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
"""Seconds from the limit until a process that did not listen is ended."""


class TimeExpired(BaseException):
    """The time is up. Not an `Exception`: whoever handles those must not swallow it."""


@contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Raise `TimeExpired` in the block after `seconds`; None for no limit.

    Code that never returns to the interpreter does not hear of it. Such a process is ended
    `GRACE` seconds later by a thread of the C library, which needs no lock of Python's; the run
    sees a dead worker then. One limited block at a time in a process.
    """
    if seconds is None:
        yield
        return
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 (faulthandler wants a file with a descriptor)
        faulthandler.dump_traceback_later(seconds + GRACE, exit=True, file=nowhere)
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
    # Dask runs its tasks in threads, where signals do not arrive.
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
