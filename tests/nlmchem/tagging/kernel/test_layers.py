"""The kernel against numpy, its paths against each other, and what its layers refuse."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlmchem.tagging.kernel.arithmetic import PORTABLE, Kernel, library_file
from nlmchem.tagging.kernel.layers import BertEncoder, Embeddings, EncoderLayer, IntegerLinear, LinearWeights, Pair

pytestmark = pytest.mark.usefixtures("compiled")

WORDS, PLACES, CASES = 40, 70, 3


def paths() -> list[Kernel]:
    """Every path that this processor can run; the first is the one that is used."""
    file = library_file()
    return [Kernel(file, name) for name in Kernel(file).paths] if file else []


PATHS = paths()


def random_weights(chance: np.random.Generator, outputs: int, inputs: int) -> LinearWeights:
    weight = chance.integers(-127, 128, (outputs, inputs), dtype=np.int8)
    scale = chance.uniform(0.5, 1, outputs).astype(np.float32) / np.float32(64 * inputs**0.5)
    return LinearWeights(weight, scale, chance.normal(0, 0.2, outputs).astype(np.float32))


def random_norm(chance: np.random.Generator, width: int) -> Pair:
    return chance.normal(1, 0.2, width).astype(np.float32), chance.normal(0, 0.2, width).astype(np.float32)


def random_encoder(
    seed: int,
    heads: int = 2,
    head: int = 16,
    inner: int = 64,
    layers: int = 2,
    change: Callable[[EncoderLayer], None] = lambda _: None,
) -> Callable[[Kernel], BertEncoder]:
    chance, width = np.random.default_rng(seed), heads * head
    embeddings = Embeddings(
        chance.integers(-127, 128, (WORDS, width), dtype=np.int8),
        chance.uniform(0.5, 1, WORDS).astype(np.float32) / 64,
        chance.normal(0, 1, (PLACES, width)).astype(np.float32),
        chance.normal(0, 1, (CASES, width)).astype(np.float32),
        random_norm(chance, width),
    )
    made = [
        EncoderLayer(
            random_weights(chance, 3 * width, width),
            random_weights(chance, width, width),
            random_weights(chance, inner, width),
            random_weights(chance, width, inner),
            random_norm(chance, width),
            random_norm(chance, width),
        )
        for _ in range(layers)
    ]
    for layer in made:
        change(layer)
    return lambda kernel: BertEncoder(kernel, embeddings, made, heads, 1e-12)


def random_pieces(seed: int, lengths: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    chance, number = np.random.default_rng(seed), sum(lengths)
    places = np.concatenate([np.arange(length) for length in (*lengths, 0)])
    return chance.integers(0, WORDS, number), places, chance.integers(0, CASES, number)


def by_numpy(weights: LinearWeights, rows: np.ndarray) -> np.ndarray:
    """The products as docs/reference/speed.md defines them; float64 stands for the fused multiply-add."""
    one, limit = np.float32(1), np.float32(127)
    least = np.finfo(np.float32).tiny * limit
    scale = np.maximum(np.abs(rows).max(axis=1, keepdims=True), least) * (one / limit)
    rounded = np.rint(rows * (one / scale)).astype(np.int64)
    assert np.abs(rounded).max() <= 127
    scaled = (rounded @ weights.weight.T.astype(np.int64)).astype(np.float32) * weights.scale
    return (scaled.astype(np.float64) * scale + weights.bias).astype(np.float32)


@given(st.integers(1, 70), st.integers(1, 200), st.integers(1, 40), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_linear_layers_of_all_shapes_have_the_bytes_of_numpy(rows: int, inputs: int, outputs: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    weights = random_weights(chance, outputs, inputs)
    values = (chance.normal(0, 1, (rows, inputs)) * 10.0 ** chance.integers(-9, 9, (rows, 1))).astype(np.float32)
    values[0] = 0
    for kernel in PATHS:
        assert np.array_equal(IntegerLinear(kernel, weights)(values), by_numpy(weights, values)), kernel.path


@pytest.mark.parametrize("inputs", [1536, 3072, 8192])
def test_the_largest_integers_do_not_overflow(inputs: int) -> None:
    extreme = np.full((33, inputs), 127, dtype=np.int8)
    extreme[1::2] = -127
    weights = LinearWeights(extreme, np.ones(33, dtype=np.float32), np.zeros(33, dtype=np.float32))
    rows = np.ones((7, inputs), dtype=np.float32)
    rows[1], rows[2, ::2] = -1, -1
    for kernel in PATHS:
        assert np.array_equal(IntegerLinear(kernel, weights)(rows), by_numpy(weights, rows)), kernel.path


@given(
    st.integers(1, 4),
    st.sampled_from([1, 8, 16, 26, 32, 64, 80, 128]),
    st.integers(1, 130),
    st.lists(st.integers(1, PLACES), min_size=1, max_size=4),
    st.integers(0, 99),
)
@settings(max_examples=30, deadline=None)
def test_all_paths_give_the_same_bytes(heads: int, head: int, inner: int, lengths: list[int], seed: int) -> None:
    make, pieces = random_encoder(seed, heads, head, inner, layers=1), random_pieces(seed, lengths)
    expected = make(Kernel(PATHS[0].file, PORTABLE))(*pieces, lengths)
    assert np.isfinite(expected).all()
    for kernel in PATHS:
        assert np.array_equal(make(kernel)(*pieces, lengths), expected), kernel.path


def test_a_window_does_not_depend_on_the_others(compiled: Kernel) -> None:
    encoder, lengths = random_encoder(3)(compiled), [50, 1, 17, 48, 64]
    words, places, cases = random_pieces(3, lengths)
    together = encoder(words, places, cases, lengths)
    ends = np.cumsum(lengths)
    alone = [
        encoder(words[at : at + length], places[at : at + length], cases[at : at + length], [length])
        for at, length in zip(ends - lengths, lengths, strict=True)
    ]
    assert np.array_equal(np.concatenate(alone), together)


def test_states_after_some_layers(compiled: Kernel) -> None:
    encoder, pieces = random_encoder(4)(compiled), random_pieces(4, [9])
    states = [encoder(*pieces, [9], layers) for layers in (0, 1, 2)]
    assert np.array_equal(states[2], encoder(*pieces, [9]))
    assert not np.array_equal(states[0], states[1])
    assert not encoder(*random_pieces(4, []), []).size


def test_what_does_not_fit_is_refused_before_the_library_is_called(compiled: Kernel) -> None:
    encoder, (words, places, cases) = random_encoder(5)(compiled), random_pieces(5, [9])
    for wrong in ((words + WORDS, places, cases), (words, places - 1, cases), (words, places, cases + CASES)):
        with pytest.raises(IndexError, match="a piece has no embedding"):
            encoder(*wrong, [9])
    for lengths in ([8], [10], [9, 0], []):
        with pytest.raises(ValueError, match="for 9 pieces"):
            encoder(words, places, cases, lengths)
    with pytest.raises(ValueError, match="the layers 0 to 3 of 2"):
        encoder(words, places, cases, [9], 3)
    weights = random_weights(np.random.default_rng(0), 3, 5)
    with pytest.raises(ValueError, match=r"rows of shape \(2, 6\) for 5 inputs"):
        IntegerLinear(compiled, weights)(np.zeros((2, 6), dtype=np.float32))
    with pytest.raises(ValueError, match="3 outputs have"):
        LinearWeights(weights.weight, weights.scale[:2], weights.bias)
    with pytest.raises(ValueError, match="heads have at most 128"):
        random_encoder(0, heads=1, head=129)(compiled)


def test_a_path_that_this_processor_lacks_is_an_error(compiled: Kernel, tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="no path nonsense"):
        Kernel(compiled.file, "nonsense")
    (tmp_path / "damaged.so").write_bytes(b"\x7fELF")
    with pytest.raises(OSError, match="damaged"):
        Kernel(tmp_path / "damaged.so")


@pytest.mark.parametrize("kernel", PATHS, ids=lambda kernel: kernel.path)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_no_number_in_the_results(kernel: Kernel, value: float) -> None:
    chance = np.random.default_rng(0)
    rows = chance.normal(0, 1, (5, 40)).astype(np.float32)
    rows[3, 17] = value
    found = np.isfinite(IntegerLinear(kernel, random_weights(chance, 20, 40))(rows))
    assert not found[3].any()
    assert found[[0, 1, 2, 4]].all()


@pytest.mark.parametrize("kernel", PATHS, ids=lambda kernel: kernel.path)
@pytest.mark.parametrize("part", [0, 1, 2])
def test_a_query_key_or_value_that_is_no_number_reaches_the_states(kernel: Kernel, part: int) -> None:
    encoder = random_encoder(1, change=lambda layer: layer.inputs.bias.__setitem__(part * 32 + 5, np.inf))
    assert not np.isfinite(encoder(kernel)(*random_pieces(2, [7]), [7])).any()
