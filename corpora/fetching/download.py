"""One address to one file, whatever the network does: resumed where it was cut off, never asked for more often than
is polite. With `corpora.fetching.resources` the only code of this project that opens a connection.
"""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from corpora.errors import ConfigurationError, ResourceError
from corpora.reporting import Report, log
from corpora.storage.atomic import write_bytes

__all__ = ["FAULTS", "RETRIED", "Settings", "download", "forget", "mirrored", "open_url", "reason_of", "wait"]

CHUNK = 1 << 16
RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Answers that may be others in a while."""
FAULTS = (OSError, http.client.HTTPException)
"""What a connection may end with."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to fetch. `pause`: seconds between two requests of articles (NCBI allows three a second), and the first
    wait after a failure, which doubles up to `longest_wait`; `attempts`: how often without any progress;
    `timeout`: seconds of silence. `mirror` takes the place of every address's scheme and host.
    """

    mirror: str | None = None
    attempts: int = 6
    timeout: float = 60.0
    pause: float = 0.4
    longest_wait: float = 120.0
    progress: Callable[[str, int, int | None], None] = field(default=lambda name, done, total: None)
    sleep: Callable[[float], None] = time.sleep
    report: Report = log


def mirrored(url: str, mirror: str | None) -> str:
    """An address at the mirror, where there is one. Raises `ConfigurationError`."""
    if mirror is None:
        return url
    if urlsplit(mirror).scheme not in ("http", "https"):
        raise ConfigurationError(f"the mirror {mirror!r} is no address; write one such as https://mirror.example/ncbi")
    return mirror.rstrip("/") + urlsplit(url).path


def download(url: str, name: str, partial: Path, settings: Settings) -> None:
    """Fill `partial` until the file is whole; what is there already is not asked for again, if it is the same file.

    Raises `FileNotFoundError` where the server has no such file, `ResourceError` where no attempt gets any further.
    """
    idle = 0
    most = _size(partial)
    reason = ""
    while idle < settings.attempts:
        asked: str | None = None
        try:
            if _pull(url, name, partial, settings):
                return
            reason = "it ends before the length that the server states"
        except urllib.error.HTTPError as error:
            error.close()
            if error.code in (404, 410):
                raise FileNotFoundError(url) from error
            if error.code not in RETRIED and error.code != 416:
                raise ResourceError(f"{url} cannot be had: the server says {error.code} {error.reason}") from error
            reason = f"the server says {error.code} {error.reason}"
            asked = error.headers.get("Retry-After")
            if error.code == 416:
                # What we have is no beginning of what the server has.
                forget(partial)
        except FAULTS as error:
            reason = reason_of(error)
        if _size(partial) > most:
            # Only what is more than ever before counts: a file that is begun anew each time never ends.
            most, idle = _size(partial), 0
            continue
        wait(idle, settings, asked)
        idle += 1
    raise ResourceError(
        f"{url} could not be downloaded whole in {settings.attempts} attempts ({reason}); {_size(partial)} bytes are "
        "kept: run the same command again later, or use --mirror or --from-file"
    )


def open_url(url: str, headers: dict[str, str], settings: Settings) -> Any:
    """An answer of the server, to be closed; raises as `urllib.request` does. Proxies are the environment's."""
    request = urllib.request.Request(url, headers={"User-Agent": "nlmchem", "Accept-Encoding": "identity", **headers})
    return urllib.request.build_opener(_SameSafety).open(request, timeout=settings.timeout)


def wait(attempt: int, settings: Settings, asked: str | None = None) -> None:
    """Twice as long after each failure; as long as the server asks, where it does, within reason."""
    seconds = settings.pause * 2**attempt
    if asked is not None and asked.strip().isdecimal():
        seconds = max(seconds, float(asked))
    settings.sleep(min(seconds, settings.longest_wait))


def reason_of(error: BaseException) -> str:
    """What a connection ended with, in words."""
    return str(getattr(error, "reason", "") or error) or type(error).__name__


def forget(partial: Path) -> None:
    """Take away what was downloaded so far."""
    partial.unlink(missing_ok=True)
    _tag_of(partial).unlink(missing_ok=True)


class _SameSafety(urllib.request.HTTPRedirectHandler):
    """Follows redirections, but not from https to anything else."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        schemes = ("https",) if req.type == "https" else ("http", "https")
        if urlsplit(newurl).scheme not in schemes:
            raise ResourceError(f"{req.full_url} leads to {newurl}, which is not as safe; it was not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _pull(url: str, name: str, partial: Path, settings: Settings) -> bool:
    """One request; whether the file is whole now, as far as the server says."""
    had, tag = _size(partial), _read(_tag_of(partial))
    if had and not tag:
        # Without an ETag or a date nobody can say whether the rest would be that of the same file.
        forget(partial)
        had = 0
    headers = {"Range": f"bytes={had}-", "If-Range": tag} if had else {}
    with open_url(url, headers, settings) as response:
        if response.status == 206 and _range_start(response) != had:
            forget(partial)
            return False
        if response.status != 206:
            forget(partial)
            had = 0
        total = _total(response, had)
        _keep_tag(response, partial)
        with partial.open("ab") as out:
            while chunk := response.read(CHUNK):
                out.write(chunk)
                had += len(chunk)
                settings.progress(name, had, total)
    return total is None or had >= total


def _keep_tag(response: Any, partial: Path) -> None:
    """What names this version of the file; a weak tag does not promise the same bytes (RFC 9110, 13.1.5)."""
    tag = response.headers.get("ETag") or ""
    if not tag or tag.startswith("W/"):
        tag = response.headers.get("Last-Modified") or ""
    if tag:
        write_bytes(_tag_of(partial), tag.encode())


def _range_start(response: Any) -> int | None:
    unit, _, rest = (response.headers.get("Content-Range") or "").partition(" ")
    start = rest.partition("-")[0]
    return int(start) if unit == "bytes" and start.isdecimal() else None


def _total(response: Any, had: int) -> int | None:
    """Bytes of the whole file, as far as the server says."""
    whole = (response.headers.get("Content-Range") or "").rpartition("/")[2]
    if response.status == 206 and whole.isdecimal():
        return int(whole)
    length = response.headers.get("Content-Length") or ""
    return had + int(length) if length.isdecimal() else None


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
