"""PMC's articles: from its public bucket, by ids or all of them, each with its metadata; or one by one from a service.

An article of the bucket is a folder `PMC<id>.<version>` with `.xml` and `.json`, as in the bucket. The metadata are
written last: a folder that has them is complete, so a killed command continues, and metadata that are equal need no
second request.

The bucket is read without credentials: its listing by pages (Amazon S3, `ListObjectsV2`), and its objects. Nothing that
the server answers is believed without a check: pages must be whole, in order and about what was asked; objects must
have their md5; redirections to other hosts are refused.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import re
import urllib.error
import zlib
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from lxml import etree

from corpora.errors import ArticleError, ConfigurationError, InputError, OptionError, ResourceError, shortened
from corpora.fetching import download as connection
from corpora.fetching.download import Rejected, Settings, mirrored
from corpora.parsing.safe_xml import parse_fragment, refuse_entities
from corpora.reading import OpenInput, documents
from corpora.reporting import ignore
from corpora.storage import atomic
from corpora.storage.inputs import InputFile
from corpora.storage.members import Member
from corpora.storage.owned_files import OwnedFolder
from corpora.storage.pmc_files import parse_metadata, why_left_out

STATE = ".nlmchem-fetch.json"
BATCH = 32
"""Articles that are written together."""
MAX_ARTICLE = 1 << 26
"""Bytes of an article from the service of single articles."""
_ID = re.compile(r"(?:PMC)?([1-9][0-9]{0,11})(?:\.([1-9][0-9]{0,5}))?", re.ASCII | re.IGNORECASE)
_METADATA = re.compile(r"metadata/(PMC[1-9][0-9]{0,11})\.([1-9][0-9]{0,5})\.json", re.ASCII)
_OVERLAP = timedelta(days=1)
"""An increment begins this long before the last complete fetch: clocks differ."""

FETCHED, UNCHANGED, LEFT_OUT, FAILED, NOT_THERE = "fetched", "unchanged", "left out", "failed", "not there"

# -- ids ----------------------------------------------------------------------------------------

_SINGLE = re.compile(r"(?:PMC)?[0-9]+(?:\.[0-9]+)?|pmid:\s*[0-9]+", re.ASCII | re.IGNORECASE)
_COLUMNS = ("pmcid", "accessionid")
"""Names of columns with PMCIDs in lists of PMC, in lower case and without blanks."""


def read_ids(given: str) -> list[str]:
    """The ids that an option gives: joined by commas, or in a file. Raises `ConfigurationError`.

    A file has one id in a line, and the rest of a line after # is a comment; or it is a CSV file, which may be packed
    by gzip, whose first line names a column `PMCID` or `AccessionID`.
    """
    words = [word.strip() for word in given.split(",") if word.strip()]
    if words and all(map(_SINGLE.fullmatch, words)):
        return words
    path = Path(given)
    try:
        raw = path.read_bytes()
        rows = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8-sig").splitlines()
        header = [re.sub(r"[^a-z]", "", name.lower()) for name in next(csv.reader(rows[:1]), [])]
        column = next((header.index(name) for name in _COLUMNS if len(header) > 1 and name in header), None)
        if column is not None:
            return [row[column].strip() for row in csv.reader(rows[1:]) if len(row) > column and row[column].strip()]
        return [id for line in rows if (id := line.split("#")[0].strip())]
    except (OSError, EOFError, ValueError, zlib.error, csv.Error) as error:
        raise ConfigurationError(f"{path} cannot be read ({error}); give a file with one id in each line") from error


def parted(ids: Iterable[str]) -> tuple[list[str], list[str]]:
    """The PMCIDs, each once, and the ids `pmid:...`, which the bucket does not have. Raises `ConfigurationError`."""
    of_pmc: dict[str, None] = {}
    others: dict[str, None] = {}
    for id in ids:
        if id.lower().startswith("pmid:"):
            others[id] = None
        else:
            of_pmc[article_id(id)] = None
    return list(of_pmc), list(others)


def article_id(text: str) -> str:
    """An id of an article in PMC, such as `PMC123`, `123` or `PMC123.2`. Raises `ConfigurationError`."""
    match = _ID.fullmatch(text.strip())
    if match is None:
        raise ConfigurationError(
            f"{shortened(text)!r} is not the id of an article; write PMC1234567, PMC1234567.1 (a version) or "
            "pmid:1234567"
        )
    return f"PMC{match[1]}.{match[2]}" if match[2] else f"PMC{match[1]}"


def day(text: str) -> datetime:
    """The beginning of a day. Raises `OptionError`."""
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError as error:
        raise OptionError("since", f"must be a day such as 2026-03-01, not {text!r}") from error


# -- the bucket ---------------------------------------------------------------------------------

T = TypeVar("T")

LARGEST_PAGE = 1 << 23
"""Bytes of a page of a listing; a page has at most 1,000 keys of at most 1,024 bytes."""
LARGEST_OBJECT = 1 << 27
"""Bytes of an article or its metadata."""


class Unreachable(ResourceError):
    """The server does not answer as it should, again and again: other requests would fail as well."""


@dataclass(frozen=True, slots=True)
class ListedObject:
    """An object in a listing. `etag`: the md5 of most objects. `modified`: a time such as `2026-02-03T04:05:06`."""

    key: str
    etag: str
    modified: str


Page = tuple[list[str], list[ListedObject], str | None]
"""A page of a listing: its folders (prefixes), its files, and the token of the next page (None: it is the last)."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket at an address such as `https://pmc-oa-opendata.s3.amazonaws.com`."""

    address: str
    settings: Settings

    def pages(self, prefix: str, delimiter: str = "", after: str = "") -> Iterator[Page]:
        """The pages of a listing, as far as they are requested. `after`: only keys behind this one.

        Raises `Unreachable`, also for a listing that is not in order, which may never end.
        """
        token: str | None = None
        last = after
        while True:
            query = {"list-type": "2", "prefix": prefix, "delimiter": delimiter, "start-after": "" if token else after}
            query |= {"continuation-token": token} if token else {}
            url = f"{self.address}/?{urlencode({name: value for name, value in query.items() if value})}"
            try:
                prefixes, objects, following = self._answer(url, LARGEST_PAGE, lambda body: _page(body, prefix))
            except Rejected as error:
                # Without a listing nothing can be fetched.
                raise Unreachable(error.text) from error
            names = sorted((*prefixes, *(listed.key for listed in objects)))
            if (names and names[0] <= last) or (following is not None and not names):
                raise Unreachable(f"the listing {url} is not in order, so it may never end; try again later")
            yield prefixes, objects, following
            if following is None:
                return
            token, last = following, names[-1]

    def get(self, key: str, md5: str = "") -> bytes:
        """An object; `md5` (empty: not known) is compared. Raises `Rejected` and `Unreachable`."""

        def check(body: bytes) -> bytes:
            digest = hashlib.md5(body, usedforsecurity=False).hexdigest()
            if md5 and digest != md5.lower():
                raise ValueError(f"its md5 is {digest}, and {md5} was published")
            return body

        return self._answer(f"{self.address}/{quote(key)}", LARGEST_OBJECT, check)

    def _answer(self, url: str, largest: int, read: Callable[[bytes], T]) -> T:
        """What `read` makes of an answer. It raises `ValueError` for an answer that is not whole."""
        try:
            return connection.answer(url, self.settings, read, largest, name=url, is_strict=True)
        except urllib.error.HTTPError as error:
            why = f"the server answered {error.code} {error.reason}"
            if error.code in (403, 404, 410):
                # Without the right to list, S3 answers 403 for what is not there.
                raise Rejected(f"{url} is not there: {why}") from error
            raise Unreachable(f"{url} cannot be fetched: {why}; try again later") from error
        except connection.NoAnswerError as error:
            kind = Rejected if error.is_answer else Unreachable
            attempts = f"{self.settings.attempts} attempts"
            raise kind(f"{url} could not be fetched in {attempts} ({error}); try again later") from error


