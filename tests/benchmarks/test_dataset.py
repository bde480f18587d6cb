"""A data set as its users see it: read by `datasets`, validated and read by `mlcroissant`; skipped without them.

`benchmarks/release/dataset.py` does the same with 47 articles of PMC.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from bioc import BioCDocument, BioCPassage
from command_line import invoke

import corpora
from benchmarks.release.dataset import loaded_rows, validated_rows
from corpora.model.document import add_mention, set_identifiers

for package in ("pyarrow", "datasets", "mlcroissant"):
    pytest.importorskip(package, reason="needs the packages datasets and mlcroissant, which no extra has")

TEXT = "β-Copper and zinc"


@pytest.fixture
def data_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    for run in ("a", "b"):
        corpora.write([article(number) for number in range(6)], tmp_path / f"{run}.xml")
    about = tmp_path / "about.toml"
    about.write_text('published = "2026-11-27"\ncitation = "Us 2026"\ncreator = "Us"\nurl = "https://example.org/"\n')
    result = invoke((
        "silver", "vote", tmp_path / "a.xml", tmp_path / "b.xml", "-o", tmp_path / "silver", "--dataset", "--bigbio",
        "--splits", "train=0.5,test=0.5", "--about", about, "--workers", 1,
    ))  # fmt: skip
    assert result.exit_code == 0, result.output
    return tmp_path / "silver"


def article(number: int) -> BioCDocument:
    passage = BioCPassage.of_text(f"{TEXT} {number}")
    document = BioCDocument.of_passages(passage)
    document.id = str(number)
    # The last article has no mention, and so empty lists.
    if number < 5:
        mention = add_mention(passage, [(2, 8), (13, 17)], id="T1", annotator="test")
        set_identifiers(mention, ["MESH:D003300", "MESH:D015032"])
    return document


def test_datasets_reads_the_folder_as_it_is(data_set: Path) -> None:
    assert loaded_rows(data_set) == {"default": 6, "bigbio_kb": 6}


def test_mlcroissant_validates_the_metadata_without_a_warning_and_reads_by_them(data_set: Path) -> None:
    assert validated_rows(data_set) == ({"default": 6, "bigbio_kb": 6}, [])
