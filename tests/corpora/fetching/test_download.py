"""Fetching files from a server that is slow, interrupts, states wrong lengths and sends wrong files."""

from __future__ import annotations

import errno
import gzip
import io
import socket
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from loopback_site import BODY, SHA, Handler, Request, Site, thing, whole

from corpora.errors import ConfigurationError, ResourceError
from corpora.fetching.resources import Resource, ResourceFile, Settings, fetch, resource
from corpora.storage import cache

CONTENT = gzip.compress(b"MeSH " * 60_000, mtime=0)


def test_a_file_is_fetched_once_and_its_checksum_recorded(site: Site, settings: Settings) -> None:
    site.behave = whole
    [path] = fetch(thing(site), settings)
    assert path.read_bytes() == BODY
    assert cache.records("thing")["thing.bin"].sha256 == SHA
    assert fetch(thing(site), settings) == [path]
    assert len(site.requests) == 1, "a file that is there and sound is not requested again"


def test_the_corpora_of_the_track_are_archives_although_their_names_end_with_json(
    site: Site, settings: Settings
) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("BC7T2-NLMChem-corpus-train.BioC.json"))
    site.behave = lambda request: request.answer(packed.getvalue())
    [path] = fetch(thing(site, "corpus.BioC.json.gz"), settings)
    assert path.read_bytes() == packed.getvalue()


def test_an_address_without_server_is_reported_at_once(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*given: object, **named: object) -> None:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    monkeypatch.delenv("http_proxy", raising=False)
    waits: list[float] = []
    absent = Resource("thing", "", "", "", files=(ResourceFile("thing.bin", ("http://nowhere.invalid/thing.bin",)),))
    with pytest.raises(ResourceError, match=r"its server has no address \(.*name resolution\); check the network"):
        fetch(absent, replace(settings, sleep=waits.append))
    assert waits == []


def test_a_full_disk_is_no_reason_for_another_request(
    site: Site, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "thing.bin.part")

    site.behave = whole
    monkeypatch.setattr("corpora.fetching.download.write_bytes", full)
    waits: list[float] = []
    with pytest.raises(OSError, match="No space left"):
        fetch(thing(site), replace(settings, sleep=waits.append))
    assert (len(site.requests), waits) == (1, [])


def test_something_else_under_the_name_of_a_resource_is_refused(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "desc2024.gz").write_bytes(gzip.compress(bytes(1 << 20)))
    wanted = Resource("mesh", "", "", "", files=(ResourceFile("desc2024.gz", ("http://nowhere.invalid/desc2024.gz",)),))
    with pytest.raises(ResourceError, match="it contains neither text nor an archive"):
        fetch(wanted, settings, from_file=tmp_path / "desc2024.gz")
    assert cache.records("mesh") == {}


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
    starts = [headers.get("Range") for _, headers in site.requests]
    assert starts == [None, "bytes=100000-", "bytes=200000-"]
    assert [headers.get("If-Range") for _, headers in site.requests] == [None, '"one"', '"one"']


def test_a_killed_download_is_resumed_by_the_next_call(site: Site, settings: Settings) -> None:
    site.behave = lambda request: request.answer(BODY[:50_000], length=len(BODY), ETag='"one"')
    with pytest.raises(ResourceError, match=r"50000 bytes are kept: run the same command again"):
        fetch(thing(site), replace(settings, attempts=2))
    site.requests.clear()

    def rest(request: Request) -> None:
        start = request.start()
        content_range = f"bytes {start}-{len(BODY) - 1}/{len(BODY)}"
        request.answer(BODY[start:], 206, ETag='"one"', Content_Range=content_range)

    site.behave = rest
    [path] = fetch(thing(site), settings)
    assert path.read_bytes() == BODY
    assert site.requests[0][1]["Range"] == "bytes=50000-"


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
    assert all("Range" not in headers for _, headers in site.requests)


def test_a_wrong_range_is_not_written_into_the_file(site: Site, settings: Settings) -> None:
    def wrong(request: Request) -> None:
        if request.start():
            request.answer(BODY[:7], 206, ETag='"one"', Content_Range=f"bytes 0-6/{len(BODY)}")
        elif len(site.requests) > 2:
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
    assert len(site.requests) < 12
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
            fetch(thing(site), replace(settings, timeout=60.0 if settled else 0.5, attempts=2, **settled))
    finally:
        over.set()


def test_a_server_without_answer_is_an_error(site: Site, settings: Settings) -> None:
    over = threading.Event()

    def silent(request: Request) -> None:
        over.wait(5)

    site.behave = silent
    try:
        with pytest.raises(ResourceError, match=r"timed out|the head of its answer did not end"):
            fetch(thing(site), replace(settings, timeout=0.1, attempts=2))
    finally:
        over.set()