def _page(body: bytes, prefix: str) -> Page:
    """A page of a listing. Raises `ValueError` for one that is cut off, or about something else."""
    try:
        refuse_entities(body[: 1 << 16])
        root = parse_fragment(body)
    except (etree.XMLSyntaxError, ArticleError, InputError) as error:
        raise ValueError(f"the page of the listing is broken ({error})") from error
    if _local(root) != "ListBucketResult":
        raise ValueError("the answer is no listing")
    prefixes = [_text(node, "Prefix") for node in root if _local(node) == "CommonPrefixes"]
    objects = [
        ListedObject(_text(node, "Key"), _text(node, "ETag").strip('"'), _text(node, "LastModified").partition(".")[0])
        for node in root
        if _local(node) == "Contents"
    ]
    if not all(name.startswith(prefix) for name in (*prefixes, *(listed.key for listed in objects))):
        raise ValueError(f"the listing has names that do not begin with {prefix}")
    token = _text(root, "NextContinuationToken")
    if _text(root, "IsTruncated") == "true" and not token:
        raise ValueError("the page says that more follows, and not where")
    return prefixes, objects, (token if _text(root, "IsTruncated") == "true" else None)


def _local(node: Any) -> str:
    return str(node.tag).rpartition("}")[2]


def _text(node: Any, name: str) -> str:
    return next((child.text or "" for child in node if _local(child) == name), "")


