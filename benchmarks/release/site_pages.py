"""Asks the search of the documentation site typical questions.

    make docs
    PYTHONPATH=tests/support python -m benchmarks.release.site_pages build/docs

Fails if the right page is not among the first three answers. The search is that of the site, in a browser, so it needs
chromium and chromedriver.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote_plus

from webdriver import Browser, started

QUESTIONS = {
    "annotate a folder": "howto/annotate-folders",
    "cluster": "reference/runs",
    "submission": "howto/challenge-submission",
    "silver corpus": "howto/silver-corpus",
    "publish a data set": "howto/silver-corpus",
    "PubMedBERT": "howto/pubmedbert",
    "spaCy": "python",
    "pandas data frame": "python",
    "undefined abbreviations": "howto/undefined-short-forms",
    "MeSH identifier of a name": "reference/lexicon",
    "Label Studio": "howto/curation",
    "read-only container": "howto/containers",
    "columns of the table": "reference/tables",
    "articles about a concept": "howto/search",
    "index terms": "reference/indexing",
    "stop and continue": "howto/annotate-folders",
    "GPU": "howto/pubmedbert",
    "licence": "reference/licences",
    "license": "reference/licences",
    "confidence": "reference/deciding",
    "troubleshooting": "troubleshooting",
    "macOS": "install",
    "citation": "cite",
    "install": "install",
    "offline": "install",
    "docker": "howto/containers",
    "article failed": "troubleshooting",
    "probability": "reference/deciding",
    "Windows": "install",
    "accuracy": "accuracy-and-speed",
    "memory": "reference/speed",
    "download PMC": "howto/all-of-pmc",
    "brat": "reference/formats",
    "ChEBI": "reference/lexicon",
    "train a model": "reference/training",
    "precision recall evaluate": "reference/evaluation",
    "MeSH 2021": "howto/migrate-identifiers",
    "plugin": "reference/plugins",
    "add a tagger": "howto/add-a-tagger",
    "own tagger": "howto/add-a-tagger",
    "gazetteer": "glossary",
    "keywords": "howto/keyphrases",
}
"""What a user types, and the page that answers it."""
FIRST = 3
_SUMMARY = "return document.querySelector('#search-results p.search-summary')?.textContent || ''"
_FOUND = "return Array.from(document.querySelectorAll('#search-results ul.search > li > a')).map(a => a.href)"


def answers(browser: Browser, site: Path, question: str) -> list[str]:
    """The pages that the search finds, best first, each once and without its suffix."""
    browser.open(site / "search.html", f"?q={quote_plus(question)}")
    for _ in range(100):
        # The last line of the list of results: it is written when all of them are there.
        if re.search("found|did not match", browser.run(_SUMMARY)):
            break
        time.sleep(0.1)
    root = site.resolve().as_uri() + "/"
    return list(dict.fromkeys(page.removeprefix(root).partition(".html")[0] for page in browser.run(_FOUND)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path, help="folder of the site, as `make docs` writes it")
    site = parser.parse_args().site
    missed = 0
    with tempfile.TemporaryDirectory() as profile, started(Path(profile)) as browser:
        for question, page in QUESTIONS.items():
            pages = answers(browser, site, question)
            place = pages.index(page) + 1 if page in pages else 0
            missed += not 0 < place <= FIRST
            print(f"{question}: {page} is number {place or '-'} of {len(pages)}; {', '.join(pages[:FIRST])}")
    sys.exit(f"{missed} questions without the right page among the first {FIRST}" if missed else 0)


if __name__ == "__main__":
    main()
