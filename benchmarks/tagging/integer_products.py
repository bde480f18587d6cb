"""Times one linear layer by every kind of integer product at hand, against float32.

    python benchmarks/tagging/integer_products.py [--rows 512] [--rounds 15]

Each kind computes x W^T + b of float32 activations at the shapes of the embedded model's layers, and returns float32.
All take turns; CPU time of one thread, minimum and median. Kinds with one scale for a whole batch do not repeat for
other batches. ONNX Runtime is measured where `onnxruntime` and `onnx` are installed (68 MB and 31 MB). Time: 1 minute.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np
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
    yield from onnx_kinds(integers.numpy(), scale.numpy(), bias.numpy())


def onnx_kinds(weight: np.ndarray, scale: np.ndarray, bias: np.ndarray) -> Iterator[tuple[str, Kind]]:
    try:
        import onnx
        import onnxruntime
    except ImportError:
        return
    make, array = onnx.helper.make_node, onnx.numpy_helper.from_array
    outputs, inputs = weight.shape
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1

    def session(nodes: list[Any], stored: list[Any]) -> Kind:
        graph = onnx.helper.make_graph(
            nodes,
            "layer",
            [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["rows", inputs])],
            [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["rows", outputs])],
            stored,
        )
        opsets = [onnx.helper.make_opsetid("", 21), onnx.helper.make_opsetid("com.microsoft", 1)]
        model = onnx.helper.make_model(graph, opset_imports=opsets)
        model.ir_version = 10
        made = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return lambda x: made.run(None, {"x": x.numpy()})

    block = 128
    packed = (weight.astype(np.int16) + 128).astype(np.uint8).reshape(outputs, inputs // block, block)
    yield (
        "one scale a block of a row, ONNX Runtime MatMulNBits",
        session(
            [make("MatMulNBits", ["x", "w", "s"], ["y"], domain="com.microsoft", K=inputs, N=outputs, bits=8,
                  block_size=block, accuracy_level=4)],
            [array(packed, "w"), array(np.repeat(scale[:, None], inputs // block, axis=1), "s")],
        ),
    )  # fmt: skip
    yield (
        "one scale a row, ONNX Runtime operators",
        session(
            [make("Abs", ["x"], ["a"]), make("ReduceMax", ["a", "last"], ["t"], keepdims=1),
             make("Div", ["t", "limit"], ["s"]), make("Div", ["x", "s"], ["d"]), make("Round", ["d"], ["r"]),
             make("Cast", ["r"], ["q"], to=onnx.TensorProto.INT8), make("MatMulInteger", ["q", "w"], ["sums"]),
             make("Cast", ["sums"], ["f"], to=onnx.TensorProto.FLOAT), make("Mul", ["f", "ws"], ["g"]),
             make("Mul", ["g", "s"], ["h"]), make("Add", ["h", "b"], ["y"])],
            [array(np.ascontiguousarray(weight.T), "w"), array(scale, "ws"), array(bias, "b"),
             array(np.array(127, np.float32), "limit"), array(np.array([-1], np.int64), "last")],
        ),
    )  # fmt: skip
    yield (
        "one scale a batch, ONNX Runtime MatMulIntegerToFloat",
        session(
            [make("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
             make("MatMulIntegerToFloat", ["q", "w", "s", "ws", "z", "", "b"], ["y"], domain="com.microsoft")],
            [array(np.ascontiguousarray(weight.T), "w"), array(scale, "ws"), array(bias, "b")],
        ),
    )  # fmt: skip


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
