"""PMC's articles from a bucket on loopback: what is fetched, what is not, and what becomes of lies."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from loopback_bucket import LoopbackBucket
from loopback_site import Request, Site
from pmc_articles import add, add_all, jats

from corpora.errors import ConfigurationError, ResourceError
from corpora.fetching.pmc import STATE, Bucket, Fetch, Tally, day, parted, read_ids
from corpora.fetching.resources import Settings


@pytest.fixture
def bucket(site: Site, tmp_path: Path) -> LoopbackBucket:
    made = LoopbackBucket(add_all(tmp_path / "bucket"))
    site.behave = made
    return made


@pytest.fixture
def fetch(site: Site, settings: Settings, tmp_path: Path) -> Fetch:
    return Fetch(Bucket(site.address, replace(settings, attempts=3, pause=0.0)), tmp_path / "out")


def names(out: Path) -> list[str]:
    return sorted(p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file() and p.name[0] != ".")


def by_ids(fetch: Fetch, *ids: str) -> Tally:
    return fetch.by_ids(ids, len(ids))


# -- what is fetched ----------------------------------------------------------------------------


def test_the_newest_version_and_its_metadata_are_fetched(fetch: Fetch, bucket: LoopbackBucket) -> None:
    tally = by_ids(fetch, "PMC9172893", "PMC9172895.1", "PMC1")
    assert dict(tally.counts) == {"fetched": 2, "not there": 1}
    assert tally.not_there == ["PMC1"]
    assert names(fetch.out) == [
        f"{name}/{name}{suffix}" for name in ("PMC9172893.2", "PMC9172895.1") for suffix in (".json", ".xml")
    ]
    assert (fetch.out / "PMC9172893.2" / "PMC9172893.2.xml").read_bytes() == jats(9172893, "ibuprofen")


def test_an_equal_version_is_not_fetched_again_and_a_changed_one_is(fetch: Fetch, bucket: LoopbackBucket) -> None:
    by_ids(fetch, "PMC9172893", "PMC9172894")
    bucket.asked.clear()
    shutil.rmtree(bucket.folder / "PMC9172894.1")
    add(bucket.folder, 9172894, 1, "theobromine")
    tally = by_ids(fetch, "PMC9172893", "PMC9172894")
    assert dict(tally.counts) == {"unchanged": 1, "fetched": 1}
    assert [path for path in bucket.asked if path.endswith(".xml")] == ["/PMC9172894.1/PMC9172894.1.xml"]
    assert b"theobromine" in (fetch.out / "PMC9172894.1" / "PMC9172894.1.xml").read_bytes()


def test_new_metadata_do_not_fetch_the_text_again(fetch: Fetch, bucket: LoopbackBucket) -> None:
    by_ids(fetch, "PMC9172893")
    bucket.asked.clear()
    place = bucket.folder / "PMC9172893.2" / "PMC9172893.2.json"
    place.write_text(place.read_text().replace('"is_retracted": false', '"is_retracted": true'))
    assert dict(by_ids(fetch, "PMC9172893").counts) == {"fetched": 1}
    assert not [path for path in bucket.asked if path.endswith(".xml")]
    assert json.loads((fetch.out / "PMC9172893.2" / "PMC9172893.2.json").read_text())["is_retracted"] is True


def test_licences_are_selected(fetch: Fetch, bucket: LoopbackBucket) -> None:
    tally = by_ids(replace(fetch, licences=("CC0",)), "PMC9172893", "PMC9172894")
    assert dict(tally.counts) == {"left out": 1, "fetched": 1}
    assert not [path for path in bucket.asked if path.endswith("9172893.2.xml")]


@pytest.mark.parametrize("page", [1, 2, 1000])
def test_all_articles_are_listed_by_pages(page: int, fetch: Fetch, bucket: LoopbackBucket) -> None:
    bucket.page = page
    assert dict(fetch.all(None).counts) == {"fetched": 3}
    assert dict(fetch.all(None).counts) == {"unchanged": 3}


def test_an_increment_asks_only_for_what_is_newer(fetch: Fetch, bucket: LoopbackBucket) -> None:
    fetch.all(None)
    add(bucket.folder, 9000000, 1, "glucose")
    place = bucket.folder / "PMC9172894.1" / "PMC9172894.1.json"
    place.write_text(place.read_text().replace("CC0", "CC BY"))
    # Its listing calls it old, so a fetch of what is newer does not look at it.
    bucket.asked.clear()
    assert dict(fetch.all(None).counts) == {"unchanged": 3, "fetched": 1}
    bucket.modified["metadata/PMC9172894.1.json"] = "2999-01-01T00:00:00.000Z"
    assert dict(fetch.all(datetime(2026, 6, 1, tzinfo=UTC)).counts) == {"unchanged": 3, "fetched": 1}


def test_a_fetch_that_was_stopped_continues_where_it_was(fetch: Fetch, bucket: LoopbackBucket) -> None:
    bucket.page = 1
    bucket.lie = lambda request, path: "9172895.1.xml" in path and (request.answer(b"", 400), True)[1]
    with pytest.raises(ResourceError, match="answered 400"):
        fetch.all(None)
    assert len(names(fetch.out)) == 4
    bucket.lie = lambda request, path: False
    bucket.asked.clear()
    assert dict(fetch.all(None).counts) == {"unchanged": 1, "fetched": 1}
    assert not [path for path in bucket.asked if path.startswith("/PMC9172893")]
    assert "complete" in json.loads((fetch.out / STATE).read_text())


def test_articles_that_failed_are_tried_again(fetch: Fetch, bucket: LoopbackBucket) -> None:
    bucket.lie = lambda request, path: path.endswith("9172894.1.xml") and (request.answer(b"wrong"), True)[1]
    assert fetch.all(None).counts == {"fetched": 2, "failed": 1}
    bucket.lie = lambda request, path: False
    assert fetch.all(None).counts == {"unchanged": 2, "fetched": 1}


def test_files_of_the_user_are_not_overwritten(fetch: Fetch, bucket: LoopbackBucket) -> None:
    place = fetch.out / "PMC9172893.2" / "PMC9172893.2.xml"
    place.parent.mkdir(parents=True)
    place.write_text("mine")
    with pytest.raises(ConfigurationError, match="was not written by nlmchem"):
        by_ids(fetch, "PMC9172893")
    assert place.read_text() == "mine"


# -- lies ---------------------------------------------------------------------------------------


def listing(inner: str) -> bytes:
    return f"<ListBucketResult>{inner}</ListBucketResult>".encode()


def lying(path_part: str, answer: Callable[[Request], None]) -> Callable[[Request, str], bool]:
    def lie(request: Request, path: str) -> bool:
        if path_part in path:
            answer(request)
        return path_part in path

    return lie


def endless(request: Request) -> None:
    request.send_response(200)
    request.end_headers()
    try:
        while True:
            request.wfile.write(b"x" * (1 << 20))
    except OSError:
        request.close_connection = True


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (lambda request: request.answer(b"<article/>"), "its md5 is .* was published"),
        (lambda request: request.answer(b"<art", length=100), "could not be fetched in 3 attempts"),
        (lambda request: request.answer(b"", 302, Location="http://elsewhere.invalid/a.xml"), "another host"),
        (lambda request: request.answer(b"", 404), "not there"),
        (endless, "is larger than"),
    ],
    ids=["wrong md5", "cut off", "elsewhere", "missing", "endless"],
)
def test_a_wrong_article_is_reported_and_not_stored(
    answer: Callable[[Request], None], problem: str, fetch: Fetch, bucket: LoopbackBucket
) -> None:
    bucket.lie = lying("9172894.1.xml", answer)
    tally = by_ids(fetch, "PMC9172894", "PMC9172895")
    assert dict(tally.counts) == {"failed": 1, "fetched": 1}
    assert re.search(problem, tally.problems[0])
    assert not (fetch.out / "PMC9172894.1").exists()


@pytest.mark.parametrize(
    "page",
    [
        listing("<IsTruncated>true</IsTruncated>"),
        listing("<Contents><Key>metadata/PMC1.1.json</Key>")[:-40],
        listing("<Contents><Key>other/PMC1.1.json</Key></Contents>"),
        b'<!DOCTYPE a [<!ENTITY b "c">]><ListBucketResult/>',
        b"<html/>",
    ],
    ids=["no token", "cut off", "of others", "entities", "a page of the web"],
)
def test_a_wrong_listing_ends_the_fetch(page: bytes, fetch: Fetch, site: Site) -> None:
    site.behave = lambda request: request.answer(page)
    with pytest.raises(ResourceError):
        fetch.all(None)
    assert names(fetch.out) == []


def test_a_listing_without_end_ends_the_fetch(fetch: Fetch, site: Site) -> None:
    inner = "<IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>"
    site.behave = lambda request: request.answer(
        listing(f"{inner}<Contents><Key>metadata/PMC1.1.json</Key><ETag>x</ETag></Contents>")
        if request.path.startswith("/?")
        else b"{}"
    )
    with pytest.raises(ResourceError, match="is not in order, so it may never end"):
        fetch.all(None)


def test_a_busy_server_is_asked_again_after_the_time_that_it_states(
    fetch: Fetch, bucket: LoopbackBucket, waits: list[float]
) -> None:
    first = iter([True])
    bucket.lie = lambda request, path: next(first, False) and (request.answer(b"", 503, Retry_After="7"), True)[1]
    assert by_ids(fetch, "PMC9172894").counts == {"fetched": 1}
    assert 7 in waits


@pytest.mark.parametrize(
    "url",
    ["", "s3://b/PMC9172894.1/PMC9172894.1.xml", "https://elsewhere/PMC9172894.1/PMC9172894.1.xml?md5=" + "0" * 32,
     "s3://b/../../etc/passwd?md5=" + "0" * 32],
)  # fmt: skip
def test_metadata_cannot_lead_elsewhere(url: str, fetch: Fetch, bucket: LoopbackBucket) -> None:
    place = bucket.folder / "PMC9172894.1" / "PMC9172894.1.json"
    place.write_text(json.dumps({**json.loads(place.read_text()), "xml_url": url}))
    assert by_ids(fetch, "PMC9172894").counts == {"failed": 1}
    assert names(fetch.out) == []


# -- ids ----------------------------------------------------------------------------------------


def test_ids_are_given_in_a_list_a_file_or_a_list_of_pmc(tmp_path: Path) -> None:
    assert read_ids("PMC1, 2,pmid:3") == ["PMC1", "2", "pmid:3"]
    (tmp_path / "ids").write_text("PMC1 # the first\n\npmid:3\n")
    assert read_ids(str(tmp_path / "ids")) == ["PMC1", "pmid:3"]
    (tmp_path / "list.csv").write_text('File,Article Citation,Accession ID,PMID\na,"A, B",PMC7,8\n')
    assert read_ids(str(tmp_path / "list.csv")) == ["PMC7"]
    assert parted(["pmc1", "1", "PMC1.2", "pmid:3"]) == (["PMC1", "PMC1.2"], ["pmid:3"])
    with pytest.raises(ConfigurationError, match="is not the id of an article"):
        parted(["doi:10.1/2"])
    with pytest.raises(ConfigurationError, match="must be a day such as"):
        day("yesterday")


@pytest.mark.parametrize(
    "content",
    [
        b"PMCID,x\n" + b"a" * 200_000 + b",1\n",
        b"PMC1\xff\n",
        b"\x1f\x8b\x08\x00damaged",
        b"\x1f\x8b\x08" + b"\x00" * 30,
    ],
)
def test_a_damaged_file_of_ids_is_one_sentence(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "ids").write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"ids cannot be read .*; give a file with one id in each line"):
        read_ids(str(tmp_path / "ids"))


@pytest.mark.parametrize("complete", ['"never"', '"9999-12-31"', '"0001-01-01"', "7", "[]", '"2026-01-01"'])
def test_a_damaged_state_of_a_fetch_loses_no_article(complete: str, fetch: Fetch, bucket: LoopbackBucket) -> None:
    bucket.modified = dict.fromkeys(bucket.objects(), "2027-01-01T00:00:00.000Z")
    fetch.out.mkdir()
    (fetch.out / STATE).write_text(f'{{"licences": [], "complete": {complete}}}')
    assert fetch.all(None).counts["fetched"] == 3


# -- kills --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_fetch_that_is_killed_continues(fetch: Fetch, bucket: LoopbackBucket, site: Site) -> None:
    for id in range(1000, 1080):
        add(bucket.folder, id, 1, f"zinc {id}")
    start = "from nlmchem.cli import main; import sys; sys.argv[0] = 'nlmchem'; main()"
    command = [sys.executable, "-c", start, "fetch", "pmc", "--all", "-o", str(fetch.out), "--mirror", site.address]
    for wanted in (30, 90):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 120
        while len(bucket.asked) < wanted and process.poll() is None and time.monotonic() < end:
            time.sleep(0.005)
        process.kill()
        process.wait()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    texts = {path.name: path.read_bytes() for path in bucket.folder.glob("*/*.xml") if "9172893.1" not in path.name}
    assert {path.name: path.read_bytes() for path in fetch.out.glob("*/*.xml")} == texts
    assert not list(fetch.out.rglob("*.tmp"))


def test_what_a_killed_fetch_has_left_is_removed(fetch: Fetch, bucket: LoopbackBucket) -> None:
    article = fetch.out / "PMC9172893.2"
    article.mkdir(parents=True)
    left = [article / f".{article.name}{suffix}.0123abcd.tmp" for suffix in (".xml", ".json")]
    left.append(fetch.out / f".{STATE}.0123abcd.tmp")
    mine = [article / ".of-the-user.0123abcd.tmp", fetch.out / ".of-the-user.0123abcd.tmp"]
    for path in (*left, *mine):
        path.write_text("half")
    fetch.all(None)
    assert [path for path in (*left, *mine) if path.exists()] == mine
