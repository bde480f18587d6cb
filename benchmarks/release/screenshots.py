"""Makes the pages of `nlmchem view` and of an evaluation report, and pictures of them at several screen widths.

    PYTHONPATH=tests/support python -m benchmarks.release.screenshots -o OUT [--annotated DIR --gold DIR]
        [--widths 1400 400] [--docs docs/img]

Without --annotated, the articles in `examples/` are annotated, and a second time with the lexicon tagger, which stands
in for a gold standard. --docs also writes the pictures of the README and of docs/reference/view.md into a folder. Needs
chromium, chromedriver and the extra `report`, which brings pillow.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from webdriver import Browser, started

ROOT = Path(__file__).resolve().parents[2]

ARTICLE = "99900006"
"""The example article of the pictures in the documentation."""
COLOURS = 128
"""Colours of a picture in the documentation; this makes its file several times smaller."""
HEIGHT = 1800
"""Pixels of a page that a picture shows at most."""


def nlmchem(*arguments: str | Path) -> None:
    """Run the command line of this checkout; its messages appear on the terminal."""
    subprocess.run([sys.executable, "-m", "nlmchem", *map(str, arguments)], cwd=ROOT, check=True, stdout=sys.stderr)


def write_pages(annotated: Path, gold: Path, out: Path) -> dict[str, Path]:
    """Pages of articles without and with gold standard, and an evaluation report; returns them by name."""
    nlmchem("view", annotated, "-o", out / "plain")
    nlmchem("view", annotated, "--gold", gold, "-o", out / "gold")
    nlmchem("summary", annotated, "-o", out / "summary.html")
    nlmchem("evaluate", "spans", gold, annotated, "--samples", "500", "--no-verify", "--report", out / "evaluation")
    pages = {
        "articles": out / "plain" / "index.html",
        "summary": out / "summary.html",
        "articles-gold": out / "gold" / "index.html",
        "evaluation": out / "evaluation" / "index.html",
    }
    for path in sorted((out / "plain" / "articles").glob("*.html")):
        pages[f"article-{path.stem}"] = path
        pages[f"article-{path.stem}-gold"] = out / "gold" / "articles" / path.name
    return pages


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


def take_for_docs(browser: Browser, pages: dict[str, Path], folder: Path) -> None:
    """The pictures of the README and of docs/reference/view.md: a mention, an error, a narrow screen."""
    names = "const s = document.getElementById('labels'); s.value = 'names'; s.dispatchEvent(new Event('change'));"
    names += "document.getElementById('p3').scrollIntoView();"
    mention = "document.querySelector('#m12').click();"
    error = "document.getElementById('next-error').click();"
    for name, page, size, script in (
        ("view.png", f"article-{ARTICLE}", (1200, 800), mention),
        ("view-gold.png", f"article-{ARTICLE}-gold", (1400, 700), error * 3),
        ("view-narrow.png", f"article-{ARTICLE}", (400, 800), names),
    ):
        browser.size(*size)
        browser.open(pages[page])
        browser.run(script)
        browser.screenshot(folder / name)
        image = Image.open(folder / name).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        image.save(folder / name, optimize=True)
        print(f"{folder / name}: {(folder / name).stat().st_size} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--annotated", type=Path, help="annotated articles")
    parser.add_argument("--gold", type=Path, help="gold standard of the same articles")
    parser.add_argument("--widths", type=int, nargs="+", default=[1400, 400])
    parser.add_argument("--height", type=int, default=HEIGHT)
    parser.add_argument("--docs", type=Path, help="also write the pictures of the documentation into this folder")
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
        if options.docs is not None:
            take_for_docs(browser, pages, options.docs)


if __name__ == "__main__":
    main()
