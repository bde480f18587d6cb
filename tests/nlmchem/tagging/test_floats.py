"""Float32 arithmetic in numpy. `test_determinism.py` compares its scores with those of transformers, and batches."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np

from nlmchem.tagging.models.bert import gelu

FORWARD = """
import hashlib
import numpy as np
from nlmchem.tagging.models.bert import FloatBert
from nlmchem.tagging.models.folders import FOLDER, read_facts, read_json
from nlmchem.tagging.models.loading import stored_parts

config = read_json(FOLDER / "config.json")
network = FloatBert(config, stored_parts(FOLDER, config, read_facts(FOLDER))[0], cased=True)
ids = np.random.default_rng(0).integers(0, config["vocab_size"] * config["type_vocab_size"], (3, 254))
mask = (np.arange(254) < np.array([[7], [100], [254]])).astype(np.int64)
print(hashlib.sha256(network(ids, mask).tobytes()).hexdigest())
"""


def test_the_bytes_of_the_embedded_model_do_not_depend_on_the_threads_of_numpy() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", FORWARD], capture_output=True, text=True, check=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads},
        ).stdout
        for threads in ("1", "2")
    }  # fmt: skip
    assert len(digests) == 1


def test_gelu_is_exact_to_the_digits_of_float32() -> None:
    values = np.linspace(-9, 9, 2001, dtype=np.float32)
    exact = [value * 0.5 * math.erfc(-value / math.sqrt(2)) for value in values.tolist()]
    assert np.abs(gelu(values) - exact).max() < 5e-7