# -- its articles -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FetchedArticle:
    """What became of an article. `files`: what is to be written; `problem`: why it failed, or was left out."""

    article: str
    state: str
    problem: str = ""
    files: tuple[tuple[PurePosixPath, bytes], ...] = ()


@dataclass(slots=True)
class Tally:
    """The counts of a fetch, the problems, and the articles that the bucket does not have."""

    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    not_there: list[str] = field(default_factory=list)

    def add(self, outcome: FetchedArticle) -> None:
        self.counts[outcome.state] += 1
        if outcome.state == FAILED:
            self.problems.append(f"{outcome.article}: {outcome.problem}")
        elif outcome.state == NOT_THERE:
            self.not_there.append(outcome.article)


@dataclass(frozen=True, slots=True)
class Fetch:
    """How articles are fetched into the folder `out`, with `connections` requests at the same time."""

    bucket: Bucket
    out: Path
    connections: int = 4
    licences: tuple[str, ...] = ()

    def by_ids(self, ids: Iterable[str], total: int) -> Tally:
        """Fetch articles by ids, such as `PMC123` (the newest version) or `PMC123.1`.

        Raises `Unreachable`; articles that were fetched until then are kept.
        """
        tally = Tally()
        with OwnedFolder(self.out, among_others=True) as files:
            self._run((partial(self._by_id, id) for id in ids), files, tally, total)
        return tally

    def all(self, since: datetime | None) -> Tally:
        """Fetch all articles that are new or have changed. `since`: only those that changed after this time.

        None: since the last complete fetch into this folder, or all. A fetch that was stopped continues. Raises as
        `by_ids` does.
        """
        tally, begun = Tally(), datetime.now(UTC)
        with OwnedFolder(self.out, among_others=True) as files:
            state = _State(self.out / STATE, self.licences, since)
            atomic.remove_leftovers(state.path)
            for page in self._newest(state.reached):
                self._run((partial(self._by_listing, listed, state.since) for listed in page), files, tally, None)
                state.failed = state.failed or bool(tally.problems)
                state.reached = page[-1].key
                state.write()
            # After failures, the next fetch looks at all articles again.
            state.write(None if state.failed else begun, is_done=True)
        return tally

    def _newest(self, after: str) -> Iterator[list[ListedObject]]:
        """The metadata of the newest version of each article, in the order of the bucket, by pages."""
        left: list[ListedObject] = []
        for _, objects, token in self.bucket.pages("metadata/", after=after):
            named = left + [listed for listed in objects if _METADATA.fullmatch(listed.key)]
            groups = [list(group) for _, group in groupby(named, lambda listed: _name(listed.key)[0])]
            # The versions of an article follow each other; those of the last one may go on.
            left = groups.pop() if token is not None and groups else []
            if newest := [max(group, key=lambda listed: _name(listed.key)[1]) for group in groups]:
                yield newest

    def _by_id(self, id: str) -> FetchedArticle:
        match = _ID.fullmatch(id)
        assert match is not None, "`article_id` has checked it"
        article, version = f"PMC{match[1]}", int(match[2] or 0)
        if not version:
            folder = re.compile(rf"{article}\.([1-9][0-9]{{0,5}})/")
            pages = self.bucket.pages(f"{article}.", "/")
            folders = (folder.fullmatch(prefix) for prefixes, _, _ in pages for prefix in prefixes)
            version = max((int(match[1]) for match in folders if match), default=0)
            if not version:
                return FetchedArticle(article, NOT_THERE)
        name = f"{article}.{version}"
        for key in (f"metadata/{name}.json", f"{name}/{name}.json"):
            with suppress(Rejected):
                return self._article(name, self.bucket.get(key))
        return FetchedArticle(id, NOT_THERE)

    def _by_listing(self, listed: ListedObject, since: datetime | None) -> FetchedArticle:
        name = PurePosixPath(listed.key).stem
        kept = self._kept(name)
        is_old = since is not None and listed.modified < since.strftime("%Y-%m-%dT%H:%M:%S")
        if kept is not None and (is_old or _md5(kept) == listed.etag):
            return FetchedArticle(name, UNCHANGED)
        try:
            raw = self.bucket.get(listed.key)
        except Rejected as error:
            return FetchedArticle(name, FAILED, str(error))
        return self._article(name, raw)

    def _kept(self, name: str) -> bytes | None:
        """The metadata of an article that is there; None where it is not."""
        folder = self.out / name
        try:
            return (folder / f"{name}.json").read_bytes() if (folder / f"{name}.xml").is_file() else None
        except OSError:
            return None

    def _article(self, name: str, raw: bytes) -> FetchedArticle:
        metadata = parse_metadata(raw)
        if metadata is None or f"{metadata.pmcid}.{metadata.version}" != name:
            return FetchedArticle(name, FAILED, "its metadata describe another article; try again later")
        if (reason := why_left_out(metadata, self.licences)) is not None:
            return FetchedArticle(name, LEFT_OUT, reason)
        if self._kept(name) == raw:
            return FetchedArticle(name, UNCHANGED)
        try:
            key, md5 = _place(name, metadata.xml_url)
            # Metadata can change without the text.
            path = self.out / name / f"{name}.xml"
            kept = path.read_bytes() if path.is_file() else None
            xml = self.bucket.get(key, md5) if kept is None or _md5(kept) != md5 else kept
        except Rejected as error:
            return FetchedArticle(name, FAILED, str(error))
        folder = PurePosixPath(name)
        return FetchedArticle(name, FETCHED, "", ((folder / f"{name}.xml", xml), (folder / f"{name}.json", raw)))

    def _run(
        self, jobs: Iterable[Callable[[], FetchedArticle]], files: OwnedFolder, tally: Tally, total: int | None
    ) -> None:
        """Run jobs in threads, a bounded number at a time; this thread writes what they return."""
        running: deque[Future[FetchedArticle]] = deque()
        done: list[FetchedArticle] = []

        def collect() -> None:
            outcome = running.popleft().result()
            tally.add(outcome)
            done.append(outcome)
            self.bucket.settings.progress("articles", tally.counts.total(), total)
            if sum(bool(article.files) for article in done) >= BATCH:
                _write(files, done)

        pool = ThreadPoolExecutor(self.connections, thread_name_prefix="fetch")
        try:
            for job in jobs:
                running.append(pool.submit(job))
                if len(running) >= 4 * self.connections:
                    collect()
            while running:
                collect()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            _write(files, done)


