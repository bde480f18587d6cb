"""Requests: the download of one address to one file, and short answers. They are repeated after failures, and limited.

The only code of this project that opens a connection. A download that was interrupted is continued. Proxies are those
of the environment (`https_proxy`, `no_proxy`).
"""

from __future__ import annotations

import errno
import http.client
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, TypeVar
from urllib.parse import urlsplit

from corpora.errors import WHILE_WRITING, Argument, ConfigurationError, InputError, ResourceError, shortened
from corpora.reporting import Report, log
from corpora.storage.atomic import write_bytes

T = TypeVar("T")

CHUNK = 1 << 16
RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
"""HTTP status codes after which a request is repeated."""
FAULTS = (OSError, http.client.HTTPException)
"""Exceptions of a failed connection."""
CUT_OFF = "it ends before the length that the server states"
OF_THE_DISK = (*WHILE_WRITING, errno.EACCES, errno.EROFS)
"""Numbers of errors in `FAULTS` that the disk raises, and no connection."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of downloads. Times are in seconds."""

    mirror: str | None = None
    """Replaces the scheme and host of each address."""
    token: bool = False
    """Send the user's token of Hugging Face, to huggingface.co only; without it no request has a secret of the user."""
    attempts: int = 6
    """The maximum number of attempts without progress."""
    timeout: float = 60.0
    """The maximum time without data, for the head of an answer, and with fewer than `least` bytes."""
    pause: float = 0.4
    """Time between two requests for articles (NCBI allows three a second), and the first wait after a failure."""
    longest_wait: float = 120.0
    """Waits double up to this time."""
    longest_answer: float = 600.0
    """Time for one article."""
    least: int = 1 << 14
    """Bytes that an attempt must add to be progress."""
    largest: int = 1 << 36
    """Bytes of the largest file."""
    progress: Callable[[str, int, int | None], None] = field(default=lambda name, done, total: None)
    """Receives the file name, the bytes so far, and the total if known."""
    sleep: Callable[[float], None] = time.sleep
    report: Report = log


def mirrored(url: str, mirror: str | None) -> str:
    """The address at the mirror, if there is one. Raises `ConfigurationError`."""
    if mirror is None:
        return url
    check_mirror(mirror)
    return mirror.rstrip("/") + urlsplit(url).path


def check_mirror(mirror: str) -> None:
    """Raise `ConfigurationError` for a mirror that is no address of a server, or has a password."""
    if "@" in mirror.partition("://")[2].partition("/")[0]:
        # It would be printed in messages and stored in the record of each file.
        raise ConfigurationError("the address of the mirror has a user or a password, and none is sent; leave it out")
    try:
        parts = urlsplit(mirror)
        # The port is read when it is asked for.
        has_server = bool(parts.hostname) and parts.port != 0
        parts.netloc.encode("idna")
        is_address = parts.scheme in ("http", "https") and has_server and mirror.isprintable() and " " not in mirror
    except ValueError:
        is_address = False
    if not is_address:
        raise ConfigurationError(
            f"the mirror {shortened(mirror)!r} is not an address; write an address such as https://mirror.example/ncbi"
        )


