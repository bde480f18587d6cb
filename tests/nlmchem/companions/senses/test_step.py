"""The step `expand`."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlmchem.companions.senses.resolver import open_resolver
from nlmchem.run.plan import Configuration
from nlmchem.run.registry import STEPS


def test_a_dictionary_is_stored_by_its_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plan = Configuration.of(steps=("expand",), dictionary="dictionary.tsv").parse()
    options = plan.options(STEPS["expand"].options)
    assert options is not None
    assert options.dictionary == str(tmp_path / "dictionary.tsv")


def test_the_embedded_dictionary_is_named_default_in_every_command() -> None:
    plan = Configuration.of(steps=("expand",), dictionary="default").parse()
    assert plan == Configuration.of(steps=("expand",)).parse()
    assert open_resolver("default") is open_resolver()


def test_the_version_of_the_dictionary_is_a_resource() -> None:
    assert set(Configuration.of(steps=("expand",)).parse().resources()["expand"]) == {"dictionary"}
