"""Figures that several pages have are those of the page of measurements that they link to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MEASUREMENTS = ROOT / "docs" / "measurements"
FIGURE = re.compile(r"(?<![\d.,])0\.\d{3,4}(?![\d.])")
LINK = re.compile(r"measurements/(\w+)\.md")
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/*.md", "docs/howto/*.md", "docs/reference/*.md", "[cins]*/**/*.md")
    for path in ROOT.glob(pattern)
    if path.name != "CHANGELOG.md" and "measurements" not in path.parts
)
"""README, the pages for users and the cards of models."""


def statements(text: str) -> Iterator[str]:
    """The rows of tables, and the sentences of paragraphs, each in one line."""
    for block in re.split(r"\n\s*\n", text):
        if block.lstrip().startswith("|"):
            yield from block.splitlines()
        else:
            yield from re.split(r"(?<=[.:])\s+(?=[A-Z*\[`-])", " ".join(block.split()))


def unfounded(text: str) -> list[str]:
    """The figures beside a link to measurements that the linked pages do not have, also not with more digits."""
    found = []
    for statement in statements(text):
        pages = set(LINK.findall(statement)) - {"README"}
        if pages:
            known = " ".join((MEASUREMENTS / f"{page}.md").read_text("utf-8") for page in pages)
            rounded = {f"{float(figure):.{digits}f}" for figure in FIGURE.findall(known) for digits in (3, 4)}
            found += [f"{figure}: {statement}" for figure in FIGURE.findall(statement) if figure not in rounded]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_figures_beside_a_link_to_measurements_are_on_the_linked_page(page: Path) -> None:
    assert unfounded(page.read_text("utf-8")) == []


def test_another_figure_is_found() -> None:
    assert unfounded("The tagger has 0.888 ([tagger](docs/measurements/tagger.md)).") == []
    assert len(unfounded("| spans | 0.999 | ([tagger](docs/measurements/tagger.md)) |")) == 1
    assert unfounded("It has 0.999. See [tagger](measurements/tagger.md).") == []


def test_the_readme_and_the_page_on_accuracy_have_the_same_table() -> None:
    readme = (ROOT / "README.md").read_text("utf-8").replace("](docs/", "](")
    accuracy = (ROOT / "docs" / "accuracy-and-speed.md").read_text("utf-8")
    rows = [line for line in readme.splitlines() if line.startswith("|") and LINK.search(line) and FIGURE.search(line)]
    assert len(rows) == 4
    assert set(rows) <= set(accuracy.splitlines())


def test_the_number_of_names_is_that_of_the_lexicon() -> None:
    import json

    counts = json.loads((ROOT / "sieves" / "lexicon" / "mesh" / "card.json").read_text("utf-8"))["counts"]
    names = sum(count for what, count in counts.items() if what.startswith("names"))
    for page in ("reference/lexicon.md", "measurements/lexicon.md"):
        assert f"{names:,} names" in (ROOT / "docs" / page).read_text("utf-8")