def download(
    url: str, name: str, partial: Path, settings: Settings, headers: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Download to `partial` until the file is complete. A partial download of the same file is continued.

    `headers`: further headers of each request.

    Raises `FileNotFoundError` if the server does not have the file, and `ResourceError` if no attempt makes progress.
    """
    idle = 0
    most = _size(partial)
    reason = ""
    while idle < settings.attempts:
        required: str | None = None
        try:
            if _pull(url, name, partial, settings, headers):
                return
            reason = CUT_OFF
        except urllib.error.HTTPError as error:
            error.close()
            if error.code in (404, 410):
                raise FileNotFoundError(url) from error
            if error.code not in RETRIED and error.code != 416:
                raise ResourceError(
                    f"{url} cannot be downloaded: the server answered {error.code} {error.reason}"
                ) from error
            reason = f"the server answered {error.code} {error.reason}"
            required = error.headers.get("Retry-After")
            if error.code == 416:
                # The partial file is not the beginning of the file on the server.
                forget(partial)
        except FAULTS as error:
            reason = passing(error, url, " or ", Argument("from_file"))
        if _size(partial) >= most + settings.least:
            # Only a new maximum is progress: a download that always restarts would never end.
            most, idle = _size(partial), 0
            continue
        idle += 1
        if idle < settings.attempts:
            settings.report(f"{name}: {reason}; attempt {idle + 1} of {settings.attempts} follows")
            wait(idle - 1, settings, required)
    raise ResourceError(
        f"{url} could not be downloaded in {settings.attempts} attempts ({reason}); {_size(partial)} bytes are "
        "kept: run the same command again later, or use ",
        Argument("mirror"),
        " or ",
        Argument("from_file"),
    )


def _pull(url: str, name: str, partial: Path, settings: Settings, headers: Mapping[str, str]) -> bool:
    """Make one request. Returns whether the file is complete, as far as the server states its length."""
    had, tag = _size(partial), _read(_tag_of(partial))
    if had and not tag:
        # Without an ETag or a date, the rest could belong to another version of the file.
        forget(partial)
        had = 0
    rest = {"Range": f"bytes={had}-", "If-Range": tag} if had else {}
    with open_url(url, {**headers, **rest}, settings) as response:
        unit, _, place = (response.headers.get("Content-Range") or "").partition(" ")
        start, whole = place.partition("-")[0], place.rpartition("/")[2]
        if response.status == 206 and not (unit == "bytes" and start.isdecimal() and int(start) == had):
            forget(partial)
            return False
        if response.status != 206:
            forget(partial)
            had = 0
        # The size of the whole file; None if the server does not state it.
        length = response.headers.get("Content-Length") or ""
        total = had + int(length) if length.isdecimal() else None
        if response.status == 206 and whole.isdecimal():
            total = int(whole)
        # The tag of this version of the file. Weak tags do not guarantee equal bytes (RFC 9110, 13.1.5).
        tag = response.headers.get("ETag") or ""
        if not tag or tag.startswith("W/"):
            tag = response.headers.get("Last-Modified") or ""
        if tag:
            write_bytes(_tag_of(partial), tag.encode())
        with partial.open("ab") as out:
            begun, mark = time.monotonic(), had
            # `read1` returns what has arrived; `read` would wait for a whole block of a slow server.
            while chunk := response.read1(CHUNK):
                out.write(chunk)
                had += len(chunk)
                settings.progress(name, had, total)
                if had > settings.largest:
                    raise ResourceError(f"{url} has more than {settings.largest >> 30} GB, so it is not {name}")
                if time.monotonic() - begun > settings.timeout:
                    if had - mark < settings.least:
                        raise TimeoutError(f"it sends less than {settings.least >> 10} kB in {settings.timeout:g} s")
                    begun, mark = time.monotonic(), had
    return total is None or had >= total


def forget(partial: Path) -> None:
    partial.unlink(missing_ok=True)
    _tag_of(partial).unlink(missing_ok=True)


def _tag_of(partial: Path) -> Path:
    return partial.with_name(partial.name + ".tag")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


# -- requests -----------------------------------------------------------------------------------


def open_url(url: str, headers: dict[str, str], settings: Settings, same_host: bool = False) -> Any:
    """Open an address with the proxies of the environment. The caller closes it. Raises as `urllib.request`.

    `same_host`: a redirection to another host is not followed, and raises `ResourceError`.
    """
    request = urllib.request.Request(url, headers={"User-Agent": "nlmchem", "Accept-Encoding": "identity", **headers})
    try:
        return urllib.request.build_opener(_SameHost if same_host else _SameSafety, _Http, _Https).open(
            request, timeout=settings.timeout
        )
    except http.client.HTTPException:
        raise
    except ValueError as error:
        # A redirection to something that is not an address, such as `http://[`.
        raise Rejected(f"{url} leads to an address that is not valid ({error}); use ", Argument("mirror")) from error


class Rejected(ResourceError):
    """What an address has cannot be used: it is not there, it is not what its publisher states, or it has no end."""


class NoAnswerError(Exception):
    """No attempt had a whole answer. The message is the reason; `is_answer`: the last attempt had one that is wrong."""

    def __init__(self, reason: str, is_answer: bool) -> None:
        super().__init__(reason)
        self.is_answer = is_answer


def answer(
    url: str,
    settings: Settings,
    read: Callable[[bytes], T],
    largest: int,
    *,
    headers: Mapping[str, str] = MappingProxyType({}),
    name: str = "",
    others: Sequence[str | Argument] = (),
    is_strict: bool = False,
) -> T:
    """What `read` makes of an answer of at most `largest` bytes.

    Requests are repeated after failures, and where `read` raises `ValueError` or `InputError` for an answer that is not
    whole. `name`: what reports of failures name (empty: nothing is reported). `others`: as in `passing`. `is_strict`:
    redirections to other hosts are refused, and the length that the server states is required. Raises `HTTPError` for a
    refusal, `NoAnswerError` after the last attempt, `Rejected`, and as `passing`.
    """
    reason, is_answer, required = "", False, None
    for attempt in range(settings.attempts):
        if attempt:
            wait(attempt - 1, settings, required)
            required = None
            if name:
                settings.report(f"{name}: {reason}; attempt {attempt + 1} of {settings.attempts} follows")
        try:
            with open_url(url, dict(headers), settings, same_host=is_strict) as response:
                body = _body(response, url, settings, largest)
                length = response.headers.get("Content-Length") or ""
                if is_strict and length.isdecimal() and int(length) != len(body):
                    raise ValueError(CUT_OFF)
            return read(body)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code not in RETRIED:
                raise
            reason, is_answer = f"the server answered {error.code} {error.reason}", False
            required = error.headers.get("Retry-After")
        except (ValueError, InputError) as error:
            reason, is_answer = str(error), True
        except FAULTS as error:
            reason, is_answer = passing(error, url, *others), False
    raise NoAnswerError(reason, is_answer)


def _body(response: Any, url: str, settings: Settings, largest: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    end = time.monotonic() + settings.longest_answer
    while chunk := response.read1(CHUNK):
        parts.append(chunk)
        size += len(chunk)
        if size > largest:
            raise Rejected(f"the answer of {url} is larger than {largest >> 20} MB, so it is not what was asked for")
        if time.monotonic() > end:
            raise TimeoutError(f"the answer did not end in {settings.longest_answer:.0f} seconds")
    return b"".join(parts)


def wait(attempt: int, settings: Settings, required: str | None = None) -> None:
    """Wait after a failure. The time doubles with each attempt; `required`: the time that the server requires."""
    seconds = settings.pause * 2**attempt
    if required is not None and required.strip().isdecimal():
        seconds = max(seconds, float(required))
    settings.sleep(min(seconds, settings.longest_wait))


def reason_of(error: BaseException) -> str:
    """The reason of a failed connection in words."""
    return str(getattr(error, "reason", "") or error) or type(error).__name__


def passing(error: Exception, url: str, *others: str | Argument) -> str:
    """The reason of a failure that may not happen again. Raises all other errors.

    `others`: what the message recommends besides a mirror. Raises `OSError` for one of the disk, and `ResourceError` if
    the server has no address.
    """
    if isinstance(error, OSError) and error.errno in OF_THE_DISK:
        raise error
    if isinstance(getattr(error, "reason", None), socket.gaierror):
        what = f"{url} cannot be reached: its server has no address ({reason_of(error)}); check the network, or use "
        raise ResourceError(what, Argument("mirror"), *others) from error
    return reason_of(error)


class _LimitedHead(http.client.HTTPConnection):
    """A connection that limits the time for the head of an answer. The time limit of a socket begins with each byte."""

    def getresponse(self) -> http.client.HTTPResponse:
        """As `http.client`. Raises `TimeoutError`."""
        over = threading.Event()

        def end() -> None:
            over.set()
            # Of the plain socket: that of TLS would wait for the server.
            socket.socket.shutdown(self.sock, socket.SHUT_RDWR)

        timer = threading.Timer(float(self.timeout or 0), end)
        timer.daemon = True
        timer.start()
        try:
            return super().getresponse()
        finally:
            timer.cancel()
            # `http.client` accepts a head that breaks off between two fields.
            if over.is_set():
                raise TimeoutError(f"the head of its answer did not end in {self.timeout:g} s")


class _LimitedTls(_LimitedHead, http.client.HTTPSConnection):
    """The same over TLS."""


class _Http(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_LimitedHead, req)


class _Https(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_LimitedTls, req)


class _SameSafety(urllib.request.HTTPRedirectHandler):
    """Follows redirections, except from https to another scheme."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        schemes = ("https",) if req.type == "https" else ("http", "https")
        if urlsplit(newurl).scheme not in schemes:
            raise Rejected(
                f"{req.full_url} redirects to {newurl}, which is less secure; the redirection was not followed"
            )
        redirected = super().redirect_request(req, fp, code, msg, headers, newurl)
        if redirected is not None:
            # `urllib` copies all headers. The password of the proxy is added again where a proxy is used.
            redirected.headers.pop("Proxy-authorization", None)
            if (redirected.type, redirected.host) != (req.type, req.host):
                redirected.headers.pop("Authorization", None)
        return redirected


class _SameHost(_SameSafety):
    """Follows redirections that stay at the host."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        if urlsplit(newurl).netloc != urlsplit(req.full_url).netloc:
            raise Rejected(f"{req.full_url} redirects to {newurl}, another host; the redirection was not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)
