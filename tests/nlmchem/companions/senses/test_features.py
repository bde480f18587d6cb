"""The features of all short forms of an article are computed together, and do not depend on each other."""

from __future__ import annotations

import numpy as np
from small_world import CELLS, defining, using

from corpora.model.metadata import word_counts
from nlmchem.abbreviations.inventory import InventorySense
from nlmchem.companions.senses.choice import (
    FEATURES,
    OTHER_FEATURES,
    SAME,
    SenseFeatures,
    ambiguous_form,
    features_of,
)
from nlmchem.companions.senses.resolver import Resolver

UNKNOWN = InventorySense("unknown thing", 1)
NONE = np.zeros(0, dtype=np.int64)


def column(found: SenseFeatures, name: str) -> list[float]:
    return [float(value) for value in found.senses[name]]


def test_short_forms_together_have_the_features_that_each_has_alone(resolver: Resolver) -> None:
    context = resolver._context
    assert context is not None
    counts = word_counts(using(CELLS, 910))
    query = context.query(counts)
    forms = [
        ambiguous_form("ER", resolver.inventory.senses("ER"), context),
        ("ER", [UNKNOWN], [NONE]),
        ambiguous_form("ER", resolver.inventory.senses("ER")[:1], context),
    ]
    together = features_of(forms, query, counts, context)
    for number, form in enumerate(forms):
        alone, own = features_of([form], query, counts, context), slice(*together.starts[number : number + 2])
        assert all(np.array_equal(alone.senses[name], together.senses[name][own], equal_nan=True) for name in FEATURES)
        assert all(alone.other[name] == together.other[name][number] for name in OTHER_FEATURES)


def test_a_sense_without_articles_is_farther_than_any_other(resolver: Resolver) -> None:
    context = resolver._context
    assert context is not None
    counts = word_counts(using(CELLS, 911))
    known = resolver.inventory.senses("ER")[0]
    form = "ER", [known, UNKNOWN], [context.of_sense(known.row), NONE]
    found = features_of([form], context.query(counts), counts, context)
    for name in ("nearest", "nearest three", "mean", "kernel", "vector kernel"):
        own, unknown = column(found, name)
        assert own > unknown, name


def test_nearest_articles_by_hand(resolver: Resolver) -> None:
    context = resolver._context
    assert context is not None
    counts = word_counts(using(CELLS, 912))
    query = context.query(counts)
    sense = resolver.inventory.senses("ER")[0]
    articles = context.of_sense(sense.row)
    sums = dict.fromkeys(articles.tolist(), 0.0)
    postings = context.postings
    for word, weight in zip(query.ids, query.weights, strict=True):
        for at in range(postings.starts[word], postings.starts[word + 1]):
            if postings.articles[at] in sums:
                sums[int(postings.articles[at])] += float(weight * postings.weights[at])
    cosines = np.sort(list(sums.values()))
    found = features_of([("ER", [sense], [articles])], query, counts, context)
    assert np.isclose(column(found, "nearest")[0], cosines[-1], atol=1e-5)
    assert np.isclose(column(found, "nearest three")[0], cosines[-3:].mean(), atol=1e-5)
    assert np.isclose(column(found, "mean")[0], cosines.mean(), atol=1e-5)


def test_words_with_counts_below_one_are_absent(resolver: Resolver) -> None:
    context = resolver._context
    assert context is not None
    word = next(iter(context.vocabulary))
    assert list(context.query({word: 2}).ids) == [context.vocabulary[word]]
    assert len(context.query({word: 0, "an unknown word": 3}).ids) == 0


def test_no_short_form_has_no_features(resolver: Resolver) -> None:
    context = resolver._context
    assert context is not None
    found = features_of([], context.query({}), {}, context)
    assert found.candidates == ()
    assert [len(found.senses[name]) for name in FEATURES] == [0] * len(FEATURES)


def test_an_article_of_the_dictionary_is_no_evidence_about_itself(resolver: Resolver) -> None:
    context = resolver._context
    assert context is not None
    sense = resolver.inventory.senses("ER")[0]
    same = defining(0)
    articles = context.of_sense(sense.row)
    assert 0 in articles
    counts = word_counts(same)
    query = context.query(counts)
    cosines, _ = context.similarities(query, articles)
    assert cosines[list(articles).index(0)] >= SAME
    found = features_of([("ER", [sense], [articles])], query, counts, context)
    without = features_of([("ER", [sense], [articles[cosines < SAME]])], query, counts, context)
    assert column(found, "nearest") == column(without, "nearest")
    assert column(found, "nearest")[0] < SAME


def test_a_name_in_no_article_but_this_one_is_contained_by_none(resolver: Resolver) -> None:
    context = resolver._context
    assert context is not None
    name = InventorySense("endoplasmic reticulum", 0, grade=1, containing=1, identifier="MESH:D004721")
    for article, containing in ((defining(0), 0.0), (using(CELLS, 913), np.log(2))):
        counts = word_counts(article)
        form = "ER", [name], [np.array([0])]
        found = features_of([form], context.query(counts), counts, context)
        assert np.isclose(column(found, "log containing")[0], containing)
