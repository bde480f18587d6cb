"""Fetching models: only safetensors, and the commit is recorded."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from loopback_hub import LoopbackHub, pull_request
from loopback_site import Request, Site

from corpora.errors import ConfigurationError, OptionError, ResourceError
from corpora.fetching.resources import Hub, Settings, fetch, resource
from corpora.storage import cache

WEIGHTS, PICKLE = "model.safetensors", "pytorch_model.bin"


@pytest.mark.parametrize(
    ("main", "authors", "revision"),
    [
        ([WEIGHTS], ["SFconvertbot"], "main"),
        ([PICKLE], ["someone", "SFconvertbot"], "refs/pr/1"),
        ([PICKLE], ["someone"], "main"),
    ],
)
def test_only_the_converter_of_the_hub_is_trusted_for_safetensors(
    main: list[str], authors: list[str], revision: str, site: Site, settings: Settings
) -> None:
    site.behave = LoopbackHub({"main": main}, [pull_request(number, name) for number, name in enumerate(authors)])
    assert Hub(site.address, {}, settings).safe_revision("a/b") == revision


def test_a_model_is_fetched_without_pickles_and_its_commit_is_recorded(site: Site, settings: Settings) -> None:
    site.behave = LoopbackHub({"main": ["config.json", WEIGHTS, PICKLE, "vocab.txt", "README.md"]})
    settings = replace(settings, mirror=site.address)
    found = fetch(resource("sapbert"), settings)
    assert [path.name for path in found] == ["config.json", WEIGHTS, "vocab.txt"]
    assert found[1].read_bytes() == b"model.safetensors at commit-of-main"
    source = cache.records("sapbert")[WEIGHTS].source
    assert source == "cambridgeltl/SapBERT-from-PubMedBERT-fulltext@commit-of-main/model.safetensors"


def test_another_revision_is_downloaded_and_the_same_one_is_not(site: Site, settings: Settings) -> None:
    site.behave = LoopbackHub({"main": [WEIGHTS], "v2": [WEIGHTS]})
    settings = replace(settings, mirror=site.address)
    (path,) = fetch(resource("sapbert"), settings)
    fetch(resource("sapbert"), settings)
    assert sum("/resolve/" in path for path, _ in site.requests) == 1
    fetch(resource("sapbert"), settings, revision="v2")
    assert path.read_bytes() == b"model.safetensors at commit-of-v2"


def test_weights_with_another_checksum_than_the_hub_states_are_refused(site: Site, settings: Settings) -> None:
    site.behave = LoopbackHub({"main": [WEIGHTS]}, sha256="0" * 64)
    with pytest.raises(ResourceError, match=r"0{64} is the published one"):
        fetch(resource("sapbert"), replace(settings, mirror=site.address))
    assert [path.name for path in cache.folder("sapbert").iterdir()] == ["record.json"]


@pytest.mark.parametrize("answer", [b"", b"[]", b'"text"', b'{"siblings": 1}', b'{"sha": 1, "siblings": [1]}'])
def test_a_server_that_is_no_hub_is_named(answer: bytes, site: Site, settings: Settings) -> None:
    def behave(request: Request) -> None:
        request.answer(answer)

    site.behave = behave
    with pytest.raises(ResourceError, match=f"{site.address} does not answer as a hub of models does"):
        fetch(resource("sapbert"), replace(settings, mirror=site.address))


def test_the_token_is_sent_to_the_hub_itself_only(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_mine")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    hub = Hub.of(replace(settings, token=True))
    assert (hub.address, hub.headers) == ("https://huggingface.co", {"Authorization": "Bearer hf_mine"})
    assert Hub.of(settings) == Hub("http://127.0.0.1:1", {}, settings)
    with pytest.raises(OptionError, match=r"is sent to https://huggingface\.co only; leave out"):
        fetch(resource("sapbert"), replace(settings, token=True, mirror="https://hub.invalid"))
    with pytest.raises(OptionError, match="is for models, and cdr is none"):
        fetch(resource("cdr"), replace(settings, token=True))


def test_a_missing_token_is_reported(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    with pytest.raises(OptionError, match="is neither in HF_TOKEN nor in"):
        fetch(resource("sapbert"), replace(settings, token=True))
    (tmp_path / "token").write_text("hf_stored\n")
    assert Hub.of(replace(settings, token=True)).headers == {"Authorization": "Bearer hf_stored"}


def test_the_token_does_not_follow_a_redirection_to_another_host(site: Site, settings: Settings) -> None:
    other = Site(site.address.replace("127.0.0.1", "localhost"))

    def behave(request: Request) -> None:
        if request.headers["Host"].startswith("127"):
            request.answer(b"", 302, Location=f"{other.address}/file")
        else:
            request.answer(b'{"sha": "1", "siblings": []}')

    site.behave = behave
    Hub(site.address, {"Authorization": "Bearer hf_mine"}, settings).revision("a/b", "main")
    assert ["Authorization" in headers for _, headers in site.requests] == [True, False]


def test_a_model_without_safetensors_is_refused(site: Site, settings: Settings) -> None:
    site.behave = LoopbackHub({"main": ["config.json", PICKLE]})
    with pytest.raises(ResourceError, match=r"has no model\.safetensors, and pickled weights are not supported"):
        fetch(resource("pubmedbert"), replace(settings, mirror=site.address))


def test_a_model_from_a_folder_is_copied_without_pickles(settings: Settings, tmp_path: Path) -> None:
    for name in ("config.json", "model.safetensors", "vocab.txt", "pytorch_model.bin"):
        (tmp_path / name).write_bytes(name.encode())
    found = fetch(resource("sapbert"), settings, from_file=tmp_path)
    assert [path.name for path in found] == ["config.json", "model.safetensors", "vocab.txt"]
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(ConfigurationError, match=r"lacks model\.safetensors"):
        fetch(resource("sapbert"), settings, from_file=tmp_path, again=True)


def test_a_hub_whose_list_of_pull_requests_does_not_end_is_left(site: Site, settings: Settings) -> None:
    hub = LoopbackHub({"main": ["config.json"]})

    def endless(request: Request) -> None:
        if "/discussions" in request.path:
            request.answer(json.dumps({"discussions": [pull_request(1, "somebody")], "count": 1 << 60}).encode())
        else:
            hub(request)

    site.behave = endless
    with pytest.raises(ResourceError, match=r"has no model\.safetensors"):
        fetch(resource("sapbert"), replace(settings, mirror=site.address))
    assert 100 <= len(site.requests) < 110
