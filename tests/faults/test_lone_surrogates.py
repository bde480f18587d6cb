"""Lone surrogates, which JSON can contain and UTF-8 cannot: every command accepts them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import call

TITLE = "Glucose \ud800 in rats given ethanol\udc80"
ABSTRACT = "Poly\ud800ethylene (P\ud800EG). We used polyethylene glycol (PEG) and ethanol."


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Two runs of one article with lone surrogates in its id, texts and infons."""
    mention = {"id": "1", "infons": {"type": "Chemical", "identifier": "MESH:D\ud800"}, "text": TITLE[:9]}
    term = {"id": "2", "infons": {"type": "MeSH_Indexing_Chemical", "identifier": "MESH:\udc80"}, "text": "x"}
    annotations = [{**mention, "locations": [{"offset": 0, "length": 9}]}, {**term, "locations": []}]
    texts = [(0, TITLE, annotations), (len(TITLE) + 1, ABSTRACT, [])]
    passages = [
        {"offset": offset, "infons": {"section_type": name}, "text": text, "annotations": own}
        for (offset, text, own), name in zip(texts, ("TITLE", "ABSTRACT"), strict=True)
    ]
    paths = [tmp_path / "one.json", tmp_path / "two.json"]
    for path in paths:
        path.write_text(json.dumps({"documents": [{"id": "7\ud800", "infons": {}, "passages": passages}]}))
        passages[0]["annotations"] = annotations[:1]
    return paths


@pytest.fixture
def succeed(capsys: pytest.CaptureFixture[str]) -> Callable[..., None]:
    """Run a command that must end with 0."""

    def run(*arguments: object) -> None:
        ended = call(*arguments, capsys=capsys)
        assert ended.returncode == 0, ended.stderr

    return run


@pytest.mark.parametrize("tagger", ["lexicon", "default"])
def test_annotate(files: list[Path], succeed: Callable[..., None], tmp_path: Path, tagger: str) -> None:
    options = ("--existing", "replace", "--tagger", tagger, "--workers", 1)
    succeed("annotate", files[0], "-o", tmp_path / "out", "--format", "jsonl", *options)
    (document,) = [json.loads(line) for line in (tmp_path / "out" / "one.jsonl").read_text().splitlines()]
    assert document["passages"][0]["text"] == TITLE
    assert "Glucose" in [annotation["text"] for annotation in document["passages"][0]["annotations"]]


def test_indexing(files: list[Path], succeed: Callable[..., None], tmp_path: Path) -> None:
    succeed(
        "annotate", files[0], "-o", tmp_path / "out", "--format", "jsonl", "--steps", "normalize,index", "--workers", 1
    )


@pytest.mark.parametrize("task", ["spans", "identifiers", "indexing"])
def test_evaluate_with_a_report(files: list[Path], succeed: Callable[..., None], tmp_path: Path, task: str) -> None:
    succeed("evaluate", task, *files, "--report", tmp_path / "report", "--samples", 10)
    assert (tmp_path / "report" / "errors.tsv").is_file()


@pytest.mark.parametrize("task", ["spans", "identifiers", "indexing"])
def test_ensemble(files: list[Path], succeed: Callable[..., None], tmp_path: Path, task: str) -> None:
    succeed("ensemble", task, *files, "-o", tmp_path / "out", "--format", "jsonl", "--workers", 1)


def test_the_command_line_prints_them_as_escapes(files: list[Path]) -> None:
    command = [sys.executable, "-c", "from nlmchem.cli import main; main()", "abbreviations", str(files[0]), "--json"]
    run = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    found = [json.loads(line) for line in run.stdout.splitlines()]
    assert {"document": "7\ud800", "short_form": "PEG"}.items() <= found[-1].items()
