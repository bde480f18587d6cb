"""The commands of the tutorial, of the how-to pages and of the page on Python do what the pages show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import command_tree
import pytest
from command_server import served
from companion_cases import cases
from documented_commands import ROOT, Step, output, prepared, same, steps

PAGES = (
    "../README.md", "install.md", "tutorial.md", "python.md", "howto/pmc-folder.md", "howto/annotate-folders.md",
    "howto/challenge-submission.md", "howto/silver-corpus.md",
    "howto/look-at-results.md", "howto/search.md",
    *cases("PAGES"),
)  # fmt: skip
PAGES_WITH_LINKS = sorted([*ROOT.glob("docs/**/*.md"), *ROOT.glob("docs/**/*.ipynb"), *ROOT.glob("*.md")])
CALL = re.compile(r"\bnlmchem ((?:[^`|;&\n\\]|\\\n)+)")
"""What follows the name of the program in a command line, which `\\` continues, up to the end of the code or a pipe."""
FLAG = re.compile(r"(?<!\S)--[a-z][a-z-]*")
LINK = re.compile(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)")


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with served(tmp_path_factory.mktemp("commands"), "torch", "transformers", "spacy") as folder:
        yield folder


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_commands_print_what_the_page_shows(page: str, commands: Path, tmp_path: Path) -> None:
    folder = prepared(tmp_path)
    found = list(steps((ROOT / "docs" / page).read_text("utf-8")))
    assert found
    for step in found:
        printed = output(step, folder, commands)
        assert step.python or same(step, printed), f"{page}: $ {step.command}\n{printed}"


@pytest.mark.parametrize("page", ["../README.md", "install.md", "tutorial.md"])
def test_the_first_pages_show_what_commands_print(page: str) -> None:
    """Without `...` in outputs: `tests/support/documented_commands.py --write` writes what depends on the models."""
    found = list(steps((ROOT / "docs" / page).read_text("utf-8")))
    assert [step.command for step in found if "..." in step.expected] == []
    assert all(step.expected or step.python or ">" in step.command for step in found)


@pytest.mark.parametrize("page", PAGES_WITH_LINKS, ids=lambda p: p.name)
def test_links_lead_to_files(page: Path) -> None:
    for target in LINK.findall(page.read_text("utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def unknown_flags(text: str) -> set[str]:
    """The flags in a page that the command before them does not have."""
    unknown: set[str] = set()
    for call in CALL.findall(text):
        words: list[str] = []
        for word in call.split()[:2]:
            if not any(
                name == " ".join([*words, word]) or name.startswith(f"{' '.join([*words, word])} ")
                for name in command_tree.commands()
            ):
                break
            words.append(word)
        name = " ".join(words)
        if name:
            unknown |= {f"{name} {flag}" for flag in set(FLAG.findall(call)) - command_tree.flags_of(name)}
    return unknown


@pytest.mark.parametrize("page", PAGES_WITH_LINKS, ids=lambda p: p.name)
def test_commands_have_the_options_that_pages_give_them(page: Path) -> None:
    if page.name == "CHANGELOG.md":
        pytest.skip("its sections of earlier versions have the options of then")
    assert unknown_flags(page.read_text("utf-8")) == set()


def test_an_option_that_a_command_does_not_have_is_found() -> None:
    assert unknown_flags("Use `nlmchem annotate a -o b --taggr x`, or `nlmchem lexicon build --gold`.") == {
        "annotate --taggr",
        "lexicon build --gold",
    }
    assert unknown_flags("    nlmchem annotate a \\\n        --tagger x --wrong | sort --wrong-too") == {
        "annotate --wrong"
    }
    assert unknown_flags("`nlmchem index annotated/ --json`, and `--wrong` alone") == set()


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
