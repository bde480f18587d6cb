"""PMC's articles from its public bucket: by ids, or all of them, each with its metadata.

An article is a folder `PMC<id>.<version>` with `.xml` and `.json`, as in the bucket. The metadata are written last: a
folder that has them is complete, so a killed command continues, and metadata that are equal need no second request.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import groupby
from pathlib import Path, PurePosixPath
from urllib.parse import parse_qs, urlsplit

from corpora.errors import ConfigurationError, shortened
from corpora.fetching.bucket import Bucket, Listed, Rejected
from corpora.storage import atomic
from corpora.storage.owned_files import OwnedFolder
from corpora.storage.pmc_files import parse_metadata, why_left_out

STATE = ".nlmchem-fetch.json"
BATCH = 32
"""Articles that are written together."""
_ID = re.compile(r"(?:PMC)?([1-9][0-9]{0,11})(?:\.([1-9][0-9]{0,5}))?", re.ASCII | re.IGNORECASE)
_METADATA = re.compile(r"metadata/(PMC[1-9][0-9]{0,11})\.([1-9][0-9]{0,5})\.json", re.ASCII)
_OVERLAP = timedelta(days=1)
"""An increment begins this long before the last complete fetch: clocks differ."""

FETCHED, UNCHANGED, LEFT_OUT, FAILED, NOT_THERE = "fetched", "unchanged", "left out", "failed", "not there"


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
        """Count an article."""
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
        tally, state, begun = Tally(), _State(self.out / STATE, self.licences), datetime.now(UTC)
        start = since or state.since()
        with OwnedFolder(self.out, among_others=True) as files:
            atomic.remove_leftovers(state.path)
            progress = state.progress(start)
            failed = progress.failed
            for page in self._newest(progress.reached):
                self._run((partial(self._by_listing, listed, start) for listed in page), files, tally, None)
                failed = failed or bool(tally.problems)
                state.write(ListingProgress(page[-1].key, _iso(start), failed))
            # After failures, the next fetch looks at all articles again.
            state.write(ListingProgress(), None if failed else begun)
        return tally

    # -- which articles -------------------------------------------------------------------------

    def _newest(self, after: str) -> Iterator[list[Listed]]:
        """The metadata of the newest version of each article, in the order of the bucket, by pages."""
        left: list[Listed] = []
        for page in self.bucket.pages("metadata/", after=after):
            named = left + [listed for listed in page.objects if _METADATA.fullmatch(listed.key)]
            groups = [list(group) for _, group in groupby(named, lambda listed: _name(listed.key)[0])]
            # The versions of an article follow each other; those of the last one may go on.
            left = groups.pop() if page.token is not None and groups else []
            if newest := [max(group, key=lambda listed: _name(listed.key)[1]) for group in groups]:
                yield newest

    def _by_id(self, id: str) -> FetchedArticle:
        match = _ID.fullmatch(id)
        assert match is not None, "`article_id` has checked it"
        article = f"PMC{match[1]}"
        versions = [int(match[2])] if match[2] else self._versions(article)
        if not versions:
            return FetchedArticle(article, NOT_THERE)
        try:
            raw = self._metadata(f"{article}.{max(versions)}")
        except Rejected:
            return FetchedArticle(id, NOT_THERE)
        return self._article(f"{article}.{max(versions)}", raw)

    def _versions(self, article: str) -> list[int]:
        folder = re.compile(rf"{article}\.([1-9][0-9]{{0,5}})/")
        matches = (
            folder.fullmatch(prefix) for page in self.bucket.pages(f"{article}.", "/") for prefix in page.prefixes
        )
        return [int(match[1]) for match in matches if match]

    def _metadata(self, name: str) -> bytes:
        try:
            return self.bucket.get(f"metadata/{name}.json")
        except Rejected:
            return self.bucket.get(f"{name}/{name}.json")

    def _by_listing(self, listed: Listed, since: datetime | None) -> FetchedArticle:
        article, version = _name(listed.key)
        name = f"{article}.{version}"
        kept = self._kept(name)
        is_old = since is not None and listed.modified < since.strftime("%Y-%m-%dT%H:%M:%S")
        if kept is not None and (is_old or _md5(kept) == listed.etag):
            return FetchedArticle(name, UNCHANGED)
        try:
            raw = self.bucket.get(listed.key)
        except Rejected as error:
            return FetchedArticle(name, FAILED, str(error))
        return self._article(name, raw)

    # -- one article ----------------------------------------------------------------------------

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
            key, md5 = self._place(name, metadata.xml_url)
            # Metadata can change without the text.
            kept = self._kept_text(name, md5)
            xml = self.bucket.get(key, md5) if kept is None else kept
        except Rejected as error:
            return FetchedArticle(name, FAILED, str(error))
        folder = PurePosixPath(name)
        return FetchedArticle(name, FETCHED, "", ((folder / f"{name}.xml", xml), (folder / f"{name}.json", raw)))

    def _kept_text(self, name: str, md5: str) -> bytes | None:
        path = self.out / name / f"{name}.xml"
        if not md5 or not path.is_file():
            return None
        content = path.read_bytes()
        return content if _md5(content) == md5 else None

    def _place(self, name: str, url: str) -> tuple[str, str]:
        """Key and md5 of an address such as `s3://pmc-oa-opendata/PMC1.1/PMC1.1.xml?md5=...`. Raises `Rejected`."""
        if not url:
            raise Rejected("it has no XML in the bucket")
        parts = urlsplit(url)
        key, md5 = parts.path.lstrip("/"), parse_qs(parts.query).get("md5", [""])[0]
        if parts.scheme != "s3" or key != f"{name}/{name}.xml" or not re.fullmatch(r"(?i)[0-9a-f]{32}", md5):
            raise Rejected(f"its metadata have an address that is not one of its XML with an md5: {url[:200]}")
        return key, md5.lower()

    # -- many at the same time ------------------------------------------------------------------

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


def _name(key: str) -> tuple[str, int]:
    match = _METADATA.fullmatch(key)
    assert match is not None
    return match[1], int(match[2])


def _md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def article_id(text: str) -> str:
    """An id of an article in PMC, such as `PMC123`, `123` or `PMC123.2`. Raises `ConfigurationError`."""
    match = _ID.fullmatch(text.strip())
    if match is None:
        raise ConfigurationError(
            f"{shortened(text)!r} is not the id of an article; write PMC1234567, PMC1234567.1 (a version) or "
            "pmid:1234567"
        )
    return f"PMC{match[1]}.{match[2]}" if match[2] else f"PMC{match[1]}"


# -- the state of a fetch of all articles -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ListingProgress:
    """The last key of the listing that is done, the time after which changes are fetched, whether articles failed."""

    reached: str = ""
    start: str | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class _State:
    """When the last complete fetch into a folder began, and how far the present one is."""

    path: Path
    licences: Sequence[str]

    def since(self) -> datetime | None:
        """The time from which changes are of interest; None: there was no complete fetch with these licences."""
        try:
            return datetime.fromisoformat(str(self._values().get("complete"))).astimezone(UTC) - _OVERLAP
        except (ValueError, OverflowError):
            return None

    def progress(self, start: datetime | None) -> ListingProgress:
        """How far a fetch with the same start is that was stopped."""
        values = self._values()
        if values.get("start") != _iso(start):
            return ListingProgress()
        return ListingProgress(str(values.get("reached") or ""), _iso(start), values.get("failed") is True)

    def write(self, progress: ListingProgress, complete: datetime | None = None) -> None:
        """Store how far the fetch is, and when a complete one began."""
        before = self._values().get("complete")
        values = {**asdict(progress), "licences": sorted(self.licences), "complete": _iso(complete) or before}
        atomic.write_text(self.path, json.dumps(values) + "\n")

    def _values(self) -> dict[str, object]:
        try:
            values = json.loads(self.path.read_bytes())
        except (OSError, ValueError):
            return {}
        return values if isinstance(values, dict) and values.get("licences") == sorted(self.licences) else {}


def _iso(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat(timespec="seconds")