def _write(files: OwnedFolder, outcomes: list[FetchedArticle]) -> None:
    """Write the files of articles, the metadata last, and empty the list."""
    contents = {name: content for outcome in outcomes for name, content in outcome.files}
    outcomes.clear()
    if not contents:
        return
    for name in contents:
        # A killed command may have left a part of it.
        atomic.remove_leftovers(files.path / name)
    for is_metadata in (False, True):
        files.write_all(
            {name: content for name, content in contents.items() if (name.suffix == ".json") == is_metadata}
        )
        for folder in {name.parent for name in contents}:
            atomic.sync_folder(files.path / folder)


def _place(name: str, url: str) -> tuple[str, str]:
    """Key and md5 of an address such as `s3://pmc-oa-opendata/PMC1.1/PMC1.1.xml?md5=...`. Raises `Rejected`."""
    if not url:
        raise Rejected("it has no XML in the bucket")
    parts = urlsplit(url)
    key, md5 = parts.path.lstrip("/"), parse_qs(parts.query).get("md5", [""])[0]
    if parts.scheme != "s3" or key != f"{name}/{name}.xml" or not re.fullmatch(r"(?i)[0-9a-f]{32}", md5):
        raise Rejected(f"its metadata have an address that is not one of its XML with an md5: {url[:200]}")
    return key, md5.lower()


