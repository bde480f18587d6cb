"""A training of several processes, as `torchrun` starts one for each GPU. Here they run on the CPU."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from bioc import BioCDocument
from command_server import served
from safetensors.torch import load_file

import corpora
from corpora.errors import ConfigurationError
from corpora.reporting import ignore
from nlmchem.tagging.training.processes import Processes, connected, is_first, of_first

TORCHRUN = [Path(sys.executable).with_name("torchrun"), "--nproc-per-node", "2", "--no-python"]


@pytest.fixture
def nlmchem(tmp_path: Path) -> Iterator[Path]:
    """The command, in forks of a process that has imported torch."""
    with served(tmp_path) as folder:
        yield folder / "nlmchem"


def trained(
    launcher: list[Path | str], nlmchem: Path, out: Path, base: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    command = [
        *launcher, nlmchem, "train", "tagger", "--base", base, "--corpus", out.parent / "target.xml", "--dev",
        out.parent / "dev.xml", "--window", "64", "--batch", "128", "--accumulate", "2", "--passes", "2", "--dropout",
        "0", "-o", out, *options,
    ]  # fmt: skip
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.slow
def test_two_processes_train_the_model_of_one_also_after_a_stop(
    make_model: Callable[..., Path], articles: list[BioCDocument], nlmchem: Path, tmp_path: Path
) -> None:
    corpora.write(articles[:3], tmp_path / "target.xml")
    corpora.write(articles[3:5], tmp_path / "dev.xml")
    base = make_model("bert", labels=None)
    assert trained([], nlmchem, tmp_path / "one", base).returncode == 0
    stopped = trained(TORCHRUN, nlmchem, tmp_path / "two", base, "--minutes", "0.001")
    assert stopped.returncode == 1, "torchrun replaces the exit code 3"
    assert "reached step 1 of" in stopped.stderr
    done = trained(TORCHRUN, nlmchem, tmp_path / "two", base)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [str(tmp_path / "two" / "seed-7" / "all" / "model")]
    assert done.stderr.count("strict F on") == 2, "one process alone scores and reports, once for each pass"
    one, two = (
        load_file(tmp_path / name / "seed-7" / "all" / "model" / "model.safetensors") for name in ("one", "two")
    )
    for name, weights in one.items():
        assert torch.allclose(weights, two[name], atol=1e-3), name


def test_without_a_launcher_there_is_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WORLD_SIZE", "LOCAL_RANK", "RANK"):
        monkeypatch.delenv(name, raising=False)
    with connected("cuda:1") as processes:
        assert processes == Processes(1, 0)
        assert processes.first
        assert processes.shared(lambda: 0.5) == 0.5
        assert not processes.after(None)
        assert processes.after(0.0)
        assert processes.in_turn(lambda: "done") == "done"
        processes.wait()


def test_only_the_first_process_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_RANK", "1")
    monkeypatch.setenv("RANK", "1")
    assert (is_first(), of_first(print)) == (False, ignore)
    monkeypatch.setenv("RANK", "0")
    assert (is_first(), of_first(print)) == (True, print)


def test_several_processes_need_addresses_and_a_gpu_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MASTER_ADDR", raising=False)
    for name, value in {"WORLD_SIZE": "2", "LOCAL_RANK": "0", "RANK": "0", "MASTER_PORT": "1"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError, match="lacks MASTER_ADDR; start them with torchrun"), connected("cuda"):
        pass
    monkeypatch.setenv("MASTER_ADDR", "127.0.0.1")
    with (
        pytest.raises(ConfigurationError, match="cuda:1 is one GPU, but the training was started as 2"),
        connected("cuda:1"),
    ):
        pass
