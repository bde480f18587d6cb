"""A browser, driven by WebDriver (JSON over HTTP), and articles to show."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCDocument, BioCPassage

from corpora.model.document import (
    Definition,
    Evidence,
    IndexTerm,
    add_definition,
    add_index_term,
    add_mention,
    fresh_ids,
    set_identifiers,
)

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> & 'quoted' \"text\""
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key of an element's reference, from the WebDriver standard, section 12."""


class Browser:
    """A session of a headless Chromium."""

    def __init__(self, address: str) -> None:
        self._address = address

    def call(self, method: str, path: str, **body: Any) -> Any:
        data = None if method == "GET" else json.dumps(body).encode()
        request = urllib.request.Request(self._address + path, data, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())["value"]

    def open(self, page: Path, anchor: str = "") -> None:
        self.call("POST", "/url", url=page.resolve().as_uri() + anchor)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.call("POST", "/execute/sync", script=script, args=list(arguments))

    def find(self, selector: str) -> str:
        found = self.call("POST", "/element", using="css selector", value=selector)
        return str(found[ELEMENT])

    def click(self, selector: str) -> None:
        self.call("POST", f"/element/{self.find(selector)}/click")

    def type(self, selector: str, text: str) -> None:
        self.call("POST", f"/element/{self.find(selector)}/value", text=text)

    def keys(self, *keys: str) -> None:
        """Press keys one after another; the element with the focus receives them."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", actions=[{"type": "key", "id": "keys", "actions": actions}])

    def hover(self, selector: str) -> None:
        target = {ELEMENT: self.find(selector)}
        move = {"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": target}
        self.call("POST", "/actions", actions=[{"type": "pointer", "id": "mouse", "actions": [move]}])

    def text(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0]).textContent", selector))

    def count(self, selector: str) -> int:
        return int(self.run("return document.querySelectorAll(arguments[0]).length", selector))

    def shown(self, selector: str) -> list[str]:
        """Texts of the visible elements."""
        all_shown = "Array.from(document.querySelectorAll(arguments[0])).filter(e => e.checkVisibility())"
        return list(self.run(f"return {all_shown}.map(e => e.textContent)", selector))

    def scheme(self, name: str) -> None:
        """Emulate a system with light or dark colours."""
        media = {"features": [{"name": "prefers-color-scheme", "value": name}]}
        self.call("POST", "/goog/cdp/execute", cmd="Emulation.setEmulatedMedia", params=media)

    def style(self, selector: str, name: str) -> str:
        return str(
            self.run("return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]", selector, name)
        )

    def errors(self) -> list[str]:
        """Errors in the console since the last call, including violations of the Content-Security-Policy."""
        return [
            entry["message"] for entry in self.call("POST", "/se/log", type="browser") if entry["level"] == "SEVERE"
        ]

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
    if driver is None or chromium is None:
        pytest.skip("no chromium and chromedriver here: apt-get install chromium chromium-driver")
    process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        lines = (re.search(r"started successfully on port (\d+)", line) for line in process.stdout)
        port = next(match[1] for match in lines if match)
        base = Browser(f"http://127.0.0.1:{port}")
        flags = [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
            "--disable-background-networking", "--disable-component-update", "--window-size=1200,900",
            f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
        ]  # fmt: skip
        options = {"binary": chromium, "args": flags}
        capabilities = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = base.call("POST", "/session", capabilities={"alwaysMatch": capabilities})["sessionId"]
        browser = Browser(f"http://127.0.0.1:{port}/session/{session}")
        yield browser
        browser.call("DELETE", "")
    finally:
        process.terminate()
        process.wait(20)


def passage(document: BioCDocument, text: str, section: str | None = None) -> BioCPassage:
    """Add a passage, one character after the end of the previous one."""
    added = BioCPassage()
    before = document.passages[-1] if document.passages else None
    added.offset = 0 if before is None else before.offset + len(before.text) + 1
    added.text = text
    if section:
        added.infons["section_type"] = section
    document.add_passage(added)
    return added


def mark(
    document: BioCDocument, where: BioCPassage, text: str, identifiers: str, evidence: Evidence | None = None
) -> None:
    """Add a mention at the first occurrence of `text`."""
    start = where.offset + where.text.index(text)
    mention = add_mention(
        where, [(start, start + len(text))], id=next(fresh_ids(document, "C")), annotator="test", score=0.5
    )
    set_identifiers(mention, identifiers.split(","), evidence)


@pytest.fixture
def annotated() -> BioCDocument:
    """Two sections, a definition, mentions with evidence (one of them with two concepts), index terms."""
    document = BioCDocument()
    document.id = "77"
    title = passage(document, "Zinc and glutathione in yeast", "TITLE")
    intro = passage(document, "Yeast kept glutathione (GSH) low while zinc was high. PBS was the buffer.", "INTRO")
    methods = passage(document, "GSH was measured twice.", "METHODS")
    mark(document, title, "Zinc", "MESH:D015032", Evidence("exact", 1.0, "zinc"))
    mark(document, title, "glutathione", "MESH:D005978", Evidence("exact", 1.0, "glutathione"))
    mark(document, intro, "glutathione", "MESH:D005978", Evidence("exact", 1.0, "glutathione"))
    mark(document, intro, "GSH", "MESH:D005978", Evidence("abbreviation", 0.9, "glutathione"))
    mark(document, intro, "zinc", "MESH:D015032", Evidence("exact", 1.0, "zinc"))
    mark(document, intro, "PBS", "MESH:D012965,MESH:D010710", Evidence("fuzzy", 0.7, "PBS"))
    mark(document, methods, "GSH", "MESH:D005978", Evidence("abbreviation", 0.9, "glutathione"))
    long = intro.offset + intro.text.index("glutathione")
    short = intro.offset + intro.text.index("GSH")
    definition = Definition("GSH", "glutathione", (short, short + 3), (long, long + 11))
    add_definition(intro, definition, fresh_ids(document, "A"))
    add_index_term(document, IndexTerm("MESH:D005978", "Glutathione", 0.93))
    add_index_term(document, IndexTerm("MESH:D000001", "Calcimycin", 0.2))
    return document


@pytest.fixture
def gold() -> BioCDocument:
    """The same text with an equal mention, a different concept, different boundaries, and a mention in gold only."""
    document = BioCDocument()
    document.id = "77"
    title = passage(document, "Zinc and glutathione in yeast", "TITLE")
    passage(document, "Yeast kept glutathione (GSH) low while zinc was high. PBS was the buffer.", "INTRO")
    methods = passage(document, "GSH was measured twice.", "METHODS")
    mark(document, title, "Zinc", "MESH:D015032")
    mark(document, title, "glutathione", "MESH:D000001")
    mark(document, methods, "GSH was", "MESH:D005978")
    mark(document, methods, "measured", "-")
    add_index_term(document, IndexTerm("MESH:D015032", "Zinc"))
    return document


@pytest.fixture
def hostile() -> BioCDocument:
    """A document in which every text contains HTML markup."""
    document = BioCDocument()
    document.id = f"../{HOSTILE}"
    where = passage(document, f"{HOSTILE} zinc {HOSTILE} </script><!-- GSH", HOSTILE)
    mark(document, where, "zinc", HOSTILE.replace(",", ""), Evidence(HOSTILE, 1.0, f"</script>{HOSTILE}"))
    mark(document, where, HOSTILE, "MESH:D1")
    start = where.text.index("GSH")
    definition = Definition("GSH", "<script>", (start, start + 3), (0, 8))
    add_definition(where, definition, fresh_ids(document, "A"))
    add_index_term(document, IndexTerm(HOSTILE, f"</script>{HOSTILE}", 0.5))
    return document
