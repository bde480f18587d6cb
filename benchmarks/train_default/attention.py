"""Measures word pieces per second of training steps, with and without attention dropout, in one run.

    python benchmarks/train_default/attention.py BASE [--window 256] [--threads 2]

Without dropout `torch` uses a fused attention kernel on a CPU. Batches of 4,096 random pieces; the best of four steps.
Needs a base model.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import torch

from nlmchem.tagging.inference.labels import Scheme
from nlmchem.tagging.models.folders import quiet_transformers
from nlmchem.tagging.training.module import make_module, optimizer_for

BATCH = 4096


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=Path)
    parser.add_argument("--window", type=int, default=256)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    quiet_transformers()
    speeds = {f"attention dropout {share:g}": round(speed(given.base, given.window, share)) for share in (0.1, 0.0)}
    print(json.dumps(speeds))


def speed(base: Path, window: int, dropout: float) -> float:
    """Pieces per second of the best step."""
    module = make_module(base, Scheme.BIO, False, attention_dropout=dropout).train()
    optimizer = optimizer_for(module, 1e-5, 1.0, 0.01)
    ids = torch.randint(5, 10_000, (BATCH // window, window))
    seconds = []
    for _ in range(4):
        begun = time.perf_counter()
        module(ids, torch.ones_like(ids), torch.zeros_like(ids))["loss"].backward()
        optimizer.step()
        optimizer.zero_grad()
        seconds.append(time.perf_counter() - begun)
    return BATCH / min(seconds)


if __name__ == "__main__":
    main()
