"""Fetching models: only safetensors, and the commit is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from corpora.errors import ConfigurationError, ResourceError
from corpora.fetching.resources import Settings, fetch, resource
from corpora.storage import cache


class Hub:
    """What `huggingface_hub.HfApi` offers, as far as it is used here."""

    def __init__(self, files: dict[str, list[str]], discussions: list[Any]) -> None:
        self.files, self.discussions = files, discussions

    def __call__(self, endpoint: str | None, library_name: str) -> Hub:
        self.endpoint = endpoint
        return self

    def model_info(self, repository: str, revision: str) -> Any:
        return SimpleNamespace(sha=f"commit-of-{revision}")

    def hf_hub_download(self, repository: str, name: str, revision: str, local_dir: Path) -> str:
        local_dir.mkdir(parents=True, exist_ok=True)
        (local_dir / name).write_text(f"{name} at {revision}")
        return str(local_dir / name)

    def list_repo_files(self, repository: str, revision: str) -> list[str]:
        return self.files.get(revision, [])

    def get_repo_discussions(self, repository: str, author: str) -> Iterator[Any]:
        return iter(self.discussions)


@dataclass
class Discussion:
    num: int
    author: str
    title: str = "Adding `safetensors` variant of this model"
    is_pull_request: bool = True


def test_only_the_converter_of_the_hub_is_trusted_for_safetensors() -> None:
    from corpora.fetching.resources import _safe_revision

    stranger, converter = Discussion(3, "someone"), Discussion(8, "SFconvertbot")
    assert _safe_revision(Hub({"main": ["model.safetensors"]}, [converter]), "a/b") == "main"
    assert _safe_revision(Hub({"main": ["pytorch_model.bin"]}, [stranger, converter]), "a/b") == "refs/pr/8"
    assert _safe_revision(Hub({"main": ["pytorch_model.bin"]}, [stranger]), "a/b") == "main"


def test_a_model_is_fetched_without_pickles_and_its_commit_is_recorded(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = ["config.json", "model.safetensors", "pytorch_model.bin", "vocab.txt", "README.md"]
    hub = Hub({"main": files, "commit-of-main": files}, [])
    monkeypatch.setattr("huggingface_hub.HfApi", hub)
    found = fetch(resource("sapbert"), replace(settings, mirror="https://hub.invalid"))
    assert [path.name for path in found] == ["config.json", "model.safetensors", "vocab.txt"]
    assert hub.endpoint == "https://hub.invalid"
    source = cache.records("sapbert")["model.safetensors"].source
    assert source == "cambridgeltl/SapBERT-from-PubMedBERT-fulltext@commit-of-main/model.safetensors"


def test_a_model_without_safetensors_is_refused(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    files = ["config.json", "pytorch_model.bin"]
    monkeypatch.setattr("huggingface_hub.HfApi", Hub({"main": files, "commit-of-main": files}, []))
    with pytest.raises(ResourceError, match=r"has no model\.safetensors, and pickled weights are not supported"):
        fetch(resource("pubmedbert"), settings)


def test_a_model_from_a_folder_is_copied_without_pickles(settings: Settings, tmp_path: Path) -> None:
    for name in ("config.json", "model.safetensors", "vocab.txt", "pytorch_model.bin"):
        (tmp_path / name).write_bytes(name.encode())
    found = fetch(resource("sapbert"), settings, from_file=tmp_path)
    assert [path.name for path in found] == ["config.json", "model.safetensors", "vocab.txt"]
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(ConfigurationError, match=r"lacks model\.safetensors"):
        fetch(resource("sapbert"), settings, from_file=tmp_path, again=True)
