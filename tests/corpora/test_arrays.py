"""Products of numpy on one thread. `tests/nlmchem/tagging/test_floats.py` compares the bytes of a model."""

from __future__ import annotations

import json
import os
import subprocess
import sys

NUMBERS = """
import json, threading
from contextlib import suppress
from corpora.arrays import _controller, one_thread

def threads():
    return [library["num_threads"] for library in _controller(False).info() if library["user_api"] == "blas"]

usual, inside, after = threads(), [], []
with one_thread():
    with one_thread():
        inside.append(threads())
    inside.append(threads())
after.append(threads())

with suppress(ValueError), one_thread():
    raise ValueError
after.append(threads())

def other():
    with one_thread():
        inside.append(threads())

thread = threading.Thread(target=other)
with one_thread():
    thread.start()
    thread.join(0.2)
    waits = len(inside) == 2
thread.join()
after.append(threads())
print(json.dumps({"usual": usual, "inside": inside, "after": after, "waits": waits}))
"""


def numbers(threads: str) -> dict[str, object]:
    """The numbers of threads of the library of numpy in a process that starts with this number."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads}
    command = [sys.executable, "-c", NUMBERS]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    return dict(json.loads(printed))


def test_products_are_computed_on_one_thread_and_the_number_is_restored() -> None:
    of_two = numbers("2")
    assert of_two["inside"] == [[1]] * 3
    assert of_two["after"] == [of_two["usual"]] * 3


def test_threads_of_python_wait_for_each_other() -> None:
    assert numbers("2")["waits"]
