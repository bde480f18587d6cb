"""The mean of the weights of models (`nlmchem train mean`)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from command_line import call
from safetensors.torch import load_file

from corpora.errors import ConfigurationError, ResourceError
from nlmchem.companions.studies.commands import average
from nlmchem.tagging.models.loading import load_model

WEIGHTS = "model.safetensors"


def test_the_command_writes_the_mean_of_all_weights(
    make_model: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two, out = make_model("bert", seed=1), make_model("bert", seed=2), tmp_path / "mean"
    (one / "README.md").write_text("# A tagger\n\n- sha256 of weights: `0123`\n\n## Settings\n")
    done = call("train", "mean", one, two, "-o", out, capsys=capsys)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{out}\n"
    first, second, mean = (load_file(folder / WEIGHTS) for folder in (one, two, out))
    for name, tensor in mean.items():
        assert torch.allclose(tensor, (first[name] + second[name]) / 2)
    version = load_model(out).version
    card = (out / "README.md").read_text("utf-8")
    assert f"`{version}`" in card
    assert "The mean of the weights of 2 models" in card


def test_models_that_have_no_mean_are_refused(make_model: Callable[..., Path], tmp_path: Path) -> None:
    one, other, out = make_model("bert"), make_model("electra"), tmp_path / "mean"
    with pytest.raises(ConfigurationError, match="needs two models or more"):
        average([one], out)
    with pytest.raises(ConfigurationError, match=f"{other} has other weights than {one}"):
        average([one, other], out)
    assert not out.exists()
    out.mkdir()
    with pytest.raises(ConfigurationError, match="exists already"):
        average([one, one], out)
    (other / WEIGHTS).rename(other / "model-00001-of-00001.safetensors")
    with pytest.raises(ResourceError):
        average([one, other], tmp_path / "new")


def test_the_same_command_again_is_done_and_another_mean_is_refused(
    make_model: Callable[..., Path], tmp_path: Path
) -> None:
    """A command that is killed at its very end is repeated."""
    one, two, out = make_model("bert", seed=1), make_model("bert", seed=2), tmp_path / "mean"
    average([one, two], out)
    written = (out / WEIGHTS).read_bytes()
    average([one, two], out)
    assert (out / WEIGHTS).read_bytes() == written
    with pytest.raises(ConfigurationError, match="exists already"):
        average([one, one], out)
    (out / "notes.txt").write_text("of the user")
    with pytest.raises(ConfigurationError, match="exists already"):
        average([one, two], out)
