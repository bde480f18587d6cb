"""Fetching from a server on loopback that is slow, interrupts, states wrong lengths and sends wrong files."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from corpora.errors import ConfigurationError, ResourceError
from corpora.fetching.resources import Resource, ResourceFile, Settings, articles, fetch, resource, resources
from corpora.storage import cache

CONTENT = gzip.compress(b"MeSH " * 60_000, mtime=0)
BODY = bytes(range(256)) * 1000
SHA = hashlib.sha256(BODY).hexdigest()

Handler = Callable[["Request"], None]


class Request(BaseHTTPRequestHandler):
    """Hands each request to the behaviour that the test put in place."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        site: Site = self.server.site  # type: ignore[attr-defined]
        site.asked.append((self.path, dict(self.headers)))
        site.behave(self)

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def answer(self, body: bytes, code: int = 200, length: int | None = None, **headers: str) -> None:
        """Send `body`, whatever the stated length says, and end the connection."""
        self.send_response(code)
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def start(self) -> int:
        """From which byte on the file is asked for; 0 where the whole is."""
        asked = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")[0]
        return int(asked)


@dataclass
class Site:
    address: str
    behave: Handler = lambda request: request.answer(b"", 404)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)


@pytest.fixture
def site() -> Iterator[Site]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Request)
    made = Site(f"http://127.0.0.1:{server.server_port}")
    server.site = made  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield made
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NLMCHEM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def thing(site: Site, name: str = "thing.bin", sha256: str | None = None) -> Resource:
    return Resource(
        "thing", "A thing", "CC0", "about:blank", (ResourceFile(name, (f"{site.address}/{name}",), sha256),)
    )


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def settings(waits: list[float]) -> Settings:
    """No test waits; what would have been waited is written down."""
    return Settings(sleep=waits.append, timeout=5.0, report=lambda sentence: None)


def whole(request: Request) -> None:
    request.answer(BODY, ETag='"one"')


# -- one file -----------------------------------------------------------------------------------


def test_a_file_is_fetched_once_and_its_checksum_recorded(site: Site, settings: Settings) -> None:
    site.behave = whole
    [path] = fetch(thing(site), settings)
    assert path.read_bytes() == BODY
    assert cache.records("thing")["thing.bin"].sha256 == SHA
    assert fetch(thing(site), settings) == [path]
    assert len(site.asked) == 1, "a file that is there and sound is not asked for again"


def test_an_interrupted_download_is_resumed(site: Site, settings: Settings) -> None:
    def cut(request: Request) -> None:
        start = request.start()
        piece = BODY[start : start + 100_000]
        total = len(BODY)
        if start:
            content_range = f"bytes {start}-{total - 1}/{total}"
            request.answer(piece, 206, length=total - start, ETag='"one"', Content_Range=content_range)
        else:
            request.answer(piece, length=total, ETag='"one"')

    site.behave = cut
    [path] = fetch(thing(site), settings)
    assert path.read_bytes() == BODY
    starts = [headers.get("Range") for _, headers in site.asked]
    assert starts == [None, "bytes=100000-", "bytes=200000-"]
    assert [headers.get("If-Range") for _, headers in site.asked] == [None, '"one"', '"one"']


def test_a_killed_download_is_resumed_by_the_next_call(site: Site, settings: Settings) -> None:
    site.behave = lambda request: request.answer(BODY[:50_000], length=len(BODY), ETag='"one"')
    with pytest.raises(ResourceError, match=r"50000 bytes are kept: run the same command again"):
        fetch(thing(site), replace(settings, attempts=2))
    site.asked.clear()

    def rest(request: Request) -> None:
        start = request.start()
        content_range = f"bytes {start}-{len(BODY) - 1}/{len(BODY)}"
        request.answer(BODY[start:], 206, ETag='"one"', Content_Range=content_range)

    site.behave = rest
    [path] = fetch(thing(site), settings)
    assert path.read_bytes() == BODY
    assert site.asked[0][1]["Range"] == "bytes=50000-"


