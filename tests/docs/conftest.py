"""A pipeline and commands for the tests of the first hour."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import call
from first_hour import FAST, TEXT, Nlmchem

import nlmchem as package
from nlmchem.api.pipeline import Pipeline
from nlmchem.api.results import Article


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    return package.load(tagger="lexicon")


@pytest.fixture(scope="module")
def article(nlp: Pipeline) -> Article:
    return nlp(TEXT)


@pytest.fixture(scope="module")
def full_text(nlp: Pipeline, examples: Path) -> Article:
    (one,) = nlp(package.read(examples / "guard-cells.nxml"))
    return one


@pytest.fixture
def nlmchem(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Nlmchem:
    """Run a command in an empty folder; what it prints."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: call(*arguments, capsys=capsys)


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Give a text to the standard input of the next command."""
    return lambda text: monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(text.encode())))
    )


@pytest.fixture
def annotated(nlmchem: Nlmchem) -> Path:
    """A run over two articles: `annotated/` in the current folder."""
    Path("articles").mkdir()
    for number, words in enumerate(("Glucose lowers zinc", "Cells only"), 1):
        Path(f"articles/{number}.pubtator").write_text(f"{number}|t|{words}\n{number}|a|{words}.\n\n", "utf-8")
    assert nlmchem("annotate", "articles", "-o", "annotated", *FAST).returncode == 0
    return Path("annotated")
