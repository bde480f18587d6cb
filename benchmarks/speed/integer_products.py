"""Times one linear layer by every kind of integer product at hand, against float32.

    python -m benchmarks.speed.integer_products [--rows 512] [--rounds 15]

Each kind computes x W^T + b of float32 activations at the shapes of the embedded model's layers, and returns float32.
All take turns; CPU time of one thread, minimum and median. Kinds with one scale for a whole batch do not repeat for
other batches. Time: 1 minute.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from statistics import median

import torch
from torch import Tensor
from torch.nn import functional

from nlmchem.tagging.models.integers import Product, round_rows

SHAPES = ((384, 1152), (384, 1536), (1536, 384))
Kind = Callable[[Tensor], object]


def kinds(weight: Tensor, bias: Tensor) -> Iterator[tuple[str, Kind]]:
    scale = (weight.abs().amax(dim=1) / 127).clamp_min(1e-9)
    integers = (weight / scale[:, None]).round().to(torch.int8)
    yield "float32", lambda x: functional.linear(x, weight, bias)
    half, half_bias = weight.bfloat16(), bias.bfloat16()
    yield "bfloat16 (sums of floats)", lambda x: functional.linear(x.bfloat16(), half, half_bias).float()
    product = Product(integers, scale, bias)
    yield "one scale a row, onednn.qlinear_pointwise (used)", lambda x: product(round_rows(x))
    plain = Product(integers, scale, bias)
    plain._fused, plain._weight = False, integers.t().contiguous()
    yield "one scale a row, torch._int_mm", lambda x: plain(round_rows(x))
    layer = torch.nn.Sequential(torch.nn.Linear(weight.shape[1], weight.shape[0]))
    layer[0].weight.data, layer[0].bias.data = weight, bias
    yield "one scale a batch, torch.ao dynamic", torch.ao.quantization.quantize_dynamic(layer, {torch.nn.Linear})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    warnings.simplefilter("ignore")
    seconds: dict[str, list[float]] = {}
    work = []
    for inputs, outputs in SHAPES:
        values = torch.randn(given.rows, inputs)
        for name, kind in kinds(torch.randn(outputs, inputs), torch.randn(outputs)):
            work.append((seconds.setdefault(name, []), kind, values))
    with torch.inference_mode():
        for _ in range(given.rounds + 1):
            for times, kind, values in work:
                begun = time.process_time()
                kind(values)
                times.append(time.process_time() - begun)
    print(f"{given.rows} rows, layers {SHAPES}, microseconds of CPU time for all of them")
    for name, times in seconds.items():
        # The first round prepares kernels and is left out.
        rounds = [sum(times[at : at + len(SHAPES)]) for at in range(0, len(times), len(SHAPES))][1:]
        print(f"{name:55s} {min(rounds) * 1e6:7.0f} at best, {median(rounds) * 1e6:7.0f} median")


if __name__ == "__main__":
    main()
