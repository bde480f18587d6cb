"""Arithmetic on 8-bit integers: exact products, one scale a row, and who chooses it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from bioc import BioCDocument
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.errors import ConfigurationError, ResourceError
from corpora.formats import registry
from corpora.model.passages import passage_text
from nlmchem.plan import Configuration
from nlmchem.tagging.models import integers
from nlmchem.tagging.models.arithmetic import chosen, processor_flags
from nlmchem.tagging.models.integers import Product, require_exact_products, round_rows
from nlmchem.tagging.models.loading import load_model
from nlmchem.tagging.training.scores import bare
from nlmchem.tagging.training.storing import store

pytestmark = pytest.mark.usefixtures("exact_products")


def scores_of(folder: Path, articles: list[BioCDocument], arithmetic: str) -> np.ndarray:
    texts = [[passage_text(passage) for passage in document.passages] for document in articles]
    scored, _ = load_model(folder, arithmetic=arithmetic).score(texts)
    return np.concatenate([passage.probabilities for own in scored for passage in own])


@given(st.integers(1, 70), st.integers(1, 70), st.integers(1, 40), st.integers(0, 9))
@settings(max_examples=40)
def test_products_of_all_shapes_are_exact(rows: int, inputs: int, outputs: int, seed: int) -> None:
    chance = torch.Generator().manual_seed(seed)
    left = torch.randint(-127, 128, (rows, inputs), generator=chance, dtype=torch.int8)
    right = torch.randint(-127, 128, (outputs, inputs), generator=chance, dtype=torch.int8)
    product = Product(right, torch.ones(outputs), torch.zeros(outputs))
    assert torch.equal(product((left, torch.ones(rows, 1))).long(), left.long() @ right.long().t())


def test_both_operators_of_torch_give_the_same_bits() -> None:
    chance = torch.Generator().manual_seed(1)
    weight = torch.randint(-127, 128, (96, 1536), generator=chance, dtype=torch.int8)
    product = Product(weight, torch.rand(96, generator=chance), torch.rand(96, generator=chance))
    rows = round_rows(torch.randn(50, 1536, generator=chance))
    expected = product(rows)
    product._fused, product._weight = False, weight.t().contiguous()
    assert torch.equal(product(rows), expected)


def test_products_have_the_same_bits_without_the_newest_instructions() -> None:
    """oneDNN is restricted to the instructions of an older processor. Which operator is faster is measured, so it may
    differ between runs; the bits must not."""
    script = (
        "import torch\n"
        "from corpora.errors import ResourceError\n"
        "from nlmchem.tagging.models.integers import Product, _fused_is_faster, require_exact_products, round_rows\n"
        "try:\n"
        "    require_exact_products()\n"
        "except ResourceError:\n"
        "    raise SystemExit('inexact')\n"
        "chance = torch.Generator().manual_seed(3)\n"
        "weight = torch.randint(-127, 128, (40, 1200), generator=chance, dtype=torch.int8)\n"
        "product = Product(weight, torch.rand(40, generator=chance), torch.rand(40, generator=chance))\n"
        "found = product(round_rows(torch.randn(9, 1200, generator=chance)))\n"
        "print(_fused_is_faster(), found.view(torch.int32).tolist())\n"
    )
    outputs = []
    for instructions in ("DEFAULT", "AVX512_CORE_VNNI", "AVX2_VNNI"):
        environment = {**os.environ, "ONEDNN_MAX_CPU_ISA": instructions}
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
        # A processor may lack one of these sets. The products are then not exact, and int8 is not used.
        if instructions == "DEFAULT" or "inexact" not in done.stderr:
            assert done.returncode == 0, done.stderr
            outputs.append(done.stdout.partition(" "))
    assert len({integers for _, _, integers in outputs}) == 1


def test_a_row_is_rounded_by_itself() -> None:
    values = torch.randn(20, 33, generator=torch.Generator().manual_seed(2)) * torch.arange(20)[:, None]
    rounded, scale = round_rows(values)
    assert rounded.abs().max() == 127
    assert ((rounded * scale - values).abs() <= scale * 0.5001).all()
    alone = [round_rows(values[row : row + 1]) for row in range(20)]
    assert torch.equal(torch.cat([one for one, _ in alone]), rounded)
    assert torch.equal(torch.cat([one for _, one in alone]), scale)


def test_a_row_of_zeros_stays_zero() -> None:
    rounded, scale = round_rows(torch.zeros(2, 16))
    assert not rounded.any()
    assert torch.isfinite(1 / scale).all()


@pytest.mark.parametrize("architecture", ["bert", "electra", "roberta", "deberta", "deberta-v2"])
def test_every_architecture_gives_nearly_the_scores_of_float32(
    architecture: str, make_model: Callable[..., Path], articles: list[BioCDocument]
) -> None:
    folder = make_model(architecture)
    exact, rounded = (scores_of(folder, articles, arithmetic) for arithmetic in ("float32", "int8"))
    assert 0 < np.abs(exact - rounded).max() < 0.25
    assert (exact.argmax(axis=1) == rounded.argmax(axis=1)).mean() > 0.9


def test_weights_rounded_on_loading_and_stored_ones_give_the_same_scores(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path
) -> None:
    folder = make_model("bert")
    store(folder, tmp_path / "stored")
    assert np.array_equal(scores_of(folder, articles, "int8"), scores_of(tmp_path / "stored", articles, "int8"))


def test_products_that_saturate_are_refused(make_model: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Older processors add pairs of products in 16 bits, which are too few."""

    def saturating(self: Product, values: torch.Tensor) -> torch.Tensor:
        return torch._int_mm(values, weights[-1].t().contiguous()).clamp(-32768, 32767).float()

    weights: list[torch.Tensor] = []
    prepare = Product.__init__
    monkeypatch.setattr(Product, "__init__", lambda self, *given: (weights.append(given[0]), prepare(self, *given))[1])
    monkeypatch.setattr(Product, "_scaled_sums", saturating)
    with pytest.raises(ResourceError, match='do not give exact int8 products; use arithmetic="float32"'):
        require_exact_products()
    with pytest.raises(ResourceError, match='arithmetic="float32"'):
        load_model(make_model("roberta"), arithmetic="int8")


