"""The logistic indexer: scores calculated by hand, and valid and invalid model files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from math import exp, log, log1p
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCDocument

from corpora.errors import ConfigurationError, NlmchemError, ResourceError
from indexing import models
from indexing.background import Background
from indexing.explain import explain
from indexing.indexer import Concepts
from indexing.logistic import LogisticIndexer, LogisticModel, model_of, plain_model
from indexing.prior import Prior
from indexing.registry import INDEXERS, open_indexer
from indexing.trees import trees_of

ZINC, COPPER, RUTIN = "MESH:D015032", "MESH:D003300", "MESH:D012431"


@pytest.fixture
def model() -> LogisticModel:
    """Two features: mentions in the abstract, and how readily a concept is chosen."""
    return LogisticModel(
        features=("log:abstract", "prior"),
        means=(0.1, -2.0),
        scales=(0.5, 1.0),
        weights=(1.0, 0.5),
        intercept=-1.0,
        threshold=0.5,
        tfidf_threshold=0.1,
        prior=Prior(-2.0, {ZINC: -1.0}, {"D01": -1.5}),
        background=Background(9, {ZINC: 4}, {ZINC: 2}, {ZINC: 1}),
        provenance={"articles": 9},
    )


STUMP = {
    "base": -2.0,
    "trees": [
        {"feature": [0, -1, -1], "threshold": [0.5, 0, 0], "left": [1, 1, 2], "right": [2, 1, 2], "value": [0, -1, 3]}
    ],
}
"""One tree: -1 for few mentions in the abstract, 3 for more; the mean of its leaves is 0."""


@pytest.fixture
def blend(model: LogisticModel) -> LogisticModel:
    return replace(model, trees=trees_of(STUMP, 2), share=0.5)


@pytest.fixture
def path(model: LogisticModel, tmp_path: Path) -> Path:
    models.write(tmp_path / "model.json", plain_model(model))
    return tmp_path / "model.json"


def sigmoid(value: float) -> float:
    return 1 / (1 + exp(-value))


def test_a_score_is_a_weighted_sum_of_standardised_features(
    model: LogisticModel, zinc_paper: BioCDocument, lexicon: Concepts
) -> None:
    (choice,) = LogisticIndexer(model, "v", lexicon)(zinc_paper)
    assert (choice.identifier, choice.entry_term) == (ZINC, "Zinc")
    assert choice.score == pytest.approx(sigmoid(-1 + (log1p(2) - 0.1) / 0.5 + 0.5 * (-1 + 2)))


def test_an_unknown_value_counts_as_the_mean_and_is_not_explained(
    model: LogisticModel, zinc_paper: BioCDocument, lexicon: Concepts
) -> None:
    with_depth = replace(
        model, features=(*model.features, "depth"), means=(0.1, -2.0, 3.0), scales=(0.5, 1.0, 1.0), weights=(1, 0.5, 9)
    )
    plain, blind = LogisticIndexer(model, "v").explain(zinc_paper), LogisticIndexer(with_depth, "v").explain(zinc_paper)
    assert [c.score for c in blind.candidates] == pytest.approx([c.score for c in plain.candidates])
    assert all(item.feature != "depth" for c in blind.candidates for item in c.contributions)
    seeing = LogisticIndexer(with_depth, "v", lexicon).explain(zinc_paper)
    assert all(any(item.feature == "depth" for item in c.contributions) for c in seeing.candidates)


def test_a_given_threshold_replaces_that_of_the_model(model: LogisticModel, zinc_paper: BioCDocument) -> None:
    assert [c.identifier for c in LogisticIndexer(model, "v", threshold=0.0)(zinc_paper)] == [ZINC, COPPER, RUTIN]
    assert LogisticIndexer(model, "v", threshold=1.0)(zinc_paper) == []
    assert LogisticIndexer(model, "v", threshold=1.0).version != LogisticIndexer(model, "v").version


def test_base_and_contributions_sum_to_the_log_odds(model: LogisticModel, zinc_paper: BioCDocument) -> None:
    explanation = LogisticIndexer(model, "v").explain(zinc_paper)
    assert explanation.base == -1.0
    for candidate in explanation.candidates:
        logit = explanation.base + sum(item.contribution or 0.0 for item in candidate.contributions)
        assert candidate.score == pytest.approx(sigmoid(logit))
        assert candidate.chosen is (candidate.score >= 0.5)
        strengths = [abs(item.contribution or 0.0) for item in candidate.contributions]
        assert strengths == sorted(strengths, reverse=True)


def test_the_explanation_is_plain_data_with_four_decimals(model: LogisticModel, zinc_paper: BioCDocument) -> None:
    explained = explain(zinc_paper, LogisticIndexer(model, "v"))
    assert json.loads(json.dumps(explained)) == explained
    assert [candidate["identifier"] for candidate in explained["candidates"]] == [ZINC, COPPER, RUTIN]
    first = explained["candidates"][0]
    assert first["score"] == round(first["score"], 4)
    assert {item["feature"] for item in first["contributions"]} == {"log:abstract", "prior"}


def test_with_trees_the_log_odds_are_the_mean_of_both(
    model: LogisticModel, blend: LogisticModel, zinc_paper: BioCDocument, lexicon: Concepts
) -> None:
    plain, both = (LogisticIndexer(one, "v", lexicon).explain(zinc_paper) for one in (model, blend))
    before = {found.identifier: log(found.score / (1 - found.score)) for found in plain.candidates}
    after = {found.identifier: log(found.score / (1 - found.score)) for found in both.candidates}
    assert after[ZINC] == pytest.approx((before[ZINC] - 2 + 3) / 2)
    assert after[COPPER] == pytest.approx((before[COPPER] - 2 - 1) / 2)


def test_base_and_contributions_sum_to_the_log_odds_with_trees(blend: LogisticModel, zinc_paper: BioCDocument) -> None:
    with_depth = replace(
        blend, features=(*blend.features, "depth"), means=(0.1, -2, 3), scales=(0.5, 1, 1), weights=(1, 0.5, 9),
        trees=trees_of(STUMP, 3),
    )  # fmt: skip
    for one in (blend, with_depth):
        explanation = LogisticIndexer(one, "v").explain(zinc_paper)
        assert explanation.base == (-1.0 - 2.0) / 2
        for candidate in explanation.candidates:
            logit = explanation.base + sum(item.contribution or 0.0 for item in candidate.contributions)
            assert candidate.score == pytest.approx(sigmoid(logit))


def test_a_model_with_trees_is_read_as_it_was_written(
    blend: LogisticModel, tmp_path: Path, zinc_paper: BioCDocument
) -> None:
    models.write(tmp_path / "blend.json", plain_model(blend))
    read = model_of(models.read(tmp_path / "blend.json"))
    assert plain_model(read) == plain_model(blend)
    assert open_indexer(str(tmp_path / "blend.json"))(zinc_paper) == LogisticIndexer(blend, "v")(zinc_paper)


@pytest.mark.parametrize(
    ("trees", "message"),
    [
        (None, "no valid trees"),
        ({"share": 0.5, "base": 0}, "no valid trees"),
        ({**STUMP, "share": "half"}, "no valid trees"),
        ({**STUMP, "share": 2}, "share of the trees outside 0..1"),
        ({**STUMP, "share": 0.5, "base": float("inf")}, "no valid trees"),
    ],
)
def test_wrong_trees_are_refused(blend: LogisticModel, tmp_path: Path, trees: object, message: str) -> None:
    path = tmp_path / "blend.json"
    path.write_text(json.dumps({"format": models.FORMAT, **plain_model(blend), "trees": trees}))
    with pytest.raises(ResourceError, match=message):
        open_indexer(str(path))


@pytest.mark.parametrize(
    "passages",
    [
        [],
        [("TITLE", "")],
        [("TITLE", "Only a title with zinc")],
        [(None, "zinc and copper in one passage that says of no section which it is.")],
        [("METHODS", "No mention at all.")],
    ],
    ids=["no passage", "an empty title", "a title alone", "one passage without section", "no mention"],
)
@pytest.mark.parametrize("name", ["default", "title-abstract", "rules", "tfidf"])
def test_unusual_articles_are_indexed(
    article: Callable[..., BioCDocument], name: str, passages: list[tuple[str | None, str]]
) -> None:
    indexer = open_indexer(name)
    document = article(passages)
    candidates = {candidate.identifier for candidate in indexer.explain(document).candidates}
    assert {choice.identifier for choice in indexer(document)} <= candidates
    assert bool(candidates) is any("zinc" in text for _, text in passages)


def test_a_model_is_read_as_it_was_written(model: LogisticModel, path: Path) -> None:
    assert model_of(models.read(path)) == model
    assert plain_model(model_of(models.read(path))) == plain_model(model)


def test_the_same_model_has_the_same_bytes_and_version(model: LogisticModel, path: Path, tmp_path: Path) -> None:
    models.write(tmp_path / "again.json", plain_model(model))
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()
    assert open_indexer(str(path)).version == open_indexer(str(tmp_path / "again.json")).version
    models.write(tmp_path / "other.json", plain_model(replace(model, threshold=0.4)))
    assert open_indexer(str(path)).version != open_indexer(str(tmp_path / "other.json")).version


def test_a_model_read_from_a_file_makes_the_same_choices(
    model: LogisticModel, path: Path, zinc_paper: BioCDocument
) -> None:
    assert open_indexer(str(path))(zinc_paper) == LogisticIndexer(model, "v")(zinc_paper)


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "other features": ({"features": ["log:abstract", "moon phase"]}, "'moon phase'"),
    "no features": ({"features": []}, "names no features"),
    "a feature twice": ({"features": ["prior", "prior"]}, "twice"),
    "too few weights": ({"weights": [1.0]}, "2 features but 1 weights"),
    "a weight that is no number": ({"weights": [1.0, None]}, "no list of numbers"),
    "a weight that is infinite": ({"weights": [1.0, float("inf")]}, "no list of numbers"),
    "a scale of nothing": ({"scales": [1.0, 0.0]}, "not greater than 0"),
    "no intercept": ({"intercept": None}, "intercept"),
    "a threshold above 1": ({"threshold": 7}, "threshold"),
    "another method": ({"method": "forest"}, "'forest'"),
    "another format": ({"format": "nlmchem indexer 9"}, "'nlmchem indexer 9'"),
    "no prior": ({"prior": None}, "no prior"),
    "a broken prior": ({"prior": {"base": 0, "concepts": {"MESH:D1": "x"}, "branches": {}}}, "concepts of the prior"),
    "a prior without branches": ({"prior": {"base": 0, "concepts": {}}}, "branches"),
    "no background": ({"background": {"articles": 3}}, "background"),
    "a count below nothing": ({"background": {"articles": -3, "concepts": {}}}, "background"),
    "a count that is no number": ({"background": {"articles": 3, "concepts": {"MESH:D1": ["1", 0, 0]}}}, "background"),
    "more titles than articles": ({"background": {"articles": 3, "concepts": {"MESH:D1": [1, 1, 2]}}}, "background"),
    "a broken background": ({"background": {"articles": 3, "concepts": {"MESH:D1": [1]}}}, "background"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_file_with_a_wrong_part_is_refused_in_one_sentence(path: Path, what: str) -> None:
    change, message = CHANGES[what]
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(ResourceError) as caught:
        open_indexer(str(path))
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert "nlmchem train indexer" in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff\xfe", b"[" * 100_000])
def test_a_file_that_is_not_a_model_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.json").write_bytes(content)
    with pytest.raises(ResourceError):
        open_indexer(str(tmp_path / "model.json"))


def test_an_unknown_indexer_is_refused() -> None:
    with pytest.raises(ConfigurationError) as caught:
        open_indexer("titel")
    assert all(name in str(caught.value) for name in INDEXERS.built_in)


def test_a_folder_is_not_a_model(tmp_path: Path) -> None:
    with pytest.raises(NlmchemError):
        open_indexer(str(tmp_path))


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_outside_0_to_1_is_refused(threshold: float) -> None:
    with pytest.raises(ConfigurationError):
        open_indexer("rules", threshold=threshold)


def test_names_of_indexers_open_them() -> None:
    assert [open_indexer(name).name for name in INDEXERS.built_in] == list(INDEXERS.built_in)
    assert open_indexer(None).version == open_indexer("default").version


def test_the_embedded_model_separates_topics_from_tools(zinc_paper: BioCDocument, lexicon: Concepts) -> None:
    scores = {c.identifier: c.score for c in open_indexer(None, lexicon).explain(zinc_paper).candidates}
    assert scores[ZINC] > 5 * max(scores[COPPER], scores[RUTIN])


def test_the_embedded_model_has_its_provenance() -> None:
    provenance = model_of(models.read(models.DEFAULT)).provenance
    assert {"articles", "index_terms", "identification", "licence", "data"} <= provenance.keys()
