"""A server on loopback whose answers each test decides, and the file that it offers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from corpora.fetching.resources import Resource, ResourceFile

BODY = bytes(range(256)) * 1000
SHA = hashlib.sha256(BODY).hexdigest()

Handler = Callable[["Request"], None]


class Request(BaseHTTPRequestHandler):
    """Calls the function that the test has set as `Site.behave`."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        site: Site = self.server.site  # type: ignore[attr-defined]
        site.requests.append((self.path, dict(self.headers)))
        site.behave(self)

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def answer(self, body: bytes, code: int = 200, length: int | None = None, **headers: str) -> None:
        """Send `body` with the given length, which can be wrong, and end the connection."""
        self.send_response(code)
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def start(self) -> int:
        """The first byte that is requested; 0 for the whole file."""
        first = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")[0]
        return int(first)


@dataclass
class Site:
    address: str
    behave: Handler = lambda request: request.answer(b"", 404)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)


def thing(site: Site, name: str = "thing.bin", sha256: str | None = None) -> Resource:
    return Resource(
        "thing", "A thing", "CC0", "about:blank", (ResourceFile(name, (f"{site.address}/{name}",), sha256),)
    )


def whole(request: Request) -> None:
    request.answer(BODY, ETag='"one"')
