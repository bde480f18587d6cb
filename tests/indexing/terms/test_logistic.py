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
from indexing.learning.forest import Forest, Tree
from indexing.learning.linear import Linear
from indexing.terms.indexer import Concepts
from indexing.terms.logistic import DEFAULT, LogisticIndexer, LogisticModel, read_model, write_model
from indexing.terms.registry import INDEXERS, open_indexer
from indexing.terms.statistics import Background, Prior

ZINC, COPPER, RUTIN = "MESH:D015032", "MESH:D003300", "MESH:D012431"


WEIGHTS = {"log:abstract": (0.1, 0.5, 1.0), "prior": (-2.0, 1.0, 0.5)}
"""Mean, scale and weight of two features: mentions in the abstract, and how readily a concept is chosen."""
WITH_DEPTH = {**WEIGHTS, "depth": (3.0, 1.0, 9.0)}


@pytest.fixture
def model() -> LogisticModel:
    return LogisticModel(
        linear=Linear.of(WEIGHTS, -1.0),
        threshold=0.5,
        tfidf_threshold=0.1,
        prior=Prior(-2.0, {ZINC: -1.0}, {"D01": -1.5}),
        background=Background(9, {ZINC: 4}, {ZINC: 2}, {ZINC: 1}),
        card={"articles": 9},
    )


STUMP = Tree((0, -1, -1), (0.5, 0.0, 0.0), (1, 1, 2), (2, 1, 2), (0.0, -1.0, 3.0))
"""-1 for few mentions in the abstract, 3 for more; the mean of its leaves is 0."""


@pytest.fixture
def blend(model: LogisticModel) -> LogisticModel:
    return replace(model, trees=Forest(tuple(WEIGHTS), -2.0, [STUMP]), share=0.5)


@pytest.fixture
def path(model: LogisticModel, tmp_path: Path) -> Path:
    write_model(tmp_path / "model.json", model)
    return tmp_path / "model.json"


def sigmoid(value: float) -> float:
    return 1 / (1 + exp(-value))


def test_a_score_is_a_weighted_sum_of_standardised_features(
    model: LogisticModel, zinc_paper: BioCDocument, lexicon: Concepts
) -> None:
    (choice,) = LogisticIndexer(model, lexicon)(zinc_paper)
    assert (choice.identifier, choice.entry_term) == (ZINC, "Zinc")
    assert choice.score == pytest.approx(sigmoid(-1 + (log1p(2) - 0.1) / 0.5 + 0.5 * (-1 + 2)))


def test_an_unknown_value_counts_as_the_mean_and_is_not_explained(
    model: LogisticModel, zinc_paper: BioCDocument, lexicon: Concepts
) -> None:
    with_depth = replace(model, linear=Linear.of(WITH_DEPTH, -1.0))
    plain, blind = LogisticIndexer(model).explain(zinc_paper), LogisticIndexer(with_depth).explain(zinc_paper)
    assert [c.score for c in blind.candidates] == pytest.approx([c.score for c in plain.candidates])
    assert all(item.feature != "depth" for c in blind.candidates for item in c.contributions)
    seeing = LogisticIndexer(with_depth, lexicon).explain(zinc_paper)
    assert all(any(item.feature == "depth" for item in c.contributions) for c in seeing.candidates)


def test_a_given_threshold_replaces_that_of_the_model(model: LogisticModel, zinc_paper: BioCDocument) -> None:
    assert [c.identifier for c in LogisticIndexer(model, threshold=0.0)(zinc_paper)] == [ZINC, COPPER, RUTIN]
    assert LogisticIndexer(model, threshold=1.0)(zinc_paper) == []
    assert LogisticIndexer(model, threshold=1.0).version != LogisticIndexer(model).version


def test_base_and_contributions_sum_to_the_log_odds(model: LogisticModel, zinc_paper: BioCDocument) -> None:
    explanation = LogisticIndexer(model).explain(zinc_paper)
    assert explanation.base == -1.0
    for candidate in explanation.candidates:
        logit = explanation.base + sum(item.contribution or 0.0 for item in candidate.contributions)
        assert candidate.score == pytest.approx(sigmoid(logit))
        assert candidate.chosen is (candidate.score >= 0.5)
        strengths = [abs(item.contribution or 0.0) for item in candidate.contributions]
        assert strengths == sorted(strengths, reverse=True)


