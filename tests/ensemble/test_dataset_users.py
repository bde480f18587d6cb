"""A data set as its users see it: read by `datasets`, validated and read by `mlcroissant`; skipped without them."""

from __future__ import annotations

from pathlib import Path

import pytest
from bioc import BioCDocument, BioCPassage
from command_line import invoke

import corpora
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
        "silver", "vote", tmp_path / "a.xml", tmp_path / "b.xml", "-o", tmp_path / "silver", "--dataset",
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
    assert loaded_rows(data_set) == 6


def test_mlcroissant_validates_the_metadata_without_a_warning_and_reads_by_them(data_set: Path) -> None:
    assert validated_rows(data_set) == (6, [])


def loaded_rows(folder: Path) -> int:
    """The rows, by `datasets.load_dataset`. Raises `AssertionError` for a mention that is not at its offsets."""
    from datasets import load_dataset

    splits = load_dataset(str(folder), "default")
    for split in splits.values():
        for article in split:
            for entity in article["entities"]:
                passage = article["passages"][entity["passage"]]
                shift, text = passage["offset"], passage["text"]
                pieces = (text[start - shift : end - shift] for start, end in entity["offsets"])
                assert " ".join(pieces) == entity["text"], entity
    return sum(split.num_rows for split in splits.values())


def validated_rows(folder: Path) -> tuple[int, list[str]]:
    """The rows by `mlcroissant`, and its warnings. Raises its `ValidationError`."""
    from mlcroissant import Dataset

    dataset = Dataset(str(folder / "croissant.json"))
    return sum(1 for _ in dataset.records("default")), sorted(dataset.metadata.ctx.issues.warnings)
