"""Fixtures of all tests of fetching: a server on loopback, a cache of its own, and no waiting."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from loopback_site import Request, Site

from corpora.fetching.resources import Settings


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


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def settings(waits: list[float]) -> Settings:
    """No test waits: `waits` has the seconds of each pause."""
    return Settings(sleep=waits.append, timeout=5.0, report=lambda sentence: None)
