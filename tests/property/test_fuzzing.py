"""Damaged inputs of each kind give a result or an error of ours: the short form of `benchmarks/faults/fuzz.py`."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import webdriver
from fuzzing import CASES, damaged, read_all, written

from corpora.errors import NlmchemError

SEEDS = 6


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("name", list(CASES))
def test_a_damaged_input_is_read_or_refused(name: str, seed: int, tmp_path: Path) -> None:
    if name == "pages" and not webdriver.present():
        pytest.skip(webdriver.MISSING)
    try:
        CASES[name](random.Random(f"{name} {seed}"), tmp_path)
    except NlmchemError as error:
        message = str(error)
        assert "\n" not in message
        assert "unexpected" not in message


def test_undamaged_inputs_are_read(tmp_path: Path) -> None:
    """The fuzzers begin with valid inputs."""
    path = tmp_path / "input.xml"
    path.write_bytes(written("biocxml"))
    read_all(path)
    assert path.read_bytes().count(b"<document>") == 3


def test_the_same_seed_gives_the_same_damage() -> None:
    content = written("pubtator")
    assert damaged(content, random.Random(3)) == damaged(content, random.Random(3)) != content