def test_the_explanation_is_plain_data_with_four_decimals(model: LogisticModel, zinc_paper: BioCDocument) -> None:
    explained = LogisticIndexer(model).explain(zinc_paper).as_dict()
    assert json.loads(json.dumps(explained)) == explained
    assert [candidate["identifier"] for candidate in explained["candidates"]] == [ZINC, COPPER, RUTIN]
    first = explained["candidates"][0]
    assert first["score"] == round(first["score"], 4)
    assert {item["feature"] for item in first["contributions"]} == {"log:abstract", "prior"}


def test_with_trees_the_log_odds_are_the_mean_of_both(
    model: LogisticModel, blend: LogisticModel, zinc_paper: BioCDocument, lexicon: Concepts
) -> None:
    plain, both = (LogisticIndexer(one, lexicon).explain(zinc_paper) for one in (model, blend))
    before = {found.identifier: log(found.score / (1 - found.score)) for found in plain.candidates}
    after = {found.identifier: log(found.score / (1 - found.score)) for found in both.candidates}
    assert after[ZINC] == pytest.approx((before[ZINC] - 2 + 3) / 2)
    assert after[COPPER] == pytest.approx((before[COPPER] - 2 - 1) / 2)


def test_base_and_contributions_sum_to_the_log_odds_with_trees(blend: LogisticModel, zinc_paper: BioCDocument) -> None:
    linear = Linear.of(WITH_DEPTH, -1.0)
    with_depth = replace(blend, linear=linear, trees=Forest(linear.features, -2.0, [STUMP]))
    for one in (blend, with_depth):
        explanation = LogisticIndexer(one).explain(zinc_paper)
        assert explanation.base == (-1.0 - 2.0) / 2
        for candidate in explanation.candidates:
            logit = explanation.base + sum(item.contribution or 0.0 for item in candidate.contributions)
            assert candidate.score == pytest.approx(sigmoid(logit))


def test_a_model_with_trees_is_read_as_it_was_written(
    blend: LogisticModel, tmp_path: Path, zinc_paper: BioCDocument
) -> None:
    write_model(tmp_path / "blend.json", blend)
    write_model(tmp_path / "again.json", read_model(tmp_path / "blend.json"))
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "blend.json").read_bytes()
    assert open_indexer(str(tmp_path / "blend.json"))(zinc_paper) == LogisticIndexer(blend)(zinc_paper)


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


def test_a_model_read_from_a_file_makes_the_same_choices(
    model: LogisticModel, path: Path, zinc_paper: BioCDocument
) -> None:
    assert open_indexer(str(path))(zinc_paper) == LogisticIndexer(model)(zinc_paper)


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "a threshold above 1": ({"threshold": 7}, "threshold"),
    "trees without a forest": ({"share": 0.5}, "no 'terms'"),
    "headings": ({"headings": "yes"}, "headings: 'yes' is neither true nor false"),
    "no prior": ({"prior": None}, "damaged (prior"),
    "a broken prior": ({"prior": {"base": 0, "concepts": {"MESH:D1": "x"}, "branches": {}}}, "prior: 'x' is not a"),
    "a prior without branches": ({"prior": {"base": 0, "concepts": {}}}, "prior has no 'branches'"),
    "no background": ({"background": {"articles": 3}}, "background"),
    "a count below nothing": ({"background": {"articles": -3, "concepts": {}}}, "background"),
    "a count that is no number": ({"background": {"articles": 3, "concepts": {"MESH:D1": ["1", 0, 0]}}}, "background"),
    "more titles than articles": ({"background": {"articles": 3, "concepts": {"MESH:D1": [1, 1, 2]}}}, "background"),
    "a broken background": ({"background": {"articles": 3, "concepts": {"MESH:D1": [1]}}}, "background"),
}
"""Changes of `values`. tests/indexing/learning/test_model_file.py has those of all models."""


@pytest.mark.parametrize("what", CHANGES)
def test_a_file_with_a_wrong_part_is_refused_in_one_sentence(path: Path, what: str) -> None:
    change, message = CHANGES[what]
    content = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**content, "values": {**content["values"], **change}}), "utf-8")
    with pytest.raises(ResourceError) as caught:
        open_indexer(str(path))
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_file_whose_trees_have_other_features_is_refused(blend: LogisticModel, tmp_path: Path) -> None:
    trees = Forest(("prior",), 0.0, [STUMP])
    write_model(tmp_path / "model.json", replace(blend, trees=trees))
    with pytest.raises(ResourceError, match="trees with other features"):
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


def test_the_embedded_model_has_fewer_than_a_line_for_each_number() -> None:
    assert len(DEFAULT.read_text("utf-8").splitlines()) < 8000


def test_the_embedded_model_has_its_card() -> None:
    card = read_model(DEFAULT).card
    assert {"articles", "index_terms", "identification", "licence", "data"} <= card.keys()
