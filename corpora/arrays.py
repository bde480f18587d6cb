"""Products of numpy on one thread, whose bytes are the same on every machine of a kind.

The library behind numpy (OpenBLAS, MKL, Accelerate) divides a product among threads. On processors with AVX2 but
without AVX-512, sums at the borders of the parts are then rounded in another way: with OpenBLAS 0.3.31 the results of
one thread and of two differ in the last bits.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import RLock
from typing import TYPE_CHECKING

# threadpoolctl finds the libraries that are loaded, so numpy must be.
import numpy  # noqa: F401

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


@cache
def _controller(_with_scipy: bool) -> ThreadpoolController:
    """The libraries that are loaded. scipy brings one of its own."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


_ALONE = RLock()


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute products on one thread. Threads of Python that enter wait for each other.

    The number of threads belongs to the process: a context that ends would restore it for the others.
    """
    with _ALONE, _controller("scipy.linalg" in sys.modules).limit(limits=1, user_api="blas"):
        yield
