"""Texts of articles on a terminal: control characters are shown as symbols. In a pipe a text stays as it is."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command_line import call, exit_code

EVIL = "\x1b]0;title\x07\x1b[2J\x9b31m\x08\u202e\u2067\x85\x7f"
CONTROLS = {character for character in EVIL if not character.isprintable()}


@pytest.fixture
def annotated(tmp_path: Path) -> Path:
    """An article whose texts, names and identifiers are commands for a terminal, at each place that commands print."""
    text = f"{EVIL}Zinc{EVIL} (Zn) was given. Then zinc {EVIL}."
    mention = {"id": "1", "infons": {"type": "Chemical", "identifier": "MESH:D015032", "concept_name": f"Zinc{EVIL}"},
               "text": text[text.index("Zinc"):][:4],
               "locations": [{"offset": text.index("Zinc"), "length": 4}]}  # fmt: skip
    wrong = {**mention, "id": "2", "text": f"other{EVIL}"}
    passage = {"offset": 0, "infons": {"section_type": f"TITLE{EVIL}"}, "text": text, "annotations": [mention, wrong]}
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"documents": [{"id": f"x{EVIL}", "infons": {}, "passages": [passage]}]}))
    return path


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What a command writes to a terminal."""

    def on_terminal(*arguments: object) -> str:
        ours, theirs = os.openpty()
        read: list[bytes] = []

        def read_all() -> None:
            # A terminal without writers raises an error.
            try:
                while piece := os.read(ours, 1 << 16):
                    read.append(piece)
            except OSError:
                pass

        reader = threading.Thread(target=read_all)
        reader.start()
        with monkeypatch.context() as patch, open(theirs, "wb", buffering=0) as terminal:  # noqa: PTH123
            patch.setattr(sys, "stdout", io.TextIOWrapper(terminal, "utf-8", line_buffering=True))
            assert exit_code(*arguments) in (0, 1, 3)
            sys.stdout.flush()
            name = os.ttyname(theirs)
            assert name
        reader.join()
        os.close(ours)
        return b"".join(read).decode().replace("\r\n", "\n")

    return on_terminal


@pytest.mark.parametrize(
    "command",
    [
        "search {} zinc", "search {} zinc --tsv", "search {} zinc --json", "summary {}", "summary {} --json",
        "explain {} --lexicon starter", "explain {} --lexicon starter --json", "corpora stats {}",
        "convert {} - --format jsonl", "convert {} - --format pubtator", "convert {} - --format tsv",
        "index list {}", "abbreviations {}", "verify {} --lexicon starter --all", "evaluate spans {} {}",
    ],
)  # fmt: skip
def test_no_command_writes_controls_of_a_text_to_a_terminal(
    command: str, annotated: Path, shown: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NLMCHEM_HOME", str(tmp_path / "home"))
    text = shown(*command.format(annotated, annotated).split())
    assert text
    assert CONTROLS.isdisjoint(text)


def test_the_symbols_name_the_controls(annotated: Path, shown: Callable[..., str]) -> None:
    assert "␛]0;title␇␛[2J\\u009b31m␈\\u202e\\u2067" in shown("convert", annotated, "-", "--format", "pubtator")


def test_in_a_pipe_a_text_stays_as_it_is_but_json_has_no_controls(
    annotated: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NLMCHEM_HOME", str(tmp_path / "home"))
    assert "\x1b[2J" in call("search", annotated, "zinc", capsys=capsys).stdout
    ran = call("search", annotated, "zinc", "--json", capsys=capsys)
    assert not set(map(chr, (*range(32), *range(0x7F, 0xA0)))) & set(ran.stdout.strip("\n"))
    assert "\x9b" in json.loads(ran.stdout)["document"]
