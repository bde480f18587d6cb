"""Features of candidates, calculated by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import log, log1p

import numpy as np
import pytest
from bioc import BioCDocument

from indexing.terms.candidates import PLACES, ArticleCandidates, TermCandidate, candidates_of
from indexing.terms.features import FEATURES, matrix
from indexing.terms.indexer import Concepts
from indexing.terms.statistics import Background, Prior

COPPER, RUTIN, ZINC = "MESH:D003300", "MESH:D012431", "MESH:D015032"


@pytest.fixture
def found(zinc_paper: BioCDocument) -> ArticleCandidates:
    return candidates_of(zinc_paper)


def values(article: ArticleCandidates, name: str, concepts: Concepts | None = None) -> list[float]:
    background = Background(9, {ZINC: 4}, {ZINC: 2}, {ZINC: 1})
    prior = Prior(-3.0, {ZINC: 1.0}, {"D01": -1.0})
    columns = matrix(article, [name], prior, background, concepts) if concepts else matrix(
        article, [name], prior, background
    )  # fmt: skip
    return [float(value) for value in columns[:, 0]]


@pytest.mark.parametrize(
    ("name", "expected"),
    [  # copper, rutin, zinc
        ("count:methods", [2, 1, 0]),
        ("log:abstract", [0, 0, log1p(2)]),
        ("share:title", [0, 0, 1 / 8]),
        ("part:methods", [2 / 3, 1 / 3, 0]),
        ("has:results", [0, 0, 1]),
        ("count", [2, 1, 4]),
        ("share", [2 / 7, 1 / 7, 4 / 7]),
        ("of-most", [0.5, 0.25, 1]),
        ("log-rank", [log(2), log(3), 0]),
        ("most", [0, 0, 1]),
        ("sections", [1, 1, 4]),
        ("log-passages", [log(2), log(2), log(5)]),
        ("prior", [-3, -3, 1]),
        ("rarity", [log(10 / 0.5), log(10 / 0.5), log(10 / 4.5)]),
        ("record", [0, 0, 0]),
        ("article:log-candidates", [log(3)] * 3),
        ("article:title", [1, 1, 1]),
        ("article:abstract", [log(2)] * 3),
    ],
)
def test_values_of_features(found: ArticleCandidates, name: str, expected: list[float]) -> None:
    assert values(found, name) == pytest.approx(expected)


def test_features_of_the_tree_use_the_lexicon(found: ArticleCandidates, lexicon: Concepts) -> None:
    assert values(found, "depth", lexicon) == [3, 3, 3]
    assert values(found, "prior", lexicon) == [-1, -3, 1]
    assert values(found, "broader-present", lexicon) == [0, 0, 0]


@pytest.mark.parametrize("name", ["depth", "narrower-present", "broader-present"])
def test_without_tree_numbers_features_of_the_tree_are_unknown(found: ArticleCandidates, name: str) -> None:
    assert np.isnan(values(found, name)).all()


def test_narrower_concepts_in_the_article_are_a_feature(article, lexicon: Concepts) -> None:
    both = candidates_of(article([("TITLE", "metals such as zinc and copper")]), lexicon)
    # In the order of identifiers: copper, metals, zinc. Of these, zinc stands below metals.
    assert values(both, "narrower-present", lexicon) == [0, 1, 0]
    assert values(both, "broader-present", lexicon) == [0, 0, 1]


def test_equal_counts_share_the_better_rank(article) -> None:
    assert values(candidates_of(article([("TITLE", "zinc rutin copper zinc")])), "log-rank") == pytest.approx(
        [log(2), log(2), 0]
    )


def test_columns_are_in_the_order_of_the_names(found: ArticleCandidates) -> None:
    one = matrix(found, ["count", "first"], Prior(0.0), Background())
    other = matrix(found, ["first", "count"], Prior(0.0), Background())
    assert one.shape == (3, 2)
    assert (one == other[:, ::-1]).all()


def test_every_feature_is_a_finite_number_for_any_article(article, lexicon: Concepts) -> None:
    for passages in ([], [("TITLE", "zinc")], [("REF", "zinc")], [("METHODS", "")], [(None, "zinc " * 500)]):
        found = candidates_of(article(passages), lexicon)
        table = matrix(found, list(FEATURES), Prior(0.0), Background(), lexicon)
        assert table.shape == (len(found.candidates), len(FEATURES))
        assert np.isfinite(table).all()
        unknown = matrix(candidates_of(article(passages)), list(FEATURES), Prior(0.0), Background())
        assert not np.isinf(unknown).any()


def test_every_place_has_its_features() -> None:
    for place in PLACES:
        assert {f"{kind}:{place}" for kind in ("count", "log", "share", "part", "has")} <= FEATURES.keys()


class Counted(tuple):  # type: ignore[type-arg]
    """Candidates that count how often they are read."""

    reads = 0

    def __iter__(self) -> Iterator[TermCandidate]:
        for one in super().__iter__():
            Counted.reads += 1
            yield one


def test_the_candidates_are_not_read_again_for_each_of_them(found: ArticleCandidates) -> None:
    reads = []
    for times in (10, 20):
        Counted.reads = 0
        values(replace(found, candidates=Counted(found.candidates * times)), "article:title")
        reads.append(Counted.reads)
    assert reads[1] <= 2 * reads[0]