def test_a_partial_download_of_another_version_is_discarded(site: Site, settings: Settings) -> None:
    site.behave = lambda request: request.answer(b"old " * 10_000, length=len(BODY), ETag='"old"')
    with pytest.raises(ResourceError):
        fetch(thing(site), replace(settings, attempts=1))
    # The server ignores the range, because If-Range names another version, and sends the whole.
    site.behave = whole
    [path] = fetch(thing(site), settings)
    assert path.read_bytes() == BODY


def test_a_partial_download_without_tag_is_discarded(site: Site, settings: Settings) -> None:
    calls = iter([BODY[:10], BODY])
    site.behave = lambda request: request.answer(next(calls), length=len(BODY))
    [path] = fetch(thing(site), settings)
    assert path.read_bytes() == BODY
    assert all("Range" not in headers for _, headers in site.asked)


def test_a_wrong_range_is_not_written_into_the_file(site: Site, settings: Settings) -> None:
    def wrong(request: Request) -> None:
        if request.start():
            request.answer(BODY[:7], 206, ETag='"one"', Content_Range=f"bytes 0-6/{len(BODY)}")
        elif len(site.asked) > 2:
            whole(request)
        else:
            request.answer(BODY[:1000], length=len(BODY), ETag='"one"')

    site.behave = wrong
    [path] = fetch(thing(site), settings)
    assert path.read_bytes() == BODY


def test_a_stated_length_that_is_too_large_ends_with_an_error(site: Site, settings: Settings) -> None:
    def boasts(request: Request) -> None:
        if request.start() >= len(BODY):
            request.answer(b"", 416)
        else:
            request.answer(BODY[request.start() :], length=len(BODY) + 999, ETag='"one"')

    site.behave = boasts
    with pytest.raises(ResourceError, match="could not be downloaded in 3 attempts"):
        fetch(thing(site), replace(settings, attempts=3))
    assert len(site.asked) < 12
    assert not (cache.folder("thing") / "thing.bin").exists()


def test_an_archive_that_is_cut_off_by_a_wrong_length_is_detected(site: Site, settings: Settings) -> None:
    site.behave = lambda request: request.answer(CONTENT, length=len(CONTENT) - 20, ETag='"one"')
    with pytest.raises(ResourceError, match=r"mesh\.gz is broken or cut off"):
        fetch(thing(site, "mesh.gz"), settings)
    assert not (cache.folder("thing") / "mesh.gz").exists()


