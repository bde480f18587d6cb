"""Builds the documentation site and checks it: no warnings, no broken links, nothing from another host.

    python -m benchmarks.release.site -o build/docs

Needs the extra `docs`.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[2]
LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src")}
"""Attributes whose address a browser loads without a click."""
IN_STYLES = re.compile(r"""(?:url\(|@import)\s*["']?(?:https?:)?//""")


class Page(HTMLParser):
    """The addresses in a page, each with its tag and attribute, and the places that a link can name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[tuple[str, str, str]] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in ("href", "src"):
                self.addresses.append((tag, name, value))
            if value and (name == "id" or (tag == "a" and name == "name")):
                self.places.add(value)


@cache
def parsed(path: Path) -> Page:
    return Page(path.read_text("utf-8"))


def problems(site: Path) -> Iterator[str]:
    """Broken links and addresses of other hosts that a browser would load, one line each."""
    for path in sorted(site.rglob("*.html")):
        for tag, name, address in parsed(path).addresses:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                if (tag, name) in LOADED and parts.scheme != "data":
                    yield f"{path.relative_to(site)} loads {address}"
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{path.relative_to(site)} links to {address}, which does not exist"
            elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in parsed(target).places:
                yield f"{path.relative_to(site)} links to {address}, a place that does not exist"
    for path in sorted(site.rglob("*.css")):
        if IN_STYLES.search(path.read_text("utf-8")):
            yield f"{path.relative_to(site)} loads from another host"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=ROOT / "build" / "docs")
    site = parser.parse_args().out.resolve()
    # -E: pages are read again, so that a warning is printed each time. -W: a warning is an error.
    command = [sys.executable, "-m", "sphinx", "-q", "-E", "-W", "--keep-going", "-b", "html", ROOT / "docs", site]
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        sys.exit("the site was not built without warnings")
    if faults := list(problems(site)):
        sys.exit("\n".join(faults))
    pages = list(site.rglob("*.html"))
    print(f"{site / 'index.html'}: {len(pages)} pages, 0 broken links, nothing is loaded from another host")


if __name__ == "__main__":
    main()
