"""A base with more layers (benchmarks/train_default/stack.py)."""

from __future__ import annotations

from pathlib import Path

import pytest
from loaded_benchmark import load_benchmark
from tiny_transformer import write_tiny_transformer


@pytest.mark.parametrize(
    ("old", "new", "order"),
    [
        (6, 8, [0, 1, 2, 3, 2, 3, 4, 5]),
        (6, 9, [0, 1, 2, 3, 4, 2, 3, 4, 5]),
        (6, 12, [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]),
        (2, 3, [0, 1, 1]),
    ],
)
def test_the_lower_layers_come_first_then_the_upper_ones(old: int, new: int, order: list[int]) -> None:
    assert load_benchmark("train_default/stack").repeated(old, new) == order


def test_the_new_base_has_copies_of_the_layers_and_the_same_embeddings(tmp_path: Path) -> None:
    from safetensors.torch import load_file

    base = write_tiny_transformer(tmp_path / "base")
    load_benchmark("train_default/stack").main(["--base", str(base), "--layers", "3", "--out", str(tmp_path / "new")])
    old, new = (load_file(tmp_path / name / "model.safetensors") for name in ("base", "new"))
    layers = {0: 0, 1: 1, 2: 1}
    for name, weight in new.items():
        parts = name.split(".")
        if "layer" in parts:
            at = parts.index("layer") + 1
            parts[at] = str(layers[int(parts[at])])
        assert weight.equal(old[".".join(parts)]), name
    assert sum("layer.2." in name for name in new) == sum("layer.0." in name for name in old) > 0
    assert (tmp_path / "new" / "tokenizer.json").read_text() == (base / "tokenizer.json").read_text()


def test_fewer_layers_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = write_tiny_transformer(tmp_path / "base")
    with pytest.raises(SystemExit):
        load_benchmark("train_default/stack").main(
            ["--base", str(base), "--layers", "2", "--out", str(tmp_path / "new")]
        )
    assert "has 2 layers" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
