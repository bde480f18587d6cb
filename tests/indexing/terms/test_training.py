"""Training of the indexer: data, folds, thresholds, and errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from bioc import BioCDocument

from corpora import extras
from corpora.errors import ConfigurationError
from corpora.model.document import IndexTerm, add_index_term
from indexing.learning.forest import ForestOptions
from indexing.terms.indexer import NO_CONCEPTS
from indexing.terms.logistic import DEFAULT, LogisticIndexer, LogisticModel, read_model, write_model
from indexing.terms.statistics import Background
from indexing.terms.training import FEATURES, IndexedArticle, IndexerTraining, examples_of, label, train

ZINC, COPPER, RUTIN = "MESH:D015032", "MESH:D003300", "MESH:D012431"

Article = Callable[..., BioCDocument]
SMALL = IndexerTraining(("log:title", "log:abstract", "log:methods", "prior"))


@pytest.fixture
def articles(article: Article) -> list[BioCDocument]:
    """Sixty articles, each about what its title names; copper is always in the methods, and never a topic."""
    made = []
    for number in range(60):
        topic = ("zinc", "rutin", "roots")[number % 3]
        made.append(
            article(
                [("TITLE", f"On {topic}"), ("ABSTRACT", f"We look at {topic} and {topic}"), ("METHODS", "copper zinc")],
                id=str(number),
            )
        )
    return made


@pytest.fixture
def gold(article: Article) -> list[BioCDocument]:
    made = []
    for number in range(60):
        document = article([("TITLE", "")], id=str(number))
        topic = (ZINC, RUTIN, None)[number % 3]
        if topic:
            add_index_term(document, IndexTerm(topic))
        made.append(document)
    return made


def written(model: LogisticModel, folder: Path) -> bytes:
    write_model(folder / "model.json", model)
    return (folder / "model.json").read_bytes()


def test_the_model_learns_the_topics_of_articles(
    articles: list[BioCDocument], gold: list[BioCDocument], article: Article
) -> None:
    messages: list[str] = []
    model = train(label(articles, gold), options=SMALL, report=messages.append)
    indexer = LogisticIndexer(model)
    assert [choice.identifier for choice in indexer(articles[1])] == [RUTIN]
    assert [choice.identifier for choice in indexer(articles[0])] == [ZINC]
    assert indexer(articles[2]) == []
    assert len(messages) == 1
    assert "held-out articles" in messages[0]
    assert model.card["articles"] == 60
    assert model.card["index_terms"] == 40


def test_trees_are_trained_beside_the_regression(
    articles: list[BioCDocument], gold: list[BioCDocument], tmp_path: Path
) -> None:
    options = replace(SMALL, trees=ForestOptions(trees=5))
    one = train(label(articles, gold), options=options, report=lambda _: None)
    other = train(label(articles[::-1], gold[::-1]), options=options, report=lambda _: None)
    assert written(one, tmp_path) == written(other, tmp_path)
    assert one.trees is not None
    assert (one.share, len(one.trees.trees)) == (0.5, 5)
    assert [choice.identifier for choice in LogisticIndexer(one)(articles[1])] == [RUTIN]
    assert LogisticIndexer(one)(articles[2]) == []


def test_the_same_articles_give_the_same_bytes_in_any_order(
    articles: list[BioCDocument], gold: list[BioCDocument], tmp_path: Path
) -> None:
    one = train(label(articles, gold), options=SMALL, report=lambda _: None)
    other = train(label(articles[::-1], gold[::-1]), options=SMALL, report=lambda _: None)
    assert written(one, tmp_path) == written(other, tmp_path)


def test_a_trained_model_can_be_written_and_read(
    articles: list[BioCDocument], gold: list[BioCDocument], tmp_path: Path
) -> None:
    from indexing.terms.registry import open_indexer

    model = train(label(articles, gold), options=SMALL, report=lambda _: None)
    write_model(tmp_path / "model.json", model)
    read = open_indexer(str(tmp_path / "model.json"))
    for document in articles[:3]:
        mine, theirs = LogisticIndexer(model)(document), read(document)
        assert [choice.identifier for choice in mine] == [choice.identifier for choice in theirs]
        # Numbers are kept with 4 and 6 decimals.
        assert [c.score for c in mine] == pytest.approx([c.score for c in theirs], abs=1e-3)


def test_an_article_without_gold_is_left_out_and_reported(
    articles: list[BioCDocument], gold: list[BioCDocument]
) -> None:
    messages: list[str] = []
    found = label(articles, gold[1:], report=messages.append)
    assert len(found) == 59
    assert messages == ["document '0' has no gold index terms; it is left out"]


def test_gold_is_joined_by_pmcid(article: Article, articles: list[BioCDocument], gold: list[BioCDocument]) -> None:
    for number, (one, other) in enumerate(zip(articles, gold, strict=True)):
        one.id, other.id = f"a{number}", f"b{number}"
        one.infons["article-id_pmc"] = other.infons["article-id_pmc"] = f"PMC{number}"
    assert len(label(articles, gold)) == 60


def test_too_few_articles_are_refused(articles: list[BioCDocument], gold: list[BioCDocument]) -> None:
    with pytest.raises(ConfigurationError, match="3 annotated articles with gold"):
        label(articles[:3], gold)


def test_articles_without_candidates_among_their_terms_are_refused(
    articles: list[BioCDocument], gold: list[BioCDocument]
) -> None:
    for document in articles:
        for passage in document.passages:
            passage.annotations.clear()
    with pytest.raises(ConfigurationError, match="normalize"):
        label(articles, gold)


def test_an_unknown_feature_is_refused(articles: list[BioCDocument], gold: list[BioCDocument]) -> None:
    with pytest.raises(ConfigurationError, match="'moon phase'"):
        train(label(articles, gold), options=IndexerTraining(("moon phase",)))


def test_the_prior_of_an_article_is_learned_from_other_articles(
    articles: list[BioCDocument], gold: list[BioCDocument], article: Article
) -> None:
    labelled = label(articles, gold)
    options = IndexerTraining(("prior",), prior_folds=10)
    table = examples_of(labelled, NO_CONCEPTS, Background(), options)
    changed = [IndexedArticle(a.key, a.found, frozenset({COPPER}) if a.key == "7" else a.gold) for a in labelled]
    other = examples_of(changed, NO_CONCEPTS, Background(), options)
    (group,) = {int(g) for g, a in zip(table.groups, _owners(labelled), strict=True) if a == "7"}
    same = table.groups == group
    assert (table.values[same] == other.values[same]).all()
    assert (table.values[~same] != other.values[~same]).any()


def _owners(labelled: list[IndexedArticle]) -> list[str]:
    return [article.key for article in labelled for _ in article.found.candidates]


def test_the_embedded_model_has_the_features_of_the_default_training() -> None:
    assert read_model(DEFAULT).features == FEATURES


def test_without_scikit_learn_the_error_names_the_extra(
    articles: list[BioCDocument], gold: list[BioCDocument], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda module: None)
    with pytest.raises(ConfigurationError, match=r"needs the package scikit-learn; .*nlmchem\[train\]"):
        train(label(articles, gold), options=SMALL)