@pytest.mark.parametrize(
    "line", [b"X", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 200 OK\r\nX-Name: value\r\n"],
    ids=["no first line", "preliminary answers", "fields"],
)  # fmt: skip
def test_an_answer_whose_head_does_not_end_is_refused(site: Site, settings: Settings, line: bytes) -> None:
    """Each byte begins the time limit of the socket anew."""
    over = threading.Event()

    def endless(request: Request) -> None:
        request.close_connection = True
        part = line
        with suppress(OSError):
            while not over.wait(0.02):
                request.wfile.write(part)
                request.wfile.flush()
                part = line if b"100" in line else b"x"

    site.behave = endless
    try:
        with pytest.raises(ResourceError, match=r"in 2 attempts \(the head of its answer did not end in 0\.3 s\)"):
            fetch(thing(site), replace(settings, timeout=0.3, attempts=2))
    finally:
        over.set()


def test_a_file_with_a_wrong_checksum_is_refused_and_removed(site: Site, settings: Settings) -> None:
    site.behave = lambda request: request.answer(BODY[::-1], ETag='"one"')
    with pytest.raises(ResourceError, match=f"{SHA} is the published one"):
        fetch(thing(site, sha256=SHA), settings)
    assert [path.name for path in cache.folder("thing").iterdir()] == ["record.json"]


def test_a_changed_file_is_accepted_only_on_request(site: Site, settings: Settings) -> None:
    site.behave = whole
    fetch(thing(site), settings)
    site.behave = lambda request: request.answer(b"new", ETag='"two"')
    with pytest.raises(ResourceError, match=r"was recorded at the first download.*add accept_changed=True"):
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


def test_a_server_that_requires_hours_is_asked_again_earlier(
    site: Site, settings: Settings, waits: list[float]
) -> None:
    answers: Iterator[Handler] = iter([lambda request: request.answer(b"", 503, Retry_After="86400"), whole])
    site.behave = lambda request: next(answers)(request)
    fetch(thing(site), settings)
    assert waits == [settings.longest_wait]


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
    assert len(site.requests) == 1


def test_a_mirror_replaces_the_address_of_the_publisher(site: Site, settings: Settings) -> None:
    site.behave = whole
    far = Resource("thing", "A thing", "CC0", "", (ResourceFile("a.bin", ("https://publisher.invalid/pub/a.bin",)),))
    fetch(far, replace(settings, mirror=f"{site.address}/copy/"))
    assert site.requests[0][0] == "/copy/pub/a.bin"
    with pytest.raises(ConfigurationError, match="not an address"):
        fetch(far, replace(settings, mirror="ftp://elsewhere"), again=True)


def test_the_proxy_of_the_environment_is_used(site: Site, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", site.address)
    site.behave = whole
    far = Resource("thing", "A thing", "CC0", "", (ResourceFile("a.bin", ("http://publisher.invalid/a.bin",)),))
    fetch(far, settings)
    assert site.requests[0][0] == "http://publisher.invalid/a.bin"


def test_from_file_needs_no_connection(site: Site, settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "thing.bin").write_bytes(BODY)
    for place in (tmp_path, tmp_path / "thing.bin"):
        [path] = fetch(thing(site, sha256=SHA), settings, from_file=place, again=True)
        assert path.read_bytes() == BODY
    assert site.requests == []
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
    from urllib.request import Request as Unsent

    from corpora.fetching.download import _SameSafety

    unsent = Unsent("https://a.invalid/x")
    with pytest.raises(ResourceError, match="less secure"):
        _SameSafety().redirect_request(unsent, io.BytesIO(), 302, "Found", Message(), "http://a.invalid/x")


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


@pytest.mark.parametrize(
    "mirror",
    [
        "http://[",
        "http://",
        "http://a b/",
        "http://h:99999999",
        "http://h:x",
        "http://h\n/",
        "ftp://h",
        "h",
        "file:///etc",
    ],
)
def test_a_mirror_that_is_no_address_is_refused_before_any_request(mirror: str, settings: Settings) -> None:
    with pytest.raises(ConfigurationError, match="is not an address; write an address such as"):
        fetch(resource("sapbert"), replace(settings, mirror=mirror))


def test_a_password_in_the_address_of_a_mirror_is_neither_sent_nor_printed(site: Site, settings: Settings) -> None:
    mirror = site.address.replace("//", "//me:secret@")
    for name in ("sapbert", "bc5cdr"):
        with pytest.raises(ConfigurationError, match="has a user or a password, and none is sent") as caught:
            fetch(resource(name), replace(settings, mirror=mirror))
        assert "secret" not in str(caught.value)
    assert site.requests == []