def _name(key: str) -> tuple[str, int]:
    match = _METADATA.fullmatch(key)
    assert match is not None
    return match[1], int(match[2])


def _md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


class _State:
    """When the last complete fetch into a folder began, and how far one that was stopped is."""

    def __init__(self, path: Path, licences: Sequence[str], since: datetime | None) -> None:
        self.path = path
        self._licences = sorted(licences)
        try:
            values = json.loads(path.read_bytes())
        except (OSError, ValueError):
            values = {}
        if not isinstance(values, dict) or values.get("licences") != self._licences:
            values = {}
        self._complete = values.get("complete")
        self.since = since
        """The time from which changes are of interest; None: there was no complete fetch with these licences."""
        if since is None:
            with suppress(ValueError, OverflowError):
                self.since = datetime.fromisoformat(str(self._complete)).astimezone(UTC) - _OVERLAP
        is_same = values.get("start") == _iso(self.since)
        self.reached = str(values.get("reached") or "") if is_same else ""
        """The last key of the listing that is done."""
        self.failed = is_same and values.get("failed") is True
        """Whether articles failed."""

    def write(self, complete: datetime | None = None, is_done: bool = False) -> None:
        """Store how far the fetch is, or that it is done; `complete`: when it began, if no article failed."""
        values = {
            "reached": "" if is_done else self.reached,
            "start": None if is_done else _iso(self.since),
            "failed": self.failed and not is_done,
            "licences": self._licences,
            "complete": _iso(complete) or self._complete,
        }
        atomic.write_text(self.path, json.dumps(values) + "\n")


def _iso(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat(timespec="seconds")


# -- the service of single articles -------------------------------------------------------------


def articles(address: str, ids: Sequence[str], out: Path, settings: Settings) -> Iterator[str]:
    """Fetch articles into the folder `out`, one file `PMC123.json` each. Yields a sentence for each missing article.

    `address` contains `{id}`. Ids are PMCIDs, with or without prefix, or PMIDs such as `pmid:123`. An article that
    exists is not fetched again, so the same command continues an interrupted one. Raises `ConfigurationError` for a
    wrong id, and `ResourceError` if the server cannot be reached.
    """
    names = list(dict.fromkeys(map(_service_name, ids)))
    atomic.remove_leftovers_in(out, r"(?:PMC)?[0-9]+\.json")
    for number, name in enumerate(names, 1):
        target = out / f"{name}.json"
        if not target.exists():
            problem = _single_article(mirrored(address, settings.mirror).replace("{id}", name), name, target, settings)
            if problem is not None:
                yield problem
            settings.sleep(settings.pause)
        settings.progress("articles", number, len(names))


def _service_name(id: str) -> str:
    plain = id.strip()
    is_pmid = plain.lower().startswith("pmid:")
    digits = plain[5:].strip() if is_pmid else plain.upper().removeprefix("PMC")
    if not re.fullmatch(r"[0-9]{1,12}", digits, re.ASCII):
        raise ConfigurationError(
            f"{shortened(id)!r} is not the id of an article; write PMC1234567, 1234567 (a PMCID) or pmid:1234567"
        )
    return digits if is_pmid else f"PMC{digits}"


def _single_article(url: str, name: str, target: Path, settings: Settings) -> str | None:
    """Fetch an article. Returns a sentence if it does not exist."""

    def store(body: bytes) -> str | None:
        # For a missing article, the service of NCBI answers 200 with a sentence that begins like this.
        if body.lstrip().startswith(b"[Error]"):
            return f"{name}: not in PMC's open-access subset; leave it out, or get it from its publisher"
        file = InputFile(name, PurePosixPath(name))
        try:
            read = list(documents(OpenInput(Member(file, None, file.relative), io.BytesIO(body)).articles(ignore)))
        except ArticleError as error:
            raise InputError(str(error)) from error
        if not read:
            return f"{name}: the answer contains no article; open its address in a browser"
        atomic.write_bytes(target, body)
        return None

    try:
        return connection.answer(url, settings, store, MAX_ARTICLE, name=name)
    except urllib.error.HTTPError as error:
        return f"{name}: the server answered {error.code} {error.reason}; it has no such open-access article"
    except connection.NoAnswerError as error:
        raise ResourceError(
            f"{url} could not be fetched in {settings.attempts} attempts ({error}); "
            "the articles so far are kept: run the same command again later"
        ) from error