@pytest.mark.parametrize(
    ("flags", "found"),
    [
        ("fpu avx2 avx512f", "float32"),
        ("fpu avx512f avx512_vnni", "int8"),
        ("fpu avx2 avx_vnni", "int8"),
        ("amx_bf16 amx_tile amx_int8", "int8"),
    ],
)
def test_auto_follows_the_processor(flags: str, found: str, tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(f"processor\t: 0\nflags\t\t: {flags}\n")
    assert chosen("auto", "cpu", cpuinfo) == found
    assert chosen("auto", "cuda", cpuinfo) == "float32"
    assert chosen("auto", "cpu", tmp_path / "absent") == "float32"
    assert set(processor_flags(cpuinfo)) <= set(flags.split())


def test_an_arithmetic_that_cannot_be_used_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="arithmetic is 'int4'; choose one of auto, int8, float32"):
        chosen("int4", "cpu")
    with pytest.raises(ConfigurationError, match="works on a CPU only, not on cuda:1"):
        chosen("int8", "cuda:1")


def test_the_fingerprint_of_a_run_holds_the_arithmetic() -> None:
    settled = {name: Configuration(arithmetic=name).parse() for name in ("auto", "int8", "float32")}
    assert settled["auto"].value("arithmetic") == chosen("auto", "cpu")
    assert settled["int8"].fingerprint() != settled["float32"].fingerprint()


def test_without_a_model_the_arithmetic_is_the_same_on_every_machine() -> None:
    assert Configuration(tagger="lexicon").parse().value("arithmetic") == "float32"
    assert Configuration(steps=("abbreviate",)).parse().value("arithmetic") is None


def test_workers_and_order_do_not_change_the_bytes_of_int8(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path
) -> None:
    """Real processes. The names of the files decide about the order."""
    model = make_model("bert")
    script = "import sys; from nlmchem.cli import main; sys.argv[0] = 'nlmchem'; main()"
    found = []
    for workers, names in ((1, "abcdef"), (2, "fedcba")):
        place, out = tmp_path / f"in-{workers}", tmp_path / f"out-{workers}"
        place.mkdir()
        for name, document in zip(names, articles, strict=True):
            writer = registry.writable("biocjson")
            (place / f"{name}.json").write_bytes(writer.dumps(bare(document), print))
        given = ["annotate", place, "-o", out, "--tagger", model, "--arithmetic", "int8", "--workers", workers]
        subprocess.run(
            [sys.executable, "-c", script, *map(str, given), "--format", "jsonl", "--steps", "abbreviate,tag"],
            capture_output=True,
            check=True,
        )
        found.append([(out / f"{name}.jsonl").read_bytes() for name in names])
        assert b'"arithmetic": "int8"' in (out / "manifest.json").read_bytes()
    assert found[0] == found[1]
    assert b'"Chemical"' in b"".join(found[0])


def test_int8_is_not_computed_where_float32_is_requested(
    make_model: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(integers, "round_rows", None)
    model = load_model(make_model("bert"), arithmetic="float32")
    assert model.network(torch.full((1, 16), 7), torch.ones(1, 16, dtype=torch.long)).shape == (1, 16, 3)
