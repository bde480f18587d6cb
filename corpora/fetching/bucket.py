"""The public bucket of PMC, read without credentials: its listing by pages, and its objects.

Source of the listing: Amazon S3, `ListObjectsV2`. Nothing that the server answers is believed without a check: pages
must be whole, in order and about what was asked; objects must have their md5; redirections to other hosts are refused.
"""

from __future__ import annotations

import hashlib
import urllib.error
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from lxml import etree

from corpora.errors import ArticleError, InputError, ResourceError
from corpora.fetching import download as connection
from corpora.fetching.download import Rejected, Settings
from corpora.parsing.safe_xml import parse_fragment, refuse_entities

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


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a listing: `prefixes` are folders, `objects` are files. `token`: of the next page; None: the last."""

    prefixes: tuple[str, ...]
    objects: tuple[ListedObject, ...]
    token: str | None


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
                page = self._answer(url, LARGEST_PAGE, lambda body: _page(body, prefix))
            except Rejected as error:
                # Without a listing nothing can be fetched.
                raise Unreachable(error.text) from error
            names = sorted((*page.prefixes, *(listed.key for listed in page.objects)))
            if (names and names[0] <= last) or (page.token is not None and not names):
                raise Unreachable(f"the listing {url} is not in order, so it may never end; try again later")
            yield page
            if page.token is None:
                return
            token, last = page.token, names[-1]

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
    prefixes = tuple(_text(node, "Prefix") for node in root if _local(node) == "CommonPrefixes")
    objects = tuple(
        ListedObject(_text(node, "Key"), _text(node, "ETag").strip('"'), _text(node, "LastModified").partition(".")[0])
        for node in root
        if _local(node) == "Contents"
    )
    if not all(name.startswith(prefix) for name in (*prefixes, *(listed.key for listed in objects))):
        raise ValueError(f"the listing has names that do not begin with {prefix}")
    token = _text(root, "NextContinuationToken")
    if _text(root, "IsTruncated") == "true" and not token:
        raise ValueError("the page says that more follows, and not where")
    return Page(prefixes, objects, token if _text(root, "IsTruncated") == "true" else None)


def _local(node: Any) -> str:
    return str(node.tag).rpartition("}")[2]


def _text(node: Any, name: str) -> str:
    return next((child.text or "" for child in node if _local(child) == name), "")
