"""The step `keyphrases`."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlmchem.run.plan import Configuration
from nlmchem.run.registry import STEPS


def test_a_model_is_stored_by_its_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plan = Configuration.of(steps=("keyphrases",), keyphrase_model="model.json").parse()
    options = plan.options(STEPS["keyphrases"].options)
    assert options is not None
    assert (options.keyphrase_model, options.existing) == (str(tmp_path / "model.json"), "keep")


def test_the_version_of_the_model_is_a_resource() -> None:
    assert set(Configuration.of(steps=("keyphrases",)).parse().resources()["keyphrases"]) == {"keyphrases"}
