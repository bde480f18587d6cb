"""Splits are reproducible, and no article is on both sides of a split."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from bioc import BioCDocument
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.datasets.articles import article
from corpora.errors import ConfigurationError
from corpora.tools.leaks import (
    CROWD,
    Fingerprint,
    Leak,
    _first,
    _Index,
    _Pairing,
    describe,
    fingerprint,
    folds,
    groups,
    leaks,
    split,
)

WORDS = [f"{start}{end}" for start in "bcdfglmnprst" for end in ("ane", "ene", "ol", "one", "ine", "ate", "ide", "ium")]


def prose(seed: int, words: int = 200) -> str:
    draw = random.Random(seed)
    return " ".join(draw.choice(WORDS) for _ in range(words)) + "."


def document(id: str, text: str, **ids: str) -> BioCDocument:
    return article(id, [(text, None, "paragraph")], ids)


def prints(number: int) -> list[Fingerprint]:
    return [fingerprint(document(f"{1000 + place}", prose(place, 60))) for place in range(number)]


def test_many_copies_of_a_text_are_compared_once() -> None:
    """The shingles of copies are not entered again, and equal articles not at all."""
    sizes = []
    for number in (10, 20):
        index = _Index(fingerprint(document(f"copy {place}", prose(1))) for place in range(number))
        sizes.append(sum(map(len, index._by_shingle.values())))
    assert sizes[0] == sizes[1] > 0
    index = _Index(fingerprint(document("same", prose(1), pmid="7")) for _ in range(20))
    assert len(index.find(fingerprint(document("other", prose(2), pmid="7")), _first)) == 1


def test_copies_are_one_group_and_each_is_a_leak() -> None:
    copies = [fingerprint(document(f"copy {place}", prose(1))) for place in range(3)]
    other = fingerprint(document("other", prose(2)))
    nearly = fingerprint(document("nearly", prose(1) + " More words follow."))
    assert groups([copies[0], other, copies[1], nearly, copies[2]]) == [0, 1, 0, 0, 0]
    assert [leak.left for leak in leaks(copies, [nearly])] == ["copy 0", "copy 1", "copy 2"]
    assert [leak.right for leak in leaks([nearly], copies)] == ["copy 0", "copy 1", "copy 2"]


def test_copies_on_both_sides_are_each_in_a_pair_not_in_all() -> None:
    left = [fingerprint(document(f"left {number}", prose(1))) for number in range(40)]
    right = [fingerprint(document(f"right {number}", prose(1))) for number in range(50)]
    pairs = leaks(left, right)
    assert len(pairs) == 40 + 50 - 1
    assert {pair.left for pair in pairs} == {print.id for print in left}
    assert {pair.right for pair in pairs} == {print.id for print in right}


def test_many_similar_articles_are_compared_with_a_few_of_them_and_each_is_a_leak() -> None:
    """Each has words of its own. The pairs of an article are bounded, and so are the places of a shingle."""
    left = [fingerprint(document(f"left {number}", f"{prose(1)} {prose(number, 9)}")) for number in range(3 * CROWD)]
    right = [fingerprint(document(f"right {number}", f"{prose(1)} {prose(1000 + number, 9)}")) for number in range(40)]
    pairs = leaks(left, right)
    assert {pair.left for pair in pairs} == {print.id for print in left}
    assert {pair.right for pair in pairs} == {print.id for print in right}
    assert len(pairs) <= CROWD * len(right) + len(left)
    assert all(0.6 <= pair.share <= 1 for pair in pairs)
    assert groups(left) == [0] * len(left)
    assert max(map(len, _Index(left)._by_shingle.values())) == CROWD


def test_many_articles_with_one_id_are_each_in_a_pair_not_in_all() -> None:
    left = [fingerprint(document("article", prose(number))) for number in range(2 * CROWD)]
    right = [fingerprint(document("article", prose(1000 + number))) for number in range(2 * CROWD)]
    index, pairing = _Index(left), _Pairing()
    assert sum(1 for other in right for _ in index.find(other, pairing)) == 4 * CROWD - 1
    assert groups(left) == [0] * len(left)


# -- knowing an article again -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "by"),
    [
        (document("1", prose(1), pmid="77"), document("2", prose(2), pmid="77"), "id"),
        (document("1", prose(1), pmc="PMC88"), document("2", prose(2), pmc="88"), "id"),
        (document("1", prose(1), doi="10.1/A"), document("2", prose(2), doi="10.1/a"), "doi"),
        (document("77", prose(1)), document("x", prose(1), pmid="77"), "id"),
        (document("PMC88", prose(1)), document("x", prose(2), pmc="88"), "id"),
        (document("10.1/a", prose(1)), document("x", prose(2), doi="10.1/a"), "doi"),
        (document("a", prose(1)), document("b", prose(1)), "text"),
        (document("a", "Too short."), document("b", "too  SHORT"), "text"),
        (document("a", prose(3)), document("b", prose(4, 400) + " " + prose(3) + " " + prose(5, 400)), "text"),
        (document("77-random-1", prose(1).replace("one", "x"), original="77"), document("77", prose(1)), "id"),
    ],
    ids=["pmid", "pmcid", "doi", "own id", "own pmcid", "own doi", "text", "short", "abstract in full text", "copy"],
)
def test_the_same_article_is_found(one: BioCDocument, other: BioCDocument, by: str) -> None:
    [leak] = leaks([fingerprint(one)], [fingerprint(other)])
    assert (leak.left, leak.right, leak.by) == (one.id, other.id, by)
    assert leaks([fingerprint(other)], [fingerprint(one)])[0].by == by, "it does not matter which side is which"


def test_nearly_identical_text_is_found_with_its_share() -> None:
    words = prose(1).split()
    edited = " ".join(word if place % 40 else "other" for place, word in enumerate(words))
    [leak] = leaks([fingerprint(document("a", prose(1)))], [fingerprint(document("b", edited))])
    assert leak.by == "text"
    assert 0.6 <= leak.share < 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (document("a", prose(1)), document("b", prose(2))),
        (document("a", ""), document("b", "")),
        (document("1", prose(1), pmid="77"), document("2", prose(2), pmc="77")),
        # A bare number may be a PMID here and a PMCID there: the texts say that it is.
        (document("77", prose(1)), document("2", prose(2), pmc="77")),
    ],
    ids=["others", "empty", "pmid and pmcid", "bare number"],
)
def test_different_articles_are_not_the_same(one: BioCDocument, other: BioCDocument) -> None:
    assert leaks([fingerprint(one)], [fingerprint(other)]) == []


def test_the_sentence_for_the_model_card() -> None:
    assert "No article of train is in test" in describe([], "train", "test")
    sentence = describe([Leak("1", "2", "id"), Leak("3", "4", "text", 0.83)], "train", "test")
    assert sentence.startswith("2 articles of train are also in test (1 by id, 1 by text)")


# -- splits -------------------------------------------------------------------------------------


def test_folds_have_equal_size_and_do_not_depend_on_the_order() -> None:
    some = prints(23)
    assigned = folds(some, 5, seed=1)
    assert sorted(Counter(assigned).values()) == [4, 4, 5, 5, 5]
    shuffled = random.Random(3).sample(range(23), 23)
    again = folds([some[place] for place in shuffled], 5, seed=1)
    assert [again[shuffled.index(place)] for place in range(23)] == assigned
    assert folds(some, 5, seed=2) != assigned


def test_a_split_has_the_given_shares() -> None:
    parts = split(prints(50), {"train": 0.8, "dev": 0.1, "test": 0.1})
    assert Counter(parts) == {"train": 40, "dev": 5, "test": 5}


def test_copies_of_an_article_stay_together() -> None:
    articles = [document(str(place), prose(place % 10)) for place in range(30)]
    some = [fingerprint(one) for one in articles]
    assert len(set(groups(some))) == 10
    parts = split(some, {"train": 0.5, "test": 0.5})
    train, test = ([one for one, part in zip(some, parts, strict=True) if part == side] for side in ("train", "test"))
    assert train
    assert test
    assert leaks(train, test) == []


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 15), min_size=2, max_size=40), st.integers(0, 5), st.integers(2, 4))
def test_no_fold_leaks_into_another(texts: list[int], seed: int, number: int) -> None:
    some = [fingerprint(document(f"d{place}", prose(text, 60))) for place, text in enumerate(texts)]
    if len(set(groups(some))) < number:
        with pytest.raises(ConfigurationError, match="fewer articles than folds"):
            folds(some, number, seed)
        return
    assigned = folds(some, number, seed)
    for fold in range(number):
        inside = [one for one, its in zip(some, assigned, strict=True) if its == fold]
        outside = [one for one, its in zip(some, assigned, strict=True) if its != fold]
        assert leaks(inside, outside) == []


@pytest.mark.parametrize("shares", [{}, {"train": 0.0}, {"train": 1.0, "test": -1.0}])
def test_shares_that_are_not_positive_are_refused(shares: dict[str, float]) -> None:
    with pytest.raises(ConfigurationError, match="greater than 0"):
        split(prints(3), shares)
