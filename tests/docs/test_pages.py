"""The commands of the tutorial, of the how-to pages and of the page on Python do what the pages show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_server import served
from documented_commands import ROOT, Step, output, prepared, same, steps

PAGES = (
    "tutorial.md", "python.md", "howto/pmc-folder.md", "howto/annotate-folders.md", "howto/challenge-submission.md",
    "howto/silver-corpus.md",
    "howto/word-in-context.md",
    "howto/keyphrases.md",
    "howto/look-at-results.md",
    "howto/curation.md",
)  # fmt: skip
PAGES_WITH_LINKS = sorted([*ROOT.glob("docs/**/*.md"), *ROOT.glob("docs/**/*.ipynb"), *ROOT.glob("*.md")])
LINK = re.compile(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)")


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with served(tmp_path_factory.mktemp("commands")) as folder:
        yield folder


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_commands_print_what_the_page_shows(page: str, commands: Path, tmp_path: Path) -> None:
    folder = prepared(tmp_path)
    found = list(steps((ROOT / "docs" / page).read_text("utf-8")))
    assert len(found) >= 3
    for step in found:
        printed = output(step, folder, commands)
        assert step.python or same(step, printed), f"{page}: $ {step.command}\n{printed}"


@pytest.mark.parametrize("page", PAGES_WITH_LINKS, ids=lambda p: p.name)
def test_links_lead_to_files(page: Path) -> None:
    for target in LINK.findall(page.read_text("utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_another_output_is_found_and_dots_stand_for_anything(tmp_path: Path) -> None:
    assert same(Step("echo a b c", "a ... c\n"), "a b c\n")
    assert not same(Step("echo a", "b\n"), "a\n")
    with pytest.raises(AssertionError, match="ended with 1"):
        output(Step("false", ""), tmp_path)


def test_commands_are_read_with_their_continued_lines_and_outputs() -> None:
    page = "Text\n\n```console\n$ one \\\n    two\nprinted\n$ three\n```\n\n```python\nprint(1)\n```\n"
    assert list(steps(page)) == [
        Step("one \\\n    two", "printed\n"),
        Step("three", ""),
        Step("print(1)\n", "", python=True),
    ]
