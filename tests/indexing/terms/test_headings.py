"""A chosen supplementary record brings the headings that it maps to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import exp, log

import numpy as np
import pytest
from bioc import BioCDocument

from corpora.model.document import IndexTerm, add_index_term, index_terms
from indexing.learning.forest import ForestOptions
from indexing.learning.linear import Linear
from indexing.terms.candidates import candidates_of
from indexing.terms.indexer import NO_CONCEPTS, Concepts, IndexStage
from indexing.terms.logistic import LogisticIndexer, LogisticModel, records_of
from indexing.terms.statistics import Background, Prior
from indexing.terms.training import IndexerTraining, extended, label, train, with_headings

BRASS, COPPER, RUTIN, ZINC = "MESH:C000001", "MESH:D003300", "MESH:D012431", "MESH:D015032"

Article = Callable[..., BioCDocument]


@pytest.fixture
def model() -> LogisticModel:
    """One feature: log-odds = 4 * log(1 + mentions in the abstract) - 2."""
    linear = Linear.of({"log:abstract": (0.0, 1.0, 4.0)}, -2.0)
    return LogisticModel(linear, 0.5, 0.1, Prior(-2.0), Background(), headings=True)


@pytest.fixture
def paper(article: Article) -> BioCDocument:
    """About brass. Copper is mentioned in the methods; zinc, to which brass maps too, is not."""
    return article([("ABSTRACT", "We bend brass and more brass."), ("METHODS", "A copper plate, rutin and brass.")])


def scores_of(indexer: LogisticIndexer, document: BioCDocument) -> dict[str, float]:
    return {found.identifier: found.score for found in indexer.explain(document).candidates}


def test_headings_of_records_are_known_chemicals(paper: BioCDocument, lexicon: Concepts) -> None:
    found = candidates_of(paper, lexicon)
    assert [candidate.identifier for candidate in found.candidates] == [BRASS, COPPER, RUTIN]
    # Enzymes are no chemicals, and the lexicon does not have the fourth heading.
    assert records_of(found, lexicon) == {COPPER: (0,), ZINC: (0,)}


def test_a_lexicon_without_mappings_brings_nothing(paper: BioCDocument) -> None:
    assert records_of(candidates_of(paper), NO_CONCEPTS) == {}


def test_headings_are_those_of_the_year_in_use(paper: BioCDocument, lexicon: Concepts) -> None:
    class Dated(type(lexicon)):  # type: ignore[misc]
        def translate(self, identifier: str) -> str | None:
            return None if identifier == ZINC else RUTIN

    assert records_of(candidates_of(paper, lexicon), Dated()) == {RUTIN: (0,)}


def test_a_heading_has_the_greatest_score_of_its_own_and_of_its_records(paper: BioCDocument, lexicon: Concepts) -> None:
    found = candidates_of(paper, lexicon)
    records = records_of(found, lexicon)
    assert with_headings(found, [0.7, 0.2, 0.1], records) == {BRASS: 0.7, COPPER: 0.7, RUTIN: 0.1, ZINC: 0.7}
    assert with_headings(found, [0.3, 0.4, 0.1], records) == {BRASS: 0.3, COPPER: 0.4, RUTIN: 0.1, ZINC: 0.3}
    assert with_headings(found, [0.3, 0.4, 0.1], {}) == {BRASS: 0.3, COPPER: 0.4, RUTIN: 0.1}


def test_scores_and_labels_of_several_articles_are_extended(
    paper: BioCDocument, article: Article, lexicon: Concepts
) -> None:
    one, other, empty = candidates_of(paper, lexicon), candidates_of(article([("TITLE", "zinc")]), lexicon), article([])
    rows = [
        (one, frozenset({BRASS, ZINC}), records_of(one, lexicon)),
        (candidates_of(empty), frozenset({ZINC}), {}),
        (other, frozenset({ZINC}), {}),
    ]
    scores, labels = extended(rows, np.array([0.7, 0.2, 0.1, 0.9]))
    assert scores.tolist() == [0.7, 0.7, 0.1, 0.7, 0.9]
    assert labels.tolist() == [True, False, False, True, True]


def test_a_chosen_record_brings_its_headings(model: LogisticModel, paper: BioCDocument, lexicon: Concepts) -> None:
    choices = LogisticIndexer(model, lexicon)(paper)
    score = 1 / (1 + exp(2 - 4 * log(3)))
    assert [(one.identifier, one.entry_term) for one in choices] == [
        (BRASS, "brass"), (COPPER, "Copper"), (ZINC, "Zinc")
    ]  # fmt: skip
    assert [one.score for one in choices] == pytest.approx([score] * 3)
    plain = LogisticIndexer(replace(model, headings=False), lexicon)
    assert [one.identifier for one in plain(paper)] == [BRASS]


def test_a_record_that_is_not_chosen_brings_nothing(model: LogisticModel, article: Article, lexicon: Concepts) -> None:
    paper = article([("ABSTRACT", "On copper and copper"), ("METHODS", "brass")])
    indexer = LogisticIndexer(model, lexicon)
    assert [one.identifier for one in indexer(paper)] == [COPPER]
    assert scores_of(indexer, paper)[ZINC] == scores_of(indexer, paper)[BRASS] < 0.5


def test_the_explanation_names_the_record_and_adds_up(
    model: LogisticModel, paper: BioCDocument, lexicon: Concepts
) -> None:
    indexer = LogisticIndexer(model, lexicon)
    explanation = indexer.explain(paper)
    for candidate in explanation.candidates:
        total = (explanation.base or 0.0) + sum(item.contribution or 0.0 for item in candidate.contributions)
        assert candidate.score == pytest.approx(1 / (1 + exp(-total)))
    of = {one["identifier"]: one["contributions"] for one in indexer.explain(paper).as_dict()["candidates"]}
    assert [item["feature"] for item in of[ZINC]] == [f"record:{BRASS}"]
    assert f"record:{BRASS}" in [item["feature"] for item in of[COPPER]]
    assert [item["feature"] for item in of[RUTIN]] == ["log:abstract"]


def test_saturated_scores_stay_finite(model: LogisticModel, paper: BioCDocument, lexicon: Concepts) -> None:
    sure = replace(model, linear=Linear.of({"log:abstract": (0.0, 1.0, 4000.0)}, -2.0))
    found = LogisticIndexer(sure, lexicon).explain(paper)
    assert all(abs(item.contribution or 0.0) < 1e6 for one in found.candidates for item in one.contributions)
    assert {one.identifier for one in found.candidates if one.chosen} == {BRASS, COPPER, ZINC}


def test_an_article_without_candidates_has_no_headings(
    model: LogisticModel, article: Article, lexicon: Concepts
) -> None:
    for document in (article([]), article([("TITLE", "No name")])):
        assert LogisticIndexer(model, lexicon).explain(document).candidates == ()


def test_headings_that_the_input_has_are_not_repeated(
    model: LogisticModel, paper: BioCDocument, lexicon: Concepts
) -> None:
    add_index_term(paper, IndexTerm(ZINC, "Zinc"))
    IndexStage(LogisticIndexer(model, lexicon), "keep")([paper])
    assert [term.identifier for term in index_terms(paper)] == [ZINC, BRASS, COPPER]


def test_training_chooses_the_threshold_with_headings(article: Article, lexicon: Concepts) -> None:
    documents = [
        article([("TITLE", f"On {('brass', 'rutin')[number % 2]}"), ("METHODS", "brass rutin")], id=str(number))
        for number in range(40)
    ]
    gold = []
    for number in range(40):
        gold.append(article([("TITLE", "")], id=str(number)))
        for identifier in ((BRASS, COPPER, ZINC), (RUTIN,))[number % 2]:
            add_index_term(gold[-1], IndexTerm(identifier))
    options = IndexerTraining(("log:title", "log:methods"), trees=ForestOptions(trees=20, least=20))
    messages: list[str] = []
    trained = train(label(documents, gold, lexicon), lexicon, options, report=messages.append)
    assert trained.headings
    assert "F 1.0000" in messages[0]
    chosen = [one.identifier for one in LogisticIndexer(trained, lexicon)(documents[0])]
    assert chosen == [BRASS, COPPER, ZINC]
    without = replace(options, headings=False)
    assert not train(label(documents, gold, lexicon), lexicon, without, report=messages.append).headings
    # Copper and zinc are no candidates, so that half of the index terms cannot be found.
    assert "F 0.6667" in messages[1]
