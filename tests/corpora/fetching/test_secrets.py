"""No secret of the environment leaves in a request: every source of `fetch` against a server that records headers."""

from __future__ import annotations

import base64
import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import call
from loopback_bucket import LoopbackBucket
from loopback_hub import LoopbackHub
from loopback_site import Request, Site, thing, whole
from pmc_articles import add_all

from corpora.errors import NlmchemError
from corpora.fetching.pmc import articles
from corpora.fetching.resources import Settings, fetch, resource, resources

SECRET = "hf_thesecretofthisuser"
HEADERS = {"host", "user-agent", "accept-encoding", "connection", "range", "if-range"}
"""The headers that a request may have."""
VARIABLES = (
    "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACE_TOKEN", "HF_API_TOKEN", "GITHUB_TOKEN", "GH_TOKEN",
    "NCBI_API_KEY", "ENTREZ_API_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "OPENAI_API_KEY", "API_KEY",
    "AWS_ACCESS_KEY_ID", "NETRC_PASSWORD", "HTTP_COOKIE", "REMOTE_USER", "SSLKEYLOGFILE_NAME",
)  # fmt: skip


@pytest.fixture(autouse=True)
def secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every place that client libraries read secrets from has one."""
    home = tmp_path / "user"
    (home / ".cache" / "huggingface").mkdir(parents=True)
    (home / ".cache" / "huggingface" / "token").write_text(SECRET)
    (home / ".netrc").write_text(f"machine 127.0.0.1 login me password {SECRET}\ndefault login me password {SECRET}\n")
    (home / ".netrc").chmod(0o600)
    for name in VARIABLES:
        monkeypatch.setenv(name, SECRET)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("HF_HOME", str(home / ".cache" / "huggingface"))
    monkeypatch.setenv("NETRC", str(home / ".netrc"))


def sent(site: Site) -> str:
    return json.dumps(site.requests)


def has_no_secret(site: Site) -> bool:
    encoded = [base64.b64encode(f"{name}:{SECRET}".encode()).decode() for name in ("me", "", "user")]
    headers = {key.lower() for _, given in site.requests for key in given}
    return not any(text in sent(site) for text in (SECRET, *encoded)) and headers <= HEADERS


@pytest.mark.parametrize("name", [name for name, known in resources().items() if known.model is None])
def test_files_and_articles_are_fetched_without_secrets(
    name: str, site: Site, settings: Settings, tmp_path: Path
) -> None:
    site.behave = whole
    settings = replace(settings, mirror=site.address, attempts=1)
    wanted = resource(name, 2024 if resources()[name].parameter else None)
    # The answers are not the files; the requests were sent.
    with suppress(NlmchemError):
        list(articles(wanted.articles, ["PMC1"], tmp_path / "out", settings)) if wanted.articles else fetch(
            wanted, settings
        )
    assert site.requests
    assert has_no_secret(site)


@pytest.mark.parametrize("name", resources())
def test_the_command_sends_no_secret(name: str, site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As a user types it, for every source; `--mirror` names the server."""
    hub = LoopbackHub({"main": ["config.json", "model.safetensors"]})
    site.behave = (lambda request: request.answer(b"", 404)) if resources()[name].articles else hub
    (tmp_path / "ids").write_text("PMC1\n")
    more = ("--ids", tmp_path / "ids", "--out", tmp_path / "out") if resources()[name].articles else ()
    year = ("--year", "2024") if resources()[name].parameter else ()
    call("fetch", name, *year, *more, "--mirror", site.address, capsys=capsys)
    assert site.requests
    assert has_no_secret(site)


@pytest.mark.parametrize(
    "given", [("--ids", "PMC9172893,PMC9172895.1,pmid:7"), ("--all",), ("--all", "--since", "2020-01-01")]
)
def test_no_request_to_the_bucket_of_pmc_has_a_secret(
    given: tuple[str, ...], site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Listings, metadata, texts, and articles by PMID: S3 clients would sign them with the keys of the user."""
    site.behave = LoopbackBucket(add_all(tmp_path / "bucket"), page=2)
    call("fetch", "pmc", *given, "--mirror", site.address, "-o", tmp_path / "out", capsys=capsys)
    kinds = {"list-type=2", ".xml", ".json"} | ({"BioC_json/7"} if "--ids" in given else set())
    assert all(any(kind in path for path, _ in site.requests) for kind in kinds)
    assert has_no_secret(site)


@pytest.mark.parametrize("name", [name for name, known in resources().items() if known.model is not None])
@pytest.mark.parametrize("by_environment", [False, True])
def test_models_are_fetched_without_secrets(
    name: str, by_environment: bool, site: Site, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.behave = LoopbackHub({"main": ["config.json", "model.safetensors"]})
    if by_environment:
        monkeypatch.setenv("HF_ENDPOINT", site.address)
    fetch(resource(name), replace(settings, mirror=None if by_environment else site.address))
    assert {path.rpartition("/")[2] for path, _ in site.requests} >= {"config.json", "model.safetensors"}
    assert has_no_secret(site)


def test_the_password_of_a_proxy_is_sent_to_the_proxy_only(
    site: Site, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after a redirection to a host that is reached without the proxy."""
    monkeypatch.setenv("http_proxy", site.address.replace("//", f"//user:{SECRET}@"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")

    def behave(request: Request) -> None:
        if "publisher.invalid" in request.path:
            request.answer(b"", 302, Location=f"{site.address}/thing.bin")
        else:
            whole(request)

    site.behave = behave
    fetch(thing(Site("http://publisher.invalid")), settings)
    (to_proxy, first), (direct, second) = site.requests
    assert to_proxy.startswith("http://publisher.invalid")
    assert "proxy-authorization" in map(str.lower, first)
    assert direct == "/thing.bin"
    assert "proxy-authorization" not in map(str.lower, second)