def test_a_slow_download_continues_while_it_makes_progress(site: Site, settings: Settings) -> None:
    def drip(request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Length", "30")
        request.end_headers()
        for _ in range(30):
            request.wfile.write(b"x")
            request.wfile.flush()
            threading.Event().wait(0.01)

    site.behave = drip
    [path] = fetch(thing(site), replace(settings, timeout=1.0, least=1))
    assert path.read_bytes() == b"x" * 30


@pytest.mark.parametrize(("settled", "message"), [({"largest": 1 << 16}, "has more than"), ({}, "it sends less than")])
def test_a_download_without_end_is_refused(
    site: Site, settings: Settings, settled: dict[str, int], message: str
) -> None:
    over = threading.Event()

    def endless(request: Request) -> None:
        request.send_response(200)
        request.end_headers()
        with suppress(OSError):
            while not over.wait(0 if settled else 0.01):
                request.wfile.write(b"x" * (1 << 14 if settled else 1))
                request.wfile.flush()

    site.behave = endless
    try:
        with pytest.raises(ResourceError, match=message):
            fetch(thing(site), replace(settings, timeout=60.0 if settled else 0.05, attempts=2, **settled))
    finally:
        over.set()


def test_a_server_without_answer_is_an_error(site: Site, settings: Settings) -> None:
    over = threading.Event()

    def silent(request: Request) -> None:
        over.wait(5)

    site.behave = silent
    try:
        with pytest.raises(ResourceError, match="timed out"):
            fetch(thing(site), replace(settings, timeout=0.1, attempts=2))
    finally:
        over.set()


def test_a_file_with_a_wrong_checksum_is_refused_and_removed(site: Site, settings: Settings) -> None:
    site.behave = lambda request: request.answer(BODY[::-1], ETag='"one"')
    with pytest.raises(ResourceError, match=f"{SHA} is the published one"):
        fetch(thing(site, sha256=SHA), settings)
    assert list(cache.folder("thing").iterdir()) == []


def test_a_changed_file_is_accepted_only_on_request(site: Site, settings: Settings) -> None:
    site.behave = whole
    fetch(thing(site), settings)
    site.behave = lambda request: request.answer(b"new", ETag='"two"')
    with pytest.raises(ResourceError, match=r"was recorded at the first download.*--accept-changed"):
        fetch(thing(site), settings, again=True)
    assert (cache.folder("thing") / "thing.bin").read_bytes() == BODY, "the sound file stays"
    [path] = fetch(thing(site), settings, again=True, accept_changed=True)
    assert path.read_bytes() == b"new"


def test_a_damaged_file_in_the_cache_is_fetched_again(site: Site, settings: Settings) -> None:
    site.behave = whole
    [path] = fetch(thing(site), settings)
    path.write_bytes(BODY[:-1])
    messages: list[str] = []
    fetch(thing(site), replace(settings, report=messages.append))
    assert path.read_bytes() == BODY
    assert "its checksum differs" in messages[0]


def test_requests_to_a_busy_server_wait_as_long_as_it_requires(
    site: Site, settings: Settings, waits: list[float]
) -> None:
    answers: Iterator[Handler] = iter(
        [
            lambda request: request.answer(b"", 503, Retry_After="7"),
            lambda request: request.answer(b"", 429),
            whole,
        ]
    )
    site.behave = lambda request: next(answers)(request)
    fetch(thing(site), settings)
    assert waits == [7.0, settings.pause * 2]


def test_the_next_address_is_used_for_a_missing_file(site: Site, settings: Settings) -> None:
    urls = (f"{site.address}/2024/desc.bin", f"{site.address}/current/desc.bin")
    two = Resource("thing", "A thing", "CC0", "about:blank", (ResourceFile("desc.bin", urls),))
    site.behave = lambda request: whole(request) if "current" in request.path else request.answer(b"", 404)
    assert fetch(two, settings)[0].read_bytes() == BODY
    site.behave = lambda request: request.answer(b"", 404)
    with pytest.raises(ResourceError, match=r"there is no desc\.bin at .*/2024/.* nor at .*/current/"):
        fetch(two, settings, again=True)


def test_a_refused_request_is_not_repeated(site: Site, settings: Settings) -> None:
    site.behave = lambda request: request.answer(b"", 403)
    with pytest.raises(ResourceError, match="the server answered 403"):
        fetch(thing(site), settings)
    assert len(site.asked) == 1


def test_a_mirror_replaces_the_address_of_the_publisher(site: Site, settings: Settings) -> None:
    site.behave = whole
    far = Resource("thing", "A thing", "CC0", "", (ResourceFile("a.bin", ("https://publisher.invalid/pub/a.bin",)),))
    fetch(far, replace(settings, mirror=f"{site.address}/copy/"))
    assert site.asked[0][0] == "/copy/pub/a.bin"
    with pytest.raises(ConfigurationError, match="not an address"):
        fetch(far, replace(settings, mirror="ftp://elsewhere"), again=True)


def test_the_proxy_of_the_environment_is_used(site: Site, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", site.address)
    site.behave = whole
    far = Resource("thing", "A thing", "CC0", "", (ResourceFile("a.bin", ("http://publisher.invalid/a.bin",)),))
    fetch(far, settings)
    assert site.asked[0][0] == "http://publisher.invalid/a.bin"


def test_from_file_needs_no_connection(site: Site, settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "thing.bin").write_bytes(BODY)
    for place in (tmp_path, tmp_path / "thing.bin"):
        [path] = fetch(thing(site, sha256=SHA), settings, from_file=place, again=True)
        assert path.read_bytes() == BODY
    assert site.asked == []
    with pytest.raises(ConfigurationError, match=r"no file at .*; name the file thing\.bin"):
        fetch(thing(site), settings, from_file=tmp_path / "nothing", again=True)


def test_from_file_must_have_the_name_of_the_resource(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "supp2024.gz").write_bytes(CONTENT)
    [path] = fetch(resource("mesh", 2024), settings, from_file=tmp_path / "supp2024.gz")
    assert path.name == "supp2024.gz"
    (tmp_path / "other.gz").write_bytes(CONTENT)
    with pytest.raises(ConfigurationError, match=r"other\.gz is not one of desc2024\.gz, supp2024\.gz"):
        fetch(resource("mesh", 2024), settings, from_file=tmp_path / "other.gz")


def test_a_redirection_from_https_to_http_is_not_followed() -> None:
    from email.message import Message
    from urllib.request import Request as Asked

    from corpora.fetching.download import _SameSafety

    asked = Asked("https://a.invalid/x")
    with pytest.raises(ResourceError, match="less secure"):
        _SameSafety().redirect_request(asked, io.BytesIO(), 302, "Found", Message(), "http://a.invalid/x")


# -- what there is, and the cache ---------------------------------------------------------------


def test_every_resource_has_a_licence_and_one_kind_of_address() -> None:
    for one in resources().values():
        assert one.licence
        assert one.terms.startswith("https://")
        assert [bool(one.files), one.articles is not None, one.model is not None].count(True) == 1
        for url in (url for file in one.files for url in file.urls):
            assert url.startswith("https://")


def test_mesh_needs_a_year() -> None:
    names = [file.name for file in resource("mesh", 2021).files]
    assert names == ["desc2021.gz", "supp2021.gz"]
    assert all("2021" in file.urls[0] for file in resource("mesh", 2021).files)
    with pytest.raises(ConfigurationError, match="--year 2024"):
        resource("mesh")
    with pytest.raises(ConfigurationError, match="choose one of mesh, nlmchem"):
        resource("nlmchemm")


def test_the_cache_lists_its_contents_and_can_be_emptied(site: Site, settings: Settings, home: Path) -> None:
    site.behave = whole
    fetch(thing(site), settings)
    stranger = home / "notes"
    stranger.mkdir()
    (stranger / "mine.txt").write_text("not fetched")
    [kept] = [one for one in cache.contents() if one.files]
    assert (kept.name, kept.files["thing.bin"].bytes) == ("thing", len(BODY))
    assert cache.empty() >= len(BODY)
    assert not (home / "thing").exists()
    assert (stranger / "mine.txt").exists(), "what was not fetched is not removed"


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert cache.home() == tmp_path / "home"
    monkeypatch.delenv("NLMCHEM_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.home() == tmp_path / "xdg" / "nlmchem"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/invalid")
    assert cache.home() == Path.home() / ".cache" / "nlmchem"


# -- articles -----------------------------------------------------------------------------------


def bioc(identifier: str) -> bytes:
    passage = {"offset": 0, "infons": {"section_type": "TITLE"}, "text": f"Article {identifier}", "annotations": []}
    document = {"id": identifier.removeprefix("PMC"), "infons": {}, "passages": [passage]}
    return json.dumps([{"source": "PMC", "date": "", "key": "", "documents": [document]}]).encode()


def pmc(site: Site) -> Resource:
    return Resource("pmc", "PMC", "theirs", "", articles=f"{site.address}/BioC_json/{{id}}/unicode")


def serve_articles(request: Request) -> None:
    identifier = request.path.split("/")[2]
    if identifier == "PMC404":
        # NCBI's service answers so, with 200, for what is not open access.
        request.answer(b"[Error] : No result can be found. <BR><HR>")
    else:
        request.answer(bioc(identifier))


def test_articles_are_fetched_by_id_once_and_with_pauses(
    site: Site, settings: Settings, waits: list[float], tmp_path: Path
) -> None:
    site.behave = serve_articles
    wanted = ["PMC1", "2", "pmc1", "pmid:77", "PMC404"]
    problems = list(articles(pmc(site), wanted, tmp_path, settings))
    assert [path.name for path in sorted(tmp_path.glob("*.json"))] == ["77.json", "PMC1.json", "PMC2.json"]
    assert len(problems) == 1
    assert problems[0].startswith("PMC404: not in PMC's open-access subset")
    assert waits == [settings.pause] * 4, "a pause after every request"
    assert settings.pause >= 1 / 3, "NCBI allows three requests a second"
    site.asked.clear()
    list(articles(pmc(site), wanted, tmp_path, settings))
    assert [path for path, _ in site.asked] == ["/BioC_json/PMC404/unicode"], "what is there is not asked for again"


def test_fetched_articles_can_be_read(site: Site, settings: Settings, tmp_path: Path) -> None:
    import corpora

    site.behave = serve_articles
    list(articles(pmc(site), ["PMC1", "PMC2"], tmp_path, settings))
    assert [document.id for document in corpora.read(tmp_path)] == ["1", "2"]


def test_an_incomplete_article_is_requested_again_and_not_stored(
    site: Site, settings: Settings, tmp_path: Path
) -> None:
    bodies = iter([bioc("PMC1")[:40], bioc("PMC1")])
    site.behave = lambda request: request.answer(next(bodies))
    assert list(articles(pmc(site), ["PMC1"], tmp_path, settings)) == []
    assert json.loads((tmp_path / "PMC1.json").read_bytes())


def test_an_unreachable_server_is_an_error_and_fetched_articles_are_kept(
    site: Site, settings: Settings, waits: list[float], tmp_path: Path
) -> None:
    site.behave = lambda request: request.answer(b"", 503) if "PMC2" in request.path else serve_articles(request)
    with pytest.raises(ResourceError, match="the articles so far are kept"):
        list(articles(pmc(site), ["PMC1", "PMC2"], tmp_path, replace(settings, attempts=3)))
    assert (tmp_path / "PMC1.json").exists()
    assert waits[1:] == [settings.pause * 2**attempt for attempt in range(3)], "each wait is twice the last"


def test_a_wrong_id_is_refused_before_the_first_request(site: Site, settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"'10\.1000/x' is not the id of an article"):
        list(articles(pmc(site), ["PMC1", "10.1000/x"], tmp_path, settings))
    assert site.asked == []


# -- models -------------------------------------------------------------------------------------


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


def _pmc(site: Site) -> Resource:
    return Resource("pmc", "Articles", "-", "-", articles=f"{site.address}/{{id}}")


def test_an_article_without_end_is_refused(
    site: Site, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpora.fetching.resources.MAX_ARTICLE", 100_000)
    site.behave = lambda request: request.answer(b" " * 300_000)
    with pytest.raises(ResourceError, match="larger than"):
        list(articles(_pmc(site), ["PMC1"], tmp_path, settings))
    assert not list(tmp_path.glob("*.json"))


def test_an_article_that_takes_too_long_is_refused(site: Site, settings: Settings, tmp_path: Path) -> None:
    site.behave = lambda request: request.answer(b" " * 300_000)
    with pytest.raises(ResourceError, match="did not end in"):
        list(articles(_pmc(site), ["PMC1"], tmp_path, replace(settings, longest_answer=-1.0)))


@pytest.mark.parametrize("address", ["http://[", "http://a:b/"])
def test_a_redirection_to_something_that_is_not_an_address_is_refused(
    site: Site, settings: Settings, address: str
) -> None:
    site.behave = lambda request: request.answer(b"", 302, Location=address)
    with pytest.raises(ResourceError):
        fetch(thing(site), settings)


def test_an_encrypted_archive_is_refused(site: Site, settings: Settings) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.xml", b"a")
    data = bytearray(packed.getvalue())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    site.behave = lambda request: request.answer(bytes(data))
    with pytest.raises(ResourceError, match="broken or cut off"):
        fetch(thing(site, "thing.zip"), settings)
