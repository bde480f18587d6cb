"""The step `index`: how threshold and number of terms work together, and the versions of its models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from plain_articles import plain_article

from corpora.model.document import index_terms
from nlmchem.api.pipeline import build_pipeline
from nlmchem.run.plan import Configuration
from nlmchem.steps.index import IndexOptions

STEPS = ("tag", "normalize", "index")


def terms(**options: Any) -> list[str]:
    document = plain_article(("TITLE", "Ethanol and glucose"), ("ABSTRACT", "Rats drank ethanol, glucose and zinc."))
    configuration = Configuration.of(steps=STEPS, tagger="lexicon", indexer="rules", **options)
    build_pipeline(configuration.parse())(document)
    return [term.identifier for term in index_terms(document)]


def test_the_best_terms_are_written_also_below_the_threshold_of_the_indexer() -> None:
    assert [len(terms(index_top=number)) for number in (1, 3)] == [1, 3]


def test_a_threshold_holds_also_for_the_best_terms() -> None:
    assert terms(index_top=3, index_threshold=1.0) == terms(index_threshold=1.0) != terms(index_top=3)


def test_a_model_is_stored_by_its_absolute_path(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    options = Configuration.of(steps=("index",), indexer="model.json").parse().options(IndexOptions)
    assert options is not None
    assert (options.indexer, options.existing) == (str(tmp_path / "model.json"), "keep")


def test_the_versions_of_lexicon_and_indexer_are_resources() -> None:
    assert set(Configuration.of(steps=("index",)).parse().resources()["index"]) == {"lexicon", "indexer"}
