"""The text of model files: readable, with each list of numbers on one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from indexing import models

CONTENT = {
    "features": ["a", "b"],
    "means": [0.5, -1.0],
    "empty": {},
    "none": [],
    "prior": {"base": -2.0, "concepts": {"MESH:D1": [1, 2]}},
    "trees": {"share": 0.5, "trees": [{"feature": [0, -1]}, {"feature": [1, -1]}]},
    "name": "Größe",
}


def test_lists_of_numbers_are_on_one_line(tmp_path: Path) -> None:
    models.write(tmp_path / "model.json", CONTENT)
    lines = (tmp_path / "model.json").read_text("utf-8").splitlines()
    assert ' "means": [0.5, -1.0],' in lines
    assert '   "MESH:D1": [1, 2]' in lines
    assert '   {"feature": [0, -1]},' in lines
    assert ' "name": "Größe"' in lines


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    models.write(tmp_path / "model.json", CONTENT)
    assert models.read(tmp_path / "model.json").content == {"format": models.FORMAT, **CONTENT}
    assert json.loads((tmp_path / "model.json").read_bytes())["trees"] == CONTENT["trees"]


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_are_not_finite_are_not_written(tmp_path: Path, number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        models.write(tmp_path / "model.json", {"means": [number]})
    assert not (tmp_path / "model.json").exists()


def test_the_embedded_model_has_fewer_than_a_line_for_each_number() -> None:
    assert len(models.DEFAULT.read_text("utf-8").splitlines()) < 8000
