"""Matrix products of 8-bit integers with one scale a row, and the layer of an encoder that computes with them.

A row x of activations is rounded to x * 127 / max|x|, integers from -127 to 127. Weights are int8 with one scale for
each output (`quantization`). A product is a sum of 32-bit integers. Such sums are exact in any order, so the result
does not depend on the batch, on threads or on the kernel. (A scale for a whole batch would make each row depend on the
others.) Scales of rows: Yao et al. 2022 (ZeroQuant), section 4.1, token-wise quantization.

Speed comes from few passes over memory: query, key and value share one rounded input and one product; oneDNN applies
the scales of the weights while the sums are in registers; scale of the row and bias are one fused step in place.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache

import torch
from torch import Tensor
from torch.nn import functional

from corpora.errors import Argument, ResourceError
from nlmchem.tagging.models.quantization import LIMIT, SCALE, quantise

_GELU_DEPTH = 0.17
"""No value of GELU is below -0.17, so the largest value of a row is the largest in absolute terms, or this is."""

RoundedRows = tuple[Tensor, Tensor]
"""Rounded activations (rows x inputs, int8) and the scale of each row (rows x 1, float32)."""


def round_rows(values: Tensor) -> RoundedRows:
    """`values` (rows x inputs, float32 or bfloat16) as integers with a scale for each row."""
    return _rounded(values, torch.maximum(values.amax(-1, keepdim=True), values.amin(-1, keepdim=True).neg_()))


def _round_gelu(values: Tensor) -> RoundedRows:
    """Output of GELU as integers. Overwrites `values`."""
    return _rounded(values, values.amax(-1, keepdim=True).clamp_min_(_GELU_DEPTH), out=values)


def _rounded(values: Tensor, largest: Tensor, out: Tensor | None = None) -> RoundedRows:
    # A row of zeros needs a scale that is not 0.
    scale = largest.float().clamp_min_(torch.finfo(torch.float32).tiny * LIMIT).mul_(1 / LIMIT)
    return torch.mul(values, scale.reciprocal(), out=out).round_().to(torch.int8), scale


class Product:
    """x W^T + b for rounded rows. `weight`: outputs x inputs, int8; `scale`: one an output; both on a CPU."""

    def __init__(self, weight: Tensor, scale: Tensor, bias: Tensor) -> None:
        self._scale, self._bias = scale, bias
        self._zeros = torch.zeros(len(scale), dtype=torch.int32)
        self._fused = _fused_is_faster()
        self._weight = torch.ops.onednn.qlinear_prepack(weight, None) if self._fused else weight.t().contiguous()

    @classmethod
    def of(cls, stored: Mapping[str, Tensor], *names: str) -> Product:
        """The product of one stored layer, or of several that share an input. Raises `KeyError` for a missing one."""
        weights = [stored[f"{name}.weight"] for name in names]
        scales = [stored[f"{name}.weight{SCALE}"] for name in names]
        return cls(torch.cat(weights), torch.cat(scales), torch.cat([stored[f"{name}.bias"] for name in names]))

    def __call__(self, rows: RoundedRows) -> Tensor:
        """The products (rows x outputs, float32)."""
        integers, scale = rows
        sums = self._scaled_sums(integers)
        return torch.addcmul(self._bias, sums, scale, out=sums)

    def _scaled_sums(self, integers: Tensor) -> Tensor:
        if not self._fused:
            if integers.shape[1] == 1:
                # For a single input `torch._int_mm` returns zeros (torch 2.13). Float products of two int8 are exact.
                return (integers.float() * self._weight.float()).mul_(self._scale)
            return torch._int_mm(integers, self._weight).float().mul_(self._scale)
        return _fused_sums(integers, self._weight, self._scale, self._zeros)


@cache
def _fused_is_faster() -> bool:
    """Whether oneDNN's product that also scales the sums is faster here than `torch._int_mm`.

    Both give the same bits, so the choice does not change results. The fused product is twice as fast on processors
    with AMX. On others (measured with AVX512-VNNI, torch 2.13) oneDNN computes it by loops that are 5,000 times slower.
    """
    if not torch.backends.mkldnn.is_available() or not hasattr(torch.ops.onednn, "qlinear_pointwise"):
        return False
    weight, scale = torch.ones(64, 64, dtype=torch.int8), torch.ones(64)
    packed, rows, zeros = (
        torch.ops.onednn.qlinear_prepack(weight, None),
        weight[:32],
        torch.zeros(64, dtype=torch.int32),
    )
    fused = _seconds(lambda: _fused_sums(rows, packed, scale, zeros))
    return fused < 20 * _seconds(lambda: torch._int_mm(rows, weight))


def _seconds(work: Callable[[], object]) -> float:
    """The CPU seconds of the fastest of four calls; the first one compiles kernels."""

    def timed() -> float:
        begun = time.thread_time()
        work()
        return time.thread_time() - begun

    return min(timed() for _ in range(4))


def _fused_sums(integers: Tensor, packed: Tensor, scale: Tensor, zeros: Tensor) -> Tensor:
    """The products of integers (rows x outputs, float32), times the scale of each output."""
    found: Tensor = torch.ops.onednn.qlinear_pointwise(
        integers, 1.0, 0, packed, scale, zeros, None, 1.0, 0, torch.float32, "none", [], ""
    )
    return found


class IntegerLayer:
    """A layer of a BERT encoder: integer products, float32 for the rest, attention as `attention` says.

    `attention`: the type in which attention is computed, bfloat16 where the processor has tiles for it (AMX; its
    sums are float32), else float32. `name`: that of the layer among the tensors of `stored`.
    """

    def __init__(
        self, stored: Mapping[str, Tensor], name: str, heads: int, epsilon: float, attention: torch.dtype
    ) -> None:
        self._heads, self._epsilon, self._type = heads, epsilon, attention
        self._inputs = Product.of(stored, *(f"{name}.attention.self.{part}" for part in ("query", "key", "value")))
        self._output = Product.of(stored, f"{name}.attention.output.dense")
        self._up = Product.of(stored, f"{name}.intermediate.dense")
        self._down = Product.of(stored, f"{name}.output.dense")
        self._first_norm = _norm(stored, f"{name}.attention.output.LayerNorm")
        self._last_norm = _norm(stored, f"{name}.output.LayerNorm")

    def __call__(self, hidden: Tensor, shown: Tensor | None) -> Tensor:
        """The next hidden states (windows x pieces x width). `shown`: which pieces attention sees; None: all."""
        windows, length, width = hidden.shape
        rows = hidden.view(windows * length, width)
        joined = self._inputs(round_rows(rows)).to(self._type)
        query, key, value = joined.view(windows, length, 3, self._heads, width // self._heads).permute(2, 0, 3, 1, 4)
        context = functional.scaled_dot_product_attention(query, key, value, attn_mask=shown)
        attended = self._output(round_rows(context.transpose(1, 2).reshape(rows.shape).float()))
        rows = functional.layer_norm(attended.add_(rows), (width,), *self._first_norm, self._epsilon)
        grown = torch.ops.aten.gelu_(self._up(round_rows(rows)))
        shrunk = self._down(_round_gelu(grown))
        rows = functional.layer_norm(shrunk.add_(rows), (width,), *self._last_norm, self._epsilon)
        return rows.view(windows, length, width)


class Linear(torch.nn.Module):
    """A linear layer by integer products: takes and returns float32, in any number of dimensions."""

    def __init__(self, product: Product) -> None:
        super().__init__()
        self._product = product

    def forward(self, values: Tensor) -> Tensor:
        rows = values.reshape(-1, values.shape[-1])
        return self._product(round_rows(rows)).view(*values.shape[:-1], -1)


def replace_linears(module: torch.nn.Module) -> None:
    """Give every linear layer in `module` integer products: for architectures without a forward pass of our own."""
    for name, child in module.named_children():
        if type(child) is torch.nn.Linear:
            bias = torch.zeros(child.out_features) if child.bias is None else child.bias.detach().float()
            stored = {**quantise({"own.weight": child.weight}), "own.bias": bias}
            setattr(module, name, Linear(Product.of(stored, "own")))
        else:
            replace_linears(child)


def require_exact_products(shapes: Sequence[tuple[int, int]] = ((48, 32), (64, 1536))) -> None:
    """Raise `ResourceError` where integer products are not exact, as those that saturate at 16 bits are not.

    `shapes`: outputs and inputs of the products that are tried, with the largest integers and with mixed ones.
    """
    for outputs, inputs in shapes:
        mixed = torch.arange(outputs * inputs).remainder(2 * LIMIT + 1).sub(LIMIT).view(outputs, inputs)
        for weight in (mixed, mixed.sign() * LIMIT, torch.full_like(mixed, LIMIT)):
            rows = (torch.arange(32 * inputs).view(32, inputs) * 7).remainder(2 * LIMIT + 1) - LIMIT
            rows[0], rows[1] = LIMIT, -LIMIT
            exact = (rows @ weight.t()).float()
            product = Product(weight.to(torch.int8), torch.ones(outputs), torch.zeros(outputs))
            if not torch.equal(product((rows.to(torch.int8), torch.ones(32, 1))), exact):
                raise ResourceError(
                    "this processor and this version of torch do not give exact int8 products; use ",
                    Argument("arithmetic", "float32"),
                )


def _norm(stored: Mapping[str, Tensor], name: str) -> tuple[Tensor, Tensor]:
    return stored[f"{name}.weight"], stored[f"{name}.bias"]
