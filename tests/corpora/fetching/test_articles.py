"""Fetching articles by their ids."""

from __future__ import annotations

import errno
import json
import socket
from dataclasses import replace
from pathlib import Path

import pytest
from loopback_site import Request, Site

from corpora.errors import ConfigurationError, ResourceError
from corpora.fetching.pmc import articles, read_ids
from corpora.fetching.resources import Settings


def bioc(identifier: str) -> bytes:
    passage = {"offset": 0, "infons": {"section_type": "TITLE"}, "text": f"Article {identifier}", "annotations": []}
    document = {"id": identifier.removeprefix("PMC"), "infons": {}, "passages": [passage]}
    return json.dumps([{"source": "PMC", "date": "", "key": "", "documents": [document]}]).encode()


def pmc(site: Site) -> str:
    return f"{site.address}/BioC_json/{{id}}/unicode"


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
    site.requests.clear()
    list(articles(pmc(site), wanted, tmp_path, settings))
    assert [path for path, _ in site.requests] == ["/BioC_json/PMC404/unicode"], "what is there is not requested again"


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
    assert waits[1:] == [settings.pause, settings.pause * 2], "each wait is twice the last, with none after the last"


def test_a_wrong_id_is_refused_before_the_first_request(site: Site, settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"'10\.1000/x' is not the id of an article"):
        list(articles(pmc(site), ["PMC1", "10.1000/x"], tmp_path, settings))
    assert site.requests == []


def test_an_article_without_end_is_refused(
    site: Site, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpora.fetching.pmc.MAX_ARTICLE", 100_000)
    site.behave = lambda request: request.answer(b" " * 300_000)
    with pytest.raises(ResourceError, match="larger than"):
        list(articles(pmc(site), ["PMC1"], tmp_path, settings))
    assert not list(tmp_path.glob("*.json"))


def test_an_article_that_takes_too_long_is_refused(site: Site, settings: Settings, tmp_path: Path) -> None:
    site.behave = lambda request: request.answer(b" " * 300_000)
    with pytest.raises(ResourceError, match="did not end in"):
        list(articles(pmc(site), ["PMC1"], tmp_path, replace(settings, longest_answer=-1.0)))


def test_each_further_attempt_for_an_article_is_reported(site: Site, settings: Settings, tmp_path: Path) -> None:
    site.behave = lambda request: request.answer(b"", 503)
    said: list[str] = []
    with pytest.raises(ResourceError, match="in 3 attempts"):
        list(articles(pmc(site), ["PMC1"], tmp_path, replace(settings, attempts=3, report=said.append)))
    assert [sentence.partition("; ")[2] for sentence in said] == ["attempt 2 of 3 follows", "attempt 3 of 3 follows"]


def test_a_full_disk_is_no_reason_for_another_request(
    site: Site, settings: Settings, waits: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    site.behave = serve_articles
    monkeypatch.setattr("corpora.storage.atomic.write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        list(articles(pmc(site), ["PMC1"], tmp_path, settings))
    assert (len(site.requests), waits) == (1, [])


def test_an_article_whose_server_has_no_address_is_reported_at_once(
    settings: Settings, waits: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*given: object, **named: object) -> None:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(ResourceError, match="its server has no address"):
        list(articles("http://nowhere.invalid/{id}", ["PMC1"], tmp_path, settings))
    assert waits == []


def test_ids_that_are_not_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "ids").write_bytes(b"PMC1\xff")
    with pytest.raises(ConfigurationError, match="ids cannot be read"):
        read_ids(str(tmp_path / "ids"))
