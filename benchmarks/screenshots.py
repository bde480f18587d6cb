"""Makes the pages of `nlmchem view` and of an evaluation report, and pictures of them at several screen widths.

    python benchmarks/screenshots.py -o OUT [--annotated DIR --gold DIR] [--widths 1400 400] [--docs docs/img]

Without --annotated, the articles in `examples/` are annotated, and a second time with the lexicon tagger, which stands
in for a gold standard. --docs also writes the pictures of the README and of docs/reference/view.md into a folder. Needs
chromium, chromedriver and the extra `report`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from webdriver import Browser, started  # noqa: E402

README_ARTICLE = "99900006"
README_SIZE = (1200, 800)
HEIGHT = 1800
"""Pixels of a page that a picture shows at most."""


def nlmchem(*arguments: str | Path) -> None:
    """Run the command line of this checkout; its messages appear on the terminal."""
    subprocess.run([sys.executable, "-m", "nlmchem", *map(str, arguments)], cwd=ROOT, check=True, stdout=sys.stderr)


def write_pages(annotated: Path, gold: Path, out: Path) -> dict[str, Path]:
    """Pages of articles without and with gold standard, and an evaluation report; returns them by name."""
    nlmchem("view", annotated, "-o", out / "plain")
    nlmchem("view", annotated, "--gold", gold, "-o", out / "gold")
    nlmchem("evaluate", "spans", gold, annotated, "--samples", "500", "--no-verify", "--report", out / "evaluation")
    found = {
        "articles": out / "plain" / "index.html",
        "articles-gold": out / "gold" / "index.html",
        "evaluation": out / "evaluation" / "index.html",
    }
    for path in sorted((out / "plain" / "articles").glob("*.html")):
        found[f"article-{path.stem}"] = path
        found[f"article-{path.stem}-gold"] = out / "gold" / "articles" / path.name
    return found


def take(browser: Browser, page: Path, width: int, height: int, target: Path) -> None:
    """A picture of the first `height` pixels of a page on a screen of this width."""
    browser.size(width, 900)
    browser.open(page)
    whole = browser.run("return document.documentElement.scrollHeight")
    browser.size(width, min(height, whole))
    browser.run("scrollTo(0, 0)")
    target.parent.mkdir(parents=True, exist_ok=True)
    browser.screenshot(target)
    wide = browser.run("return document.documentElement.scrollWidth")
    print(f"{target}: {width} x {min(height, whole)} of {whole}" + (f"; {wide} wide" if wide > width else ""))


def take_readme(browser: Browser, page: Path, target: Path) -> None:
    """The picture of the README: an article with the details of one of its mentions."""
    browser.size(*README_SIZE)
    browser.open(page)
    browser.run("document.querySelector('main .m[id]').click()")
    browser.screenshot(target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--annotated", type=Path, help="annotated articles")
    parser.add_argument("--gold", type=Path, help="gold standard of the same articles")
    parser.add_argument("--widths", type=int, nargs="+", default=[1400, 400])
    parser.add_argument("--height", type=int, default=HEIGHT)
    parser.add_argument("--readme", type=Path, help="also write the picture of the README to this file")
    options = parser.parse_args()
    options.out = options.out.resolve()
    annotated, gold = options.annotated, options.gold
    if annotated is None:
        annotated, gold = options.out / "annotated", options.out / "gold"
        nlmchem("annotate", ROOT / "examples", "-o", annotated, "--restart")
        nlmchem("annotate", ROOT / "examples", "-o", gold, "--tagger", "lexicon", "--restart")
    elif gold is None:
        parser.error("--annotated needs --gold")
    pages = write_pages(annotated.resolve(), gold.resolve(), options.out / "pages")
    with tempfile.TemporaryDirectory() as profile, started(Path(profile)) as browser:
        for name, page in pages.items():
            for width in options.widths:
                take(browser, page, width, options.height, options.out / f"{name}-{width}.png")
        if options.readme is not None:
            take_readme(browser, pages[f"article-{README_ARTICLE}"], options.readme)


if __name__ == "__main__":
    main()
