"""Models in int8 arithmetic, and who chooses it. The arithmetic itself: `kernel/`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from bioc import BioCDocument

from corpora.errors import ConfigurationError
from corpora.formats import registry
from corpora.model.passages import passage_text
from nlmchem.run.plan import Configuration, Plan
from nlmchem.steps.tag import TagOptions
from nlmchem.tagging.kernel import arithmetic
from nlmchem.tagging.kernel.arithmetic import ARITHMETIC, Kernel, chosen, why_auto
from nlmchem.tagging.models.bert import FloatBert, IntegerBert
from nlmchem.tagging.models.loading import load_model
from nlmchem.tagging.models.weights import quantise
from nlmchem.tagging.training.folders import store
from nlmchem.tagging.training.scores import bare

pytestmark = pytest.mark.usefixtures("compiled")


def scores_of(folder: Path, articles: list[BioCDocument], arithmetic: str) -> np.ndarray:
    texts = [[passage_text(passage) for passage in document.passages] for document in articles]
    scored, _ = load_model(folder, arithmetic=arithmetic).score(texts)
    return np.concatenate([passage.probabilities for own in scored for passage in own])


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


def test_a_bert_of_any_width_has_nearly_the_states_of_float32(compiled: Kernel) -> None:
    """Heads of 26 numbers, as TinyBERT has them: neither the heads nor the states are multiples of 16."""
    chance = np.random.default_rng(0)
    config = {"num_attention_heads": 3, "num_hidden_layers": 2, "layer_norm_eps": 1e-12, "max_position_embeddings": 40}
    tensors = random_bert(width=78, inner=100, layers=2, chance=chance)
    ids = chance.integers(0, 50, (3, 37))
    mask = np.ones_like(ids)
    mask[1, 20:] = 0
    stored = quantise(tensors)
    exact, found = FloatBert(config, stored)(ids, mask), IntegerBert(config, stored)(ids, mask)
    assert not found[1, 20:].any()
    shown = mask.astype(bool)
    assert 0 < np.abs(exact - found)[shown].mean() < 0.05 * np.abs(exact[shown]).mean()


def random_bert(width: int, inner: int, layers: int, chance: np.random.Generator) -> dict[str, np.ndarray]:
    shapes = {"position": 40, "token_type": 2, "word": 50}
    made = {f"bert.embeddings.{name}_embeddings.weight": (number, width) for name, number in shapes.items()}
    made |= {"classifier.weight": (3, width)}
    for layer in range(layers):
        name = f"bert.encoder.layer.{layer}"
        made |= {f"{name}.attention.self.{part}.weight": (width, width) for part in ("query", "key", "value")}
        made |= {f"{name}.attention.output.dense.weight": (width, width)}
        made |= {f"{name}.intermediate.dense.weight": (inner, width), f"{name}.output.dense.weight": (width, inner)}
    tensors = {name: chance.standard_normal(shape) / shape[1] ** 0.5 for name, shape in made.items()}
    tensors |= {f"{name[:-7]}.bias": chance.standard_normal(len(one)) / 9 for name, one in tensors.items()}
    norms = ["bert.embeddings"]
    for layer in range(layers):
        norms += [f"bert.encoder.layer.{layer}.attention.output", f"bert.encoder.layer.{layer}.output"]
    for name in norms:
        tensors[f"{name}.LayerNorm.weight"] = 1 + chance.standard_normal(width) / 9
        tensors[f"{name}.LayerNorm.bias"] = chance.standard_normal(width) / 9
    return tensors


@pytest.mark.parametrize(("paths", "found"), [((), "float32"), (("portable",), "float32"), (("avx2",), "int8")])
def test_auto_takes_int8_where_the_kernel_is_fast(
    paths: tuple[str, ...], found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arithmetic, "kernel", lambda: SimpleNamespace(path=paths[0]) if paths else None)
    assert chosen("auto", "cpu") == found
    assert chosen("auto", "cuda") == "float32"


def test_int8_without_the_kernel_is_refused_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arithmetic, "kernel", lambda: None)
    with pytest.raises(
        ConfigurationError, match=r"which was not built.*a compiler for C\+\+.*or use arithmetic=\"float32\""
    ):
        chosen("int8", "cpu")
    assert "compiler for C++" in why_auto()


def test_an_arithmetic_that_cannot_be_used_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="arithmetic is 'int4'; choose one of auto, int8, float32"):
        chosen("int4", "cpu")
    with pytest.raises(ConfigurationError, match="works on a CPU only, not on cuda:1"):
        chosen("int8", "cuda:1")


def arithmetic_of(plan: Plan) -> str:
    options = plan.options(TagOptions)
    assert options is not None
    return options.arithmetic


def test_the_fingerprint_of_a_run_holds_the_arithmetic() -> None:
    settled = {name: Configuration.of(arithmetic=name).parse() for name in ("auto", "int8", "float32")}
    assert arithmetic_of(settled["auto"]) == chosen("auto", "cpu")
    int8, float32 = (settled[name].fingerprint() for name in ("int8", "float32"))
    assert int8["sha256"] != float32["sha256"]
    assert int8["steps"]["tag"]["resources"]["kernel"] == ARITHMETIC
    assert "kernel" not in float32["steps"]["tag"]["resources"]


def test_without_a_model_the_arithmetic_is_the_same_on_every_machine() -> None:
    assert arithmetic_of(Configuration.of(tagger="lexicon").parse()) == "float32"


def test_workers_and_order_do_not_change_the_bytes_of_int8(
    make_model: Callable[..., Path], articles: list[BioCDocument], tmp_path: Path
) -> None:
    """Real processes. The names of the files decide about the order."""
    model = tmp_path / "model"
    store(make_model("bert"), model)  # The workers of a stored model import no torch.
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
    monkeypatch.setattr(Kernel, "call", None)
    model = load_model(make_model("bert"), arithmetic="float32")
    assert model.network(np.full((1, 16), 7), np.ones((1, 16), dtype=np.int64)).shape == (1, 16, 3)
