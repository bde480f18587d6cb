"""The command that trains the embedded encoder, on a small MeSH."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_mesh import write_mesh

from benchmarks.retrain import dense
from sieves.dense.encoders import BagEncoder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with small files under the names of the real inputs."""
    (tmp_path / "mesh").mkdir()
    for made, name in zip(write_mesh(tmp_path), dense.MESH, strict=True):
        content = made.read_bytes()
        (tmp_path / name).write_bytes(content)
    return tmp_path


def test_training_writes_weights_and_a_card_with_commit_command_and_inputs(data: Path) -> None:
    arguments = ["--data", str(data), "-o", str(data / "d.safetensors"), "--inputs", str(data / "d.inputs")]
    hashes = dense.main([*arguments, "--record"])
    dense.main([*arguments, "--steps", "2"])
    card = json.loads((data / "d.json").read_text())
    assert (card["steps"], card["inputs"]) == (2, hashes)
    assert card["command"].startswith("python -m benchmarks.retrain.dense --data ")
    assert len(card["commit"].split()[0]) == 40
    assert card["sha256"] == BagEncoder.open(data / "d.safetensors").version


def test_another_input_is_refused_before_any_work(data: Path) -> None:
    with pytest.raises(SystemExit, match=r"differ from those recorded in dense.json: mesh/desc2024"):
        dense.main(["--data", str(data), "-o", str(data / "d.safetensors")])
    assert not (data / "d.safetensors").exists()


def test_a_missing_input_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="cannot read the input"):
        dense.main(["--data", str(tmp_path), "-o", str(tmp_path / "d.safetensors")])
