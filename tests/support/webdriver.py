"""A headless Chromium, driven by WebDriver (JSON over HTTP). Needs the programs chromium and chromedriver."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MISSING = "no chromium and chromedriver here: apt-get install chromium chromium-driver"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key of an element's reference, from the WebDriver standard, section 12."""
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--window-size=1200,900",
)  # fmt: skip


class Browser:
    """A session of a headless Chromium."""

    def __init__(self, address: str) -> None:
        self._address = address

    def call(self, method: str, path: str, **body: Any) -> Any:
        data = None if method == "GET" else json.dumps(body).encode()
        request = urllib.request.Request(self._address + path, data, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())["value"]

    def devtools(self, command: str, **parameters: Any) -> Any:
        """Send a command of the Chrome DevTools protocol."""
        return self.call("POST", "/goog/cdp/execute", cmd=command, params=parameters)

    def open(self, page: Path, anchor: str = "") -> None:
        """Open a page and wait until all of it is read. Raises `TimeoutError` after a minute."""
        self.call("POST", "/url", url=page.resolve().as_uri() + anchor)
        for _ in range(600):
            # On a busy machine the driver returns while a large page is still being read.
            if self.run("return document.readyState") == "complete":
                return
            time.sleep(0.1)
        raise TimeoutError(f"{page} is not read after a minute")

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
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def size(self, width: int, height: int) -> None:
        """Emulate a screen of this size in CSS pixels; 0, 0: the window's own size."""
        self.devtools(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

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
        """Write what the screen shows as PNG."""
        path.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))


def present() -> bool:
    """Whether chromium and chromedriver are installed."""
    return shutil.which("chromedriver") is not None and shutil.which("chromium") is not None


@contextmanager
def started(profile: Path) -> Iterator[Browser]:
    """A browser that stores its profile in the folder `profile`, which must be empty. It ends with the block."""
    driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
    if driver is None or chromium is None:
        raise FileNotFoundError(MISSING)
    process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        lines = (re.search(r"started successfully on port (\d+)", line) for line in process.stdout)
        port = next(match[1] for match in lines if match)
        base = Browser(f"http://127.0.0.1:{port}")
        options = {"binary": chromium, "args": [*_FLAGS, f"--user-data-dir={profile}"]}
        capabilities = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = base.call("POST", "/session", capabilities={"alwaysMatch": capabilities})["sessionId"]
        browser = Browser(f"http://127.0.0.1:{port}/session/{session}")
        yield browser
        browser.call("DELETE", "")
    finally:
        process.terminate()
        process.wait(20)
